"""Test which tracks count as deleted and which as missing, over whole runs."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount
from playshuffle.tags.reading import Reading, Tags
from tests.support.library import NO_TAGS, deal, entries, keep, make_playlist, put, reader, tools
from tests.support.program import DATA
from tests.support.refusals import refusal
from tests.support.sized import SizedMusic

ROOTS = ("Music/a", "Music/b")


class Library(SizedMusic):
    """Folders of tracks, and playlists of the tracks in some of the folders."""

    def __init__(self, top: Path, **folders: int) -> None:
        super().__init__(top)
        self.known: dict[Path, int] = {}
        self.notes: Sequence[str] = ()
        for folder, tracks in folders.items():
            for number in range(tracks):
                self.add(f"{folder}/{number:03}.mp3")

    def update(
        self, *roots: str, changes: Changes = EVERYWHERE, name: str = "list", **options: Any
    ) -> list[int]:
        """Update a playlist of the tracks in these folders, and return its tracks."""
        request = self.request(name, options=Options(**options))
        folders = tuple(os.fsencode(self.top / root) for root in roots or ("Music",))
        report = keep(request._replace(roots=folders), tools(seed=name), changes)
        self.notes = list(map(str, report.notes))
        self.known |= {path: self.track(path) for path in self.folder.rglob("*.mp3")}
        return [self.known[path.resolve()] for path in self.listed(name)]

    def notes_if_nothing_changes(self, *roots: str, **options: Any) -> str:
        """Check that an update keeps all entries, though tracks are missing; return its notes."""
        before = self.listed("list")
        self.update(*roots, **options)
        assert self.listed("list") == before
        return " ".join(self.notes)

    def remove(self, folder: str, count: int) -> list[Path]:
        paths = sorted((self.folder / folder).iterdir())[:count]
        for path in paths:
            path.unlink()
        return paths


def test_whether_tracks_count_as_missing_depends_on_the_folder_and_not_on_the_query(tmp_path: Path) -> None:
    """The list has 40 of 100 tracks. 30 of the 40 are deleted: together with 40 other tracks, then alone."""
    library = Library(tmp_path, a=40, b=60)
    query = (f"path:{tmp_path}/Music/a",)
    library.update(where=query)
    shutil.copytree(tmp_path / "Music", tmp_path / "copy")
    library.remove("a", 30)
    library.remove("b", 40)

    assert "70 of 100 tracks are gone" in library.notes_if_nothing_changes(where=query)

    shutil.copytree(tmp_path / "copy/b", tmp_path / "Music/b", dirs_exist_ok=True)
    assert len(library.update(where=query)) == 10


def test_accepting_the_loss_of_tracks_for_one_list_accepts_it_for_all_lists_of_the_folder(
    tmp_path: Path,
) -> None:
    library = Library(tmp_path, a=60)
    library.update()
    library.update(name="other")
    library.remove("a", 40)
    assert len(library.update()) == len(library.update(name="other")) == 60

    assert len(library.update(name="other", accept_missing=True)) == 20

    assert len(library.update()) == 20


def test_a_folder_whose_loss_each_list_has_accepted_may_stay_missing_without_a_note(tmp_path: Path) -> None:
    library = Library(tmp_path, a=5, b=5)
    before = library.update(*ROOTS)
    library.update(*ROOTS, name="other")
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")

    for name in ("list", "other"):
        assert len(library.update(*ROOTS, name=name, accept_missing=True)) == 5
        assert len(library.update(*ROOTS, name=name)) == 5
        assert library.notes == []

    (tmp_path / "elsewhere").rename(tmp_path / "Music/a")
    assert library.update(*ROOTS) == before
    with pytest.raises(PlayshuffleError, match="Music/c"):
        library.update(*ROOTS, "Music/c")


def test_while_a_folder_is_missing_tracks_of_another_folder_are_added_and_removed(tmp_path: Path) -> None:
    library = Library(tmp_path, a=60, b=5)
    before = library.update(*ROOTS)
    removed = {library.known[path] for path in library.remove("b", 2)}
    library.add("b/new.mp3")
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")

    after = library.update(*ROOTS)

    assert [track for track in after if track in before] == [
        track for track in before if track not in removed
    ]
    assert len(after) == 64


def test_a_list_without_tracks_of_a_missing_folder_has_no_note_about_this_folder(tmp_path: Path) -> None:
    library = Library(tmp_path, a=3, b=5)
    library.update(*ROOTS)
    where = (f"path:{tmp_path}/Music/b",)
    library.update(*ROOTS, name="other", where=where)
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")

    assert len(library.update(*ROOTS, name="other", where=where)) == 5
    assert library.notes == []
    library.update(*ROOTS)
    assert len(library.notes) == 1


def test_a_new_version_of_a_file_keeps_its_position_though_another_folder_is_lost(tmp_path: Path) -> None:
    """While a drive is missing, a file with other audio may be new, and the track at its path moved there."""
    library = Library(tmp_path, a=5, b=30)
    library.update("Music/b")
    library.update(*ROOTS, name="other")
    before = library.listed("list")
    shutil.rmtree(tmp_path / "Music/a")
    library.update(*ROOTS, name="other", accept_missing=True)

    (tmp_path / "Music/b/007.mp3").unlink()
    shutil.copyfile(DATA / "tone.flac", tmp_path / "Music/b/007.mp3")
    library.update("Music/b")

    assert library.listed("list") == before


@pytest.mark.parametrize("is_there", [True, False])
def test_updates_change_neither_entries_nor_titles_of_tracks_in_a_missing_music_folder(
    tmp_path: Path, is_there: bool
) -> None:
    """Also if the missing root is still there as an empty folder, as a mount point is."""
    library = Library(tmp_path, a=30, b=3)
    library.update(*ROOTS)
    before = (tmp_path / "list.m3u").read_bytes()
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")
    if is_there:
        (tmp_path / "Music/a").mkdir()

    for _ in range(2):
        library.update(*ROOTS)
        assert (tmp_path / "list.m3u").read_bytes() == before


def test_deletions_that_the_service_saw_are_accepted_though_another_folder_is_missing(tmp_path: Path) -> None:
    library = Library(tmp_path, a=60, b=5)
    library.update(*ROOTS)
    seen = library.remove("a", 50)
    (tmp_path / "Music/b").rename(tmp_path / "elsewhere")

    away = library.update(*ROOTS, changes=Changes(gone=frozenset(map(bytes, seen))))
    (tmp_path / "elsewhere").rename(tmp_path / "Music/b")

    assert len(away) == 15
    assert library.update(*ROOTS) == away
    assert library.notes == []


def test_a_drive_is_noticed_as_missing_though_a_list_without_its_tracks_was_updated_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The drive has 5 tracks of the list, and none of the other list."""
    library = Library(tmp_path, stick=5, a=35, b=10)
    disk = Mount(b"/", "ext4", b"/dev/sda1", 0)
    table = [disk, Mount(os.path.realpath(os.fsencode(tmp_path / "Music/stick")), "vfat", b"/dev/sdb1", 0)]
    monkeypatch.setattr(mounts, "table", lambda: table)
    library.update()
    library.update(where=("path::/b/",), name="other")
    (tmp_path / "Music/stick").rename(tmp_path / "elsewhere")
    (tmp_path / "Music/stick").mkdir()
    table.pop()

    library.update(where=("path::/b/",), name="other")
    library.remove("b", 1)
    library.update(where=("path::/b/",), name="other")

    assert "5 tracks are gone, and" in library.notes_if_nothing_changes()


@pytest.mark.parametrize("roots", [("Music", "Music/a"), ("Music/a", "Music")])
def test_a_music_folder_inside_another_one_counts_as_missing_if_all_tracks_in_it_are_gone(
    tmp_path: Path, roots: tuple[str, ...]
) -> None:
    """They are few of all tracks."""
    library = Library(tmp_path, a=5, b=60)
    before = library.update(*roots)
    (tmp_path / "Music/a").rename(tmp_path / "elsewhere")
    (tmp_path / "Music/a").mkdir()

    assert "no track was found; 5 were there" in library.notes_if_nothing_changes(*roots)
    (tmp_path / "Music/a").rmdir()
    assert "5 tracks were there" in library.notes_if_nothing_changes(*roots)
    (tmp_path / "elsewhere").rename(tmp_path / "Music/a")
    assert library.update(*roots) == before


def test_a_music_folder_given_twice_under_two_names_loses_no_track(tmp_path: Path) -> None:
    """A link is the second name. Given first, it changes all paths."""
    library = Library(tmp_path, a=60)
    (tmp_path / "Link").symlink_to("Music")
    before = library.update("Music", "Link")

    assert library.update("Music", "Link") == before
    assert library.update("Link", "Music") == before


@pytest.mark.parametrize("link", ["a/0/link.mp3", "a/z/link.mp3"], ids=["before", "behind"])
def test_a_link_to_a_track_does_not_replace_it_while_the_folder_of_both_is_missing(
    tmp_path: Path, link: str
) -> None:
    """The cache has the link, but not that it is one. A link elsewhere makes the library look for links."""
    library = Library(tmp_path, a=4, b=2)
    library.add(str(Path(link).parent / "own.mp3"))
    (library.folder / link).symlink_to("../002.mp3")
    (library.folder / "b/other.mp3").hardlink_to(library.folder / "b/000.mp3")
    before = library.update(*ROOTS)
    assert len(before) == 7

    (library.folder / "a").rename(tmp_path / "away")
    assert library.notes_if_nothing_changes(*ROOTS)
    (tmp_path / "away").rename(library.folder / "a")
    assert library.update(*ROOTS) == before


@pytest.mark.parametrize("is_seen", [True, False])
def test_a_folder_is_empty_and_not_missing_if_all_its_tracks_were_moved_to_another_music_folder(
    tmp_path: Path, is_seen: bool
) -> None:
    """An import moves all files of a folder for new files."""
    library = Library(tmp_path, a=40, b=40)
    before = library.update(*ROOTS)
    moved = [
        (bytes(path), bytes(path.rename(tmp_path / "Music/b" / f"new {path.name}")))
        for path in sorted((tmp_path / "Music/a").iterdir())
    ]
    changes = Changes(gone=frozenset(old for old, _ in moved), moved=tuple(moved)) if is_seen else EVERYWHERE

    assert library.update(*ROOTS, changes=changes) == before


def test_a_round_waits_for_tracks_of_a_missing_drive_though_the_deck_never_had_them(tmp_path: Path) -> None:
    for name in ("A", "B"):
        put(tmp_path / name, *(f"{name}{number}.mp3" for number in range(4)))
    both = Request((bytes(tmp_path / "A"), bytes(tmp_path / "B")), bytes(tmp_path / "all.m3u"))
    make_playlist(both, tools(NO_TAGS))
    (tmp_path / "B").rename(tmp_path / "away")
    dealt = both._replace(output=bytes(tmp_path / "dealt.m3u"))

    decks = [deal(dealt, tools(NO_TAGS), 3).deck for _ in range(2)]
    error = refusal(Exit.MISSING, deal, dealt, tools(NO_TAGS), 3)

    assert [(deck.round, deck.track_count, deck.undealt_count) for deck in decks] == [(1, 8, 5), (1, 8, 4)]
    assert "all remaining tracks of this round (4) are on it" in error
    (tmp_path / "away").rename(tmp_path / "B")
    third = deal(dealt, tools(NO_TAGS), 4).deck
    assert (third.round, sorted(third.dealt), third.undealt_count) == (1, [*range(8)], 0)


def test_a_dealt_track_deleted_while_another_drive_is_missing_leaves_the_count_of_its_round(
    tmp_path: Path,
) -> None:
    for name in ("A", "B"):
        put(tmp_path / name, *(f"{name}{number}.mp3" for number in range(4)))
    both = Request((bytes(tmp_path / "A"), bytes(tmp_path / "B")), bytes(tmp_path / "dealt.m3u"))
    deal(both, tools(NO_TAGS), 6)
    dealt = next(path for path in entries(both) if "/A" in path)
    (tmp_path / dealt).unlink()
    (tmp_path / "B").rename(tmp_path / "away")

    deck = deal(both, tools(NO_TAGS), 1).deck

    assert (deck.round, deck.track_count, len(deck.removed)) == (1, 7, 1)


_UNKNOWN = (
    "Unknown tags, since a drive is missing and the cache was lost: {}. Until the drive is back, the query"
)
_UNKNOWN += " keeps those of the last list ({})."


def _reading(path: str) -> Reading:
    genre = "Rock" if "rock" in path else "Jazz"
    return Reading(Tags(60_000, genre=genre) if os.path.exists(path) else None)


class _Rock:
    """Music of two genres on two drives, whose names tell the genre, and lists of one genre."""

    def __init__(self, top: Path) -> None:
        self.top = top
        names = [f"{genre}{number}.mp3" for genre in ("rock", "jazz") for number in range(3)]
        for drive in ("here", "usb"):
            put(top / drive, *names)
        self.tools = tools(reader(_reading))

    def request(self, name: str, *where: str, **options: Any) -> Request:
        folders = (bytes(self.top / "here"), bytes(self.top / "usb"))
        return Request(folders, bytes(self.top / f"{name}.m3u"), options=Options(where=where, **options))

    def make(self, name: str, *where: str) -> tuple[list[str], str]:
        """Make a list, and return its tracks and the note about unknown tags."""
        request = self.request(name, *where)
        notes = [str(note) for note in make_playlist(request, self.tools).notes if note.code == "undecided"]
        return sorted(entries(request)), "".join(notes)

    def lose_drive(self) -> None:
        (self.top / "usb").rename(self.top / "drawer")

    def find_drive(self) -> None:
        (self.top / "drawer").rename(self.top / "usb")


def test_a_query_keeps_the_tracks_of_a_missing_drive_whose_tags_the_cache_has_lost(tmp_path: Path) -> None:
    rock = _Rock(tmp_path)
    before, _ = rock.make("rock", "genre:rock")
    rock.lose_drive()
    (Path.home() / ".cache/playshuffle/cache.db").unlink()

    assert rock.make("rock", "genre:rock") == (before, _UNKNOWN.format("6 tracks", 3))
    new, note = rock.make("new", "-genre:jazz")
    by_path, no_note = rock.make("by path", "path::rock")

    assert ([path for path in before if "here" in path], _UNKNOWN.format("6 tracks", 0)) == (new, note)
    assert (by_path, no_note) == (before, "")
    rock.find_drive()
    assert rock.make("new", "-genre:jazz") == (before, "")


def test_one_file_of_a_missing_folder_that_the_cache_does_not_know_hides_no_tags_of_the_others(
    tmp_path: Path,
) -> None:
    rock = _Rock(tmp_path)
    rock.make("rock", "genre:rock")
    put(tmp_path / "usb", "rock9.mp3")
    make_playlist(rock.request("all", tags=False), rock.tools)
    rock.lose_drive()

    tracks, note = rock.make("new", "genre:rock")

    assert [path.split("/")[-1] for path in tracks] == ["rock0.mp3", "rock1.mp3", "rock2.mp3"] * 2
    assert note == _UNKNOWN.format("1 track", 0)


def test_a_deck_whose_query_needs_lost_tags_goes_on_with_its_tracks_when_the_drive_is_back(
    tmp_path: Path,
) -> None:
    rock = _Rock(tmp_path)
    request = rock.request("rock", "genre:rock")
    first = deal(request, rock.tools, 1).deck
    rock.lose_drive()
    (Path.home() / ".cache/playshuffle/cache.db").unlink()

    decks = [deal(request, rock.tools, 1).deck]
    assert (decks[0].round, decks[0].track_count) == (1, first.track_count)

    rock.find_drive()
    while decks[-1].undealt_count:
        decks.append(deal(request, rock.tools, 1).deck)
    assert (decks[-1].round, len(decks[-1].dealt)) == (1, 6)
