"""Test which announcements of players count as plays and skips: recorded and made-up ones."""

import os
from collections.abc import Iterable
from urllib.parse import unquote

import pytest

from playshuffle.listening import desktop
from playshuffle.listening.desktop import read_signals
from playshuffle.listening.listen import heard
from playshuffle.listening.passes import PAUSED, PLAYING, STOPPED, News, PlayTimer, Track
from tests.history.test_recorded import DATA

# In the recordings One and 日本 play to the end, Straße and Ärger are skipped, 7 of 35 s of Drei and 29 of
# 40 s of Vier play. Some recordings begin later, end sooner, or repeat tracks. Lower case: a skip.
_ALL = "One Two straße ärger drei Vier Fünf 日本"
RECORDED = {
    "amberol-2026.1": "Two straße ärger drei Vier Fünf 日本",
    "audacious-4.6.1": _ALL,
    "clementine-1.4.1": _ALL,
    "cmus-2.12.0": "ärger drei Vier Fünf 日本",
    "elisa-22.12.3": "One Two straße",
    "elisa-26.08.1": "Two straße ärger",
    "gapless-4.6.2": "ärger drei Vier Fünf 日本 One Two straße ärger drei",
    "lollypop-1.4.48": "Fünf 日本 drei Vier straße ärger One Two",
    "mpv-0.41.0-mpris-1.3": "Two straße ärger drei Vier Fünf 日本",
    "quodlibet-4.7.1": "Fünf 日本 One Two straße ärger drei Vier",
    "rhythmbox-3.5.1": f"{_ALL} One Two drei",
    "strawberry-1.2.31": "One Two straße ärger",
}
ONE, OTHER = Track("/music/1.mp3"), Track("/music/2.mp3")


def name(track: Track, *, is_play: bool) -> str:
    text = track.title or os.path.basename(unquote(track.uri))
    word = next(word for word in _ALL.split() if word.lower() in text.lower())
    return word.capitalize() if is_play else word.lower()


@pytest.mark.parametrize("capture", RECORDED)
def test_plays_and_skips_in_recorded_announcements_of_players_are_counted(capture: str) -> None:
    players: dict[str, PlayTimer] = {}
    with open(DATA / f"mpris-{capture}.jsonl", "rb") as lines:
        ended = [
            each
            for news in read_signals(lines, {}, is_live=False)
            for each in heard(news, players, news.at_s)
        ]
    ended += [each for player in players.values() for each in player.end()]

    assert [name(each.track, is_play=each.is_play) for each in ended] == RECORDED[capture].split()


def test_the_table_of_expected_plays_has_a_row_for_each_file_of_recorded_announcements() -> None:
    assert {path.stem.removeprefix("mpris-") for path in DATA.glob("mpris-*")} == RECORDED.keys()


def results(*all_news: News) -> list[str]:
    """Return the plays and skips of a player with these announcements, such as "play 1"."""
    player = PlayTimer("")
    ended = [each for news in all_news for each in player.update(news)]
    return [("play " if each.is_play else "skip ") + each.track.uri[-5:-4] for each in ended]


def news(at_s: float, status: str = PLAYING, track: Track | None = ONE, **more: float | bool) -> News:
    return News("p", "", at_s, status, track, **({"length_s": 100.0} | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("length_s", "heard_s", "expected"),
    [
        (100, 49, ["skip 1"]),
        (100, 50, ["play 1"]),
        (1000, 239, ["skip 1"]),
        (1000, 240, ["play 1"]),
        (0, 29, ["skip 1"]),
        (0, 30, ["play 1"]),
        (100, 0.9, []),
    ],
)
def test_a_play_is_half_of_a_track_or_four_minutes_but_30_seconds_if_the_length_is_unknown(
    length_s: float, heard_s: float, expected: list[str]
) -> None:
    """A track that is heard for less than a second is not even skipped."""
    assert results(news(0, length_s=length_s), news(heard_s, track=OTHER)) == expected


def test_time_in_pause_does_not_count_as_heard() -> None:
    assert results(news(0), news(20, PAUSED), news(500), news(529, track=OTHER)) == ["skip 1"]


def test_a_track_on_repeat_is_counted_as_a_play_each_time_it_ends() -> None:
    assert results(*(news(100 * pass_) for pass_ in range(4))) == ["play 1"] * 3


def test_a_stopped_track_is_a_skip_only_if_another_one_follows_within_two_seconds() -> None:
    assert results(news(0), news(20, STOPPED), news(23), news(24, track=OTHER)) == ["skip 1"]
    assert results(news(0), news(20, STOPPED), news(23, track=OTHER)) == []
    assert results(news(0), news(20, STOPPED), news(21, track=OTHER)) == ["skip 1"]
    assert results(news(0), news(60, STOPPED), news(63, track=OTHER)) == ["play 1"]


def test_a_track_that_played_before_the_listener_started_is_never_counted_as_skipped() -> None:
    assert results(news(0, is_late=True), news(20, track=OTHER)) == []
    assert results(news(0, is_late=True), news(60, track=OTHER)) == ["play 1"]


def test_the_time_heard_before_and_after_a_lost_connection_to_a_player_is_added() -> None:
    lost = news(30, PAUSED, None, is_late=True)

    assert results(news(0), lost, news(90, is_late=True), news(115, track=OTHER)) == ["play 1"]
    assert results(news(0), lost, news(90, track=OTHER, is_late=True)) == []


def lines(*signals: tuple[str, str, str]) -> Iterable[bytes]:
    """Yield lines of busctl for names on the bus with new owners: name, old owner, new owner."""
    for data in signals:
        text = str(list(data)).replace("'", '"')
        yield (
            '{"sender":"org.freedesktop.DBus","member":"NameOwnerChanged","timestamp-realtime":0,'
            f'"payload":{{"data":{text}}}}}'
        ).encode()


def test_a_desktop_player_counts_as_ended_when_it_gives_up_its_name_on_the_bus() -> None:
    base = "org.mpris.MediaPlayer2.vlc"
    told = lines((base, "", ":1.5"), (f"{base}.instance7", "", ":1.5"), (base, ":1.5", ""))

    assert [(each.player, each.title, each.is_gone) for each in read_signals(told, {}, is_live=False)] == [
        (":1.5", "vlc", True)
    ]


def test_a_desktop_player_that_appears_on_the_bus_is_asked_what_it_plays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a busy machine mpv plays before its plugin is on the bus, and the plugin announces no status."""
    metadata = b'{"data":{"xesam:url":{"data":"file:///1.mp3"}}}'
    monkeypatch.setattr(desktop, "_ask", lambda *_: b'{"data":"Playing"}\n' + metadata)
    told = lines(("org.mpris.MediaPlayer2.mpv", "", ":1.5"))

    assert [(each.title, each.status, each.track) for each in read_signals(told, {})] == [
        ("mpv", PLAYING, Track("file:///1.mp3"))
    ]


def test_an_unreadable_line_from_the_session_bus_hides_no_other_line() -> None:
    played = (
        b'{"sender":":1.5","member":"PropertiesChanged","timestamp-realtime":0,"payload":{"data":'
        b'["org.mpris.MediaPlayer2.Player",{"Metadata":{"data":%s}}]}}'
    )
    tags = b'{"xesam:title":{"data":"a\\nb"},"xesam:artist":{"data":[]},"mpris:length":{"data":"long"}}'
    told = [b"{", b"[]", b"{}", played % b'"text"', played % b'{"xesam:url":"x"}', played % tags]

    assert [each.track for each in read_signals(told, {}, is_live=False)] == [Track("", "", "a\nb")]
