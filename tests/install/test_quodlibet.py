"""Run the plugin for Quod Libet with its real list model, and in the real player on a virtual screen."""

import contextlib
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.needs import need
from tests.support.processes import finished
from tests.support.program import DATA, ran, run
from tests.support.service import wait_for

pytestmark = [pytest.mark.process, pytest.mark.players]

PROBE = Path(__file__).parents[1] / "support" / "quodlibet_probe.py"
ORDERS = ("RandomOrder", "SpreadOrder", "AlbumsOrder", "SattoloOrder")
Step = str | list[Any]


def song(number: int, artist: str = "", album: str = "", folder: str = "/m") -> dict[str, str]:
    tags = {"~filename": f"{folder}/{number:03}.mp3", "artist": artist, "album": album}
    return {**{name: value for name, value in tags.items() if value}, "tracknumber": str(number)}


TWELVE = [song(number, "ABC"[number % 3], f"Album {number // 4}") for number in range(12)]
KEYS = [each["~filename"] for each in TWELVE]


@pytest.fixture
def plugin(home: Path) -> Path:
    need("quodlibet")
    ran("plugin", "install", "quodlibet")
    return home / ".config/quodlibet/plugins/playshuffle_orders.py"


def play(
    plugin: Path,
    order: str,
    steps: Sequence[Step],
    songs: Sequence[dict[str, str]] = TWELVE,
    *,
    resets: bool = True,
) -> list[str | None]:
    """Return the song that plays after each step of "next", "previous" and "choose"; None after a round.

    resets: whether added and removed songs reset the order, as before Quod Libet 4.6.
    """
    job = {"plugin": str(plugin), "order": order, "songs": songs, "steps": steps, "resets": resets}
    done = finished(
        ["/usr/bin/python3", PROBE],
        input=json.dumps(job),
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert done.returncode == 0, done.stderr
    answers: list[str | None] = json.loads(done.stdout)["answers"]
    return answers


@pytest.mark.parametrize("order", ORDERS)
def test_each_of_two_rounds_plays_every_song_once_across_restarts(plugin: Path, order: str) -> None:
    first = play(plugin, order, ["next"] * 3 + ["restart"] + ["next"] * 2)
    songs = first + play(plugin, order, ["next"] * 21)

    assert sorted(map(str, songs[:12])) == sorted(map(str, songs[13:25])) == KEYS
    assert (songs[12], songs[25]) == (None, None)


@pytest.mark.parametrize("resets", [True, False])
@pytest.mark.parametrize("order", ORDERS)
def test_added_songs_are_played_in_the_current_round_and_no_song_twice(
    plugin: Path, order: str, resets: bool
) -> None:
    """Also after a restart, which only Quod Libet before 4.6 needs."""
    added = [song(number, "D", "Album 9") for number in range(50, 54)]
    restart = ["restart"] if resets else []
    steps: list[Step] = [*["next"] * 4, *(["add", each] for each in added), *restart, *["next"] * 13]

    songs = play(plugin, order, steps, resets=resets)

    assert sorted(map(str, songs[:16])) == sorted([*KEYS, *(each["~filename"] for each in added)])
    assert songs[16] is None


def test_an_added_song_may_get_any_position_after_the_played_songs(plugin: Path) -> None:
    """With a chance of 1 in 2,000, none of 80 rounds has it at a given one of 11 positions."""
    steps: list[Step] = ["next", "next", ["add", song(99)], *["next"] * 11, "forget"]
    songs = play(plugin, "RandomOrder", steps * 80)
    rounds = [songs[start : start + 13] for start in range(0, len(songs), 13)]

    places = {each.index("/m/099.mp3") for each in rounds}
    assert min(places) >= 2
    assert len(places) >= 9


def test_songs_that_were_removed_from_the_list_are_not_played(plugin: Path) -> None:
    steps: list[Step] = ["next", "next", *(["remove", key] for key in KEYS[:6]), *["next"] * 7]
    songs = play(plugin, "RandomOrder", steps)

    assert set(songs[2:-1]) | set(songs[:2]) >= set(KEYS[6:])
    assert not set(songs[2:]) & set(KEYS[:6])


def test_the_order_spread_keeps_artists_apart_even_after_songs_were_added(plugin: Path) -> None:
    artist = {each["~filename"]: each["artist"] for each in TWELVE} | {"/m/050.mp3": "A", "/m/051.mp3": "B"}
    steps: list[Step] = [*["next"] * 3, ["add", song(50, "A")], ["add", song(51, "B")], *["next"] * 11]
    songs = [str(key) for key in play(plugin, "SpreadOrder", steps)]

    assert len(set(songs)) == 14
    assert all(artist[one] != artist[two] for one, two in itertools.pairwise(songs))


def test_a_name_in_both_unicode_forms_is_one_artist_and_one_album(plugin: Path) -> None:
    names = ("Bj\u00f6rk", "Bjo\u0308rk")
    songs = [song(number, names[number % 2], names[number % 2]) for number in range(4)]
    songs += [song(number, f"Artist {number}", f"Album {number}") for number in range(4, 8)]
    spread = play(plugin, "SpreadOrder", ["next"] * 8, songs)
    end, *albums = play(plugin, "AlbumsOrder", ["next"] * 9, songs)
    ours = [str(key) < "/m/004" for key in spread]

    assert not any(one and two for one, two in itertools.pairwise(ours))
    assert end is None  # the order "spread" has played all songs of this round
    assert [key for key in albums if str(key) < "/m/004"] == [each["~filename"] for each in songs[:4]]


def test_the_order_albums_plays_each_album_whole_even_after_a_song_was_added(plugin: Path) -> None:
    album = {each["~filename"]: each["album"] for each in TWELVE} | {"/m/050.mp3": "Album 9"}
    steps: list[Step] = ["next", "next", ["add", song(50, album="Album 9")], *["next"] * 11]
    songs = [str(key) for key in play(plugin, "AlbumsOrder", steps)]
    blocks = [list(block) for _, block in itertools.groupby(songs, album.__getitem__)]

    assert len(blocks) == 4
    assert all(block == sorted(block) for block in blocks)


def test_the_order_sattolo_gives_no_song_the_position_that_it_had_in_the_last_round(plugin: Path) -> None:
    songs = play(plugin, "SattoloOrder", ["next"] * 38)
    rounds: list[Sequence[str | None]] = [KEYS, songs[:12], songs[13:25], songs[26:]]

    for before, after in itertools.pairwise(rounds):
        assert all(old != new for old, new in zip(before, after, strict=True))


def test_after_going_back_to_previous_songs_next_plays_the_same_songs_again(plugin: Path) -> None:
    songs = play(plugin, "RandomOrder", [*["next"] * 3, "previous", "previous", *["next"] * 3])

    assert songs[3:7] == [songs[1], songs[0], songs[1], songs[2]]
    assert songs[7] not in songs[:7]


def test_a_song_that_the_user_chose_is_not_played_again_in_the_round(plugin: Path) -> None:
    first = play(plugin, "RandomOrder", ["next"])
    chosen = next(key for key in KEYS if key != first[0])

    songs = play(plugin, "RandomOrder", [["choose", chosen], *["next"] * 11])

    assert songs[0] == chosen
    assert sorted(map(str, [*first, *songs[:11]])) == KEYS
    assert songs[11] is None


@pytest.mark.parametrize(
    "steps",
    [
        [["show", KEYS[:4]], *["next"] * 2, ["show", KEYS], *["next"] * 11],
        [*["next"] * 5, ["order", "SpreadOrder"], *["next"] * 8],
    ],
    ids=["filtered", "order"],
)
def test_a_round_plays_each_song_once_even_if_a_filter_or_another_order_was_used_meanwhile(
    plugin: Path, steps: list[Step]
) -> None:
    songs = play(plugin, "RandomOrder", steps)

    assert sorted(map(str, songs[:12])) == KEYS
    assert songs[12] is None


def test_if_the_saved_file_of_the_round_is_damaged_a_new_round_starts(plugin: Path) -> None:
    (plugin.parents[1] / "playshuffle.json").write_text('{"order": "playshuffle-random", "played": [1]')

    assert sorted(map(str, play(plugin, "RandomOrder", ["next"] * 12))) == KEYS


def test_the_command_plugin_remove_deletes_the_plugin_and_its_saved_round(plugin: Path) -> None:
    """A second `plugin install` or `plugin remove` says that there is nothing to do."""
    again = run("plugin", "install", "quodlibet")
    (plugin.parents[1] / "playshuffle.json").write_text("{}")
    removed = run("plugin", "remove", "quodlibet")
    nothing = run("plugin", "remove", "quodlibet")

    assert again.out.decode().startswith(f"Already installed: {plugin}\n")
    assert (removed.code, removed.out.decode()) == (0, f"Removed: {plugin}\n")
    assert (nothing.code, nothing.out.decode()) == (0, "The plugin is not installed.\n")
    assert list(plugin.parents[1].rglob("*playshuffle*")) == []


def test_the_command_plugin_install_refuses_any_player_but_quod_libet(home: Path) -> None:
    done = run("plugin", "install", "quodlibett")

    assert (done.code, done.out) == (2, b"")
    assert "quodlibet" in done.err
    assert list(home.rglob("*.py")) == []


CONFIG = """[plugins]
active_plugins = playshuffle-random
[player]
backend = nullbe
[memory]
shuffle = true
shuffle_mode = playshuffle-random
[settings]
scan = {music}
[library]
refresh_on_start = true
"""


def remote(*words: str) -> str:
    """Return the output of a command to the running Quod Libet; empty if it fails."""
    done = finished(["quodlibet", *words])
    return done.stdout if done.returncode == 0 else ""


@contextlib.contextmanager
def quod_libet(songs: int) -> Iterator[Callable[[], str]]:
    """Run Quod Libet once it has this many songs; yield a function that plays and returns the next song."""
    process = subprocess.Popen(
        ["xvfb-run", "-a", "dbus-run-session", "--", "sh", "-c", "echo $$; exec quodlibet 2>&1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    last = ""

    def next_song() -> str:
        nonlocal last
        remote("--next")
        before = last

        def is_another() -> bool:
            nonlocal last
            last = remote("--print-playing", "<~filename>").strip()
            return last not in ("", "/", before)  # "/": no song

        wait_for(is_another)
        return last

    try:
        wait_for(lambda: len(remote("--print-query", "").splitlines()) == songs)
        remote("--shuffle=on")  # Quod Libet 4.6 switches the orders of plugins off when it ends
        last = remote("--print-playing", "<~filename>").strip()
        yield next_song
        remote("--quit")
        process.communicate(timeout=500)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)
            process.communicate(timeout=500)


def test_quod_libet_plays_each_song_of_a_round_once_though_it_is_restarted_and_songs_are_added(
    plugin: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tool in ("xvfb-run", "dbus-run-session"):
        need(tool)
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    music = tmp_path / "Music"
    music.mkdir()

    def add(*numbers: int) -> None:
        for number in numbers:
            shutil.copyfile(DATA / "v24.mp3", music / f"{number:02}.mp3")

    add(*range(6))
    (home / ".config/quodlibet/config").write_text(CONFIG.format(music=music))

    with quod_libet(6) as next_song:
        played = [next_song() for _ in range(3)]
    add(6, 7)
    with quod_libet(8) as next_song:
        played += [next_song() for _ in range(5)]

    assert sorted(played) == sorted(str(path) for path in music.iterdir())
