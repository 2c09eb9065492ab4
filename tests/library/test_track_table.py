"""A track keeps its number whatever happens to its file, and no other track gets it.

A mark identifies a file: its size, modification time, checksums of audio and tags, and inode or file id.
"""

import os
from array import array
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.identity import KnownTrack, Origin, Search
from playshuffle.library.marks import CERTAIN, TAGS_BITS, Mark, Marks, file_id, label_sum, packed_marks
from playshuffle.library.recognition import recognise
from playshuffle.library.track_table import TrackTable
from playshuffle.library.tracks import Tracks
from playshuffle.system import mounts
from playshuffle.system.birth_time import Birth
from tests.support.tagged import marked

DAY_S = 86_400
NOW_S = 1_000_000_000
ROOTS = (b"/m", b"/n", b"/")


def mark(number: int, *, inode: int | None = None, tags: int = 7) -> Mark:
    """Return the mark of a file on a file system without birth times; size and time differ by number."""
    return 1000 + number, 10**18 + number, tags, number if inode is None else inode


def with_birth(number: int, *, inode: int = 5, birth_ns: int = 10**18, audio: int = 0, tags: int = 7) -> Mark:
    """Return the mark of a file on a file system with birth times; size and time differ by number."""
    checksum = audio and CERTAIN | audio
    return (*mark(number)[:2], checksum << TAGS_BITS | tags, file_id(Birth(inode, birth_ns)))


def uncertain(mark: Mark) -> Mark:
    """Return a mark whose checksum is of length and rates of the audio, not of the audio itself."""
    return (*mark[:2], mark[2] & ~(CERTAIN << TAGS_BITS), mark[3])


def scanned(
    table: TrackTable,
    *files: Mapping[bytes, Mark],
    moved: Sequence[tuple[bytes, bytes]] = (),
    roots: Collection[bytes] = ROOTS,
    missing: Collection[bytes] = (),
    now_s: int = NOW_S,
) -> TrackTable:
    """Return the table after a scan of several playlists, each with these files; check its invariants."""
    libraries = [marked(one) for one in files]
    after = recognise(table, libraries, moved, scanned=roots, missing=missing, now_s=now_s)
    numbers = [number for row in after.folders.values() for number in row.numbers_by_name().values()]
    assert len({*numbers}) == len(numbers)
    assert 0 not in numbers
    assert after.vanished.keys().isdisjoint(numbers)
    assert after.replaced.keys() <= {*numbers}
    assert after.next_number > max([*numbers, *after.vanished, table.next_number - 1])
    for library in libraries:
        found = after.numbers_of(library)
        assert {*found} <= {*numbers}
        assert after.paths_of(found) == dict(zip(found, library.paths, strict=True))
    return after


def numbers_in(table: TrackTable) -> dict[bytes, int]:
    """Return the numbers of all tracks that did not vanish, by path."""
    return {
        path + name: number
        for path, row in table.folders.items()
        for name, number in row.numbers_by_name().items()
    }


def which(
    before: Mapping[bytes, Mark],
    now: Mapping[bytes, Mark],
    moved: Sequence[tuple[bytes, bytes]] = (),
    missing: Collection[bytes] = (),
) -> dict[bytes, bytes | None]:
    """Return by last path where each known track is now; under b'' the paths of new tracks, joined."""
    first = scanned(TrackTable(), before)
    known, after = numbers_in(first), numbers_in(scanned(first, now, moved=moved, missing=missing))
    path_of = {number: path for path, number in after.items()}
    new = [path for path, number in sorted(after.items()) if number >= first.next_number]
    return {path: path_of.get(number) for path, number in known.items()} | {b"": b" ".join(new)}


A, B, C = b"/m/a.mp3", b"/m/b.mp3", b"/m/c.mp3"
FAR = b"/n/x/a.mp3"


@pytest.mark.parametrize("kind", ["fuse.sshfs", "fuse.rclone", "exfat", "fuse", "ext4", "nfs4"])
@pytest.mark.parametrize("steps", [1, 3])
def test_files_that_only_changed_their_inodes_keep_their_numbers_where_inodes_do_not_last(
    monkeypatch: pytest.MonkeyPatch, kind: str, steps: int
) -> None:
    """Their sizes and times are equal. On other file systems, they have exchanged their names."""
    monkeypatch.setattr(mounts, "device_kind", lambda _: (1, kind))
    paths = [b"/m/%d.mp3" % number for number in range(7)]
    before = {path: mark(1, inode=10 + place) for place, path in enumerate(paths)}
    moved = {path: mark(1, inode=10 + (place + steps) % 7) for place, path in enumerate(paths)}
    lasts = kind in ("ext4", "nfs4")

    assert which(before, moved) == {
        path: paths[place - steps if lasts else place] for place, path in enumerate(paths)
    } | {b"": b""}
    with_audio = {
        path: mark(1, inode=10 + (place + steps) % 7, tags=7 + (place << TAGS_BITS))
        for place, path in enumerate(paths)
    }
    assert which(with_audio, {path: with_audio[paths[place - 1]] for place, path in enumerate(paths)}) == {
        path: paths[(place + 1) % 7] for place, path in enumerate(paths)
    } | {b"": b""}


def test_a_copy_or_another_path_of_an_unchanged_file_is_a_new_track() -> None:
    """Such as a hard link in another folder of the list."""
    assert which({B: mark(1)}, {A: mark(1), B: mark(1)}) == {B: B, b"": A}
    assert which({B: mark(1)}, {A: mark(1, inode=9), B: mark(1)}) == {B: B, b"": A}
    assert which({FAR: with_birth(1)}, {A: with_birth(1, inode=9), FAR: with_birth(1)}) == {FAR: FAR, b"": A}


def test_a_file_with_the_inode_of_a_deleted_file_but_another_birth_time_is_a_new_track() -> None:
    assert which({A: with_birth(1)}, {B: with_birth(2, birth_ns=10**18 + 1)}) == {A: None, b"": B}


def test_a_retagged_file_stays_its_track_though_a_copy_has_its_old_tags() -> None:
    before = {A: with_birth(1, audio=3)}
    now = {A: with_birth(2, inode=6, audio=3, tags=8), B: with_birth(3, inode=7, audio=3)}

    assert which(before, now) == {A: A, b"": B}


def test_two_copies_that_are_retagged_while_a_drive_is_missing_stay_their_tracks() -> None:
    before = {A: with_birth(1, audio=3), C: with_birth(2, inode=6, audio=3)}
    now = {A: with_birth(3, inode=7, audio=3, tags=8), C: with_birth(4, inode=8, audio=3, tags=8)}

    assert which(before, now, missing=[b"/usb"]) == {A: A, C: C, b"": b""}


def test_a_file_that_was_moved_to_another_disk_and_retagged_is_recognised_by_its_audio() -> None:
    before = {A: with_birth(1, audio=3), B: with_birth(2, inode=6, audio=4)}
    now = {b"/n/1.mp3": with_birth(8, inode=2, audio=4, tags=9), b"/n/2.mp3": with_birth(9, audio=3, inode=1)}
    assert which(before, now) == {A: b"/n/2.mp3", B: b"/n/1.mp3", b"": b""}


@pytest.mark.parametrize(
    ("path", "tags", "is_known"),
    [
        (b"/n/other.mp3", 9, False),
        (b"/n/other.mp3", 7, True),
        (b"/n/a.mp3", 9, True),
        (b"/m/other.mp3", 9, True),
        (b"/m/below/other.mp3", 9, False),
    ],
)
def test_a_new_file_as_long_as_a_gone_track_is_that_track_only_with_the_same_tags_name_or_folder(
    path: bytes, tags: int, is_known: bool
) -> None:
    before = {A: uncertain(with_birth(1, audio=3))}
    now = {path: uncertain(with_birth(8, inode=2, audio=3, tags=tags))}

    assert which(before, now) == ({A: path, b"": b""} if is_known else {A: None, b"": path})


@pytest.mark.parametrize(
    ("path", "extinf", "is_known"),
    [
        (b"/m/a.opus", b"#EXTINF:102,Artist - Title\n", True),
        (b"/m/a.opus", b"#EXTINF:98,Artist - Title\n", True),
        (b"/m/a.opus", b"#EXTINF:103,Artist - Title\n", False),
        (b"/m/a.opus", b"#EXTINF:100,Other - Title\n", False),
        (b"/m/a.opus", b"", False),
        (b"/m/b.opus", b"#EXTINF:100,Artist - Title\n", False),
        (b"/n/a.opus", b"#EXTINF:100,Artist - Title\n", False),
    ],
)
def test_a_file_converted_to_another_format_is_recognised_by_path_tags_and_length(
    path: bytes, extinf: bytes, is_known: bool
) -> None:
    before = {A: with_birth(1, audio=3, tags=label_sum(b"#EXTINF:100,Artist - Title\n"))}
    now = {path: with_birth(2, inode=6, audio=4, tags=label_sum(extinf))}

    assert which(before, now) == ({A: path, b"": b""} if is_known else {A: None, b"": path})


def test_a_converted_file_is_a_new_track_while_the_former_file_still_exists(tmp_path: Path) -> None:
    """Also if the scan does not find the former file, as in a hidden folder."""
    song, converted = os.fsencode(tmp_path / "a.mp3"), os.fsencode(tmp_path / "a.opus")
    label = label_sum(b"#EXTINF:4096,Title\n")
    (tmp_path / "a.mp3").touch()
    found = {converted: with_birth(2, inode=6, audio=4, tags=label)}

    assert which({song: with_birth(1, audio=3, tags=label)}, found) == {song: song, b"": converted}


def test_a_moved_file_keeps_its_number_though_a_converted_copy_in_its_old_folder_is_scanned_first() -> None:
    """The folder that it was moved to is scanned only later."""
    label = label_sum(b"#EXTINF:4096,Title\n")
    song, mine, other = with_birth(1, audio=3, tags=label), b"/m/song.mp3", b"/n/x.mp3"
    converted = with_birth(2, inode=6, audio=4, tags=label)
    before = scanned(TrackTable(), {mine: song, other: with_birth(8, inode=8)})
    number = numbers_in(before)[mine]

    part = scanned(before, {b"/m/song.opus": converted}, roots=[b"/m"])
    whole = scanned(part, {b"/m/song.opus": converted, b"/n/song.mp3": song, other: with_birth(8, inode=8)})

    assert numbers_in(part)[b"/m/song.opus"] == number
    assert numbers_in(whole)[b"/n/song.mp3"] == number


@pytest.mark.parametrize("other", [B, FAR])
def test_a_file_is_not_recognised_by_its_audio_alone_if_another_track_has_the_same_audio(
    other: bytes,
) -> None:
    """Also if that track is in a folder without changes."""
    before = {A: with_birth(1, inode=1, audio=3), other: with_birth(2, inode=2, audio=3, tags=8)}
    now = {other: before[other], C: with_birth(9, inode=9, audio=3, tags=9)}
    assert which(before, now) == {A: None, other: other, b"": C}


@pytest.mark.parametrize(("clips", "expected"), [(1, None), (200, C)])
def test_a_file_is_recognised_by_its_audio_if_at_most_one_in_a_hundred_tracks_has_the_same(
    clips: int, expected: bytes | None
) -> None:
    """It was retagged and moved. By chance, another file has the same length and rates."""
    before = {A: with_birth(1, inode=1, audio=3)}
    others = {b"/n/%03d.mp3" % at: with_birth(100 + at, inode=100 + at, audio=3 + at) for at in range(clips)}
    now = {C: with_birth(9, inode=9, audio=3, tags=9), **others}

    assert which(before | others, now)[A] == expected


def test_a_new_file_with_audio_that_many_tracks_have_is_a_new_track() -> None:
    before = {b"/n/%03d.mp3" % at: with_birth(at, inode=at, audio=3, tags=at) for at in range(50)}
    now = {path: each for path, each in before.items() if path != b"/n/007.mp3"}

    assert which(before, now | {A: with_birth(99, inode=99, audio=3, tags=99)})[b""] == A


def test_tags_distinguish_files_with_the_same_audio() -> None:
    before = {A: with_birth(1, inode=1, audio=3), B: with_birth(2, inode=2, audio=3, tags=8)}
    now = {B: before[B], C: with_birth(9, inode=9, audio=3, tags=7)}
    assert which(before, now) == {A: C, B: B, b"": b""}


def test_files_that_were_copied_under_swapped_names_are_recognised_by_their_audio() -> None:
    before = {A: with_birth(1, inode=1, audio=3), B: with_birth(2, inode=2, audio=4)}
    now = {A: with_birth(8, inode=8, audio=4), B: with_birth(9, inode=9, audio=3)}
    assert which(before, now) == {A: B, B: A, b"": b""}


def test_a_reencoded_file_is_recognised_by_its_path_unless_a_missing_drive_may_have_the_old_file() -> None:
    before, now = {A: with_birth(1, audio=3)}, {A: with_birth(2, inode=2, audio=4)}

    assert which(before, now) == {A: A, b"": b""}
    assert which(before, now, missing=[b"/usb"]) == {A: None, b"": A}
    retagged = {A: with_birth(2, inode=2, audio=3, tags=8)}
    assert which(before, retagged, missing=[b"/usb"]) == {A: A, b"": b""}


def test_a_file_whose_audio_is_unknown_is_recognised_by_its_path_even_while_a_drive_is_missing() -> None:
    for before, now in ((0, 4), (4, 0)):
        files = {A: with_birth(1, audio=before)}, {A: with_birth(2, inode=2, audio=now)}
        assert which(*files, missing=[b"/usb"]) == {A: A, b"": b""}


def test_a_new_file_with_the_inode_of_a_deleted_file_is_a_new_track() -> None:
    """The inode of a deleted file is used again for the next new one."""
    assert which({A: mark(1)}, {B: mark(2, inode=1)}) == {A: None, b"": B}


def test_a_file_copied_to_another_disk_is_recognised_by_size_time_and_tags() -> None:
    assert which({A: mark(1)}, {B: mark(1, inode=77)}) == {A: B, b"": b""}
    assert which({A: mark(1)}, {B: mark(1, inode=77, tags=8)}) == {A: None, b"": B}


def test_renamed_files_without_titles_are_recognised_on_another_disk_by_size_time_and_audio() -> None:
    """Without a title, the checksum of tags depends on the name. Here, both files have the same audio."""
    before = {A: with_birth(1, inode=1, audio=3), B: with_birth(2, inode=2, audio=3, tags=8)}
    now = {b"/n/1.mp3": with_birth(2, audio=3, tags=9), b"/n/2.mp3": with_birth(1, inode=6, audio=3, tags=10)}
    assert which(before, now) == {A: b"/n/2.mp3", B: b"/n/1.mp3", b"": b""}


def test_a_track_stays_the_same_after_an_observed_move_whatever_else_of_its_file_changed() -> None:
    """Some programs write tags and rename the file at once."""
    assert which({A: mark(1)}, {B: mark(8)}, [(A, B)]) == {A: B, b"": b""}
    assert which({A: mark(1)}, {b"/n/a.mp3": mark(8)}, [(b"/m", b"/n")]) == {A: b"/n/a.mp3", b"": b""}


def test_a_track_stays_the_same_if_it_is_moved_into_a_folder_and_then_the_folder_is_moved() -> None:
    moves = [(A, b"/n/x/a.mp3"), (b"/n/x", b"/n/y")]
    assert which({A: mark(1)}, {b"/n/y/a.mp3": mark(8)}, moves) == {A: b"/n/y/a.mp3", b"": b""}


def test_identical_copies_that_were_renamed_are_matched_to_known_tracks_in_path_order() -> None:
    same = mark(1, inode=5)
    assert which({A: same, B: same}, {C: same, b"/m/d.mp3": same}) == {A: C, B: b"/m/d.mp3", b"": b""}


def test_of_two_known_tracks_with_the_same_path_and_mark_a_search_finds_only_one() -> None:
    known = [KnownTrack(number, A, mark(1), Origin.VANISHED) for number in (1, 2)]
    marks = Marks(packed_marks([mark(1)]))
    search = Search(known, [A], marks, lambda: (array("I"), array("I")), is_drive_missing=False)
    search.run(())

    assert search.indices == [0, None]


def test_files_of_unknown_size_and_time_are_recognised_by_path_alone() -> None:
    nothing = (0, 0, 0, 0)
    assert which({A: nothing, C: nothing}, {B: nothing, C: nothing}) == {A: None, C: C, b"": B}


_MANY = st.dictionaries(st.integers(0, 30), st.integers(0, 30), max_size=20)


def path_of(name: int) -> bytes:
    return b"/m/%d/%d.mp3" % (name % 3, name)


def files_of(library: Mapping[int, int]) -> dict[bytes, Mark]:
    return {path_of(name): mark(file) for name, file in sorted(library.items())}


@given(st.lists(_MANY, max_size=5))
def test_after_any_scans_each_file_has_its_own_number_and_unchanged_folders_keep_their_rows(
    scans: list[dict[int, int]],
) -> None:
    """A file whose mark no other file has, before and after a scan, is recognised at any path."""
    table = TrackTable()
    last: dict[int, int] = {}
    for library in scans:
        before = table
        known = numbers_in(before)
        table = scanned(before, files_of(library))
        after = numbers_in(table)
        assert after.keys() == files_of(library).keys()
        for name, file in last.items():
            marks = [*map(mark, last.values()), *(former.mark for former in before.vanished.values())]
            if marks.count(mark(file)) == [*library.values()].count(file) == 1:
                [name_now] = [name for name, other in library.items() if other == file]
                assert after[path_of(name_now)] == known[path_of(name)]
        for path, row in table.folders.items():
            assert row != before.folders.get(path) or row is before.folders[path]
        assert scanned(table, files_of(library)).folders is table.folders
        last = library


# Tracks without a file


def test_a_vanished_track_has_its_number_again_when_its_file_is_back() -> None:
    """At its old path or another one. No new track got the number meanwhile."""
    first = scanned(TrackTable(), {A: mark(1), B: mark(2)})
    gone = scanned(first, {B: mark(2)}, now_s=NOW_S + 5)
    other = scanned(gone, {B: mark(2), C: mark(3)})

    assert [(each.path, each.since_s) for each in gone.vanished.values()] == [(A, NOW_S + 5)]
    assert gone.paths_of([1, 2]) == {1: A, 2: B}
    assert numbers_in(other) == {B: 2, C: 3}
    for back in (A, FAR):
        again = scanned(other, {back: mark(1), B: mark(2), C: mark(3)})
        assert (numbers_in(again)[back], again.vanished, again.renamed) == (1, {}, frozenset())


def test_a_vanished_track_is_forgotten_after_a_year_but_its_number_is_not_used_again() -> None:
    gone = scanned(scanned(TrackTable(), {A: mark(1), B: mark(2)}), {A: mark(1)})
    late = scanned(gone, {A: mark(1)}, now_s=NOW_S + 366 * DAY_S)
    too_late = scanned(gone, {A: mark(1)}, now_s=NOW_S + 366 * DAY_S + 1)

    assert ([*late.vanished], [*too_late.vanished]) == ([2], [])
    assert (late.lost_numbers(), too_late.lost_numbers()) == (frozenset[int](), frozenset({2}))
    assert numbers_in(scanned(too_late, {A: mark(1), B: mark(2)})) == {A: 1, B: 3}


def test_a_vanished_track_loses_its_positions_in_orders_after_thirty_days() -> None:
    gone = scanned(scanned(TrackTable(), {A: mark(1), B: mark(2)}), {A: mark(1)})

    assert gone.vanished_long_ago(NOW_S + 30 * DAY_S) == frozenset()
    assert gone.vanished_long_ago(NOW_S + 30 * DAY_S + 1) == {2}


def test_files_that_no_scan_recognised_have_the_number_zero() -> None:
    table = scanned(TrackTable(), {A: mark(1), B: mark(2)})

    assert [*table.numbers_of(marked({A: mark(1), C: mark(3), FAR: mark(4)}))] == [1, 0, 0]


def test_the_time_when_a_track_vanished_is_never_later_than_now_even_if_the_clock_is_set_back() -> None:
    gone = scanned(scanned(TrackTable(), {A: mark(1), B: mark(2)}), {A: mark(1)}, now_s=NOW_S + 999 * DAY_S)

    after = scanned(gone, {A: mark(1), C: mark(3)})

    assert after.vanished[2].since_s == NOW_S


def test_a_file_that_takes_the_path_of_a_vanished_track_and_is_then_moved_stays_another_track() -> None:
    table = scanned(TrackTable(), {A: with_birth(1)})
    table = scanned(table, {})
    table = scanned(table, {B: with_birth(2, inode=6, audio=4)})

    after = scanned(table, {C: with_birth(3, inode=7, audio=5)}, moved=[(A, C)])

    assert numbers_in(after) == {C: 3}


# What a scan did not see


def test_tracks_below_roots_that_are_missing_or_not_scanned_keep_path_and_number() -> None:
    """Their files cannot be found now. The rows of their folders are the same objects."""
    usb, other = b"/m/usb/x/1.mp3", b"/o/1.mp3"
    before = scanned(TrackTable(), {A: mark(1), usb: mark(2), FAR: mark(3), other: mark(4)}, roots=[b"/"])

    after = scanned(before, {B: mark(1)}, roots=[b"/m"], missing=[b"/m/usb", b"/n"])

    assert numbers_in(after) == {B: 1, usb: 2, FAR: 3, other: 4}
    assert after.vanished == {}
    assert after.renamed == {1}
    for path in (b"/m/usb/x/", b"/o/", b"/n/x/"):
        assert after.folders[path] is before.folders[path]


def test_a_root_within_a_missing_root_is_scanned() -> None:
    before = scanned(TrackTable(), {A: mark(1), b"/m/sub/1.mp3": mark(2)})

    after = scanned(before, {}, roots=[b"/m/sub"], missing=[b"/m"])

    assert numbers_in(after) == {A: 1}
    assert after.vanished.keys() == {2}


def test_a_file_moved_from_a_folder_that_is_not_scanned_keeps_its_number() -> None:
    """A copy gets the number only if its original is gone, which is unknown below a missing root."""
    before = scanned(TrackTable(), {A: mark(1), FAR: mark(2), b"/n/x/b.mp3": mark(3)})
    moved, copied = {A: mark(1), B: mark(2)}, {A: mark(1), B: mark(2, inode=99)}

    for now, missing, number in ((moved, [], 2), (moved, [b"/n"], 2), (copied, [], 2), (copied, [b"/n"], 4)):
        after = scanned(before, now, roots=[b"/m"], missing=missing)
        rest = {FAR: 2} if number == 4 else {}
        assert numbers_in(after) == {A: 1, B: number, b"/n/x/b.mp3": 3, **rest}
        assert after.vanished == {}


def test_a_copy_moved_out_of_a_hidden_folder_keeps_its_number_though_its_original_is_gone(
    tmp_path: Path,
) -> None:
    """Another file is at the old path of the copy."""
    top = os.fsencode(tmp_path)
    original, copy, shown = top + b"/hidden/1.mp3", top + b"/hidden/2.mp3", top + b"/3.mp3"
    before = scanned(
        TrackTable(), {original: with_birth(1), copy: with_birth(1, inode=6), shown: with_birth(3, inode=7)}
    )
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden/2.mp3").touch()

    after = scanned(before, {shown: with_birth(1, inode=6)}, roots=[top])

    numbers = numbers_in(before)
    assert numbers_in(after) == {shown: numbers[copy]}


@pytest.mark.parametrize("meanwhile", [{A: mark(3)}, {B: mark(3)}, {A: mark(3, tags=8), B: mark(4)}, {}])
def test_a_moved_file_takes_its_number_back_from_another_file_at_its_old_path(
    meanwhile: dict[bytes, Mark],
) -> None:
    """Scans of one root find another file at the old path. A later scan finds the moved file elsewhere."""
    other = b"/n/x/b.mp3"
    before = scanned(TrackTable(), {A: mark(1), other: mark(2)})
    part = scanned(before, {A: mark(3)}, roots=[b"/m"])
    assert numbers_in(part) == {A: 1, other: 2}
    part = scanned(part, meanwhile, roots=[b"/m"])

    whole = scanned(part, meanwhile | {FAR: mark(1), other: mark(2)})

    numbers = numbers_in(whole)
    assert (numbers[FAR], numbers[other]) == (1, 2)
    assert min([numbers[path] for path in meanwhile], default=3) >= 3
    assert numbers_in(scanned(whole, meanwhile | {FAR: mark(1), other: mark(2)})) == numbers


def test_a_track_of_a_missing_root_keeps_its_number_though_a_hard_link_to_its_file_is_retagged() -> None:
    """A hard link to its file, in a root that is not missing, was retagged."""
    other = b"/o/1.mp3"
    before = scanned(TrackTable(), {A: mark(1), FAR: mark(5), other: mark(9)}, roots=[b"/"])
    part = scanned(before, {A: mark(5, tags=8), FAR: mark(5)}, roots=[b"/m", b"/n"])
    assert part.replaced.keys() == {1}

    after = scanned(part, {FAR: mark(5, tags=8)}, roots=[b"/n"], missing=[b"/m"])

    assert numbers_in(after) == numbers_in(before)


def test_a_track_whose_file_an_editor_replaced_keeps_its_number_when_the_new_file_is_moved() -> None:
    """One scan finds the new file, a later one that it is gone, and the last one finds it in another root."""
    other, copied, common = b"/n/x/b.mp3", with_birth(5, inode=6, audio=9), with_birth(2, inode=7, audio=9)
    before = scanned(TrackTable(), {A: with_birth(1, audio=9), B: common, other: mark(3)})
    part = scanned(before, {A: copied, B: common}, roots=[b"/m"])
    part = scanned(part, {B: common}, roots=[b"/m"])

    whole = scanned(part, {B: common, FAR: copied, other: mark(3)})

    assert numbers_in(whole)[FAR] == numbers_in(before)[A]


def test_a_track_of_one_playlist_stays_known_though_another_playlist_skips_it() -> None:
    """One playlist disregards ignore files, and one is of single files."""
    table = scanned(TrackTable(), {A: mark(1)}, {A: mark(1), B: mark(2)}, {C: mark(3), B: mark(2)})

    assert numbers_in(table) == {A: 1, B: 2, C: 3}
    assert scanned(table, {A: mark(1), B: mark(2), C: mark(3)}).folders is table.folders


def test_a_scan_that_reads_no_tags_keeps_the_known_checksums_of_audio() -> None:
    """Otherwise a file retagged later could not be recognised by its audio."""
    table = scanned(TrackTable(), {A: with_birth(1, audio=3)})
    [folder] = marked({A: mark(1)}).folders
    untagged = [folder._replace(durations_ms=None, contents=b"", file_ids=b"")]

    after = recognise(table, [Tracks(untagged)], (), scanned=ROOTS, now_s=NOW_S)

    assert after.folders is table.folders
