"""Find the frame or key of a file from which each of its tags was read, such as `ID3v2.3 TPE2`.

The file is read with mutagen, in a process of its own with the limits of `reader_limits`.
"""

import json
import signal
import subprocess
import sys
from typing import Any, BinaryIO

from playshuffle.library import head_id3
from playshuffle.library.folder import Tags
from playshuffle.library.reader_limits import DEADLINE_S, MEMORY_BYTES
from playshuffle.library.reader_worker import limit_process
from playshuffle.library.tag_frames import names_of_fields

_COMMAND = "import sys; sys.path[:] = sys.argv[2:]; from playshuffle.library.tag_sources import main; main()"
_LONGEST_SOURCE = 200  # characters
_MOST_NAMES = 5  # several tags that make up one value

_V1_FIELDS = {
    "TIT2": "title", "TPE1": "artist", "TALB": "album", "TDRC": "year", "TYER": "year",
    "COMM": "comment", "TRCK": "track", "TCON": "genre",
}  # fmt: skip

_Item = tuple[str, str, list[Any]]  # source, name as in the table of tags, values


def read_sources(path: bytes, *, deadline_s: float = DEADLINE_S) -> dict[str, str]:
    """Return where each field of `Tags` comes from; nothing for a file that cannot be read.

    Fields that describe the audio itself, such as its length, have no source.
    """
    command = [sys.executable, "-I", "-c", _COMMAND, str(MEMORY_BYTES), *sys.path]
    try:
        output = subprocess.check_output(command, input=path, stderr=subprocess.DEVNULL, timeout=deadline_s)
        sources = json.loads(output)
    except (OSError, ValueError, RecursionError, subprocess.SubprocessError):
        return {}
    # The process may have been taken over by a hostile file.
    if not isinstance(sources, dict):
        return {}
    return {
        field: source
        for field in Tags._fields
        if isinstance(source := sources.get(field), str) and len(source) <= _LONGEST_SOURCE
    }


def main() -> None:
    """Read the path of a file, and write the sources of its tags as JSON."""
    limit_process(int(sys.argv[1]))
    signal.alarm(2 * int(DEADLINE_S))  # for a parent that was killed
    sys.stdout.write(json.dumps(sources_of(sys.stdin.buffer.read())))


def sources_of(path: bytes) -> dict[str, str]:
    """Return what `read_sources` does, in this process and without limits.

    Raises:
        Exception: of any kind, if the file is damaged.
    """
    from playshuffle.library.tag_reader import open_audio  # mutagen is slow to import

    with open_audio(path) as (file, format_, start):
        items = _items(file, format_, start)
    values: dict[str, list[Any]] = {}
    sources: dict[str, dict[str, None]] = {}
    for source, name, more in items:
        values.setdefault(name.lower(), []).extend(more)
        sources.setdefault(name.lower(), {})[source] = None
    return {
        field: ", ".join(list(sources[name])[:_MOST_NAMES])[:_LONGEST_SOURCE]
        for field, name in names_of_fields(values).items()
    }


def _items(file: BinaryIO, format_: str, start: int) -> list[_Item]:
    from playshuffle.library.mutagen_formats import FAMILIES, open_tags
    from playshuffle.library.wave_chunks import read_wave_chunks

    _, tags = open_tags(file, format_, start)
    items: list[_Item] = []
    for kind, family, read_tags in FAMILIES:
        if isinstance(tags, family):
            # One tag at a time, so that it is known which of them each name comes from.
            if isinstance(tags, list):
                named = [(key, read_tags([(key, value)])) for key, value in list.__iter__(tags)]
            else:
                named = [(key, read_tags({key: value})) for key, value in tags.items()]
            labels = _id3_labels(file, format_, start, tags) if kind == "ID3" else None
            items = [
                (f"{kind} {key}" if labels is None else labels[key], name, list(values))
                for key, pairs in named
                if labels is None or key in labels
                for name, values in pairs
            ]
            break
    if format_ == "wave":
        file.seek(start)
        known = {name for _, name, _ in items}
        items += [
            (f"RIFF {key}", name, values)
            for key, name, values in read_wave_chunks(file).named
            if name not in known
        ]
    return items


def _id3_labels(file: BinaryIO, format_: str, start: int, tags: Any) -> dict[str, str]:
    """Return the name of each frame in its version of ID3; omit those that `tag_reader` ignores."""
    from playshuffle.library.mutagen_formats import ID3_V22_NAMES, open_tags

    in_v2: Any = ()
    version = tags.version[1]
    if tags.version >= (2, 2):
        in_v2 = open_tags(file, format_, start, with_v1=False)[1] or ()
    file.seek(0)
    tag = head_id3.read_tag(file) if format_ == "mp3" else None
    labels: dict[str, str] = {}
    for key in tags:
        frame, colon, rest = key.partition(":")
        if key in in_v2:
            name = ID3_V22_NAMES.get(frame, frame) if version == 2 else frame
            labels[key] = f"ID3v2.{version} {name}" + (colon + rest if frame != "COMM" else "")
        elif tag is None or not tag.named:  # else an ID3v1 tag is ignored
            labels[key] = f"ID3v1 {_V1_FIELDS.get(frame, frame)}"
    return labels
