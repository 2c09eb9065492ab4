"""Define the table of play histories, from which help, errors and documentation are made."""

import glob
import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from playshuffle.errors import OptionError, shown
from playshuffle.history import databases
from playshuffle.history.databases import Database
from playshuffle.system import mpd_conf
from playshuffle.system.xdg import config_home, data_home, state_home

_PLAYS = "last play, plays"
_ALL = f"{_PLAYS}, skips, rating"


class File(NamedTuple):
    """How to read a history that is not a database.

    Attributes:
        rows: name of the function that reads it in `history.files`.
        begins: pattern of its first bytes, if these are typical.
        suffixes: suffixes of its name, if the first bytes are not typical.
        is_log: each row is a play or a skip, so counts of several logs add up.
        is_folder: it is a folder of CSV files.
    """

    rows: str
    begins: bytes = rb"(?!)"
    suffixes: tuple[bytes, ...] = ()
    is_log: bool = False
    is_folder: bool = False


class History(NamedTuple):
    """A kind of play history.

    Attributes:
        tried: the version of the program whose file was read, if any.
        name: what users type to choose it; empty if they name the file.
        places: patterns of its usual paths; empty if it has none.
        advice: a sentence for users whose file is missing, or has no play.
        starts: the program counts plays when they start.
    """

    title: str
    reader: Database | File
    knows: str
    tried: str = ""
    name: str = ""
    places: Sequence[str] = ()
    file: str = ""
    advice: str = ""
    starts: bool = False

    @property
    def is_log(self) -> bool:
        return isinstance(self.reader, File) and self.reader.is_log


def _places(path: str, flatpak: str = "", snap: str = "") -> tuple[str, ...]:
    """Return the possible paths of a program's file, also as a Flatpak or Snap.

    `path` begins with `~/.config`, `~/.local/share` or the like; its name may have a `*`.
    """
    inside = re.sub(
        r"~/\.(config|local/share)/", lambda match: {"config": "config/"}.get(match[1], "data/"), path
    )
    return (
        path,
        *([f"~/.var/app/{flatpak}/{inside.removeprefix('~/')}"] if flatpak else []),
        *([f"~/snap/{snap}/current/{path.removeprefix('~/')}"] if snap else []),
    )


# fmt: off
_NAVIDROME = History(
    "Navidrome", databases.NAVIDROME_WITH_SCROBBLES, "last play, plays, rating, favourites", name="navidrome",
    places=("/var/lib/navidrome/navidrome.db",), file="navidrome.db")
LISTENED = History(
    "playshuffle listen", File("listened", is_log=True, is_folder=True),
    "last play, plays, skips", name="listen", places=("~/.local/share/playshuffle/plays",),
    advice="To write plays down: playshuffle service install --listen.")

HISTORIES: Sequence[History] = (
    History("MPD", databases.MPD, f"{_ALL}, likes", "0.24.16", "mpd", file="`sticker_file` of `mpd.conf`",
        advice="MPD itself counts none. To count them: playshuffle service install --listen."),
    History("beets", databases.BEETS, f"{_PLAYS}, skips", "2.14.1", "beets", ("~/.config/beets/library.db",),
        advice="The plugin mpdstats of beets counts plays."),
    _NAVIDROME,
    _NAVIDROME._replace(reader=databases.NAVIDROME),
    History("Strawberry", databases.STRAWBERRY, _ALL, "1.2.31", "strawberry",
        _places("~/.local/share/strawberry/strawberry/strawberry.db",
                "org.strawberrymusicplayer.strawberry", "strawberry")),
    History("Clementine", databases.CLEMENTINE, _ALL, "1.4.1", "clementine",
        _places("~/.config/Clementine/clementine.db", "org.clementine_player.Clementine")),
    History("Quod Libet", File("quod_libet", rb"\x80[\x02-\x05]"), _ALL, "4.7.1", "quodlibet",
        _places("~/.config/quodlibet/songs", "io.github.quodlibet.QuodLibet"),
        advice="Quod Libet writes this file when it ends."),
    History("Rhythmbox", File("rhythmbox", rb"\s*(<\?xml[^>]*>)?\s*<rhythmdb"),
        "last play, plays, rating", "3.5.1", "rhythmbox",
        _places("~/.local/share/rhythmbox/rhythmdb.xml", "org.gnome.Rhythmbox3", "rhythmbox"),
        advice="Rhythmbox writes this file when it ends."),
    History("Elisa", databases.ELISA, "last play, last skip, plays, rating", "26.08.1", "elisa",
        _places("~/.local/share/elisa/elisaDatabase.db", "org.kde.elisa", "elisa")),
    History("Kodi", databases.KODI, f"{_PLAYS}, rating", "21.3", "kodi",
        [f"{home}/userdata/Database/MyMusic*.db" for home in ("~/.kodi", "~/.var/app/tv.kodi.Kodi/data")]),
    History("Lollypop", databases.LOLLYPOP, "last play, plays, rating, favourites", "1.4.48", "lollypop",
        _places("~/.local/share/lollypop/lollypop.db", "org.gnome.Lollypop")),
    History("mpv", File("mpv", rb'\{[^\n]*"time":[^\n]*"path":', is_log=True),
        "last start, starts, skips", "0.41.0", "mpv",
        _places("~/.local/state/mpv/watch_history.jsonl", "io.mpv.Mpv"),
        advice="mpv writes it with save-watch-history=yes in mpv.conf.", starts=True),
    History("Jellyfin", databases.JELLYFIN, "last play, plays, favourites", name="jellyfin",
        places=("/var/lib/jellyfin/data/jellyfin.db",)),
    History("Lyrion", databases.LYRION, "last play, plays, rating", name="lyrion",
        places=("/var/lib/squeezeboxserver/cache/persist.db",)),
    History("Rockbox 4", File("rockbox_playback", rb"(#[^\n]*\n)*\d+:\d+:\d+:/", is_log=True),
        "last play, plays, skips", file=".rockbox/playback.log"),
    History("Rockbox", File("rockbox_scrobbler", rb"(\xef\xbb\xbf)?#AUDIOSCROBBLER/", is_log=True),
        "last play, plays, skips", file=".scrobbler.log"),
    History("ListenBrainz", File("listenbrainz", rb'\{[^\n]*"listened_at":', is_log=True),
        "last play, plays", file="the JSONL file of a ListenBrainz export"),
    LISTENED,
    History("CSV", File("csv_log", is_log=True), "what its columns have", file="a CSV file, as from Last.fm"),
    History("M3U", File("favourites", suffixes=(b".m3u", b".m3u8")), "its tracks have five stars",
        file="a playlist of favourites"),
)
# fmt: on
TITLES = tuple(dict.fromkeys(history.title for history in HISTORIES))
NAMES = {history.name: history for history in HISTORIES if history.name}


def usual_file(history: History) -> bytes:
    """Return the path of a program's file: the latest of several; the usual path if none exists.

    Raises:
        OptionError: MPD has no `sticker_file`.
    """
    if not history.places:
        conf = mpd_conf.read()
        if conf is None or conf.stickers is None:
            where = "" if conf is None else f" in {shown(conf.path)}"
            raise OptionError(
                "{}: MPD has no sticker_file{where}. Add it there, or name the file.", "history", where=where
            )
        return conf.stickers
    beets = os.environb.get(b"BEETSDIR") if history.name == "beets" else None
    homes = {
        "~/.config/beets": beets or config_home() + b"/beets",
        "~/.config": config_home(),
        "~/.local/share": data_home(),
        "~/.local/state": state_home(),
        "~": os.path.expanduser(b"~"),
    }
    patterns: list[tuple[bytes, bytes]] = []
    for place in history.places:
        start = next((folder for folder in homes if place.startswith(f"{folder}/")), "")
        patterns.append((homes.get(start, b""), os.fsencode(place.removeprefix(start))))
    paths = [path for home, rest in patterns for path in glob.glob(glob.escape(home) + rest)]
    return max(paths, key=os.path.getmtime) if paths else b"".join(patterns[0])
