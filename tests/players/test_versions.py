"""Check which versions of players the stated rules apply to."""

from playshuffle.players.profiles import PLAYERS
from tests.players.drivers import DRIVERS
from tests.players.versions import RULES


def test_each_rule_names_a_player_that_is_run_and_its_measured_version() -> None:
    assert RULES.keys() <= DRIVERS.keys()
    assert all(PLAYERS[player].measured.startswith(rules.version) for player, rules in RULES.items())
