"""`playshuffle tell mpv`, with a real mpv."""

from pathlib import Path

import pytest

from tests.players.drivers.process import until
from tests.support.program import listed
from tests.telling.conftest import Mpv, Telling

pytestmark = [pytest.mark.process, pytest.mark.players]


def tell(telling: Telling, mpv: Mpv, *words: str | Path) -> str:
    done = telling.run("tell", "mpv", "--socket", mpv.path, *words)
    assert done.code == 0, done.err
    return done.err


def position_s(mpv: Mpv) -> float:
    """Return the position in the file, which mpv updates once a second in these files."""
    return float(mpv.ask("get_property", "time-pos"))


def wait_until_past(mpv: Mpv, before_s: float) -> None:
    until(lambda: position_s(mpv) > before_s)


def play(mpv: Mpv, position: int) -> int:
    """Start to play; what mpv calls this entry of its playlist, once it is under way."""
    mpv.ask("playlist-play-index", position)
    until(
        lambda: (
            (mpv.ask("get_property", "time-pos") or 0) > 0
            and mpv.ask("get_property", "playlist-pos") == position
        )
    )
    return current(mpv)


def current(mpv: Mpv) -> int:
    entries = mpv.ask("get_property", "playlist")
    return int(next(entry["id"] for entry in entries if entry.get("current")))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_the_file_that_plays_goes_on(telling: Telling, mpv: Mpv, count: int) -> None:
    playlist = telling.make(telling.music / "playshuffle.m3u")
    tell(telling, mpv, playlist)
    song, name = play(mpv, 5), mpv.queue()[5]
    for _ in range(count):
        before_s = position_s(mpv)
        telling.make(playlist)
        tell(telling, mpv, playlist)
        now_s = position_s(mpv)

        assert mpv.queue() == listed(playlist)
        assert (current(mpv), mpv.queue()[mpv.ask("get_property", "playlist-pos")]) == (song, name)
        assert now_s >= before_s
        wait_until_past(mpv, before_s)


def test_an_idle_player_gets_the_playlist_and_stays_idle(telling: Telling, mpv: Mpv) -> None:
    playlist = telling.make(telling.music / "playshuffle.m3u", "--paths", "absolute")
    tell(telling, mpv, playlist)

    assert mpv.queue() == [Path(entry).name for entry in listed(playlist)]
    assert mpv.ask("get_property", "idle-active") is True
    assert "up to date" in tell(telling, mpv, playlist)


def test_a_file_that_is_not_in_the_playlist_goes_on_before_it(telling: Telling, mpv: Mpv) -> None:
    playlist = telling.make(telling.music / "playshuffle.m3u")
    tell(telling, mpv, playlist)
    song, name = play(mpv, 3), mpv.queue()[3]
    rest = [entry for entry in listed(playlist) if entry != name]
    for entries in (rest, rest[::-1]):
        playlist.write_text("#EXTM3U\n" + "".join(f"{entry}\n" for entry in entries))
        tell(telling, mpv, playlist)

        assert (mpv.queue(), current(mpv)) == ([name, *entries], song)


def test_a_queue_of_somebody_else_is_never_touched(telling: Telling, mpv: Mpv) -> None:
    playlist = telling.make(telling.music / "playshuffle.m3u")
    tell(telling, mpv, playlist)
    mpv.ask("loadfile", str(telling.music / "003.wav"), "append")
    telling.make(playlist)
    before = mpv.queue()
    done = telling.run("tell", "mpv", "--socket", mpv.path, playlist)

    assert (done.code, mpv.queue()) == (1, before)
    tell(telling, mpv, playlist, "--replace")
    assert mpv.queue() == listed(playlist)


def test_a_format_that_mpv_does_not_read_is_an_error(telling: Telling, mpv: Mpv) -> None:
    done = telling.run("tell", "mpv", "--socket", mpv.path, telling.make(telling.music / "all.xspf"))

    assert done.code == 66
    assert ".m3u" in done.err


def test_a_player_that_is_off_is_one_line(telling: Telling) -> None:
    done = telling.run("tell", "mpv", telling.make(telling.music / "playshuffle.m3u"))

    assert (done.code, done.err.count("\n")) == (75, 1)
    assert "mpv cannot be reached" in done.err
