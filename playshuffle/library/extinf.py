"""Make the `#EXTINF` lines that the cache stores."""

import os
import re

from playshuffle.tags.reading import Tags

# Characters that may end a line for some reader, with the spaces around them.
_BREAK = "[\x00-\x20\x7f-\x9f\u2028\u2029]+"


def one_line(text: str) -> str:
    """Return a text without line breaks, control characters and repeated spaces."""
    if not text.isprintable() or "  " in text:
        text = re.sub(_BREAK, " ", text)
    return text.strip(" ")


def extinf(tags: Tags, name: bytes) -> bytes:
    """Return the `#EXTINF` line with length, artist and title; empty if the length is unknown.

    Without a title, it has the file's name. It never has 0 or -1 seconds: MPD would prefer that to the file's
    own length.
    """
    if tags.duration_ms is None:
        return b""
    text, artist = one_line(tags.title), one_line(tags.artist)
    if text and artist:
        text = f"{artist} - {text}"
    elif not text:
        text = one_line(os.path.splitext(name)[0].decode(errors="replace"))
    text = text.replace("#EXT", "# EXT")  # VLC searches every line for the tags of a stream
    seconds = max(1, (tags.duration_ms + 500) // 1000)
    return f"#EXTINF:{seconds},{text}\n".encode(errors="replace")
