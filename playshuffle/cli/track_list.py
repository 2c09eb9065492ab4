"""List tracks for a person: artist and title if the tags are known, otherwise the path."""

from collections.abc import Iterator, Sequence

from playshuffle.cli.screen import Screen, columns, home_path
from playshuffle.errors import shown
from playshuffle.library.cached_tags import cached_tags
from playshuffle.tags.reading import Tags

_LEAST_NAME = 20  # columns; in a narrower terminal, names are not cut


def track_list(paths: Sequence[bytes], screen: Screen) -> Iterator[str]:
    """Return a line for each track: position, artist and title, length."""
    tags_of = cached_tags(paths)
    digits = len(str(len(paths)))
    names = [_name(path, tags_of.get(path), screen) for path in paths]
    lengths = [_length(tags_of.get(path)) for path in paths]
    if not screen.is_terminal:
        for position, (name, length) in enumerate(zip(names, lengths, strict=True), 1):
            yield f"  {position:{digits}}  {name}{f' ({length})' if length else ''}"
        return
    widest = max(map(len, lengths), default=0)
    assert screen.width is not None
    room = max(screen.width - digits - 4 - (widest + 2 if widest else 0), _LEAST_NAME)
    column = min(max(map(columns, names), default=0), room)
    for position, (name, length) in enumerate(zip(names, lengths, strict=True), 1):
        cut = screen.head(name, room) if tags_of.get(paths[position - 1]) else screen.tail(name, room)
        padding = " " * (column - columns(cut))
        yield f"  {position:{digits}}  {cut}{padding}  {length:>{widest}}".rstrip()


def _name(path: bytes, tags: Tags | None, screen: Screen) -> str:
    if tags is None or not tags.title:
        return home_path(path)
    dash = "\N{EN DASH}" if screen.has_unicode else "-"
    return shown(f"{tags.artist} {dash} {tags.title}" if tags.artist else tags.title)


def _length(tags: Tags | None) -> str:
    return "" if tags is None or tags.duration_ms is None else clock(tags.duration_ms)


def clock(duration_ms: int) -> str:
    """Return a length as 3:07 or 1:02:03."""
    minutes, seconds = divmod(max(1, (duration_ms + 500) // 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
