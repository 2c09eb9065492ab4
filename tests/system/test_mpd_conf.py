"""The configuration of MPD, read as MPD reads it."""

import os
import pwd
from pathlib import Path

import pytest

from playshuffle.errors import Exit
from playshuffle.system import mpd_conf, mpd_server
from playshuffle.system.mpd_conf import MpdConf
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


def test_home_is_that_of_the_user_mpd_runs_as(home: Path) -> None:
    user = pwd.getpwuid(os.geteuid())
    conf(home, f'user "{user.pw_name}"\nmusic_directory "~/M"\nplaylist_directory "~{user.pw_name}/P"')

    found = read()

    assert (found.music, found.playlists) == tuple(os.fsencode(f"{user.pw_dir}/{name}") for name in "MP")


def test_without_a_music_directory_that_of_the_desktop_counts(home: Path) -> None:
    conf(home, "")
    (home / ".config/user-dirs.dirs").write_text('XDG_MUSIC_DIR="$HOME/Musik"\n')

    found = read()

    assert found.music == bytes(home / "Musik")


def test_included_files_count_in_their_place(home: Path) -> None:
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


def test_no_configuration_is_none(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
