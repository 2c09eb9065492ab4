"""The guard over whole runs: which losses are believed, and which tracks stay as last known."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount
from tests.support.library import NO_TAGS, deal, keep, make_playlist, put, tools
from tests.support.program import DATA
from tests.support.refusals import refusal
from tests.support.sized import SizedMusic


class Library(SizedMusic):
    """Folders of tracks, and a playlist over some roots and tracks of them."""

    def __init__(self, top: Path, **folders: int) -> None:
        super().__init__(Path(os.path.realpath(top)))
        self.known: dict[Path, int] = {}
        self.notes: Sequence[str] = ()
        for folder, tracks in folders.items():
            for number in range(tracks):
                self.add(f"{folder}/{number:03}.mp3")

    def update(
        self,
        *roots: str,
        changes: Changes = EVERYWHERE,
        where: str = "",
        name: str = "list",
        accept_missing: bool = False,
    ) -> list[int]:
        """Update the playlist, and return its tracks."""
        request = self.request(
            name, options=Options(where=(where,) if where else (), accept_missing=accept_missing)
        )
        folders = tuple(os.fsencode(self.top / root) for root in roots or ("Music",))
        report = keep(request._replace(roots=folders), tools(seed=name), changes)
        self.notes = list(map(str, report.notes))
        self.known |= {path: self.track(path) for path in self.folder.rglob("*.mp3")}
        return [self.known[Path(os.path.realpath(path))] for path in self.listed(name)]

    def waits(self, *roots: str, where: str = "", changes: Changes = EVERYWHERE) -> str:
        """Check that an update keeps all entries, though most are missing; return its notes."""
        before = self.listed("list")
        self.update(*roots, where=where, changes=changes)
        assert self.listed("list") == before
        return " ".join(self.notes)

    def remove(self, folder: str, count: int) -> list[bytes]:
        paths = sorted((self.top / "Music" / folder).iterdir())[:count]
        for path in paths:
            path.unlink()
        return [os.fsencode(path) for path in paths]


def test_tracks_keep_positions_if_a_folder_with_most_of_them_was_renamed_between_updates(
    tmp_path: Path,
) -> None:
    """While the service was stopped; each track keeps its position."""
    library = Library(tmp_path, a=40, b=20)
    before = library.update()

    (tmp_path / "Music/a").rename(tmp_path / "Music/z")

    assert library.update() == before


def test_whether_tracks_seem_missing_depends_on_the_folder_and_not_on_the_query_of_a_list(
    tmp_path: Path,
) -> None:
    """Of 100 tracks it has 40; of these 30 are gone, first with the rest of the folder, then alone."""
    library = Library(tmp_path, a=40, b=60)
    query = f"path:{tmp_path}/Music/a"
    library.update(where=query)
    shutil.copytree(tmp_path / "Music", tmp_path / "copy")
    library.remove("a", 30)
    library.remove("b", 40)

    assert "70 of 100 tracks are gone" in library.waits(where=query)

    shutil.copytree(tmp_path / "copy/b", tmp_path / "Music/b", dirs_exist_ok=True)
    assert len(library.update(where=query)) == 10


def test_a_loss_of_tracks_accepted_for_one_list_is_accepted_for_all_lists_of_the_folder(
    tmp_path: Path,
) -> None:
    library = Library(tmp_path, a=60)
    library.update()
    library.update(name="other")
    library.remove("a", 40)
    assert len(library.update()) == len(library.update(name="other")) == 60

    assert len(library.update(name="other", accept_missing=True)) == 20

    assert len(library.update()) == 20


def test_a_root_whose_loss_was_accepted_for_each_list_may_stay_missing_without_a_note(tmp_path: Path) -> None:
    library = Library(tmp_path, a=5, b=5)
    roots = ("Music/a", "Music/b")
    before = library.update(*roots)
    library.update(*roots, name="other")
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")

    for name in ("list", "other"):
        assert len(library.update(*roots, name=name, accept_missing=True)) == 5
        assert len(library.update(*roots, name=name)) == 5
        assert library.notes == []

    (tmp_path / "elsewhere").rename(tmp_path / "Music/a")
    assert library.update(*roots) == before
    with pytest.raises(PlayshuffleError, match="Music/c"):
        library.update(*roots, "Music/c")


def test_while_one_root_is_missing_tracks_of_another_root_are_added_and_removed(tmp_path: Path) -> None:
    library = Library(tmp_path, a=60, b=5)
    roots = ("Music/a", "Music/b")
    before = library.update(*roots)
    removed = {library.known[Path(os.fsdecode(path))] for path in library.remove("b", 2)}
    library.add("b/new.mp3")
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")

    away = library.update(*roots)

    assert f"60 of 64 tracks wait for {tmp_path}/Music/a" in " ".join(library.notes)
    assert [track for track in away if track in before] == [track for track in before if track not in removed]
    assert len(away) == 64
    (tmp_path / "elsewhere").rename(tmp_path / "Music/a")
    gone = {library.known[Path(os.fsdecode(path))] for path in library.remove("a", 3)}
    assert library.update(*roots) == [track for track in away if track not in gone]
    assert library.notes == []


def test_the_report_of_a_list_without_tracks_of_a_missing_root_has_no_note_on_that_root(
    tmp_path: Path,
) -> None:
    library = Library(tmp_path, a=3, b=5)
    roots = ("Music/a", "Music/b")
    library.update(*roots)
    library.update(*roots, name="other", where=f"path:{tmp_path}/Music/b")
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")

    assert len(library.update(*roots, name="other", where=f"path:{tmp_path}/Music/b")) == 5
    assert library.notes == []
    library.update(*roots)
    assert len(library.notes) == 1


def test_a_new_version_of_a_file_keeps_its_position_though_another_root_is_lost(
    tmp_path: Path,
) -> None:
    """While a drive is missing, a file with other audio may be new, and the track at its path moved there."""
    library = Library(tmp_path, a=5, b=30)
    library.update("Music/b")
    library.update("Music/a", "Music/b", name="other")
    before = library.listed("list")
    shutil.rmtree(tmp_path / "Music/a")
    library.update("Music/a", "Music/b", name="other", accept_missing=True)

    path = tmp_path / "Music/b/007.mp3"
    path.unlink()
    path.write_bytes((DATA / "tone.flac").read_bytes())
    library.update("Music/b")

    assert library.listed("list") == before


@pytest.mark.parametrize("is_there", [True, False])
def test_updates_leave_the_entries_and_titles_of_tracks_in_a_missing_root_unchanged(
    tmp_path: Path, is_there: bool
) -> None:
    """Also if the folder on which its drive was mounted is there, and empty."""
    library = Library(tmp_path, a=30, b=3)
    library.update("Music/a", "Music/b")
    before = (tmp_path / "list.m3u").read_bytes()
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")
    if is_there:
        (tmp_path / "Music/a").mkdir()

    for _ in range(2):
        library.update("Music/a", "Music/b")
        assert (tmp_path / "list.m3u").read_bytes() == before


def test_deletions_that_the_service_observed_are_accepted_though_another_root_is_missing(
    tmp_path: Path,
) -> None:
    library = Library(tmp_path, a=60, b=5)
    roots = ("Music/a", "Music/b")
    library.update(*roots)
    seen = library.remove("a", 50)
    (tmp_path / "Music/b").rename(tmp_path / "elsewhere")

    away = library.update(*roots, changes=Changes(gone=frozenset(seen)))
    (tmp_path / "elsewhere").rename(tmp_path / "Music/b")

    assert len(away) == 15
    assert library.update(*roots) == away
    assert library.notes == []


def test_a_missing_mount_is_noticed_though_a_list_without_its_tracks_was_updated_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the list 5 tracks of 40 are on it, of the other one none."""
    library = Library(tmp_path, stick=5, a=35, b=10)
    disk = Mount(b"/", "ext4", b"/dev/sda1", 0)
    table = [disk, Mount(os.path.realpath(os.fsencode(tmp_path / "Music/stick")), "vfat", b"/dev/sdb1", 0)]
    monkeypatch.setattr(mounts, "table", lambda: table)
    library.update()
    library.update(where="path::/b/", name="other")
    (tmp_path / "Music/stick").rename(tmp_path / "elsewhere")
    (tmp_path / "Music/stick").mkdir()
    table.pop()

    library.update(where="path::/b/", name="other")
    library.remove("b", 1)
    library.update(where="path::/b/", name="other")

    assert "5 tracks are gone, and" in library.waits()


@pytest.mark.parametrize("roots", [("Music", "Music/a"), ("Music/a", "Music")])
def test_a_root_inside_another_root_counts_as_missing_if_all_of_its_own_tracks_are_gone(
    tmp_path: Path, roots: tuple[str, ...]
) -> None:
    """A few of many tracks, but all of the inner root."""
    library = Library(tmp_path, a=5, b=60)
    before = library.update(*roots)
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")
    (tmp_path / "Music/a").mkdir()

    assert "no track was found; 5 were there" in library.waits(*roots)
    (tmp_path / "Music/a").rmdir()
    assert "5 tracks were there" in library.waits(*roots)
    (tmp_path / "elsewhere").rename(tmp_path / "Music/a")
    assert library.update(*roots) == before


def test_a_root_given_under_two_names_loses_no_track(tmp_path: Path) -> None:
    """Under the second name nothing is found twice; in the other order all paths change."""
    library = Library(tmp_path, a=60)
    (tmp_path / "Link").symlink_to("Music")
    before = library.update("Music", "Link")

    assert library.update("Music", "Link") == before
    assert library.update("Link", "Music") == before


@pytest.mark.parametrize("is_seen", [True, False])
def test_a_root_whose_tracks_were_all_moved_to_another_root_is_empty_and_not_missing(
    tmp_path: Path, is_seen: bool
) -> None:
    """As an import does with a folder of new files."""
    library = Library(tmp_path, a=40, b=40)
    before = library.update("Music/a", "Music/b")
    moved = []
    for path in sorted((tmp_path / "Music/a").iterdir()):
        target = tmp_path / "Music/b" / f"new {path.name}"
        path.rename(target)
        moved.append((os.fsencode(path), os.fsencode(target)))
    changes = Changes(gone=frozenset(old for old, _ in moved), moved=tuple(moved)) if is_seen else EVERYWHERE

    assert library.update("Music/a", "Music/b", changes=changes) == before


def test_a_round_waits_for_tracks_of_a_missing_drive_though_the_deck_never_had_them(tmp_path: Path) -> None:
    for name in ("A", "B"):
        put(tmp_path / name, *(f"{name}{number}.mp3" for number in range(4)))
    both = Request((os.fsencode(tmp_path / "A"), os.fsencode(tmp_path / "B")), bytes(tmp_path / "all.m3u"))
    make_playlist(both, tools(NO_TAGS))
    (tmp_path / "B").rename(tmp_path / "away")
    dealt = both._replace(output=bytes(tmp_path / "dealt.m3u"))

    first = deal(dealt, tools(NO_TAGS), 3).deck
    second = deal(dealt, tools(NO_TAGS), 3).deck
    error = refusal(Exit.MISSING, deal, dealt, tools(NO_TAGS), 3)

    assert (first.track_count, first.undealt_count, second.undealt_count) == (8, 5, 4)
    assert (second.round, len(second.dealt)) == (1, 4)
    assert "all remaining tracks of this round (4) are on it" in error
    (tmp_path / "away").rename(tmp_path / "B")
    third = deal(dealt, tools(NO_TAGS), 4).deck
    assert (third.round, sorted(third.dealt), third.undealt_count) == (1, [*range(8)], 0)
