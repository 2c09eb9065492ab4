"""Test players of the configuration: they work like built-in ones, and errors name file and line."""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from playshuffle.config.load import load
from playshuffle.config.model import Config
from playshuffle.config.own_players import player_keys, read_players, value_names
from playshuffle.config.toml_file import read
from playshuffle.demo.tones import write_library
from playshuffle.players.player import Player
from playshuffle.players.profiles import BUILT_IN, PLAYERS, set_own_players
from playshuffle.playlist.m3u import PathStyle
from scripts.facts import PLAYER_KEYS
from tests.support.program import configured, entries, ran, refused, run
from tests.support.service import Service, wait_for

STICK = """
[player.stick]
like = "car"
title = "the radio of the van"
suffix = ".m3u8"
paths = "absolute"
extinf = false
"""


@pytest.fixture(autouse=True)
def _only_the_table() -> Iterator[None]:
    yield
    set_own_players({})


def written(folder: Path, text: str) -> bytes:
    path = folder / "config.toml"
    path.write_text(text)
    return os.fsencode(path)


def player(folder: Path, text: str, name: str = "stick") -> Player:
    players, faults = read_players(read(written(folder, text)))
    assert faults == {}
    return players[name]


def loaded(folder: Path, text: str) -> Config:
    return load(written(folder, f'folders = ["/music"]\n{text}'))


def test_a_configured_player_differs_from_the_player_of_the_key_like_only_in_its_other_keys(
    tmp_path: Path,
) -> None:
    stick, car = player(tmp_path, STICK), BUILT_IN["car"]

    own = (stick.title, stick.suffix, stick.extinf)
    assert own == ("the radio of the van", b".m3u8", False)
    assert stick.style is PathStyle.ABSOLUTE
    assert "device" in car.loses
    assert stick.loses == {key: lost for key, lost in car.loses.items() if key != "device"}
    assert (stick.most, stick.longest) == (car.most, car.longest)
    assert stick.proof == "from [player.stick] in the configuration, like car"


def test_a_configured_player_without_keys_is_like_the_player_generic(tmp_path: Path) -> None:
    plain = player(tmp_path, "[player.stick]\n")

    assert plain.title == "stick"
    assert (plain.suffix, plain.style, plain.loses) == (b".m3u", None, BUILT_IN["generic"].loses)


@pytest.mark.parametrize(
    ("like", "style", "words"),
    [
        ("car", "absolute", ".m3u, absolute paths"),
        ("vlc", "relative", ".m3u, relative paths"),
        (
            "mpd",
            "relative",
            ".m3u, in its playlist_directory, relative to its music_directory, without titles",
        ),
        ("mpd", "uri", ".m3u, in its playlist_directory, file:// URIs, without titles"),
    ],
)
def test_the_words_that_describe_a_configured_player_have_the_path_style_of_the_key_paths(
    tmp_path: Path, like: str, style: str, words: str
) -> None:
    own = player(tmp_path, f'[player.stick]\nlike = "{like}"\npaths = "{style}"\n')

    assert own.writes_words() == words


@pytest.mark.parametrize("name", BUILT_IN)
def test_any_built_in_player_can_be_the_value_of_the_key_like_of_a_configured_player(
    tmp_path: Path, name: str
) -> None:
    own = player(tmp_path, f'[player.stick]\nlike = "{name.upper()}"\n')

    same = own._replace(**{key: getattr(BUILT_IN[name], key) for key in ("title", "measured", "source")})
    assert same._replace(like="", play=BUILT_IN[name].play) == BUILT_IN[name]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[player.car]\nlike = "vlc"', 2, "The name 'car' is taken"),
        ('[player."A b"]', 2, "'A b' cannot be the name of a player"),
        ("[player]\nstick = 3", 3, "'stick' is not a player"),
        ('[player.stick]\nlike = "carr"', 3, "like: Unknown player 'carr'. Did you mean 'car'?"),
        ('[player.stick]\nlike = "car"\nsufix = ".m3u"', 4, "Did you mean 'suffix'?"),
        ('[player.stick]\nextinf = "no"', 3, "extinf must be true or false"),
        ('[player.stick]\nsuffix = "m3u"', 3, "suffix: Unknown suffix 'm3u'."),
        ('[player.stick]\npaths = "short"', 3, "paths: Unknown path style 'short'."),
        ('[player.stick]\ntitle = " "', 3, "title: The title is empty."),
        ('[player.stick]\norder = "spread"', 3, "'order' is a key of a playlist"),
        ('[player.stick]\n[playlist.x]\nfor = "stik"', 4, "Unknown player 'stik'. Did you mean 'stick'?"),
    ],
)
def test_the_error_for_a_mistake_in_a_table_of_a_player_names_the_line_of_the_mistake(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    config = loaded(tmp_path, f"{text}\n[playlist.all]\n")

    (fault,) = config.broken
    assert fault.text.startswith(f"{tmp_path}/config.toml, line {line}: ")
    assert said in fault.text
    assert [wanted.name for wanted in config.playlists] == ["all"]


def test_a_mistake_in_a_configured_player_stops_only_playlists_for_this_player(tmp_path: Path) -> None:
    lists = '[playlist.all]\n[playlist.drive]\noutput = "a.m3u"\nfor = "stick"\n'
    config = loaded(tmp_path, f"[player.stick]\nlike = 3\n{lists}")

    assert [wanted.name for wanted in config.playlists] == ["all"]
    assert [broken.name for broken in config.broken] == ["player.stick", "drive"]
    assert "line 7: The player 'stick' has a mistake" in config.broken[1].text


def test_a_player_of_one_configuration_is_unknown_in_another(tmp_path: Path) -> None:
    loaded(tmp_path, STICK + "[playlist.all]\n")
    config = loaded(tmp_path, '[playlist.drive]\nfor = "stick"\n')

    assert "Unknown player 'stick'" in config.broken[0].text


def test_player_names_are_completed_despite_a_broken_configuration() -> None:
    configured("[player\n")

    assert value_names("player") == list(BUILT_IN) == list(PLAYERS)


def test_the_documentation_explains_every_key_of_a_configured_player() -> None:
    assert [key.name for key in PLAYER_KEYS] == list(player_keys())


@pytest.mark.process
def test_every_command_accepts_a_player_of_the_configuration(home: Path) -> None:
    music = home / "Music"
    write_library(str(music))
    configured('folders = ["~/Music"]\n' + STICK + '[playlist.drive]\nfor = "stick"\n')
    playlist = music / "playshuffle-stick.m3u8"

    assert run("config", "check").code == 0
    ran("make", music, "--for", "stick")
    content = playlist.read_bytes()
    assert b"#PLAYSHUFFLE-FOR:stick" in content
    assert b"#EXTINF" not in content
    assert all(entry.startswith(str(music)) for entry in entries(content))
    assert run("deal", music, "--for", "stick", "-o", music / "dealt.m3u8").code == 0
    dealt = next(music.glob("dealt*.m3u8"))
    checked = run("check", playlist, "--json")
    losses = json.loads(checked.out)["players"]["stick"]
    assert {loss["what"] for loss in losses} == {"not MP3, which many need (24 WAV)"}, "as of a car radio"
    assert run("check", playlist, "--for", "stick").code == 1
    assert "stick" in json.loads(run("check", dealt, "--for", "all", "--json").out)["players"]
    assert b"  stick " in run("help", "players").out
    assert b"the radio of the van" in run("help", "stick").out


@pytest.mark.process
def test_a_configuration_that_the_service_refuses_removes_no_configured_player(tmp_path: Path) -> None:
    """Updates by the old configuration go on, also in a new process."""
    music = tmp_path / "Music"
    write_library(str(music))
    good = 'folders = ["Music"]\n' + STICK.replace("van", "lorry") + '[playlist.drive]\nfor = "stick"\n'
    with Service(tmp_path, good) as service:
        wait_for((music / "drive.m3u8").exists)
        service.configure('folders = ["Music"]\n[playlist.drive]\norder = "none"\n')
        service.signal(signal.SIGHUP)
        wait_for(lambda: "the old one stays in force" in service.log)
        os.kill(service.processes()[1], signal.SIGKILL)
        new = next(music.rglob("*.wav"))
        shutil.copy(new, music / "new.wav")

        wait_for(lambda: "new.wav" in (music / "drive.m3u8").read_text())
        assert "#PLAYSHUFFLE-FOR:stick" in (music / "drive.m3u8").read_text()


@pytest.mark.process
def test_a_mistake_in_a_configured_player_does_not_hide_the_other_players() -> None:
    configured('folders = ["/music"]\n[playlist.all]\n[player.stick]\nlike = 3\n')

    done = ran("help", "players")
    assert b"vlc" in done.out
    assert "config.toml, line 4: like must be the name" in done.err
    assert "config.toml, line 4: like must be the name" in refused(78, "make", ".", "--for", "stick")
