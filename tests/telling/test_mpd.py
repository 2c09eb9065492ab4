"""Test the differences between MPD and mpv in `playshuffle tell`, and the service's notifications to MPD."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from playshuffle.store import to_tell
from playshuffle.system.mpd_server import Address, addresses
from playshuffle.telling import mpd_queue
from tests.players.drivers.process import started, until
from tests.support.processes import injected
from tests.support.program import PROGRAM, configured, environment, listed
from tests.support.program import mpd_conf as conf
from tests.support.service import aged
from tests.telling.conftest import MpdPlayer, MpvPlayer, Telling, play, songs

pytestmark = [pytest.mark.process, pytest.mark.players]


def test_mpd_loads_a_playlist_in_its_music_folder_and_ends_its_random_mode(mpd: MpdPlayer) -> None:
    mpd.playlist = mpd.telling.music / "playshuffle.m3u"
    mpd.options = ()
    mpd.mpd.say("random 1")
    entries = mpd.make()
    mpd.tell()

    assert (mpd.queue(), mpd.status()["random"]) == (entries, "0")


def test_a_format_that_mpv_does_not_read_is_an_error(mpv: MpvPlayer) -> None:
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
    entries = mpd.make()
    mpd.playlist.write_text("\n".join(["gone.wav", *entries[:4], "x/gone.wav", *entries[4:]]))
    mpd.tell()
    song = play(mpd, 6)
    mpd.playlist.write_text("\n".join(["gone.wav", *entries[::-1]]))

    assert "1 track not in its database" in mpd.tell()
    assert (mpd.queue(), mpd.song()) == (entries[::-1], song)


def outside(mpd: MpdPlayer, *words: str) -> list[str]:
    """Make a playlist where MPD reads none; return the URIs of its tracks."""
    mpd.options = ()
    mpd.playlist = mpd.telling.home / "elsewhere.m3u"
    return [os.path.basename(entry) for entry in mpd.make(*words)]


def test_a_playlist_outside_of_the_folders_of_mpd_is_queued_track_by_track_in_pieces(
    mpd: MpdPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current song continues, wherever it is in the playlist; or comes before it."""
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


def test_mpd_adds_new_tracks_to_its_database_before_it_queues_a_playlist_from_elsewhere(
    mpd: MpdPlayer,
) -> None:
    songs(mpd.telling.music / "new/deep", ["a b.wav"])
    outside(mpd)
    mpd.playlist.write_text(mpd.playlist.read_text() + f"{mpd.telling.music}/gone.wav\n/else/x.wav\n")

    assert "13 tracks; 2 tracks not in its database" in mpd.tell()
    assert "new/deep/a b.wav" in mpd.queue()


@pytest.mark.parametrize("place", ["Music/all.m3u", "Playlists/all.m3u", "all.m3u"])
def test_the_music_folder_that_mpd_names_on_its_socket_counts_more_than_mpd_conf(
    mpd: MpdPlayer, place: str
) -> None:
    """Its configuration may be anywhere, and another one may be where playshuffle looks."""
    conf(mpd.telling.home / ".config", mpd.telling.home / "Other", mpd.telling.home / "Lists")
    mpd.options = ()
    mpd.playlist = mpd.telling.home / place
    uris = [os.path.basename(entry) for entry in mpd.make()]

    mpd.tell("--socket", mpd.mpd.path)
    assert mpd.queue() == uris


def test_a_track_whose_name_is_not_utf_8_is_left_out_of_the_queue_and_counted(mpd: MpdPlayer) -> None:
    entries = mpd.make()
    mpd.playlist.write_bytes(b"bad\xff.wav\n" + mpd.playlist.read_bytes())

    assert "1 track not in its database" in mpd.tell()
    assert mpd.queue() == entries


def test_a_password_goes_to_mpd_and_nowhere_else(mpd: MpdPlayer) -> None:
    mpd.make()
    said = mpd.tell(code=1, MPD_HOST=f"secret@{mpd.mpd.path}")

    assert "incorrect password" in said
    assert "secret" not in said


def test_the_addresses_of_mpd_come_from_the_user_or_from_mpd_conf_and_usual_places(
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
    """List a playlist as the service does."""
    configured(
        f'folders = ["{telling.music}"]\n[playlist.all]\noutput = "{playlist}"\nfor = "mpd"\ntell = ["mpd"]\n'
    )
    to_tell.make_folders()
    to_tell.add(os.fsencode(playlist))


def waiting(telling: Telling) -> list[Path]:
    return list((telling.home / ".local/state/playshuffle").glob("written*/*"))


def test_the_command_tell_with_the_option_written_loads_each_playlist_once(
    telling: Telling, mpd: MpdPlayer
) -> None:
    entries = mpd.make()
    written(telling, mpd.playlist)
    first, second = telling.run("tell", "--written"), telling.run("tell", "--written")

    assert (first.code, second.code, second.err) == (0, 0, "")
    assert "all: mpd: the queue now has 12 tracks" in first.err
    assert (mpd.queue(), waiting(telling)) == (entries, [])


def test_a_queue_from_another_playlist_is_not_replaced_by_one_that_the_service_wrote(
    telling: Telling, mpd: MpdPlayer
) -> None:
    """The user chose it by hand; a playlist of the service must not replace it."""
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


def test_the_command_tell_removes_waiting_playlists_even_if_the_configuration_is_broken(
    telling: Telling,
) -> None:
    """Or systemd would start the unit again and again."""
    written(telling, telling.playlists / "all.m3u")
    configured("nonsense = 1")

    assert telling.run("tell", "--written").code == 78
    assert waiting(telling) == []


@pytest.mark.parametrize("call", ["rename", "renameat", "connect", "unlink"])
def test_no_waiting_playlist_is_lost_if_the_command_tell_is_killed(
    telling: Telling, mpd: MpdPlayer, call: str
) -> None:
    """Before or after the entry is taken, the record written, MPD told, the entry removed."""
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
    done = telling.run("tell", "--written")

    assert done.code == 0, done.err
    assert (mpd.queue(), mpd.song(), waiting(telling)) == (entries, song, [])


def test_the_service_notes_each_playlist_that_it_wrote_for_the_command_tell(telling: Telling) -> None:
    aged(telling.music)  # the service leaves songs that may still be written for later
    playlist = telling.playlists / "all.m3u"
    written(telling, playlist)
    for entry in waiting(telling):
        entry.unlink()
    with started([*PROGRAM, "watch"], environment()) as service:
        until(lambda: waiting(telling) != [], service)
        assert len(listed(playlist)) == 12
        for entry in waiting(telling):
            entry.unlink()
        songs(telling.music, ["new.wav"])
        os.utime(telling.music / "new.wav", (1, 1))
        until(lambda: waiting(telling) != [], service)
        assert len(listed(playlist)) == 13


def test_the_commands_make_and_check_use_the_folders_that_a_running_mpd_names(mpd: MpdPlayer) -> None:
    """Its configuration is elsewhere; the one where playshuffle looks is of another MPD."""
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


def test_a_socket_that_refuses_the_connection_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))

    with pytest.raises(OSError, match="refused"):
        mpd_queue.connected([Address(str(path), 6600)]).__enter__()
