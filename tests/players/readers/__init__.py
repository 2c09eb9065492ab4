"""Model which files each player opens when it loads a playlist, as pure functions.

Written from how the players were measured and from their sources, not from what playshuffle
takes them to do: so the one can refute the other. Where a player is run by the tests, its rules
are tested against it there.
"""

from tests.players.readers.desktop import audacious, liquidsoap, mopidy, rhythmbox, strawberry
from tests.players.readers.devices import car, rockbox
from tests.players.readers.place import Place, Reader
from tests.players.readers.servers import jellyfin, kodi, lms, music_assistant, navidrome
from tests.players.readers.terminal import cmus, mpd, mpv, quodlibet, vlc

__all__ = ["READERS", "Place", "Reader"]

# By the names that --for takes.
READERS: dict[str, Reader] = {
    "mpd": mpd, "mpv": mpv, "vlc": vlc, "cmus": cmus, "quodlibet": quodlibet, "mopidy": mopidy,
    "rhythmbox": rhythmbox, "strawberry": strawberry, "audacious": audacious, "navidrome": navidrome,
    "jellyfin": jellyfin, "kodi": kodi, "rockbox": rockbox, "lms": lms, "music-assistant": music_assistant,
    "liquidsoap": liquidsoap, "car": car,
}  # fmt: skip
