"""`playshuffle tell`, with a real MPD and a real mpv."""

import os

import pytest

from tests.players.drivers.process import until
from tests.telling.conftest import Player, play

pytestmark = [pytest.mark.process, pytest.mark.players]


@pytest.mark.parametrize("count", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_the_playing_song_plays_on_while_the_queue_is_replaced(player: Player, count: int) -> None:
    player.make()
    player.tell()
    song = play(player, 5)
    player.interruptions()
    for _ in range(count):
        before_s = player.position_s()
        entries = player.make()
        player.tell()

        assert player.queue() == entries
        assert (player.is_playing(), player.song()) == (True, song)
        assert player.position_s() >= before_s
        until(lambda: player.position_s() > before_s)  # noqa: B023
        assert player.interruptions() == []


def test_a_stopped_player_gets_the_playlist_and_stays_stopped(player: Player) -> None:
    entries = player.make()
    assert "12 tracks" in player.tell()

    assert (player.queue(), player.is_playing()) == (entries, False)
    assert "up to date" in player.tell()


def test_a_playing_song_that_is_not_in_the_playlist_is_put_first_in_the_queue(player: Player) -> None:
    all_entries = player.make()
    player.tell()
    song = play(player, 3)
    rest = [entry for entry in all_entries if entry != song[1]]
    for entries in (rest, rest[::-1]):
        player.playlist.write_text("".join(f"{entry}\n" for entry in entries))
        player.tell()

        assert (player.queue(), player.song()) == ([song[1], *entries], song)


@pytest.mark.parametrize("is_playing", [True, False])
def test_a_queue_that_the_user_changed_is_replaced_only_with_the_option_replace(
    player: Player, is_playing: bool
) -> None:
    player.make()
    player.tell()
    player.append("003.wav")
    if is_playing:
        play(player, 2)
    entries = player.make()
    before = player.queue(), player.version()

    assert "was not made from this playlist" in player.tell(code=1)
    assert (player.queue(), player.version()) == before
    player.tell("--replace")
    assert player.queue() == entries


@pytest.mark.parametrize("is_number", [True, False])
def test_the_option_at_of_the_command_tell_starts_the_player_at_a_track(
    player: Player, is_number: bool
) -> None:
    entries = player.make()
    player.tell("--at", "7" if is_number else os.path.basename(entries[6]))

    until(lambda: player.is_playing() and player.song()[1] == player.queue()[6])
    assert player.queue() == entries


def test_the_command_tell_changes_no_queue_if_the_playlist_lacks_the_track_of_the_option_at(
    player: Player,
) -> None:
    player.make()

    assert f"{player.playlist.name} has no track" in player.tell("--at", "none.wav", code=66)
    assert player.queue() == []
