"""`playshuffle tell` with a real MPD: what differs from mpv, and the playlists that the service wrote."""

import os
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from playshuffle.store import to_tell
from playshuffle.system.mpd_server import Address, addresses
from playshuffle.telling import mpd_queue
from tests.support.processes import injected
from tests.support.program import PROGRAM, configured, environment, listed
from tests.support.program import mpd_conf as conf
from tests.telling.conftest import MpdPlayer, MpvPlayer, Telling, play, songs

pytestmark = [pytest.mark.process, pytest.mark.players]


def test_mpd_loads_a_playlist_in_its_music_folder_and_ends_its_random_mode(mpd: MpdPlayer) -> None:
    mpd.playlist = mpd.telling.music / "playshuffle.m3u"
    mpd.options = ()
    mpd.mpd.say("random 1")
    entries = mpd.make()
    mpd.tell()

    assert (mpd.queue(), mpd.status()["random"]) == (entries, "0")


def test_the_command_tell_refuses_a_playlist_in_a_format_that_mpv_does_not_read(mpv: MpvPlayer) -> None:
    mpv.playlist = mpv.telling.make(mpv.telling.music / "all.xspf")

    assert ".m3u" in mpv.tell(code=66)


def test_mpd_adds_new_files_to_its_database_before_it_loads_a_playlist_with_them(mpd: MpdPlayer) -> None:
    mpd.make()
    mpd.tell()
    song = play(mpd, 3)
    songs(mpd.telling.music / "new/deep", ["a b.wav", "\u00e9.wav"])
    songs(mpd.telling.music, ["top.wav"])
    entries = mpd.make()

    assert "database" not in mpd.tell()
    assert (len(entries), mpd.queue(), mpd.song()) == (15, entries, song)


def test_tracks_that_mpd_does_not_know_are_left_out_of_the_queue_and_counted(mpd: MpdPlayer) -> None:
    """One of them has a name that is not UTF-8."""
    entries = mpd.make()
    mpd.playlist.write_text("\n".join(["gone.wav", *entries[:4], "x/gone.wav", *entries[4:]]))
    mpd.tell()
    song = play(mpd, 6)
    mpd.playlist.write_bytes(b"gone.wav\nbad\xff.wav\n" + "\n".join(entries[::-1]).encode())

    assert "2 tracks not in its database" in mpd.tell()
    assert (mpd.queue(), mpd.song()) == (entries[::-1], song)


def outside(mpd: MpdPlayer, *words: str) -> list[str]:
    """Make a playlist in a folder where MPD reads no playlists; return the URIs of its tracks."""
    mpd.options = ()
    mpd.playlist = mpd.telling.home / "elsewhere.m3u"
    return [os.path.basename(entry) for entry in mpd.make(*words)]


def test_the_tracks_of_a_playlist_outside_of_the_folders_of_mpd_are_queued_in_several_command_lists(
    mpd: MpdPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current track plays on, at its position in the playlist, or first if the playlist lacks it."""
    monkeypatch.setattr(mpd_queue, "_LIST_BYTES", 60)
    monkeypatch.setattr(mpd_queue, "_PIECE", 5)
    uris = outside(mpd)
    mpd.tell()
    assert (mpd.queue(), mpd.status()["state"]) == (uris, "stop")
    song = play(mpd, 5)
    mpd.interruptions()
    for words in ([], [], ["--where", "-path::" + song[1]]):
        uris = outside(mpd, *words)
        mpd.tell()

        queue = uris if song[1] in uris else [song[1], *uris]
        assert (mpd.queue(), mpd.song(), mpd.interruptions()) == (queue, song, [])
    assert "up to date" in mpd.tell()


def test_mpd_adds_new_files_to_its_database_before_a_playlist_outside_of_mpds_folders_is_queued(
    mpd: MpdPlayer,
) -> None:
    songs(mpd.telling.music / "new/deep", ["a b.wav"])
    outside(mpd)
    mpd.playlist.write_text(mpd.playlist.read_text() + f"{mpd.telling.music}/gone.wav\n/else/x.wav\n")

    assert "13 tracks; 2 tracks not in its database" in mpd.tell()
    assert "new/deep/a b.wav" in mpd.queue()


@pytest.mark.parametrize("place", ["Music/all.m3u", "Playlists/all.m3u", "all.m3u"])
def test_the_music_folder_that_mpd_names_on_its_socket_counts_and_not_the_one_in_mpd_conf(
    mpd: MpdPlayer, place: str
) -> None:
    """MPD may have another configuration than the mpd.conf that playshuffle finds."""
    conf(mpd.telling.home / ".config", mpd.telling.home / "Other", mpd.telling.home / "Lists")
    mpd.options = ()
    mpd.playlist = mpd.telling.home / place
    uris = [os.path.basename(entry) for entry in mpd.make()]

    mpd.tell("--socket", mpd.mpd.path)
    assert mpd.queue() == uris


def test_the_error_for_a_wrong_password_of_mpd_does_not_show_the_password(mpd: MpdPlayer) -> None:
    mpd.make()
    said = mpd.tell(code=1, MPD_HOST=f"secret@{mpd.mpd.path}")

    assert "incorrect password" in said
    assert "secret" not in said


def test_mpd_is_sought_at_the_address_of_the_user_or_at_those_of_mpd_conf_and_at_usual_sockets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "mpd").mkdir()
    (tmp_path / "mpd/mpd.conf").write_text('bind_to_address "any"\nbind_to_address "/srv/mpd"\nport "6601"\n')

    assert addresses({"MPD_HOST": "pa@ss@music.lan", "MPD_PORT": "7"}) == [Address("music.lan", 7, "pa@ss")]
    assert addresses({"MPD_HOST": "@mpd"}) == [Address("@mpd", 6600)]
    assert [address.text for address in addresses({"XDG_RUNTIME_DIR": "/run/user/7"})] == [
        "/srv/mpd",
        "/run/user/7/mpd/socket",
        "/run/mpd/socket",
        "localhost:6601",
    ]
    assert addresses({}, "/tmp/x") == [Address("/tmp/x", 6600)]


def written(telling: Telling, playlist: Path) -> None:
    """Configure a playlist, and note it as written by the service, for `tell --written`."""
    configured(
        f'folders = ["{telling.music}"]\n[playlist.all]\noutput = "{playlist}"\nfor = "mpd"\ntell = ["mpd"]\n'
    )
    to_tell.make_folders()
    to_tell.add(os.fsencode(playlist))


def waiting(telling: Telling) -> list[Path]:
    """Return the notes of written playlists that no player has been told of."""
    return list((telling.home / ".local/state/playshuffle").glob("written*/*"))


def test_a_playlist_that_the_service_wrote_does_not_replace_a_queue_made_from_another_playlist(
    telling: Telling, mpd: MpdPlayer
) -> None:
    """The user chose the other playlist with `tell`, and can choose this one with it."""
    mpd.playlist = telling.playlists / "other.m3u"
    other = mpd.make("-n", "4")
    mpd.tell()
    mpd.playlist = telling.playlists / "all.m3u"
    entries = mpd.make()
    written(telling, mpd.playlist)
    done = telling.run("tell", "--written")

    assert (done.code, mpd.queue()) == (0, other)
    assert "was not made from this playlist" in done.err
    mpd.tell()
    assert mpd.queue() == entries


def test_tell_with_written_deletes_the_notes_on_playlists_even_if_the_configuration_is_broken(
    telling: Telling,
) -> None:
    """Otherwise systemd would start the unit again and again."""
    written(telling, telling.playlists / "all.m3u")
    configured("nonsense = 1")

    assert telling.run("tell", "--written").code == 78
    assert waiting(telling) == []


@pytest.mark.parametrize("call", ["rename", "renameat", "connect", "unlink"])
def test_if_tell_with_the_option_written_is_killed_the_next_run_loads_the_playlist_into_mpd_once(
    telling: Telling, mpd: MpdPlayer, call: str
) -> None:
    """When it takes the note, connects to MPD, or removes the note."""
    mpd.make()
    mpd.tell()
    song = play(mpd, 5)
    entries = mpd.make()
    written(telling, mpd.playlist)
    killed = subprocess.run(
        [*injected(call, "signal=KILL"), *PROGRAM, "tell", "--written"],
        env=environment(PYTHONDONTWRITEBYTECODE="1"), check=False, capture_output=True,
    )  # fmt: skip
    assert killed.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), killed.stderr
    assert waiting(telling) != []
    done, again = telling.run("tell", "--written"), telling.run("tell", "--written")

    assert (done.code, again.code, again.err) == (0, 0, "")
    assert re.search("all: mpd: the queue (now has|is up to date,) 12 tracks", done.err)
    assert (mpd.queue(), mpd.song(), waiting(telling)) == (entries, song, [])


def test_the_commands_make_and_check_use_the_folders_that_a_running_mpd_names(mpd: MpdPlayer) -> None:
    """The mpd.conf that playshuffle finds has other folders."""
    conf(mpd.telling.home / ".config", mpd.telling.home / "Other", mpd.telling.home / "Lists")
    env = {"MPD_HOST": str(mpd.mpd.path)}
    make = ("make", mpd.telling.music, "--for", "mpd")
    if b"playlist_directory" not in b"".join(mpd.mpd.say("config")):  # before 0.24
        assert "names no playlist_directory. Name the playlist" in mpd.telling.run(*make, **env).err
        conf(mpd.telling.home / ".config", mpd.telling.music, mpd.telling.playlists)
    assert mpd.telling.run(*make, **env).code == 0
    written = mpd.telling.playlists / "playshuffle.m3u"
    assert sorted(listed(written)) == sorted(os.listdir(mpd.telling.music))
    assert mpd.telling.run("check", written, "--for", "mpd", **env).code == 0


def test_a_socket_on_which_no_mpd_listens_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))

    with pytest.raises(OSError, match="no answer"):
        mpd_queue.connected([Address(str(path), 6600)]).__enter__()
