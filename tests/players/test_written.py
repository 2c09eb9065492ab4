"""Players read the playlists written for them, and expected losses are reported before."""

import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from playshuffle.players.profiles import PLAYERS
from playshuffle.playlist.m3u import parse
from playshuffle.text import is_utf8
from tests.players import matrix, names
from tests.players.conftest import existing
from tests.players.drivers import Opened
from tests.players.readers import READERS, Place
from tests.support.program import configured, mpd_conf, run

pytestmark = [pytest.mark.process, pytest.mark.players]


class Written(NamedTuple):
    """A playlist from `make` for a player, in one file or in parts, and the reported losses.

    lost: by the version whose rules are known. lost_later: only by later ones.
    """

    playlists: list[Path]
    lost: set[bytes]
    lost_later: set[bytes]


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory, music: Path) -> dict[str, str]:
    """A home for all tests here, with the configuration of MPD."""
    home = tmp_path_factory.mktemp("home")
    (music.parent / "Playlists").mkdir(exist_ok=True)
    mpd_conf(home, music, music.parent / "Playlists")
    return {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}


@pytest.fixture(scope="module")
def tracks(music: Path, env: dict[str, str]) -> list[bytes]:
    """All tracks of the library, in the order that is asked for."""
    done = run("make", music, "--order", "sorted", "--print0", env=env)
    tracks = done.out.split(b"\0")[:-1]
    walk = (os.path.join(top, file) for top, _, files in os.walk(os.fsencode(music)) for file in files)
    there = {path for path in walk if names.is_track(os.path.relpath(path, os.fsencode(music)))}
    assert set(tracks) == there
    assert len(tracks) == len(there)
    return tracks


@pytest.fixture(scope="module")
def written(music: Path, env: dict[str, str], tracks: list[bytes]) -> dict[str, Written]:
    """The playlist for each player."""
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
    output = Path(said["output"])
    parts = sorted(output.parent.glob(f"{output.stem}-*{output.suffix}"))
    lost = {os.fsencode(skip["path"]) for skip in said["skipped"]}
    later: set[bytes] = set()
    for loss in said["losses"]:
        is_later = any(" from " in version for version in loss["players"])
        (later if is_later else lost).update(map(os.fsencode, loss["tracks"]))
    return Written(parts or [output], lost, later - lost)


def top(player: str, music: Path) -> Path:
    """Return the top folder that the player sees."""
    return music.parent if player in ("rockbox", "car") else music


def spares(player: str, trouble: dict[str, Any]) -> bool:
    """Return whether this loss may be reported although the rules of the player do not have it.

    Its music folder may be another than this; newer versions lose entries that this one reads; and LMS
    guesses the encoding of names that are not UTF-8.
    """
    what = trouble["what"]
    is_elsewhere = player == "mopidy" and "counts from its music folder" in what
    return is_elsewhere or "from" in trouble["versions"] or (player == "lms" and "not UTF-8" in what)


def read(player: str, playlist: Path, music: Path, tracks: Collection[bytes]) -> list[bytes]:
    place = Place(os.fsencode(playlist), existing, os.fsencode(top(player, music)), tracks)
    return READERS[player](playlist.read_bytes(), place)


@pytest.mark.parametrize("name", READERS)
def test_a_model_of_each_player_opens_all_tracks_but_the_reported_losses_in_order(
    name: str, music: Path, tracks: list[bytes], written: dict[str, Written]
) -> None:
    done = written[name]

    opened = [path for playlist in done.playlists for path in read(name, playlist, music, tracks)]

    assert opened == [track for track in tracks if track not in done.lost]


def test_the_real_player_opens_all_tracks_but_the_reported_losses_in_order(
    player: str, opened: Opened, difference: str | None, tracks: list[bytes], written: dict[str, Written]
) -> None:
    """A version that was not measured may open more than that, but no other file."""
    done = written[player]

    paths = opened(done.playlists[0])

    lost = done.lost | (done.lost_later if difference else set())
    assert [path for path in paths if path not in lost] == [track for track in tracks if track not in lost]
    assert difference or done.lost.isdisjoint(paths)


def test_the_matrix_in_the_docs_shows_measured_results(
    music: Path, tracks: list[bytes], written: dict[str, Written]
) -> None:
    """Regenerate it with PLAYSHUFFLE_MATRIX=write."""
    opened = {
        name: {path for playlist in done.playlists for path in read(name, playlist, music, tracks)}
        for name, done in written.items()
    }
    found = matrix.text(
        os.fsencode(music), tracks, opened, {name: done.lost for name, done in written.items()}
    )
    if os.environ.get("PLAYSHUFFLE_MATRIX") == "write":
        matrix.write(found)

    assert matrix.in_docs() == found


@pytest.mark.parametrize("style", ["relative", "absolute", "uri"])
def test_check_reports_the_entries_that_each_player_cannot_open(
    music: Path, tracks: list[bytes], style: str
) -> None:
    """And where it opens another file; of a playlist that was written for no player in particular."""
    playlist = music / f"{style}.m3u"
    configured(
        f'[playlist.{style}]\nfolders = ["{music}"]\norder = "sorted"\npaths = "{style}"\n'
        "force = true\nextinf = false\n"
    )
    run("make", style)
    every = [word for player in READERS for word in ("--for", player)]
    troubles = json.loads(run("check", playlist, *every, "--json").out)["players"]
    content = playlist.read_bytes()
    # What is not UTF-8 spoils the whole for some.
    head = b"#EXTM3U\n" + (b"" if is_utf8(content) else b"#\xe9\n")
    entries = [line for line in content.split(b"\n") if line and not line.startswith(b"#")]
    meant = parse(content, os.fsencode(music)).paths
    assert len(entries) == len(meant) > 200
    told_otherwise = []
    for player, reader in READERS.items():
        if player in ("rockbox", "car") and style == "absolute":
            continue  # of a path on this computer, check cannot know whether it is one on the device
        place = Place(os.fsencode(playlist), existing, os.fsencode(top(player, music)), tracks)
        # A format that many cars cannot play is no matter of the entry.
        told = {
            trouble["path"] and os.fsencode(trouble["path"]): trouble
            for trouble in troubles[player]
            if "not MP3" not in trouble["what"]
        }
        for entry, track in zip(entries, meant, strict=True):
            opened = reader(head + entry + b"\n", place)
            trouble = told.get(track) or told.get(None)
            if opened == [track] and trouble and not spares(player, trouble):
                told_otherwise.append((player, "is told, but not lost", entry, trouble["what"]))
            elif opened != [track] and not trouble:
                told_otherwise.append((player, "is lost, and not told", entry, opened))
            elif opened not in ([], [track]) and trouble and not trouble["plays_another"]:
                told_otherwise.append((player, "plays another, and that is not told", entry, opened))

    assert told_otherwise == []
