"""Check which versions of players the stated rules apply to."""

import pytest

from playshuffle.players.profiles import PLAYERS
from tests.players.drivers import DRIVERS
from tests.players.versions import RULES, difference, upstream


@pytest.mark.parametrize(
    ("player", "debian", "is_known"),
    [
        ("mpd", "0.23.12-1+b1", True),
        ("mpd", "0.24.4-1", False),
        ("mpv", "0.35.1-4", True),
        ("mpv", "0.40.0-3+deb13u1", False),
        ("strawberry", "1.0.14-1", True),
        ("strawberry", "1.2.9-1", False),
        ("quodlibet", "4.6.0-5", False),
        ("audacious", "4.2-1", True),
        ("audacious", "4.4.2-1", False),
        ("liquidsoap", "2.3.2-1", False),
        ("cmus", "2.12.0-1", True),
        ("mpd", "", True),
    ],
)
def test_rules_apply_to_the_measured_version(player: str, debian: str, is_known: bool) -> None:
    assert (difference(player, upstream(debian)) is None) == is_known


def test_each_rule_names_a_player_that_is_run_and_its_measured_version() -> None:
    assert RULES.keys() <= DRIVERS.keys()
    assert all(PLAYERS[player].measured.startswith(rules.version) for player, rules in RULES.items())
