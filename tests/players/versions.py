"""Compare the installed version of a player with the version that its model in `readers` describes."""

from typing import NamedTuple

from tests.players.drivers import DRIVERS
from tests.support.processes import finished


class Rules(NamedTuple):
    """The version that a player's model describes, and what later versions do otherwise."""

    version: str
    later: str


# Each other player read playlists in the same way in all versions that were tried.
RULES: dict[str, Rules] = {
    "mpd": Rules("0.23", "0.24 keeps spaces at the edges of names, 0.24.16 skips those not in UTF-8"),
    "mpv": Rules("0.35", "0.37 opens no name that is not UTF-8"),
    "quodlibet": Rules("4.5", "4.6 loads the rest of a playlist that names a missing file"),
    "audacious": Rules("4.2", "4.4 was not measured"),
    "strawberry": Rules("1.0", "1.2 was not measured"),
    "liquidsoap": Rules("2.1", "2.3 was not measured"),
}


def installed(player: str) -> str:
    """Return the upstream version of a player's Debian package; empty if dpkg does not know it."""
    try:
        done = finished(["dpkg-query", "-W", "-f", "${Version}", DRIVERS[player].package])
    except FileNotFoundError:
        return ""
    # "0.24.4" of "1:0.24.4-1+b2"
    return done.stdout.rpartition(":")[2].partition("-")[0] if done.returncode == 0 else ""


def difference(player: str, version: str) -> str | None:
    """Return how a version may differ from a player's model; None if the model is for this version."""
    rules = RULES.get(player)
    if rules is None or not version or version.split(".")[:2] == rules.version.split("."):
        return None
    return f"the rules are those of {player} {rules.version}, {version} is installed: {rules.later}"
