"""Define the table of players, one row each.

The rows were measured by loading hostile names, or come from source code and, for cars, from manuals.
"""

from collections import ChainMap
from collections.abc import Mapping

from playshuffle.players.player import Lost, Player
from playshuffle.playlist.m3u import PathStyle

GENERIC = "generic"
_RELATIVE, _URI = PathStyle.RELATIVE, PathStyle.URI

# For players that read no URIs, and for players that read names as text, and strip them.
_NO_URI = "uri U"
_LINES = f"{_NO_URI}, newline U, return U, bytes U"
_TEXT = "bytes ard, blank r, return ard"
_DEVICE = f"{_NO_URI}, device A"


def _lost(*texts: str) -> dict[str, Lost]:
    """Return losses by the keys of oddities; a later one replaces an earlier one.

    A text has a key, the lost forms (`-` for none), and the affected versions.
    """
    losses = {}
    for text in ", ".join(texts).split(", "):
        key, forms, versions = f"{text}  ".split(" ", 2)
        losses[key] = Lost(forms.strip("-"), versions.strip())
    return losses


# A table, with few lines for each player.
# fmt: off
BUILT_IN: Mapping[str, Player] = {
    GENERIC: Player(
        "any player", _lost("return ard"), source="all other players here", play="mpv --playlist={path}",
        use="Open the file in any player. It loads in nearly all of them.",
    ),
    "mpd": Player(
        "MPD",
        _lost(
            "edge ard before 0.24, blank r, doubled ARD, folder ARDU",
            _LINES,
            "bytes ARDU from 0.24.16 on",
            "uri u, headless ARDU before 0.24.7, utf16 ARDU, capitals ARDU, mac ARDU",
        ),
        "0.23.12",
        uses_mpd_conf=True,
        extinf=False,  # it prefers EXTINF to the tags of the file
        loads=(b".m3u",),
        most=16384,
        more="raise max_playlist_length in mpd.conf or use --limit",
        longest=4095,
        play="mpc update --wait && mpc clear && mpc load {mpd} && mpc play",
        use="MPD loads playlists only from its music folder and its playlist folder.",
    ),
    "mpv": Player(
        "mpv", _lost("bytes ARD from 0.37 on, blank r, tilde r from 2026 on, mac ARDU, folder ardu"),
        "0.35.1", style=_URI, play="mpv --playlist={path}",
        use="With --save-position-on-quit, the same list begins next time at the track that you left.",
    ),
    "vlc": Player(
        "VLC", _lost("hash ard, escape ard, bytes ard, colon R, blank r, folder ardu, hls ARDU"), "3.0.24",
        style=_URI, play="vlc {file}",
        use="With --one-instance VLC adds the list to the present one, so close VLC first.",
    ),
    "cmus": Player(
        "cmus", _lost(_LINES, "folder ARDU, headless ARDU, utf16 ARDU, mac ARDU"), "2.10.0",
        loads=(b".m3u",), play="cmus-remote -c -q {file} && cmus-remote -n && cmus-remote -p",
        use="This fills the queue of cmus, which keeps the order.",
    ),
    "quodlibet": Player(
        "Quod Libet",
        _lost("colon R, blank r, headless ARDU, utf16 ARDU, folder ARDU up to 4.5",
              "dead ARDU up to 4.5, empty ARDU up to 4.5, capitals ARDU, mac ARDU"),
        "4.5.0", style=_URI,
        use="Choose Playlists, Import. Each import makes another playlist, so delete the old one.",
    ),
    "mopidy": Player(
        "Mopidy", _lost(_TEXT, "bytes ard, colon R, music rd, capitals ARDU, headless ARDU, utf16 ARDU"),
        "3.4.1", suffix=b".m3u8", style=_URI, latin1=(b".m3u",), most=10_000,
        more="raise max_tracklist_length in mopidy.conf or use --limit",
        use="Write the file to the playlists_dir of Mopidy-M3U: -o ~/.local/share/mopidy/m3u/all.m3u8",
    ),
    "rhythmbox": Player(
        "Rhythmbox", _lost("bytes ard, return ard, blank r, drive R, spoilt ard, headless ARDU"),
        "totem-pl-parser 3.26.6", style=_URI,
        use="Import the music first. Then choose Playlist, Load from File.",
    ),
    "strawberry": Player(
        "Strawberry",
        _lost("bytes ardu, noncharacter ARDU, return ard, backslash ardu 1.0, colon r, blank r"), "1.0.14",
        style=_URI, play="strawberry --load {file}",
        use="Without --load Strawberry adds the list to the present one.",
    ),
    "audacious": Player("Audacious", _lost("bytes rd, blank r"), "4.2", style=_URI, play="audacious {file}"),
    "navidrome": Player(
        "Navidrome", _lost(_TEXT, "bytes ardu"), style=_RELATIVE, has_twins=True, is_server=True,
        use="Leave the file in the music folder. The next scan imports it, and again when it changes. On a"
        " phone, each app for Subsonic servers then has the list, such as Symfonium or Amperfy.",
    ),
    "jellyfin": Player(
        "Jellyfin", _lost(_TEXT, _NO_URI, "decoded ard"), style=_RELATIVE, escapes=True, is_server=True,
        use="Leave the file in the music folder. The next scan of the library finds it. On a phone, use an"
        " app for Jellyfin, such as Finamp.",
    ),
    "kodi": Player(
        # Not .m3u8, which it takes for a video, nor relative paths in its own folder (20.1).
        "Kodi", _lost(_TEXT, _NO_URI, "letter R, itself RD"), loads=(b".m3u",), longest=4095, is_server=True,
        use="Kodi shows the lists of ~/.kodi/userdata/playlists/music below Music, Playlists.",
    ),
    "rockbox": Player(
        "Rockbox", _lost(_DEVICE, "bytes ard, return ard, backslash ard"), suffix=b".m3u8", style=_RELATIVE,
        latin1=(b".m3u",), most=10_000, longest=260,
        more="raise Max Playlist Size in its settings or use --limit",
        use="Open the file on the device. To make it before you copy the music: --map ~/Music=/Music.",
    ),
    "lms": Player(
        "LMS", _lost(_TEXT, "backslash ard, curtrack ARD, angle R"), style=_RELATIVE, is_server=True,
        use="Write the file to the playlist folder of LMS with -o. Then choose Rescan, only playlists.",
    ),
    "music-assistant": Player(
        "Music Assistant",
        # It reads URIs since 2025, but its server rarely has the same paths.
        _lost(_TEXT, _NO_URI, "escaped-space ard, backslash ard, break ard, extended ARD"),
        style=_RELATIVE,
        is_server=True,
        use="Leave the file in the folder of the Filesystem provider. The next sync imports it.",
    ),
    "plex": Player(
        "Plex", _lost(_TEXT, _NO_URI, "music rd"), source="programs that use its API",
        style=PathStyle.ABSOLUTE, is_server=True,
        use="Plex reads no folder of playlists. A command imports the file, see the page Players.",
    ),
    "liquidsoap": Player(
        "Liquidsoap", _lost("uri u, return ard"), measured="2.1.3",
        use='Play it with playlist(reload_mode="rounds", reload=1, mode="normal", FILE).',
    ),
    "car": Player(
        "a car radio", _lost(_DEVICE, _TEXT, "backslash ard"), source="manuals of cars", style=_RELATIVE,
        plays=(b".mp3",), most=255, longest=260,
        more="playshuffle export LIST FOLDER, which splits the list, or --limit 255",
        use="If your radio plays only MP3 files: --where format:mp3.",
    ),
}
# fmt: on

_OWN: dict[str, Player] = {}  # from the configuration

# Values of --for, in the order of the help.
PLAYERS: Mapping[str, Player] = ChainMap(_OWN, dict(BUILT_IN))


def set_own_players(players: Mapping[str, Player]) -> None:
    """Put the configuration's players into the table, in place of earlier ones."""
    _OWN.clear()
    _OWN.update(players)


# Other players that users are warned about.
_OTHERS = (
    Player("OwnTone", _lost(_TEXT, "backslash ard"), is_server=True),
    Player("MPlayer", _lost(_LINES, "bytes -, blank r, drive R"), "1.5"),
    Player("MOC", _lost(_LINES, "bytes -"), "2.6", loads=(b".m3u",)),
)

# Players to warn about if none is chosen. A car is not a reader of its own, and too little is
# known about Plex.
READERS: tuple[Player, ...] = (
    *(player for name, player in BUILT_IN.items() if name not in (GENERIC, "car", "plex")),
    *_OTHERS,
)
