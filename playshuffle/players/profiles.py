"""What players make of a playlist: a table, a row for each player, from which all else follows.

Found by loading hostile names into the versions that `measured` tells; for the others by reading
their sources, or the manuals of cars. What is odd about a name, and its key, is in `quirks`.
"""

from playshuffle.players.player import Lost, Player
from playshuffle.playlist.m3u import PathStyle

GENERIC = "generic"
_RELATIVE, _URI = PathStyle.RELATIVE, PathStyle.URI

# Of readers that take no URIs; of those that read names as text, and strip it.
_NO_URI = {"uri": Lost("U")}
_LINES = {**_NO_URI, "newline": Lost("U"), "return": Lost("U"), "bytes": Lost("U")}
_TEXT = {"bytes": Lost("ard"), "blank": Lost("r"), "return": Lost("ard")}
_DEVICE = {**_NO_URI, "device": Lost("A")}

# Those that --for takes; in this order they are named.
PLAYERS: dict[str, Player] = {
    GENERIC: Player("any player", {"return": Lost("ard")}, source="all rows of this table"),
    "mpd": Player(
        "MPD",
        {
            "edge": Lost("ard", "before 0.24"),
            "blank": Lost("r"),
            "doubled": Lost("ARD"),
            "folder": Lost("ARDU"),
            **_LINES,
            "uri": Lost("u"),
            "headless": Lost("ARDU", "before 0.24.7"),
            "utf16": Lost("ARDU"),
            "capitals": Lost("ARDU"),
            "mac": Lost("ARDU"),
        },
        "0.23.12",
        where="in its playlist_directory, relative to its music_directory",
        extinf=False,  # it takes what stands there for more than the tags of the file
        loads=(b".m3u",),
        most=16384,
        longest=4095,
    ),
    "mpv": Player(
        "mpv",
        {
            "bytes": Lost("ARD", "from 0.37 on"),
            "blank": Lost("r"),
            "tilde": Lost("r", "from 2026 on"),
            "mac": Lost("ARDU"),
            "folder": Lost("ardu"),
        },
        "0.35.1",
        style=_URI,
    ),
    "vlc": Player(
        "VLC",
        {
            "hash": Lost("ard"),
            "escape": Lost("ard"),
            "bytes": Lost("ard"),
            "colon": Lost("R"),
            "blank": Lost("r"),
            "folder": Lost("ardu"),
            "hls": Lost("ARDU"),
        },
        "3.0.24",
        style=_URI,
    ),
    "cmus": Player(
        "cmus",
        {
            **_LINES,
            "folder": Lost("ARDU"),
            "headless": Lost("ARDU"),
            "utf16": Lost("ARDU"),
            "mac": Lost("ARDU"),
        },
        "2.10.0",
        loads=(b".m3u",),
    ),
    "quodlibet": Player(
        "Quod Libet",
        {
            "colon": Lost("R"),
            "blank": Lost("r"),
            "headless": Lost("ARDU"),
            "utf16": Lost("ARDU"),
            "folder": Lost("ARDU", "up to 4.5"),
            "dead": Lost("ARDU", "up to 4.5"),
            "empty": Lost("ARDU", "up to 4.5"),
            "capitals": Lost("ARDU"),
            "mac": Lost("ARDU"),
        },
        "4.5.0",
        style=_URI,
    ),
    "mopidy": Player(
        "Mopidy",
        {
            **_TEXT,
            "bytes": Lost("ard"),
            "colon": Lost("R"),
            "music": Lost("rd"),
            "capitals": Lost("ARDU"),
            "headless": Lost("ARDU"),
            "utf16": Lost("ARDU"),
        },
        "3.4.1",
        suffix=b".m3u8",
        style=_URI,
        latin1=(b".m3u",),
        most=10_000,
    ),
    "rhythmbox": Player(
        "Rhythmbox",
        {
            "bytes": Lost("ard"),
            "return": Lost("ard"),
            "blank": Lost("r"),
            "drive": Lost("R"),
            "spoilt": Lost("ard"),
            "headless": Lost("ARDU"),
        },
        "totem-pl-parser 3.26.6",
        style=_URI,
    ),
    "strawberry": Player(
        "Strawberry",
        {
            "bytes": Lost("ardu"),
            "return": Lost("ard"),
            "backslash": Lost("ardu", "1.0"),
            "colon": Lost("r"),
            "blank": Lost("r"),
        },
        "1.0.14",
        style=_URI,
    ),
    "audacious": Player("Audacious", {"bytes": Lost("rd"), "blank": Lost("r")}, "4.2", style=_URI),
    "navidrome": Player(
        "Navidrome",
        {**_TEXT, "bytes": Lost("ardu")},
        style=_RELATIVE,
        has_twins=True,
        is_server=True,
    ),
    "jellyfin": Player(
        "Jellyfin",
        {**_TEXT, **_NO_URI, "decoded": Lost("ard")},
        style=_RELATIVE,
        escapes=True,
        is_server=True,
    ),
    "kodi": Player(
        "Kodi",
        {**_TEXT, **_NO_URI, "letter": Lost("R"), "itself": Lost("RD")},
        suffix=b".m3u8",
        style=_RELATIVE,
        longest=4095,
        is_server=True,
    ),
    "rockbox": Player(
        "Rockbox",
        {**_DEVICE, "bytes": Lost("ard"), "return": Lost("ard"), "backslash": Lost("ard")},
        suffix=b".m3u8",
        style=_RELATIVE,
        latin1=(b".m3u",),
        part=10_000,
        longest=260,
    ),
    "lms": Player(
        "LMS",
        {
            **_TEXT,
            "backslash": Lost("ard"),
            "curtrack": Lost("ARD"),
            "angle": Lost("R"),
        },
        style=_RELATIVE,
        is_server=True,
    ),
    "liquidsoap": Player("Liquidsoap", {"uri": Lost("u"), "return": Lost("ard")}, measured="2.1.3"),
    "car": Player(
        "a car radio",
        {**_DEVICE, **_TEXT, "backslash": Lost("ard")},
        source="manuals of cars",
        style=_RELATIVE,
        part=255,
        longest=260,
    ),
}

# Others that are known, and warned of.
_OTHERS = (
    Player("OwnTone", {**_TEXT, "backslash": Lost("ard")}, is_server=True),
    Player(
        "Music Assistant",
        {**_TEXT, "escaped-space": Lost("ard"), "backslash": Lost("ard"), "break": Lost("ard")},
        is_server=True,
    ),
    Player("MPlayer", {**_LINES, "bytes": Lost(""), "blank": Lost("r"), "drive": Lost("R")}, "1.5"),
    Player("MOC", {**_LINES, "bytes": Lost("")}, "2.6", loads=(b".m3u",)),
)

# Who is warned of where no player is chosen: a car is no reader of its own.
READERS: tuple[Player, ...] = (
    *(player for name, player in PLAYERS.items() if name not in (GENERIC, "car")),
    *_OTHERS,
)
