"""`playshuffle tell mpd`, with a real MPD."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from playshuffle.telling.mpd_queue import Address, addresses
from tests.players.drivers.mpd import Mpd
from tests.players.drivers.process import started, until
from tests.support.processes import strace
from tests.support.program import PROGRAM, environment, listed
from tests.support.service import aged
from tests.telling.conftest import Telling, songs

pytestmark = [pytest.mark.process, pytest.mark.players]


def status(mpd: Mpd) -> dict[str, str]:
    return dict(line.decode().split(": ", 1) for line in mpd.say("status"))


def queue(mpd: Mpd) -> list[str]:
    return [line.decode().partition("file: ")[2] for line in mpd.say("playlist")]


def elapsed_s(mpd: Mpd) -> float:
    """Return the position, which MPD counts in steps of 4 KiB: half a second in these songs."""
    return float(status(mpd).get("elapsed", 0))


def wait_until_past(mpd: Mpd, before_s: float) -> None:
    until(lambda: elapsed_s(mpd) > before_s)


def interruptions(mpd: Mpd) -> list[bytes]:
    """Return one line if playback started, stopped, paused or jumped since the last call."""
    return mpd.say("idle player\nnoidle")


def play(mpd: Mpd, position: int) -> str:
    """Start to play; the id of the song, once it is under way."""
    mpd.say(f"play {position}")
    wait_until_past(mpd, 0)
    return status(mpd)["songid"]


def tell(telling: Telling, *words: str | Path) -> str:
    done = telling.run("tell", "mpd", *words)
    assert done.code == 0, done.err
    return done.err


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_the_song_that_plays_goes_on(telling: Telling, mpd: Mpd, count: int) -> None:
    playlist = telling.playlists / "all.m3u"
    telling.make(playlist, "--for", "mpd")
    tell(telling, playlist)
    song, name = play(mpd, 5), queue(mpd)[5]
    assert interruptions(mpd) == [b"changed: player"]
    for _ in range(count):
        before_s = elapsed_s(mpd)
        telling.make(playlist, "--for", "mpd")
        tell(telling, playlist)
        now = status(mpd)

        assert queue(mpd) == listed(playlist)
        assert (now["state"], now["songid"], queue(mpd)[int(now["song"])]) == ("play", song, name)
        assert float(now["elapsed"]) >= before_s
        wait_until_past(mpd, before_s)
        assert interruptions(mpd) == []


def test_a_stopped_player_gets_the_playlist_and_stays_stopped(telling: Telling, mpd: Mpd) -> None:
    playlist = telling.make(telling.music / "playshuffle.m3u")
    mpd.say("random 1")
    assert "12 tracks" in tell(telling, playlist)

    assert queue(mpd) == listed(playlist)
    assert (status(mpd)["state"], status(mpd)["random"]) == ("stop", "0")
    assert "up to date" in tell(telling, playlist)


def test_a_song_that_is_not_in_the_playlist_goes_on_before_it(telling: Telling, mpd: Mpd) -> None:
    playlist = telling.make(telling.playlists / "all.m3u", "--for", "mpd")
    tell(telling, playlist)
    song, name = play(mpd, 3), queue(mpd)[3]
    rest = [entry for entry in listed(playlist) if entry != name]
    for entries in (rest, rest[::-1]):
        playlist.write_text("".join(f"{entry}\n" for entry in entries))
        tell(telling, playlist)

        assert queue(mpd) == [name, *entries]
        assert status(mpd)["songid"] == song


@pytest.mark.parametrize("is_playing", [True, False])
def test_a_queue_of_somebody_else_is_never_touched(telling: Telling, mpd: Mpd, is_playing: bool) -> None:
    playlist = telling.make(telling.playlists / "all.m3u", "--for", "mpd")
    tell(telling, playlist)
    mpd.say('add "003.wav"')
    if is_playing:
        play(mpd, 2)
    telling.make(playlist, "--for", "mpd")
    before, version = queue(mpd), status(mpd)["playlist"]
    done = telling.run("tell", "mpd", playlist)

    assert done.code == 1
    assert "was not made from this playlist" in done.err
    assert (queue(mpd), status(mpd)["playlist"]) == (before, version)
    tell(telling, playlist, "--replace")
    assert queue(mpd) == listed(playlist)


def test_new_files_are_added_to_the_database_first(telling: Telling, mpd: Mpd) -> None:
    playlist = telling.make(telling.playlists / "all.m3u", "--for", "mpd")
    tell(telling, playlist)
    song = play(mpd, 3)
    songs(telling.music / "new/deep", ["a b.wav", "\u00e9.wav"])
    songs(telling.music, ["top.wav"])
    telling.make(playlist, "--for", "mpd")
    text = tell(telling, playlist)

    assert queue(mpd) == listed(playlist)
    assert len(queue(mpd)) == 15
    assert "database" not in text
    assert status(mpd)["songid"] == song


def test_tracks_that_mpd_does_not_know_are_counted(telling: Telling, mpd: Mpd) -> None:
    playlist = telling.make(telling.playlists / "all.m3u", "--for", "mpd")
    entries = listed(playlist)
    playlist.write_text(
        "".join(f"{entry}\n" for entry in ["gone.wav", *entries[:4], "x/gone.wav", *entries[4:]])
    )
    tell(telling, playlist)
    song = play(mpd, 6)
    playlist.write_text("".join(f"{entry}\n" for entry in ["gone.wav", *entries[::-1]]))

    assert "1 track not in its database" in tell(telling, playlist)
    assert (queue(mpd), status(mpd)["songid"]) == (entries[::-1], song)


def test_a_playlist_that_mpd_cannot_read_is_an_error(telling: Telling, mpd: Mpd) -> None:
    playlist = telling.make(telling.home / "elsewhere.m3u")
    done = telling.run("tell", "mpd", playlist)

    assert done.code == 66
    assert "--for mpd" in done.err
    assert queue(mpd) == []


def test_a_name_that_is_not_utf_8_is_skipped_and_counted(telling: Telling, mpd: Mpd) -> None:
    playlist = telling.make(telling.playlists / "all.m3u", "--for", "mpd")
    entries = listed(playlist)
    playlist.write_bytes(b"bad\xff.wav\n" + playlist.read_bytes())

    assert "1 track not in its database" in tell(telling, playlist)
    assert queue(mpd) == entries


def test_a_player_that_is_off_is_one_line(telling: Telling) -> None:
    playlist = telling.make(telling.playlists / "all.m3u")
    done = telling.run("tell", "mpd", playlist, MPD_HOST=str(telling.home / "nothing"))

    assert done.code == 75
    assert done.err.count("\n") == 1
    assert "mpd cannot be reached" in done.err


def test_a_password_goes_to_mpd_and_nowhere_else(telling: Telling, mpd: Mpd) -> None:
    playlist = telling.make(telling.playlists / "all.m3u", "--for", "mpd")
    done = telling.run("tell", "mpd", playlist, MPD_HOST=f"secret@{mpd.path}")

    assert done.code == 1
    assert "incorrect password" in done.err
    assert "secret" not in done.err


def test_addresses_are_those_of_the_user_or_the_usual_ones(
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
    telling.configure(
        f'folders = ["{telling.music}"]\n[playlist.all]\noutput = "{playlist}"\nfor = "mpd"\ntell = ["mpd"]\n'
    )
    code = (
        "import sys, os; from playshuffle.store import to_tell;"
        "to_tell.make_folders(); to_tell.add(os.fsencode(sys.argv[1]))"
    )
    subprocess.run([PROGRAM[0], "-c", code, playlist], env=environment(**telling.env), check=True)


def waiting(telling: Telling) -> list[Path]:
    return list((telling.home / ".local/state/playshuffle").glob("written*/*"))


def test_what_was_written_is_told_once(telling: Telling, mpd: Mpd) -> None:
    playlist = telling.make(telling.playlists / "all.m3u", "--for", "mpd")
    written(telling, playlist)
    first, second = telling.run("tell", "--written"), telling.run("tell", "--written")

    assert (first.code, second.code, second.err) == (0, 0, "")
    assert "all: mpd: the queue now has 12 tracks" in first.err
    assert queue(mpd) == listed(playlist)
    assert waiting(telling) == []


def test_a_queue_from_another_playlist_stays(telling: Telling, mpd: Mpd) -> None:
    """The user chose it by hand; what the service writes must not take its place."""
    other = telling.make(telling.playlists / "other.m3u", "--for", "mpd", "-n", "4")
    tell(telling, other)
    playlist = telling.make(telling.playlists / "all.m3u", "--for", "mpd")
    written(telling, playlist)
    done = telling.run("tell", "--written")

    assert (done.code, queue(mpd)) == (0, listed(other))
    assert "was not made from this playlist" in done.err
    tell(telling, playlist)
    assert queue(mpd) == listed(playlist)


def test_a_broken_configuration_leaves_no_entry_behind(telling: Telling) -> None:
    """Or systemd would start the unit again and again."""
    written(telling, telling.playlists / "all.m3u")
    telling.configure("nonsense = 1")

    assert telling.run("tell", "--written").code == 78
    assert waiting(telling) == []


@pytest.mark.parametrize("call", ["rename:when=1", "rename:when=2", "connect", "unlink"])
def test_a_process_that_is_killed_loses_nothing(telling: Telling, mpd: Mpd, call: str) -> None:
    """Before or after the entry is taken, the record written, MPD told, the entry removed."""
    playlist = telling.make(telling.playlists / "all.m3u", "--for", "mpd")
    tell(telling, playlist)
    song = play(mpd, 5)
    telling.make(playlist, "--for", "mpd")
    written(telling, playlist)
    name, _, when = call.partition(":")
    killed = subprocess.run(
        [*strace("/dev/null", f"trace={name}", f"inject={name}:signal=KILL" + (f":{when}" if when else "")),
         *PROGRAM, "tell", "--written"],
        env={**environment(**telling.env), "PYTHONDONTWRITEBYTECODE": "1"}, check=False, capture_output=True,
    )  # fmt: skip
    assert killed.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), killed.stderr
    assert waiting(telling) != []
    done = telling.run("tell", "--written")

    assert done.code == 0, done.err
    assert queue(mpd) == listed(playlist)
    assert (status(mpd)["songid"], waiting(telling)) == (song, [])


def test_the_service_lists_what_it_writes(telling: Telling) -> None:
    aged(telling.music)  # the service leaves songs that may still be written for later
    playlist = telling.playlists / "all.m3u"
    written(telling, playlist)
    for entry in waiting(telling):
        entry.unlink()
    with started([*PROGRAM, "watch"], environment(**telling.env)) as service:
        until(lambda: waiting(telling) != [], service)
        assert len(listed(playlist)) == 12
        for entry in waiting(telling):
            entry.unlink()
        songs(telling.music, ["new.wav"])
        os.utime(telling.music / "new.wav", (1, 1))
        until(lambda: waiting(telling) != [], service)
        assert len(listed(playlist)) == 13
    assert b"tell" in telling.run("config", "show").out
