"""Each player opens the tracks of the playlist written for it, except those that `make` reported as lost."""

import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from playshuffle.players.profiles import PLAYERS
from playshuffle.playlist.m3u import parse
from playshuffle.text import is_utf8
from tests.players import matrix, names
from tests.players.conftest import read
from tests.players.drivers import Opened
from tests.players.readers import READERS, Place
from tests.support.program import configured, mpd_conf, run

pytestmark = [pytest.mark.process, pytest.mark.players]


class Written(NamedTuple):
    """A playlist that `make` wrote for a player, and the tracks that `make` reported as lost.

    lost: in the player's version for which the model is. lost_later: only in later versions.
    """

    playlist: Path
    lost: set[bytes]
    lost_later: set[bytes]


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory, music: Path) -> dict[str, str]:
    """The environment of all tests in this module: a home with a configuration of MPD."""
    home = tmp_path_factory.mktemp("home")
    (music.parent / "Playlists").mkdir(exist_ok=True)
    mpd_conf(home, music, music.parent / "Playlists")
    return {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}


@pytest.fixture(scope="module")
def tracks(music: Path, env: dict[str, str]) -> list[bytes]:
    """All tracks of the library, sorted as in the playlists."""
    done = run("make", music, "--order", "sorted", "--print0", env=env)
    tracks = done.out.split(b"\0")[:-1]
    top = bytes(music)
    walk = (os.path.join(folder, file) for folder, _, files in os.walk(top) for file in files)
    assert sorted(tracks) == sorted(path for path in walk if names.is_track(os.path.relpath(path, top)))
    return tracks


@pytest.fixture(scope="module")
def written(music: Path, env: dict[str, str], tracks: list[bytes]) -> dict[str, Written]:
    """The playlist that `make` wrote for each player, by the player's name."""
    return {player: _written(player, music, env) for player in READERS}


def _written(player: str, music: Path, env: dict[str, str]) -> Written:
    words: list[str | Path] = (
        [] if player == "mpd" else ["-o", music / f"{player}{os.fsdecode(PLAYERS[player].suffix)}"]
    )
    if player in ("rockbox", "car"):
        words += ["--map", f"{music}=/Music"]
    done = run("make", music, "--for", player, "--order", "sorted", "--json", "-q", *words, env=env)
    assert done.code in (0, 1), done.err
    said: dict[str, Any] = json.loads(done.out)
    lost = {os.fsencode(skip["path"]) for skip in said["skipped"]}
    later: set[bytes] = set()
    for loss in said["losses"]:
        is_later = any(" from " in version for version in loss["players"])
        (later if is_later else lost).update(map(os.fsencode, loss["tracks"]))
    return Written(Path(said["output"]), lost, later - lost)


def top(player: str, music: Path) -> Path:
    """Return the player's music folder, or the top folder of a device."""
    return music.parent if player in ("rockbox", "car") else music


def may_be_no_loss(player: str, trouble: dict[str, Any]) -> bool:
    """Return whether `check` may report this loss although the model of the player opens the entry.

    Mopidy may have another music folder, later versions lose entries that the model's version opens, and LMS
    guesses the encoding of names that are not UTF-8.
    """
    what = trouble["what"]
    is_elsewhere = player == "mopidy" and "counts from its music folder" in what
    return is_elsewhere or "from" in trouble["versions"] or (player == "lms" and "not UTF-8" in what)


def test_a_real_player_opens_all_tracks_in_order_except_those_reported_as_lost(
    player: str, opened: Opened, difference: str | None, tracks: list[bytes], written: dict[str, Written]
) -> None:
    """A version that the model is not for may also open tracks that were reported as lost."""
    done = written[player]

    paths = opened(done.playlist)

    lost = done.lost | (done.lost_later if difference else set())
    assert [path for path in paths if path not in lost] == [track for track in tracks if track not in lost]
    assert difference or done.lost.isdisjoint(paths)


def test_models_of_players_open_all_tracks_except_those_reported_as_lost_and_the_docs_say_so(
    music: Path, tracks: list[bytes], written: dict[str, Written]
) -> None:
    """With PLAYSHUFFLE_MATRIX=write, write the matrix into docs/player-names.md."""
    opened = {}
    for name, done in written.items():
        opened[name] = read(name, done.playlist, top(name, music), tracks)
        assert opened[name] == [track for track in tracks if track not in done.lost], name
    found = matrix.text(bytes(music), tracks, opened)
    if os.environ.get("PLAYSHUFFLE_MATRIX") == "write":
        matrix.write(found)

    assert matrix.in_docs() == found


@pytest.mark.parametrize("style", ["relative", "absolute", "uri"])
def test_check_reports_each_entry_whose_file_the_model_of_a_player_does_not_open(
    music: Path, tracks: list[bytes], style: str
) -> None:
    """The playlist was written for no particular player."""
    playlist = music / f"{style}.m3u"
    configured(
        f'[playlist.{style}]\nfolders = ["{music}"]\norder = "sorted"\npaths = "{style}"\n'
        "force = true\nextinf = false\n"
    )
    run("make", style)
    every = [word for player in READERS for word in ("--for", player)]
    troubles = json.loads(run("check", playlist, *every, "--json").out)["players"]
    content = playlist.read_bytes()
    # Some players read a file with any byte that is not UTF-8 in another encoding.
    head = b"#EXTM3U\n" + (b"" if is_utf8(content) else b"#\xe9\n")
    entries = [line for line in content.split(b"\n") if line and not line.startswith(b"#")]
    meant = parse(content, os.fsencode(music)).paths
    assert len(entries) == len(meant) > 200
    wrong = []
    for player, reader in READERS.items():
        if player in ("rockbox", "car") and style == "absolute":
            continue  # `check` cannot know whether an absolute path is one on the device
        place = Place(bytes(playlist), os.path.exists, bytes(top(player, music)), tracks)
        # A format that many cars cannot play, and the length of the list, are not losses of the entry.
        reported = {
            trouble["path"] and os.fsencode(trouble["path"]): trouble
            for trouble in troubles[player]
            if not re.match("not MP3|it reads the first", trouble["what"])
        }
        for entry, track in zip(entries, meant, strict=True):
            opened = reader(head + entry + b"\n", place)
            trouble = reported.get(track) or reported.get(None)
            if opened == [track] and trouble and not may_be_no_loss(player, trouble):
                wrong.append((player, "reported, but not lost", entry, trouble["what"]))
            elif opened != [track] and not trouble:
                wrong.append((player, "lost, but not reported", entry, opened))
            elif opened not in ([], [track]) and trouble and not trouble["plays_another"]:
                wrong.append((player, "plays another file, which is not reported", entry, opened))

    assert wrong == []
