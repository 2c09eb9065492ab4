"""Test that with `playshuffle move` all saved data follow music to another folder or drive."""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.store import schema
from playshuffle.store.home_paths import named_paths
from playshuffle.store.path_moves import moved_rows, save_move
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.system.xdg import moving_mark
from tests.support.needs import unmet
from tests.support.processes import WRITES, injected
from tests.support.program import configured, entries, listed, numbered, ran, refused, run

pytestmark = pytest.mark.process

_CONFIG = """\
folders = ["~/Old"]  # all of it
[playlist.kids]
output = "~/Old/kids.m3u"
without = ['~/Old/hated.m3u', "~/other.m3u"]
map = "~/Old=/music"
where = "-path:~/Old/none"
"""

# Columns that have no paths. Whoever adds a column decides: here, or in `schema.PATH_COLUMNS`.
_WITHOUT_PATHS = {
    "folder": {"names", "numbers", "marks"},
    "former": {"number", "mark", "since", "is_replaced"},
    "former_folder": {"names", "numbers"},
    "root": {"ignore_files", "numbers"},
    "counter": {"next_number", "version"},
    "record": {"age", "kind", "content", "digest"},
    "record_tracks": {"age", "numbers"},
    "plays": {"stamp", "title", "note", "read_s", "rows"},
    "clock": {"time_s", "waited_s", "uptime_s"},
    "unwritten": {"path", "content"},  # empty, but for a moment of a move
}


def test_each_column_of_the_database_is_declared_to_contain_paths_or_to_contain_no_paths() -> None:
    for table, columns in schema.COLUMNS.items():
        with_paths = schema.PATH_COLUMNS.get(table, {}).keys()
        assert with_paths | _WITHOUT_PATHS.get(table, set()) == columns.keys(), table
        assert not with_paths & _WITHOUT_PATHS.get(table, set()), table


def config_files() -> list[bytes]:
    folder = Path.home() / ".config/playshuffle"
    return [(folder / name).read_bytes() for name in ("config.toml", "never.m3u")]


@pytest.fixture
def used(home: Path) -> Path:
    """A home whose lists, deck, skip lists, play history and undo records name the folder Old."""
    music = numbered(home / "Old", 12)
    (music / "heard.csv").write_text("path,plays\n003.mp3,4\n")
    (music / "hated.m3u").write_text("#EXTM3U\n004.mp3\n")
    (home / "other.m3u").write_text("#EXTM3U\n")
    configured(_CONFIG)
    options = f"-o {home}/absolute.m3u --paths absolute --history {music}/heard.csv --pin Old/007.mp3@2"
    absolute = [str(music), *options.split(), "--where", f"path:{music} , title:x"]
    for _ in range(2):
        ran("make", "kids")
        ran("make", *absolute, cwd=home)
        ran("deal", music, "-n", "3", "--every", "run")
        (music / "000.mp3").unlink(missing_ok=True)
    ran("never", music / "005.mp3")
    return home


def everything() -> list[object]:
    """Return all rows of the state, and the configuration files."""
    with State(writes=False) as state:
        rows = [
            state.rows(f"SELECT rowid, {', '.join(columns)} FROM {table} ORDER BY rowid")
            for table, columns in schema.COLUMNS.items()
        ]
    return [*rows, config_files()]


def names_of(playlist: Path) -> list[str]:
    return [os.path.basename(entry) for entry in entries(playlist.read_bytes())]


def test_plays_at_the_paths_before_and_after_moves_and_renames_count(home: Path) -> None:
    music, log = numbered(home / "Old", 4), home / "heard.csv"
    ran("make", music, "-o", home / "list.m3u")
    (music / "001.mp3").rename(music / "one.mp3")
    ran("make", music, "-o", home / "list.m3u")
    music = music.rename(home / "New")
    ran("move", home / "Old", music)
    (music / "002.mp3").rename(music / "two.mp3")
    names = ("Old/001.mp3", "Old/one.mp3", "Old/002.mp3", "New/one.mp3", "New/002.mp3", "Old/003.mp3")
    log.write_text("path,plays\n" + "".join(f"{home}/{name},1\n" for name in names) + "none.mp3,2\n")

    ran("make", music, "-o", home / "played.m3u", "--history", log, "--where", "plays:1..")

    assert sorted(names_of(home / "played.m3u")) == ["003.mp3", "one.mp3", "two.mp3"]


def test_the_command_move_updates_orders_decks_undo_never_m3u_and_the_configuration(used: Path) -> None:
    lists = ("Old/kids.m3u", "absolute.m3u")
    before = [names_of(used / name) for name in lists]
    dealt = listed(used / "Old/today.m3u")
    (used / "disk").mkdir()
    (used / "Old").rename(used / "disk/New")

    said = ran("move", used / "Old", used / "disk/New").err

    assert "ok: ~/Old is now ~/disk/New: 11 tracks, 3 lists" in said
    with State(writes=False) as state:
        assert {row.table for row in moved_rows(state, bytes(used / "Old"), b"/nowhere")} == {"former_folder"}
        assert named_paths().stored(state.roots()[0]) == b"~/disk/New"
    config = _CONFIG.replace("~/Old", "~/disk/New").replace(
        "'~/disk/New/hated.m3u'", '"~/disk/New/hated.m3u"'
    )
    assert (used / ".config/playshuffle/config.toml").read_text() == config
    assert ran("never").out == b"~/disk/New/005.mp3\n"
    assert [names_of(used / name.replace("Old", "disk/New")) for name in lists] == before
    assert f"{used}/disk/New/" in (used / "absolute.m3u").read_text()
    ran("make", "absolute")
    assert names_of(used / "absolute.m3u")[1] == "007.mp3"
    ran("deal", "today")
    assert not set(dealt) & set(listed(used / "disk/New/today.m3u"))
    ran("undo", "today")  # the deal as it came, perhaps with the track that never took out
    assert [name for name in listed(used / "disk/New/today.m3u") if name != "005.mp3"] == dealt
    assert "is as before" in ran("undo", "kids").err


def test_a_dry_run_of_the_command_move_changes_nothing(used: Path) -> None:
    before = everything()
    shutil.copytree(used / "Old", used / "New")

    said = ran("move", used / "Old", used / "New", "--dry-run").err
    assert "~/Old would be ~/New: 11 tracks, 3 lists" in said
    assert everything() == before


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ("Old None", 66, "~/None is not a folder. This command moves no music."),
        ("Else Old", 2, "No music folder or list is in ~/Else. Known music folders: ~/Old."),
        ("Old Else", 75, "~/Else has 1 of 11 tracks that were in ~/Old. Missing is ~/Else/0"),
        ("Old/sub Else", 2, "No music folder or list is in ~/Old/sub."),
    ],
)
def test_a_refused_move_says_why_and_changes_nothing(used: Path, words: str, code: int, text: str) -> None:
    before = everything()
    (used / "Else").mkdir()
    shutil.copy(used / "Old/006.mp3", used / "Else")

    assert text in refused(code, "move", *words.split(), cwd=used)
    assert everything() == before


def test_a_move_to_a_folder_that_lists_use_is_refused_until_the_user_forgets_these_lists(used: Path) -> None:
    shutil.copytree(used / "Old", used / "New")
    ran("make", used / "New", "-o", used / "fresh.m3u")

    assert "first: playshuffle forget ~/fresh.m3u" in refused(2, "move", used / "Old", used / "New")
    ran("forget", used / "fresh.m3u")
    ran("move", used / "Old", used / "New")
    with State(writes=False) as state:
        assert state.roots() == [bytes(used / "New")]


def test_a_move_updates_lists_of_music_that_is_reached_through_a_link(home: Path) -> None:
    numbered(home / "disk1", 6)
    (home / "Music").symlink_to("disk1")
    ran("make", home / "Music")
    before = listed(home / "Music/playshuffle.m3u")
    (home / "disk1").rename(home / "disk2")
    (home / "Music").unlink()
    (home / "Music").symlink_to("disk2")

    ran("move", home / "disk1", home / "disk2")

    assert listed(home / "Music/playshuffle.m3u") == before
    with State(writes=False) as state:
        assert moved_rows(state, bytes(home / "disk1"), b"/nowhere") == []


def test_a_move_changes_nothing_if_one_of_its_files_cannot_be_written(used: Path) -> None:
    before = everything()
    with State(must_remember=True) as state, pytest.raises(PlayshuffleError, match="Cannot write /no/x"):
        save_move(state, moved_rows(state, bytes(used / "Old"), b"/new"), {b"/no/x": b""})

    assert everything() == before
    assert not os.path.lexists(moving_mark())


_FEW = [("fsync", 1), ("fsync", 3), ("pwrite64", 3), ("rename", 2), ("unlink", 3)]
_ALL = [(call, number) for call in WRITES.split(",") for number in range(1, 60)]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("calls", [_FEW, pytest.param(_ALL, marks=pytest.mark.slow)], ids=["few", "all"])
def test_a_killed_move_is_done_completely_or_not_at_all(used: Path, calls: Sequence[tuple[str, int]]) -> None:
    """The next command finds all of the old state or all of the new one."""
    safe, words = used.with_name("safe"), ("move", used / "Old", used / "New")
    shutil.copytree(used / "Old", used / "New")
    shutil.copytree(used, safe)
    old_files, old_place = config_files(), set(paths_saved())
    ran(*words)
    new_files, new_place = config_files(), set(paths_saved())
    outcomes, ended = list[bool](), ""
    for call, number in calls:
        if call == ended:
            continue
        shutil.rmtree(used)
        shutil.copytree(safe, used)
        if run(*words, before=injected(call, f"signal=KILL:when={number}")).code == 0:
            ended = call
            continue
        ran("config", "check")
        is_new = config_files() == new_files
        outcomes.append(is_new)
        assert config_files() == (new_files if is_new else old_files), (call, number)
        assert set(paths_saved()) == (new_place if is_new else old_place), (call, number)
        assert not (used / ".local/state/playshuffle/moving").exists()
    assert {*outcomes} == {False, True}


def paths_saved() -> Iterator[tuple[object, ...]]:
    """Yield the table of each row of the state with a path below Old or New, and that folder."""
    with State(writes=False) as state:
        for name in (b"Old", b"New"):
            place = bytes(Path.home() / os.fsdecode(name))
            yield from ((row.table, name) for row in moved_rows(state, place, b"/nowhere"))


@pytest.mark.parametrize(
    "name", ["AC: DC", "Rock,", "Rock ", "a:b", "(a", 'a "b"', "it's", "a\\b", "-x", "OR"]
)
@pytest.mark.parametrize("prefix", ["", "path:"])
def test_a_query_for_a_moved_folder_has_the_new_path_whatever_its_name(
    home: Path, prefix: str, name: str
) -> None:
    numbered(home / "Music/Rock", 3)
    numbered(home / "Music/Jazz", 2)
    configured(f'folders = ["~/Music"]\n[playlist.rock]\nwhere = "{prefix}{home}/Music/Rock"\n')
    ran("make", "rock")
    (home / "Music/Rock").rename(home / "Music" / name)

    ran("move", home / "Music/Rock", home / "Music" / name)

    ran("config", "check")
    ran("make", "rock")
    assert sorted(listed(home / "Music/rock.m3u")) == [f"{name}/{number:03}.mp3" for number in range(3)]


@pytest.mark.parametrize("words", ["l.m3u --paths relative", "l.m3u --paths absolute", "l.xspf"])
def test_a_second_move_writes_the_list_that_the_first_one_could_not_write(home: Path, words: str) -> None:
    name, *options = words.split()
    playlist = home / "lists" / name
    playlist.parent.mkdir()
    numbered(home / "Old", 5)
    ran("make", home / "Old", "-o", playlist, *options)
    before = PlaylistFile.find(bytes(playlist)).written()
    (home / "Old").rename(home / "New")
    move = ("move", home / "Old", home / "New")
    with atomic_file.held(bytes(playlist.parent)):
        cut_short = run(*move)

    assert cut_short.code == 73
    assert "The new paths are saved, but 1 list could not be written" in cut_short.err
    assert "is now" not in cut_short.err
    assert "~/Old is now ~/New: 1 list\n" in ran(*move).err
    new = [bytes(home / "New") + path.removeprefix(bytes(home / "Old")) for path in before]
    assert PlaylistFile.find(bytes(playlist)).written() == new
    assert "No music folder or list is in ~/Old" in refused(2, *move)


def test_a_move_is_done_though_the_cache_is_damaged(home: Path) -> None:
    numbered(home / "Old", 5)
    ran("make", home / "Old", "-o", home / "all.m3u")
    before = listed(home / "all.m3u")
    cache = home / ".cache/playshuffle/cache.db"
    size = cache.stat().st_size
    assert size > 4096
    cache.write_bytes(cache.read_bytes()[:4096] + b"\xa5" * (size - 4096))
    (home / "Old").rename(home / "New")

    ran("move", home / "Old", home / "New")

    assert listed(home / "all.m3u") == [entry.replace("Old", "New") for entry in before]


_DRIVE = """
    mkdir Old New && mount -t tmpfs drive Old && cp -r kept Old/Music && "$@" make "$PWD/Old/Music" || exit 99
    mount --move Old New || exit 99
    "$@" make playshuffle; "$@" move "$PWD/Old" "$PWD/New" && "$@" make playshuffle --dry-run
"""


@pytest.mark.root
def test_if_a_drive_is_mounted_elsewhere_the_command_move_is_suggested(home: Path) -> None:
    numbered(home / "kept", 30)
    done = run(cwd=home, before=["unshare", "--mount", "sh", "-c", _DRIVE, "sh"])
    if done.code == 99 or done.err.startswith("unshare:"):
        unmet(f"this root may not mount: {done.err}")

    assert "Its files are in ~/New now: playshuffle move ~/Old ~/New\n" in done.err
    assert "~/Old is now ~/New: 30 tracks, 1 list" in done.err
    assert done.code == 0, done.err


def test_after_a_move_the_command_export_says_what_to_do_with_copies_in_the_moved_folder(home: Path) -> None:
    music = numbered(home / "Music", 3)
    ran("make", music, "-o", music / "car.m3u")
    (music / "stick").mkdir()
    ran("export", music / "car.m3u", music / "stick")
    music.rename(home / "Moved")
    ran("move", music, home / "Moved")

    said = refused(73, "export", home / "Moved/car.m3u", home / "Moved/stick")

    assert "~/Moved/stick/car has the tracks of ~/Music/car.m3u" in said
    assert "If the list was moved since then, delete this folder." in said
    shutil.rmtree(home / "Moved/stick/car")
    ran("export", home / "Moved/car.m3u", home / "Moved/stick")
