"""Pass on to all decks what the update of one playlist recognised: renamed, retagged and replaced files."""

from collections.abc import Mapping, Sequence
from struct import iter_unpack

from playshuffle.dealing.deck import rename_tracks, with_replaced
from playshuffle.library.identity import Identity, Remembered
from playshuffle.library.marks import MARK_BYTES
from playshuffle.store import decks
from playshuffle.store.state import State


def follow_renames(
    state: State,
    playlist: bytes,
    before: Remembered,
    identity: Identity,
    paths: Sequence[bytes],
    marks: bytes,
) -> None:
    """Store the new paths and marks that the update of a playlist recognised in all other decks.

    Only the service, which sees both steps, recognises a file that was tagged and then renamed.
    Without this, a deck that is dealt later would take it for another track. In the same way only
    the service knows that a file with the path of a deleted one is another track.

    Args:
        state: of which this process has the lock.
        playlist: the updated one; its own deck is not changed.
        before: its former tracks, with their former marks.
        identity: which present track each of them is.
        paths: of the present tracks.
        marks: of the present tracks.

    Raises:
        PlayshuffleError: a deck cannot be written.
    """
    playlists = [path for (path,) in state.rows("SELECT path FROM deck WHERE age = 0 ORDER BY path")]
    if playlists in ([], [playlist]) or before.is_over(paths, marks):
        return
    new_marks = _rows(marks)
    old_marks = _rows(before.marks) if before.marks else [b""] * len(before.paths)
    replaced = _replaced(before, identity, paths)
    # A deck knows a track as the playlist did if path and mark are the same.
    now: dict[tuple[bytes, bytes], bytes | None] = {
        (before.paths[old], old_marks[old]): None for old in replaced
    }
    now |= {
        (path, mark): paths[index]
        for path, mark, index in zip(before.paths, old_marks, identity.now, strict=True)
        if index is not None and (mark != new_marks[index] or path != paths[index])
    }
    if not now:
        return
    present = dict(zip(paths, new_marks, strict=True))
    former = frozenset(before.paths)
    for path in playlists:
        if path != playlist:
            _follow_renames(state, path, now, present, former)


def _replaced(before: Remembered, identity: Identity, paths: Sequence[bytes]) -> list[int]:
    """Return which remembered tracks are not found and have lost their path to another track just now."""
    lost = [old for old, index in enumerate(identity.now) if index is None]
    if not lost:
        return []
    present = frozenset(paths)
    lost = [old for old in lost if before.paths[old] in present]
    if before.gone.keys().isdisjoint(lost):
        return lost
    # The path of a track that had vanished before may have been taken before, too.
    were_present = frozenset(path for old, path in enumerate(before.paths) if old not in before.gone)
    return [old for old in lost if old not in before.gone or before.paths[old] not in were_present]


def _follow_renames(
    state: State,
    playlist: bytes,
    now: Mapping[tuple[bytes, bytes], bytes | None],
    present: Mapping[bytes, bytes],
    former: frozenset[bytes],
) -> None:
    """Store new paths and marks in one deck.

    now: the present path of each track, by its former path and mark; None if another has its path.
    former: the former paths of all tracks of the updated playlist.
    """
    stored, previous = decks.load(state, playlist), decks.load(state, playlist, 1)
    if stored is None:
        return
    known = stored.mark_by_path()
    # For other tracks the deck has later marks than the playlist.
    places = {
        old: now[old, mark] for old, mark in known.items() if present.get(old) != mark and (old, mark) in now
    }
    fixed = {old for old, mark in known.items() if present.get(old) == mark}
    places = {old: new for old, new in places.items() if new not in fixed}
    if not stored.deck.tracks <= former:
        # Over fewer folders, a file from elsewhere looks like a new version of the track that had its path.
        places = {old: new for old, new in places.items() if new != old}
    if not places:
        return
    moved = {old: new for old, new in places.items() if new not in (None, old)}
    replaced = [old for old, new in places.items() if new is None]
    previous_marks = previous.mark_by_path() if previous is not None else {}
    names = with_replaced(moved, previous_marks.keys() | known.keys(), replaced)
    changed = {new: present[new] for new in places.values() if new is not None}
    marks = {names.get(old, old): mark for old, mark in known.items() if places.get(old) is None} | changed
    deck = rename_tracks(stored.deck, names)
    if previous is not None:
        previous = previous._replace(deck=rename_tracks(previous.deck, names))
    absent = {names.get(path, path): mark for path, mark in previous_marks.items()}
    decks.save(state, playlist, deck, stored.content, marks, previous, [], absent)


def _rows(marks: bytes) -> list[bytes]:
    return [mark for (mark,) in iter_unpack(f"{MARK_BYTES}s", marks)]
