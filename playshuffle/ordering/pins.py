"""Find the tracks that pins name, and put them at their positions."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence

from playshuffle.errors import OptionError, PlayshuffleError, shown
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.recipe import HERE, LAST, Pin
from playshuffle.selection.track_names import TrackNames


def resolve(text: str, names: TrackNames) -> Pin:
    """Find the track and the position in `TRACK[@POSITION]`.

    POSITION is a number from 1, `first`, `last` or `here`. If the whole text names a track, its '@' is part
    of the name.

    Raises:
        PlayshuffleError: no track has that name, or several have.
    """
    index = _index(text, names)
    if index is not None:
        return Pin(index, 0)
    track, at, word = text.rpartition("@")
    if at and (position := _position(word, text)) is not None:
        index = _index(track, names)
        if index is not None:
            return Pin(index, position)
    else:
        track = text
    raise OptionError(
        "{}: the library has no track '{track}'.{near}", "pin", track=track, near=names.near(track)
    )


def named_tracks(texts: Iterable[str], names: TrackNames) -> tuple[Pin, ...]:
    """Resolve the texts that name exactly one track, and ignore all others."""
    pins: list[Pin] = []
    for text in texts:
        with contextlib.suppress(PlayshuffleError):
            pins.append(resolve(text, names))
    return tuple(pins)


def _index(text: str, names: TrackNames) -> int | None:
    try:
        return names.find(text)
    except PlayshuffleError as error:
        raise OptionError("{}: {problem}", "pin", problem=error) from error


def positions(pins: Sequence[Pin], tracks: Tracks, last: Sequence[int], count: int) -> dict[int, int]:
    """Map each pinned position to its track. A track pinned `HERE` keeps its position in the last order.

    Raises:
        PlayshuffleError: two pins contradict each other, or one is beyond the end of the list.
    """
    pinned_at: dict[int, int] = {}
    for pin in pins:
        index, position = pin.track_index, pin.position
        if index in pinned_at.values():
            raise OptionError("{path} is pinned twice. Remove one {}.", "pin", path=tracks.paths[index])
        if not isinstance(position, int):
            position = count - 1 if position == LAST else last.index(index)
        if position >= count:
            raise beyond(tracks.paths[index], position, count)
        if position in pinned_at:
            raise PlayshuffleError(
                f"Both {shown(tracks.paths[pinned_at[position]])} and {shown(tracks.paths[index])} are pinned"
                f" to position {position + 1}. Choose another position for one of them."
            )
        pinned_at[position] = index
    return pinned_at


def beyond(path: bytes, position: int, count: int) -> PlayshuffleError:
    """Return the error for a track that is pinned beyond the end of the list."""
    return PlayshuffleError(
        f"{shown(path)} cannot be pinned to position {position + 1}: the playlist ends at {count}."
    )


def swap_in(order: list[int], pinned_at: Mapping[int, int]) -> None:
    """Put each pinned track at its position, in exchange with the track there."""
    for position, index in pinned_at.items():
        at = order.index(index)
        order[position], order[at] = order[at], order[position]


def move_in(order: list[int], pinned_at: Mapping[int, int]) -> None:
    """Put each pinned track at its position; all others keep their relative order."""
    for index in pinned_at.values():
        order.remove(index)
    for position in sorted(pinned_at):
        order.insert(position, pinned_at[position])


def _position(word: str, text: str) -> int | str | None:
    if word == "first":
        return 0
    if word in (LAST, HERE):
        return word
    if word.isascii() and word.isdecimal() and len(word) < 1000:  # Python parses no longer number
        if int(word) == 0:
            raise OptionError("{} '{text}': positions start at 1.", "pin", text=text)
        return int(word) - 1
    return None
