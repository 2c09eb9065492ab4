"""Show the tags that queries can use, and their values."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from playshuffle.cli.common_options import ConfigFile, Json, Quiet, argument, option
from playshuffle.cli.music_folders import music_folders
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import Screen, columns, home_path, screen_of, shell_path
from playshuffle.cli.streams import print_json, print_lines, say
from playshuffle.cli.track_list import clock
from playshuffle.config.build_request import absolute
from playshuffle.errors import Exit, Note, PlayshuffleError, shown
from playshuffle.history.histories import NAMES
from playshuffle.history.history_reader import SourceError
from playshuffle.history.sources import find_source
from playshuffle.pipeline.tag_values import Coverage, coverage
from playshuffle.pipeline.tools import Tools
from playshuffle.selection.fields import FIELDS, OF_HISTORY, OF_TRACKS
from playshuffle.selection.query import shown_value
from playshuffle.shuffle import System
from playshuffle.tags.cause import Cause
from playshuffle.tags.reader_pool import read_all
from playshuffle.tags.reading import Tags
from playshuffle.text import counted, known

_EXAMPLES = 3
_LONGEST = 40  # columns of an example
_LEAST = 8  # columns for all examples, even in a narrow terminal
# Fields of queries whose tag has another name.
_FIELD_OF = {
    "album_artist": "albumartist", "duration_ms": "length", "number": "track",
    "play_count": "plays", "sample_rate": "samplerate",
}  # fmt: skip

EXAMPLES = """\b
Examples:
  playshuffle tags ~/Music            # all fields, with examples
  playshuffle tags genre ~/Music      # values, the most frequent first
  playshuffle tags song.mp3           # the tags of a file
"""


def tags(
    words: Annotated[
        list[str] | None,
        argument("[FIELD] [FOLDER|FILE...]", "Field, folders or files", lambda: [*OF_TRACKS]),
    ] = None,
    history: Annotated[
        list[str] | None,
        option("--history SOURCE", "Play history, such as mpd, beets or a file", complete=lambda: [*NAMES]),
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show tags and their values, for --where."""
    field, places = _parted(words or [])
    if places and field is None and all(map(os.path.isfile, places)):
        _write_files(places, as_json=as_json)
        return
    with progress_bar(quiet) as progress:
        roots, configured = music_folders(places, config)
        sources = [find_source(text, absolute(text)) for text in history or ()]
        if field is None or field in OF_HISTORY.union(("plays", "rating")):  # other fields need no player
            sources = sources or [*configured]
        fields = () if field is None else (field,)
        tools = Tools(read_all, System(), progress)
        try:
            count, by_field, notes = coverage(roots, tools, fields, sources)
        except SourceError as error:
            if field is not None or history:
                raise
            count, by_field, _ = coverage(roots, tools)  # only tags are needed, not plays
            notes = [Note("history", str(error))]
    if as_json:
        print_json(_as_json(count, by_field, all_values=field is not None))
    else:
        screen = screen_of(sys.stdout)
        print_lines(_field_lines(count, by_field, screen) if field is None else _value_lines(by_field[field]))
    if not quiet:
        say(line for note in notes for line in screen_of(sys.stderr).detail("Note", str(note)))


def _parted(words: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    for word in words:
        if ("/" in word or os.path.splitext(word)[1]) and not os.path.lexists(absolute(word)):
            raise PlayshuffleError(f"{shown(word)} does not exist. Name a file or folder.", Exit.NO_INPUT)
    if not words or os.path.lexists(words[0]):
        fields = [word for word in words if word in OF_TRACKS and not os.path.lexists(word)]
        if fields:
            places = [shell_path(absolute(word)) for word in words if word not in fields]
            raise PlayshuffleError(f"The field comes first: playshuffle tags {fields[0]} {' '.join(places)}")
        return None, words
    return known("field", words[0], OF_TRACKS), words[1:]


def _field_lines(count: int, by_field: dict[str, Coverage], screen: Screen) -> Iterator[str]:
    yield counted(count, "track")
    width, digits = max(map(len, by_field)), len(f"{count:,}")
    separator = " · " if screen.has_unicode else ", "
    for name, field in by_field.items():
        share = f"{round(100 * field.track_count / count) if count else 0}%"
        values = [value for value, _ in field.values.most_common(_EXAMPLES)]
        examples = separator.join(
            screen.head(home_path(value) if name == "path" else shown(value), _LONGEST) for value in values
        )
        start = f"{name:{width}}  {field.track_count:>{digits},}  {share:>4}  "
        if screen.width is not None:
            examples = screen.head(examples, max(screen.width - len(start), _LEAST))
        yield f"{start}{examples}".rstrip()


def _value_lines(field: Coverage) -> Iterator[str]:
    return (f"{count:>9,}  {shown(value)}" for value, count in field.values.most_common())


def _as_json(count: int, by_field: dict[str, Coverage], *, all_values: bool) -> dict[str, object]:
    fields = {
        name: {
            "tracks": field.track_count,
            "values": dict(field.values.most_common(None if all_values else _EXAMPLES)),
        }
        for name, field in by_field.items()
    }
    return {"tracks": count, "fields": fields}


def _write_files(names: Sequence[str], *, as_json: bool) -> None:
    files = []
    paths = [absolute(name) for name in names]
    readings = dict(read_all(paths))
    for row, path in enumerate(paths):
        reading = readings[row]
        if reading.tags is None and not reading.is_audio:
            raise PlayshuffleError(f"{shown(path)}: {reading.reason}.", Exit.NO_INPUT)
        fields = (reading.tags or Tags())._asdict().items()
        files.append((path, reading.reason, {tag: value for tag, value in fields if value not in (None, "")}))
    if as_json:
        print_json(*({"path": os.fsdecode(path), "tags": tags} for path, _, tags in files))
        return
    screen = screen_of(sys.stdout)
    print_lines(line for file in files for line in _file_lines(*file, screen))


def _file_lines(path: bytes, reason: Cause | None, tags: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield home_path(path)
    if reason is not None:
        yield f"  {shown(str(reason))}"
    for tag, value in tags.items():
        label = _FIELD_OF.get(tag, tag)
        if label == "length":
            text = clock(value)
        elif label in FIELDS and not isinstance(value, str):
            text = shown_value(FIELDS[label], value)
        else:
            text = shown(str(value))
        lines = screen.hanging(text, f"  {label:14}  ")
        if screen.is_terminal and columns(lines[0]) > (screen.width or 0):  # a value of one long word
            lines = [f"  {label}", f"    {text}"]
        yield from lines
