"""The tags of a track -> its `#EXTINF` line, which the cache keeps."""

import re

from playshuffle.library.folder import Tags

# What could end a line for some reader, with the spaces around it.
_BREAK = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029]+")


def one_line(text: str) -> str:
    if not text.isprintable() or "  " in text:
        text = _BREAK.sub(" ", text)
    return text.strip(" ")


def extinf(tags: Tags) -> bytes:
    """Say length, artist and title in a line of their own; nothing without a length or a title.

    Never 0 or -1: MPD and others believe them over the length of the file itself.
    """
    title = one_line(tags.title)
    if tags.duration_ms is None or not title:
        return b""
    artist = one_line(tags.artist)
    name = f"{artist} - {title}" if artist else title
    name = name.replace("#EXT", "# EXT")  # VLC looks for the tags of a stream everywhere
    seconds = max(1, (tags.duration_ms + 500) // 1000)
    return f"#EXTINF:{seconds},{name}\n".encode(errors="replace")
