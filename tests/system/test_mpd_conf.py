"""The configuration of MPD, read as MPD reads it."""

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
def test_the_music_directory_is_found(home: Path, text: str, music: str | None) -> None:
    conf(home, text)

    found = read()

    assert found.music == (None if music is None else os.fsencode(music.format(home=home)))
    assert found.playlists is None


def test_a_tilde_in_mpd_conf_is_the_home_of_the_user_of_mpd(home: Path) -> None:
    user = pwd.getpwuid(os.geteuid())
    conf(home, f'user "{user.pw_name}"\nmusic_directory "~/M"\nplaylist_directory "~{user.pw_name}/P"')

    found = read()

    assert (found.music, found.playlists) == tuple(os.fsencode(f"{user.pw_dir}/{name}") for name in "MP")


def test_without_a_music_directory_mpd_has_the_music_folder_of_the_desktop(home: Path) -> None:
    conf(home, "")
    (home / ".config/user-dirs.dirs").write_text('XDG_MUSIC_DIR="$HOME/Musik"\n')

    found = read()

    assert found.music == bytes(home / "Musik")


def test_settings_of_an_included_file_count_at_the_place_of_the_include_line(home: Path) -> None:
    conf(
        home,
        'include "folders.conf"\ninclude_optional "none"\nplaylist_directory "/lists"\ninclude "mpd.conf"\n',
    )
    conf(home, 'music_directory "/included"\n', ".config/mpd/folders.conf")

    found = read()

    assert (found.music, found.playlists) == (b"/included", b"/lists")


def test_a_file_that_includes_itself_is_read_once(home: Path) -> None:
    conf(home, 'include "d/mpd.conf"\n' * 12 + 'music_directory "/srv"')
    (home / ".config/mpd/d").symlink_to(".")

    found = read()

    assert found.music == b"/srv"


def test_the_first_existing_mpd_conf_counts(home: Path) -> None:
    conf(home, 'music_directory "/third"', ".mpd/mpd.conf")
    conf(home, 'music_directory "/second"', ".mpdconf")
    second = read()
    conf(home, 'music_directory "/first"')

    assert (read().music, second.music) == (b"/first", b"/second")


def test_without_an_mpd_conf_nothing_is_read(
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
def test_a_missing_setting_is_reported_with_advice(home: Path, text: str, said: str) -> None:
    conf(home, text)

    message = refusal(Exit.NO_INPUT, mpd_server.playlist_folder)

    assert said in message
    assert "ame the playlist" in message


# The server


Answers = Callable[[bytes], Address]

HELLO = b"OK MPD 0.24.4\n"


@pytest.fixture
def answers() -> Iterator[Answers]:
    """Start an MPD that answers all requests alike; return its address."""
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
def test_folders_named_by_a_running_mpd_count_before_those_in_its_configuration(
    answers: Answers, home: Path, answer: bytes, music: bytes, playlists: bytes | None
) -> None:
    write_conf(home / ".config", Path("/conf"), Path("/conf/lists"))

    found = mpd_server.settings([answers(HELLO + answer)])

    assert found is not None
    assert (found.music, found.playlists) == (music, playlists)


def test_the_playlist_folder_of_mpd_0_23_is_read_from_a_configuration_with_the_same_music_folder(
    answers: Answers, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    write_conf(home / ".config", tmp_path / "link", Path("/lists"))

    found = mpd_server.settings([answers(HELLO + b"music_directory: %b\nOK\n" % bytes(tmp_path))])

    assert found is not None
    assert (found.music, found.playlists) == (os.fsencode(tmp_path), b"/lists")
