"""Model which files each player opens when it loads a playlist, as pure functions.

Written from measurements and from the sources of the players, not from the code of playshuffle, so that a
model can show an error there. `test_readers.py` compares the models with the players that tests can run.
"""

from tests.players.readers.desktop import audacious, liquidsoap, mopidy, rhythmbox, strawberry
from tests.players.readers.devices import car, rockbox
from tests.players.readers.place import Place, Reader
from tests.players.readers.servers import jellyfin, kodi, lms, music_assistant, navidrome
from tests.players.readers.terminal import cmus, mpd, mpv, quodlibet, vlc

__all__ = ["READERS", "Place", "Reader"]

# By the player's name as `--for` takes it.
READERS: dict[str, Reader] = {
    "mpd": mpd, "mpv": mpv, "vlc": vlc, "cmus": cmus, "quodlibet": quodlibet, "mopidy": mopidy,
    "rhythmbox": rhythmbox, "strawberry": strawberry, "audacious": audacious, "navidrome": navidrome,
    "jellyfin": jellyfin, "kodi": kodi, "rockbox": rockbox, "lms": lms, "music-assistant": music_assistant,
    "liquidsoap": liquidsoap, "car": car,
}  # fmt: skip
