"""One update of several playlists whose folders overlap, are skipped by other playlists, or are missing."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.library.walk import Walk, WalkResult
from playshuffle.service.update_protocol import PlaylistFailed, PlaylistUpdated
from playshuffle.store.state_file import _stamp
from playshuffle.watch.debounce import Batch
from tests.support.databases import execute
from tests.support.managed import START, WHOLE, Managed, event_in
from tests.support.program import DATA, state_file
from tests.support.service import aged, left

DAILY = DealSettings(Amount(tracks=4), Every.DAY)
EACH_UPDATE = DealSettings(Amount(tracks=2), Every.RUN)
ROOT = Batch(is_full_scan=True, why="root")


def fill(folder: Path, names: str) -> None:
    """Write an MP3 file for each letter; no two have the same content."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = folder / f"{name}.mp3"
        path.write_bytes((DATA / "v24.mp3").read_bytes() + os.fsencode(path))
    aged(folder)


# Folders in folders of another playlist, which it does not scan


# A folder that another playlist does not scan, and the file that is the reason; none for a hidden folder.
NOT_ENTERED = pytest.mark.parametrize(
    ("inner", "reason"), [("xmas", ".ignore"), (".dot", "notes"), ("spoken/tales", "spoken/.nomedia")]
)


def ignore(music: Path, reason: str) -> None:
    (music / reason).parent.mkdir(parents=True, exist_ok=True)
    (music / reason).write_text("xmas\n")


@NOT_ENTERED
@pytest.mark.parametrize("deal", [DAILY, None], ids=["deck", "kept"])
@pytest.mark.parametrize("is_full_scan", [True, False], ids=["whole", "event"])
def test_while_a_drive_is_missing_a_playlist_is_updated_for_a_folder_that_another_playlist_skips(
    managed: Managed, inner: str, reason: str, deal: DealSettings | None, is_full_scan: bool
) -> None:
    music, usb = managed.top / "m", managed.top / "usb"
    folder, prefix = music / inner, f"m/{inner}/"
    ignore(music, reason)
    fill(music, "abc")
    fill(usb, "uvw")
    fill(folder, "klmn")
    managed.manage("outer", music, usb, deal=deal)
    managed.manage("inner", folder)
    managed.update(START)
    before = managed.entries("inner")
    assert sorted(before) == [f"{prefix}{name}.mp3" for name in "klmn"]

    usb.rename(managed.top / "away")
    managed.update(ROOT)
    fill(folder, "x")
    (folder / "l.mp3").unlink()
    updated = managed.update(WHOLE if is_full_scan else event_in(folder))["inner"]

    assert sorted(managed.entries("inner")) == [f"{prefix}{name}.mp3" for name in "kmnx"]
    assert left(before, managed.entries("inner")) == [entry for entry in before if entry != f"{prefix}l.mp3"]
    assert (updated.added, updated.removed, updated.status.waiting) == (1, 1, {})


@NOT_ENTERED
def test_no_unchanged_file_is_read_again_in_a_folder_that_one_of_two_playlists_skips(
    managed: Managed, inner: str, reason: str
) -> None:
    music = managed.top / "m"
    ignore(music, reason)
    fill(music, "abc")
    fill(music / inner, "klm")
    managed.manage("outer", music)
    managed.manage("inner", music / inner)

    _check_nothing_is_read_again(managed, music, music / inner)


def test_two_playlists_of_one_folder_read_each_file_once_though_only_one_uses_ignore_files(
    managed: Managed,
) -> None:
    music = managed.top / "m"
    for folder, names in ((music, "abc"), (music / "xmas", "klm"), (music / "spoken", "pq")):
        fill(folder, names)
    ignore(music, ".ignore")
    ignore(music, "spoken/.nomedia")
    (music / ".ndignore").write_text("c.mp3\n")
    managed.manage("some", music)
    managed.manage("every", music, ignore_files=False)

    _check_nothing_is_read_again(managed, music, music / "xmas")

    assert sorted(managed.entries("some")) == ["m/a.mp3", "m/b.mp3"]
    assert len(managed.entries("every")) == 8


def _check_nothing_is_read_again(managed: Managed, music: Path, inner: Path) -> None:
    """Update some of two playlists for events in some folders; only the first update may read files."""
    managed.update(START)
    assert len(managed.read) == len({*managed.read}) == len([*music.rglob("*.mp3")])
    managed.read.clear()
    names = [playlist.name for playlist in managed.config.playlists]
    for some in ([], names[:1], names[1:], []):
        for batch in (WHOLE, event_in(music), event_in(inner), event_in(music, inner)):
            for message in managed.update(batch, *some).values():
                assert (message.is_changed, message.added, message.removed) == (False, 0, 0)
    assert managed.read == []


# Moves between the folders of two playlists


@pytest.mark.parametrize("first", ["part", "both"])
def test_a_moved_track_keeps_its_position_though_a_playlist_of_only_its_new_folder_is_updated_first(
    managed: Managed, first: str
) -> None:
    music = managed.top / "m"
    fill(music / "a", "pqr")
    fill(music / "b", "uvwx")
    managed.manage("part", music / "a")
    managed.manage("all", music)
    managed.update(START)
    before = managed.entries("all")
    old, new = music / "b/x.mp3", music / "a/y.mp3"

    old.rename(new)
    managed.update(event_in(music / "a"), *(["part"] if first == "part" else []))
    batch = event_in(music / "a", music / "b")
    managed.update(batch._replace(gone=frozenset({bytes(old)}), moved=((bytes(old), bytes(new)),)), "all")

    assert managed.entries("all") == ["m/a/y.mp3" if entry == "m/b/x.mp3" else entry for entry in before]
    assert sorted(managed.entries("part")) == [f"m/a/{name}.mp3" for name in "pqry"]


def test_a_track_that_is_renamed_between_two_walks_of_a_scan_keeps_its_position(
    managed: Managed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is walked twice, because only one of the playlists uses its ignore file."""
    music = managed.top / "m"
    ignore(music, ".ignore")
    fill(music, "pqrstuvwx")
    fill(music / "xmas", "klm")
    managed.manage("some", music)
    managed.manage("all", music, ignore_files=False)
    managed.update(START)
    before = managed.entries("some")

    run = Walk.run

    def rename_after(walk: Walk, roots: Sequence[bytes]) -> WalkResult:
        walked = run(walk, roots)
        if walk._look.use_ignore_files and (music / "r.mp3").exists():
            (music / "r.mp3").rename(music / "z.mp3")
        return walked

    monkeypatch.setattr(Walk, "run", rename_after)
    managed.update(event_in(music))

    assert managed.entries("some") == ["m/z.mp3" if entry == "m/r.mp3" else entry for entry in before]
    assert sorted(managed.entries("all")) == sorted(
        [*managed.entries("some"), *(f"m/xmas/{name}.mp3" for name in "klm")]
    )


# Missing drives


@pytest.fixture
def music(managed: Managed) -> Path:
    fill(managed.top / "m", "abcdefgh")
    return managed.top / "m"


@pytest.fixture
def usb(managed: Managed) -> Path:
    fill(managed.top / "usb", "stuvw")
    return managed.top / "usb"


@pytest.fixture
def away(managed: Managed) -> Path:
    """Where the folder `usb` is while it is missing."""
    return managed.top / "away"


def test_a_track_moved_to_another_folder_while_its_drive_is_missing_is_listed_once(
    managed: Managed, music: Path, usb: Path, away: Path
) -> None:
    managed.manage("both", music, usb)
    managed.update(START)
    before = managed.entries("both")
    usb.rename(away)
    managed.update(ROOT)

    (away / "s.mp3").rename(music / "s.mp3")
    managed.update(event_in(music))
    away.rename(usb)
    managed.update(ROOT)

    moved = ["m/s.mp3" if entry == "usb/s.mp3" else entry for entry in before]
    assert sorted(managed.entries("both")) == sorted(moved)


def test_nothing_is_dealt_if_all_tracks_not_yet_dealt_in_the_round_are_on_a_missing_drive(
    managed: Managed, music: Path, usb: Path, away: Path
) -> None:
    managed.manage("my deck", music, usb, deal=EACH_UPDATE)
    managed.manage("kept", music, usb)
    managed.update(WHOLE)
    dealt = [*managed.entries("my deck")]
    usb.rename(away)
    while isinstance((messages := managed.messages(WHOLE))["my deck"], PlaylistUpdated):
        dealt += managed.entries("my deck")
    before = (managed.top / "my deck.m3u").read_bytes()

    failed = managed.messages(WHOLE)["my deck"]
    assert isinstance(failed, PlaylistFailed)
    assert (failed.state, failed.missing) == ("missing", bytes(usb))
    assert "playshuffle deal 'my deck' --accept-missing" in failed.error
    assert (managed.top / "my deck.m3u").read_bytes() == before
    assert isinstance(messages["kept"], PlaylistUpdated), "the other playlist must be updated"
    assert {f"m/{name}.mp3" for name in "abcdefgh"} <= {*dealt}
    assert len(dealt) == len({*dealt})

    away.rename(usb)
    managed.update(WHOLE)
    assert {*managed.entries("my deck")}.isdisjoint(dealt)


def test_only_playlists_of_a_folder_that_was_missing_from_the_start_cannot_be_updated(
    managed: Managed, music: Path, away: Path
) -> None:
    managed.manage("good", music)
    managed.manage("bad", music, away)

    messages = managed.messages(START)

    assert isinstance(messages["good"], PlaylistUpdated)
    assert len(managed.entries("good")) == 8
    bad = messages["bad"]
    assert isinstance(bad, PlaylistFailed)
    assert bad.state == "error"
    assert str(away) in bad.error
    assert not (managed.top / "bad.m3u").exists()


def test_each_playlist_reports_how_many_of_its_own_tracks_are_on_a_missing_drive(
    managed: Managed, music: Path, usb: Path, away: Path
) -> None:
    managed.manage("both", music, usb)
    managed.manage("some", music, usb, where=(r"path::/[ast]\.mp3$",))
    managed.manage("rest", music)
    managed.manage("few", music, usb, limit=6)
    managed.manage("dealt", music, usb, deal=DAILY)
    managed.update(START)
    usb.rename(away)

    messages = managed.update(ROOT)

    counts = {name: sum(entry.startswith("usb/") for entry in managed.entries(name)) for name in messages}
    assert (counts["both"], counts.pop("rest")) == (5, 0)
    assert messages.pop("rest").status.waiting == {}
    assert {name: message.status.waiting for name, message in messages.items()} == {
        name: {str(usb): count} for name, count in counts.items()
    }


# Files that are being written


def test_only_playlists_of_the_folder_of_a_file_that_is_being_written_wait_for_the_file(
    managed: Managed,
) -> None:
    full, empty = managed.top / "full", managed.top / "empty"
    fill(full, "a")
    empty.mkdir()
    (full / "a.mp3").touch()
    managed.manage("full", full)
    managed.manage("empty", empty)
    managed.config = managed.config._replace(settle_s=1000)

    messages = managed.messages(WHOLE)

    assert {name: (message.growing, type(message)) for name, message in messages.items()} == {
        "full": ([bytes(full) + b"/"], PlaylistFailed),
        "empty": ([], PlaylistFailed),
    }


@pytest.mark.damages_state
def test_only_updates_with_a_full_scan_check_the_whole_state_for_damage(managed: Managed, home: Path) -> None:
    music = managed.top / "Music"
    fill(music, "ab")
    managed.manage("all", music)
    managed.update(START)
    execute(state_file(home), "INSERT INTO plays VALUES (x'00', '', '', 0, x'00', '', 1)")
    path = state_file(home)
    path.with_name("state.db.clean").write_bytes(_stamp(bytes(path)))

    managed.update(event_in(music))
    assert not list(path.parent.glob("*damaged*"))
    managed.update(WHOLE)
    assert list(path.parent.glob("*damaged*"))
