"""Which is which: a track is known again whatever it is called, and never taken for another."""

from array import array
from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.identity import Identity, Remembered, _Search, identify
from playshuffle.library.marks import file_id
from playshuffle.system.birth_time import Birth

Mark = tuple[int, int, int, int]


def marks(rows: Sequence[Mark]) -> bytes:
    return array("q", [number for row in rows for number in row]).tobytes()


def mark(number: int, *, inode: int | None = None, tags: int = 7) -> Mark:
    """What a file has: each its own size and time."""
    return 1000 + number, 10**18 + number, tags, number if inode is None else inode


def which(
    before: Mapping[bytes, Mark], now: Mapping[bytes, Mark], moved: Sequence[tuple[bytes, bytes]] = ()
) -> dict[bytes, bytes | None]:
    """Of each remembered path the path of now; under b'' the new ones, joined."""
    paths = list(now)
    known = Remembered(list(before), marks([*before.values()]), list(range(len(before))), {})
    found = identify(known, paths, marks([*now.values()]), moved)
    there = {
        path: None if index is None else paths[index] for path, index in zip(before, found.now, strict=True)
    }
    return there | {b"": b" ".join(paths[index] for index in found.new)}


A, B, C = b"/m/a.mp3", b"/m/b.mp3", b"/m/c.mp3"


def test_what_did_not_change_is_itself() -> None:
    assert which({A: mark(1), B: mark(2)}, {A: mark(1), B: mark(2)}) == {A: A, B: B, b"": b""}


def test_a_renamed_file_is_known_by_size_time_and_inode() -> None:
    assert which({A: mark(1), B: mark(2)}, {B: mark(2), C: mark(1)}) == {A: C, B: B, b"": b""}


def test_two_files_that_change_names_change_places() -> None:
    assert which({A: mark(1), B: mark(2)}, {A: mark(2), B: mark(1)}) == {A: B, B: A, b"": b""}


def test_a_new_file_under_an_old_name_is_new_if_the_old_one_is_elsewhere() -> None:
    assert which({A: mark(1)}, {A: mark(3), B: mark(1)}) == {A: B, b"": A}


def test_an_edited_file_is_known_by_its_path() -> None:
    assert which({A: mark(1)}, {A: mark(5, inode=9)}) == {A: A, b"": b""}


def with_birth(number: int, *, inode: int = 5, birth_ns: int = 10**18, audio: int = 0, tags: int = 7) -> Mark:
    """Return the mark of a file on a file system with birth times; size and time differ by number."""
    return (*mark(number)[:2], audio << 32 | tags, file_id(Birth(inode, birth_ns)))


def test_a_file_that_was_retagged_and_moved_is_known_by_its_inode_and_birth_time() -> None:
    assert which({A: with_birth(1)}, {B: with_birth(2, tags=8)}) == {A: B, b"": b""}


def test_a_reused_inode_has_another_birth_time_and_is_new() -> None:
    assert which({A: with_birth(1)}, {B: with_birth(2, birth_ns=10**18 + 1)}) == {A: None, b"": B}


def test_a_file_that_was_retagged_on_another_disk_is_known_by_its_audio() -> None:
    before = {A: with_birth(1, audio=3), B: with_birth(2, inode=6, audio=4)}
    now = {b"/n/1.mp3": with_birth(8, inode=2, audio=4, tags=9), b"/n/2.mp3": with_birth(9, audio=3, inode=1)}
    assert which(before, now) == {A: b"/n/2.mp3", B: b"/n/1.mp3", b"": b""}


def test_audio_that_another_track_has_too_identifies_no_file_by_itself() -> None:
    before = {A: with_birth(1, inode=1, audio=3), B: with_birth(2, inode=2, audio=3, tags=8)}
    now = {B: before[B], C: with_birth(9, inode=9, audio=3, tags=9)}
    assert which(before, now) == {A: None, B: B, b"": C}


def test_tags_tell_files_with_the_same_audio_apart() -> None:
    before = {A: with_birth(1, inode=1, audio=3), B: with_birth(2, inode=2, audio=3, tags=8)}
    now = {B: before[B], C: with_birth(9, inode=9, audio=3, tags=7)}
    assert which(before, now) == {A: C, B: B, b"": b""}


def test_files_that_were_copied_under_swapped_names_are_known_by_their_audio() -> None:
    before = {A: with_birth(1, inode=1, audio=3), B: with_birth(2, inode=2, audio=4)}
    now = {A: with_birth(8, inode=8, audio=4), B: with_birth(9, inode=9, audio=3)}
    assert which(before, now) == {A: B, B: A, b"": b""}


def test_a_file_that_was_reencoded_is_known_by_its_path() -> None:
    assert which({A: with_birth(1, audio=3)}, {A: with_birth(2, inode=2, audio=4)}) == {A: A, b"": b""}


def test_an_inode_alone_tells_nothing() -> None:
    """That of a deleted file serves the next one that is made."""
    assert which({A: mark(1)}, {B: mark(2, inode=1)}) == {A: None, b"": B}


def test_a_file_on_another_disk_is_known_by_size_time_and_tags() -> None:
    assert which({A: mark(1)}, {B: mark(1, inode=77)}) == {A: B, b"": b""}
    assert which({A: mark(1)}, {B: mark(1, inode=77, tags=8)}) == {A: None, b"": B}


def test_a_move_that_was_seen_is_believed_whatever_else_changed() -> None:
    """Some programs write the tags and rename in one go."""
    assert which({A: mark(1)}, {B: mark(8)}, [(A, B)]) == {A: B, b"": b""}
    assert which({A: mark(1)}, {b"/n/a.mp3": mark(8)}, [(b"/m", b"/n")]) == {A: b"/n/a.mp3", b"": b""}


def test_copies_that_look_alike_are_paired_in_path_order() -> None:
    same = mark(1, inode=5)
    assert which({A: same, B: same}, {C: same, b"/m/d.mp3": same}) == {A: C, B: b"/m/d.mp3", b"": b""}


def test_without_marks_paths_tell() -> None:
    known = Remembered([A, B], b"", [1, 0], {})
    assert identify(known, [B, C], marks([mark(2), mark(1)])) == Identity([None, 0], [1])


def test_files_that_were_not_looked_at_all_look_alike() -> None:
    """Without stamps nothing is known again but by its path."""
    nothing = (0, 0, 0, 0)
    assert which({A: nothing}, {B: nothing}) == {A: None, b"": B}


@given(
    st.dictionaries(st.integers(0, 30), st.integers(0, 30), max_size=20),
    st.dictionaries(st.integers(0, 30), st.integers(0, 30), max_size=20),
)
def test_each_track_of_now_is_one_of_before_or_new_and_only_once(
    before: dict[int, int], now: dict[int, int]
) -> None:
    """Any two libraries: nothing is doubled, nothing is lost, and what kept its mark is found."""
    old = {b"/%d.mp3" % name: mark(file) for name, file in sorted(before.items())}
    new = {b"/%d.mp3" % name: mark(file) for name, file in sorted(now.items())}
    known = Remembered(list(old), marks([*old.values()]), list(range(len(old))), {})

    found = identify(known, list(new), marks([*new.values()]))

    there = [index for index in found.now if index is not None]
    assert sorted(there + found.new) == list(range(len(new)))
    files, files_now = list(old.values()), list(new.values())
    for own, index in zip(files, found.now, strict=True):
        if files.count(own) == files_now.count(own) == 1:
            assert index == files_now.index(own)


_LIBRARY = st.dictionaries(st.integers(0, 9), st.integers(0, 4), max_size=8)


@given(_LIBRARY, _LIBRARY, _LIBRARY, st.booleans())
def test_to_leave_out_what_is_the_same_at_both_ends_finds_the_same(
    before: dict[int, int], gone: dict[int, int], now: dict[int, int], has_marks: bool
) -> None:
    """Any two libraries, and tracks that were gone before: as a search among all of them finds it."""
    old = {b"/%d.mp3" % name: mark(file) for name, file in sorted(before.items())}
    away = {b"/%d.mp3" % name: mark(file) for name, file in gone.items() if name not in before}
    new = {b"/%d.mp3" % name: mark(file) for name, file in sorted(now.items())}
    paths, old_marks = [*old, *away], marks([*old.values(), *away.values()]) if has_marks else b""
    known = Remembered(paths, old_marks, range(len(paths)), dict.fromkeys(range(len(old), len(paths)), 1))
    whole = _Search(paths, old_marks, list(new), marks([*new.values()]), (old_marks, marks([*new.values()])))
    whole.go((), known.gone)

    assert identify(known, list(new), marks([*new.values()])) == Identity(whole.now, sorted(whole.free))
