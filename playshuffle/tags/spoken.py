"""Recognise spoken word, such as audiobooks and podcasts, by suffix, media kind of MP4, or genre."""

import os

from playshuffle.tags.reading import Tags
from playshuffle.text import folded

SUFFIX = b".m4b"

# Values of MP4's `stik`; 10 is a TV show and 6 a music video, which may be music.
MEDIA_KINDS = {2: "audiobook", 21: "podcast"}

# Whole genres, folded: `Spoken Jazz` is music.
GENRES = frozenset((
    "audio book", "audiobook", "audiobooks", "audiolibro", "audiolivre", "books & spoken", "hörbuch",
    "hörbücher", "hörspiel", "hörspiele", "ljudbok", "livre audio", "luisterboek", "lydbog", "lydbok",
    "podcast", "podcasts", "radio drama", "speech", "spoken word", "spoken", "аудиокнига", "オーディオブック",
))  # fmt: skip


def why_spoken(name: bytes, tags: Tags | None) -> str:
    """Return why a file is spoken word, in a few words; empty for music."""
    if os.path.splitext(name)[1].lower() == SUFFIX:
        return "spoken word: .m4b is for audiobooks"
    if tags is None:
        return ""
    if tags.media_kind in MEDIA_KINDS:
        return f"spoken word: its media kind is {MEDIA_KINDS[tags.media_kind]}"
    if tags.genre:
        for genre in tags.genre.split("; "):
            if folded(genre.strip()) in GENRES:
                return f"spoken word: its genre is {genre.strip()}"
    return ""
