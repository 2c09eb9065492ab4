"""Define the table of players, one row each.

The players of the configuration are added to the table when one of them is requested.

The rows were measured by loading hostile names into the versions in `measured`, or come from the
sources and, for cars, from manuals. The oddities of names are defined in `quirks`.
"""

from collections import ChainMap
from collections.abc import Mapping

from playshuffle.players.player import Lost, Player
from playshuffle.playlist.m3u import PathStyle

GENERIC = "generic"
_RELATIVE, _URI = PathStyle.RELATIVE, PathStyle.URI

# For players that read no URIs, and for players that read names as text, and strip them.
_NO_URI = {"uri": Lost("U")}
_LINES = {**_NO_URI, "newline": Lost("U"), "return": Lost("U"), "bytes": Lost("U")}
_TEXT = {"bytes": Lost("ard"), "blank": Lost("r"), "return": Lost("ard")}
_DEVICE = {**_NO_URI, "device": Lost("A")}

BUILT_IN: Mapping[str, Player] = {
    GENERIC: Player(
        "any player",
        {"return": Lost("ard")},
        source="all other players here",
        play="mpv --playlist={path}",
        use="Open the file in any player. It loads in nearly all of them.",
    ),
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
        uses_mpd_conf=True,
        extinf=False,  # it prefers EXTINF to the tags of the file
        loads=(b".m3u",),
        most=16384,
        longest=4095,
        play="mpc update --wait && mpc clear && mpc load {mpd} && mpc play",
        use="MPD loads playlists only from its music folder and its playlist folder.",
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
        play="mpv --playlist={path}",
        use="With --save-position-on-quit, the same list begins next time at the track that you left.",
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
        play="vlc {file}",
        use="With --one-instance VLC adds the list to the present one, so close VLC first.",
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
        play="cmus-remote -c -q {file} && cmus-remote -n && cmus-remote -p",
        use="This fills the queue of cmus, which keeps the order.",
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
        use="Choose Playlists, Import. Each import makes another playlist, so delete the old one.",
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
        use="Write the file to the playlists_dir of Mopidy-M3U: -o ~/.local/share/mopidy/m3u/all.m3u8",
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
        use="Import the music first. Then choose Playlist, Load from File.",
    ),
    "strawberry": Player(
        "Strawberry",
        {
            "bytes": Lost("ardu"),
            "noncharacter": Lost("ARDU"),
            "return": Lost("ard"),
            "backslash": Lost("ardu", "1.0"),
            "colon": Lost("r"),
            "blank": Lost("r"),
        },
        "1.0.14",
        style=_URI,
        play="strawberry --load {file}",
        use="Without --load Strawberry adds the list to the present one.",
    ),
    "audacious": Player(
        "Audacious", {"bytes": Lost("rd"), "blank": Lost("r")}, "4.2", style=_URI, play="audacious {file}"
    ),
    "navidrome": Player(
        "Navidrome",
        {**_TEXT, "bytes": Lost("ardu")},
        style=_RELATIVE,
        has_twins=True,
        is_server=True,
        use="Leave the file in the music folder. The next scan imports it, and again when it changes. On a"
        " phone, each app for Subsonic servers then has the list, such as Symfonium or Amperfy.",
    ),
    "jellyfin": Player(
        "Jellyfin",
        {**_TEXT, **_NO_URI, "decoded": Lost("ard")},
        style=_RELATIVE,
        escapes=True,
        is_server=True,
        use="Leave the file in the music folder. The next scan of the library finds it. On a phone, use an"
        " app for Jellyfin, such as Finamp.",
    ),
    "kodi": Player(
        "Kodi",
        {**_TEXT, **_NO_URI, "letter": Lost("R"), "itself": Lost("RD")},
        suffix=b".m3u8",
        style=_RELATIVE,
        longest=4095,
        is_server=True,
        use="Write the file to Kodi's playlists: -o ~/.kodi/userdata/playlists/music/all.m3u8",
    ),
    "rockbox": Player(
        "Rockbox",
        {**_DEVICE, "bytes": Lost("ard"), "return": Lost("ard"), "backslash": Lost("ard")},
        suffix=b".m3u8",
        style=_RELATIVE,
        latin1=(b".m3u",),
        part=10_000,
        longest=260,
        use="Open the file on the device. To make it before you copy the music: --map ~/Music=/Music.",
    ),
    "lms": Player(
        "LMS",
        {**_TEXT, "backslash": Lost("ard"), "curtrack": Lost("ARD"), "angle": Lost("R")},
        style=_RELATIVE,
        is_server=True,
        use="Write the file to the playlist folder of LMS with -o. Then choose Rescan, only playlists.",
    ),
    "music-assistant": Player(
        "Music Assistant",
        {
            **_TEXT,
            **_NO_URI,  # reads URIs since 2025, but its server rarely has the same paths
            "escaped-space": Lost("ard"),
            "backslash": Lost("ard"),
            "break": Lost("ard"),
            "extended": Lost("ARD"),
        },
        style=_RELATIVE,
        is_server=True,
        use="Leave the file in the folder of the Filesystem provider. The next sync imports it.",
    ),
    "plex": Player(
        "Plex",
        {**_TEXT, **_NO_URI, "music": Lost("rd")},
        source="programs that use its API",
        style=PathStyle.ABSOLUTE,
        is_server=True,
        use="Plex reads no folder of playlists. A command imports the file, see the page Players.",
    ),
    "liquidsoap": Player(
        "Liquidsoap",
        {"uri": Lost("u"), "return": Lost("ard")},
        measured="2.1.3",
        use='Play it with playlist(reload_mode="rounds", reload=1, mode="normal", FILE).',
    ),
    "car": Player(
        "a car radio",
        {**_DEVICE, **_TEXT, "backslash": Lost("ard")},
        source="manuals of cars",
        style=_RELATIVE,
        plays=(b".mp3",),
        part=255,
        longest=260,
        use="If your radio plays only MP3 files: --where format:mp3. Fewer per file: the key max_per_file.",
    ),
}

_OWN: dict[str, Player] = {}  # from the configuration

# Values of --for, in the order of the help.
PLAYERS: Mapping[str, Player] = ChainMap(_OWN, dict(BUILT_IN))


def set_own_players(players: Mapping[str, Player]) -> None:
    """Put the players of the configuration into the table, in place of earlier ones."""
    _OWN.clear()
    _OWN.update(players)


# Other players that users are warned about.
_OTHERS = (
    Player("OwnTone", {**_TEXT, "backslash": Lost("ard")}, is_server=True),
    Player("MPlayer", {**_LINES, "bytes": Lost(""), "blank": Lost("r"), "drive": Lost("R")}, "1.5"),
    Player("MOC", {**_LINES, "bytes": Lost("")}, "2.6", loads=(b".m3u",)),
)

# Players to warn about if none is chosen. A car is not a reader of its own, and too little is
# known about Plex.
READERS: tuple[Player, ...] = (
    *(player for name, player in BUILT_IN.items() if name not in (GENERIC, "car", "plex")),
    *_OTHERS,
)
