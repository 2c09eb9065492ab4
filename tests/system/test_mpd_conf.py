"""The folders of MPD are read from its configuration, as MPD reads it, or asked from a running MPD."""

import os
import pwd
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playshuffle.errors import Exit
from playshuffle.system import mpd_conf, mpd_server
from playshuffle.system.mpd_conf import MpdConf
from playshuffle.system.mpd_server import Address
from tests.players.drivers.process import short_home
from tests.support.program import mpd_conf as write_conf
from tests.support.refusals import refusal


def conf(home: Path, text: str, name: str = ".config/mpd/mpd.conf") -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def read() -> MpdConf:
    found = mpd_conf.read()
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "music"),
    [
        ('music_directory "/srv/my music"', "/srv/my music"),
        ("music_directory /srv/music", "/srv/music"),
        ('  music_directory\t"/srv/music/" # mine', "/srv/music"),
        ('music_directory "/srv/a\\"b\\\\c"', '/srv/a"b\\c'),
        ('music_directory "/srv/#1"', "/srv/#1"),
        ('# music_directory "/not"\nmusic_directory "/srv"', "/srv"),
        ('MUSIC_DIRECTORY "/srv"', "/srv"),
        ('audio_output {\n type "null"\n music_directory "/not"\n}\nmusic_directory "/srv"', "/srv"),
        ('music_directory "~/Music"', "{home}/Music"),
        ('music_directory "~"', "{home}"),
        ('music_directory "$HOME/Music"', "{home}/Music"),
        ('music_directory "$XDG_CONFIG_HOME/x"', "{home}/.config/x"),
        ('music_directory "nfs://nas/music"', "nfs://nas/music"),
        ("", None),
    ],
)
def test_the_music_directory_is_read_from_mpd_conf(home: Path, text: str, music: str | None) -> None:
    conf(home, text)

    assert read()[1:3] == (None if music is None else os.fsencode(music.format(home=home)), None)


def test_a_tilde_in_mpd_conf_is_the_home_of_the_user_that_mpd_runs_as(home: Path) -> None:
    user = pwd.getpwuid(os.geteuid())
    conf(home, f'user "{user.pw_name}"\nmusic_directory "~/M"\nplaylist_directory "~{user.pw_name}/P"')

    assert read()[1:3] == tuple(os.fsencode(f"{user.pw_dir}/{name}") for name in "MP")


def test_without_a_music_directory_in_mpd_conf_the_music_folder_of_the_desktop_counts(home: Path) -> None:
    conf(home, "")
    (home / ".config/user-dirs.dirs").write_text('XDG_MUSIC_DIR="$HOME/Musik"\n')

    assert read().music == bytes(home / "Musik")


def test_the_settings_of_files_that_mpd_conf_includes_are_read(home: Path) -> None:
    conf(home, 'include "folders.conf"\ninclude_optional "none"\nplaylist_directory "/lists"\n')
    conf(home, 'music_directory "/included"\n', ".config/mpd/folders.conf")

    assert read()[1:3] == (b"/included", b"/lists")


def test_an_mpd_conf_that_includes_itself_is_read_once(home: Path) -> None:
    conf(home, 'include "d/mpd.conf"\n' * 12 + 'music_directory "/srv"')
    (home / ".config/mpd/d").symlink_to(".")

    assert read().music == b"/srv"


def test_of_several_mpd_conf_files_the_first_one_that_mpd_looks_for_is_read(home: Path) -> None:
    conf(home, 'music_directory "/third"', ".mpd/mpd.conf")
    conf(home, 'music_directory "/second"', ".mpdconf")
    second = read()
    conf(home, 'music_directory "/first"')

    assert (read().music, second.music) == (b"/first", b"/second")


def test_there_are_no_settings_of_mpd_if_no_mpd_conf_exists(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mpd_conf, "_SYSTEM", bytes(tmp_path / "mpd.conf"))
    assert mpd_conf.read() is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('music_directory "/m"', "names no playlist_directory"),
        ('playlist_directory "/p"', "names no music_directory"),
        ('music_directory "nfs://nas/m"\nplaylist_directory "/p"', "with the key relative_to"),
        ('user "nobody such"\nmusic_directory "~/m"', "does not exist here"),
        ('include "missing.conf"', "cannot be read"),
    ],
)
def test_the_error_for_an_mpd_conf_without_usable_folders_has_the_reason_and_advice(
    home: Path, text: str, said: str
) -> None:
    conf(home, text)

    message = refusal(Exit.NO_INPUT, mpd_server.playlist_folder)

    assert said in message
    assert "ame the playlist" in message


# A running MPD


Answers = Callable[[bytes], Address]

HELLO = b"OK MPD 0.24.4\n"


def settings(address: Address) -> tuple[bytes | None, bytes | None]:
    found = mpd_server.settings([address])
    assert found is not None
    return found.music, found.playlists


@pytest.fixture
def answers() -> Iterator[Answers]:
    """A function that starts a fake MPD, which sends these bytes to its client, and returns its address."""
    with short_home() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        server.listen()

        def start(content: bytes) -> Address:
            def answer() -> None:
                connection, _ = server.accept()
                with connection:
                    connection.sendall(content)
                    connection.recv(1000)

            threading.Thread(target=answer, daemon=True).start()
            return Address(f"{folder}/socket", 6600, 'pass"word')

        yield start


@pytest.mark.parametrize(
    ("answer", "music", "playlists"),
    [
        (b"music_directory: /a: b\nplaylist_directory: /lists\nOK\n", b"/a: b", b"/lists"),
        (b"music_directory: /other\nOK\n", b"/other", None),  # MPD 0.23
        (b"music_directory: /conf\nplaylist_directory: \nOK\n", b"/conf", b"/conf/lists"),
        (b"ACK [4@0] {config} you don't have permission\n", b"/conf", b"/conf/lists"),
        (b"OK\n", b"/conf", b"/conf/lists"),
        (b"", b"/conf", b"/conf/lists"),
    ],
)
def test_the_folders_in_mpd_conf_are_used_only_if_a_running_mpd_names_none(
    answers: Answers, home: Path, answer: bytes, music: bytes, playlists: bytes | None
) -> None:
    write_conf(home / ".config", Path("/conf"), Path("/conf/lists"))

    assert settings(answers(HELLO + answer)) == (music, playlists)


def test_the_playlist_folder_of_mpd_0_23_is_read_from_an_mpd_conf_with_the_same_music_folder(
    answers: Answers, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    write_conf(home / ".config", tmp_path / "link", Path("/lists"))

    address = answers(HELLO + b"music_directory: %b\nOK\n" % bytes(tmp_path))

    assert settings(address) == (bytes(tmp_path), b"/lists")
