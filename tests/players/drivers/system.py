"""Print the files that a player would play from playlists; runs in Debian's Python, which has its modules.

Each line of the input is the path of a playlist, as JSON. Each line of the output is a list of paths.
"""

import ctypes
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

Opened = Callable[[str], list[str]]


def quodlibet() -> Opened:
    """Load playlists by the function of the menu entry 'Import playlist', without a window."""
    import_module("gi").require_version("Gtk", "3.0")
    import_module("quodlibet").init_cli()
    import_module("quodlibet.formats")
    util: Any = import_module("quodlibet.browsers.playlists.util")

    class Window:
        def __init__(self, *_: object) -> None:
            pass

        show = destroy = step = __init__

    class Playlists:
        @staticmethod
        def create_from_songs(songs: list[Any]) -> list[str]:
            files = [song("~filename") for song in songs]  # raises for what is not a song
            return [name for song, name in zip(songs, files, strict=True) if song.is_file]

    util.WaitLoadWindow = Window
    suffixes = (".m3u", ".m3u8")  # as in browsers/playlists/main.py

    def opened(playlist: str) -> list[str]:
        if not playlist.endswith(suffixes):
            return []
        try:
            with open(playlist, "rb") as file:
                names: list[str] = util.parse_m3u(file, "", None, Playlists)
        except (AttributeError, TypeError):
            return []
        return names

    return opened


def mopidy() -> Opened:
    """Load playlists by the provider of the M3U extension, relative to $XDG_MUSIC_DIR."""
    playlists: Any = import_module("mopidy.m3u.playlists")
    to_path = import_module("mopidy.internal.path").uri_to_path

    def opened(playlist: str) -> list[str]:
        folder, name = os.path.split(playlist)
        config = {
            "playlists_dir": folder, "base_dir": os.environ["XDG_MUSIC_DIR"],
            "default_encoding": "latin-1", "default_extension": ".m3u8",
        }  # fmt: skip
        provider = playlists.M3UPlaylistsProvider(None, {"m3u": config})
        refs = provider.as_list()
        if not any(_path(ref.uri) == name for ref in refs):
            return []
        path = import_module("pathlib").Path(playlist)
        with provider._open(path) as file:
            items = playlists.translator.load_items(file, provider._base_dir)
        return [str(to_path(item.uri)) for item in items if item.uri.startswith("file:")]

    return opened


def rhythmbox() -> Opened:
    """Load playlists by totem-pl-parser, the library of Rhythmbox for playlists."""
    gi = import_module("gi")
    gi.require_version("TotemPlParser", "1.0")
    gio, totem = import_module("gi.repository.Gio"), import_module("gi.repository.TotemPlParser")
    found: list[str] = []
    parser = totem.Parser()
    parser.props.recurse = False
    parser.connect("entry-parsed", lambda _parser, uri, _said: found.append(uri))

    def opened(playlist: str) -> list[str]:
        found.clear()
        parser.parse(gio.File.new_for_path(playlist).get_uri(), False)
        # The library returns an absolute path unchanged.
        return [
            uri if uri.startswith("/") else _path(uri) for uri in found if uri.startswith(("/", "file:///"))
        ]

    return opened


def audacious() -> Opened:
    """Load playlists into a running Audacious without a window, on a private D-Bus."""
    gio = import_module("gi.repository.Gio")
    glib = import_module("gi.repository.GLib")
    player = subprocess.Popen(["audacious", "-H"], stdout=sys.stderr)
    bus = gio.bus_get_sync(gio.BusType.SESSION)
    here = "org.atheme.audacious", "/org/atheme/audacious", "org.atheme.audacious"

    def say(method: str, words: Any = None) -> Any:
        return bus.call_sync(*here, method, words, None, gio.DBusCallFlags.NO_AUTO_START, 20_000).unpack()

    # A question before its plugins are started makes it exit. One of them takes this name.
    started = glib.Variant("(s)", ("org.mpris.MediaPlayer2.audacious",))
    dbus = "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"
    until = time.monotonic() + 300
    while bus.call_sync(*dbus, "NameHasOwner", started, None, 0, 20_000).unpack() != (True,):
        assert player.poll() is None, f"it ended with {player.returncode}"
        assert time.monotonic() < until, "it does not start"
        time.sleep(0.05)

    def opened(playlist: str) -> list[str]:
        say("Clear")
        # It adds files in the background, in order: if the last one is there, all are.
        last = gio.File.new_for_path(os.path.join(os.path.dirname(__file__), "../../data/tone.ogg")).get_uri()
        say("Add", glib.Variant("(s)", (gio.File.new_for_path(playlist).get_uri(),)))
        say("Add", glib.Variant("(s)", (last,)))
        until = time.monotonic() + 300
        while True:
            (count,) = say("Length")
            if count and say("SongFilename", glib.Variant("(u)", (count - 1,))) == (last,):
                break
            assert time.monotonic() < until
            time.sleep(0.01)
        uris = [say("SongFilename", glib.Variant("(u)", (place,)))[0] for place in range(count - 1)]
        return [_path(uri) for uri in uris]

    return opened


def vlc() -> Opened:
    """Load playlists by libvlc, as the program does; return a folder as one path."""
    library = ctypes.CDLL("libvlc.so.5")
    pointer, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    for name, result, words in (
        ("new", pointer, (number, ctypes.POINTER(text))),
        ("media_new_path", pointer, (pointer, text)),
        ("media_parse_with_options", number, (pointer, number, number)),
        ("media_get_parsed_status", number, (pointer,)),
        ("media_subitems", pointer, (pointer,)),
        ("media_list_count", number, (pointer,)),
        ("media_list_item_at_index", pointer, (pointer, number)),
        ("media_get_mrl", text, (pointer,)),
    ):
        function = getattr(library, f"libvlc_{name}")
        function.restype, function.argtypes = result, words
    say = library
    options = (text * 3)(b"--ignore-config", b"--quiet", b"--no-media-library")
    vlc = say.libvlc_new(len(options), options)

    def opened(playlist: str) -> list[str]:
        media = say.libvlc_media_new_path(vlc, os.fsencode(playlist))
        say.libvlc_media_parse_with_options(media, 0, 20_000)
        while not say.libvlc_media_get_parsed_status(media):
            time.sleep(0.001)
        items = say.libvlc_media_subitems(media)
        count = say.libvlc_media_list_count(items)
        mrls = [say.libvlc_media_get_mrl(say.libvlc_media_list_item_at_index(items, i)) for i in range(count)]
        # VLC was seen to open a file:// URL only up to the first '#' or '?'.
        uris = [mrl.decode().partition("#")[0].partition("?")[0] for mrl in mrls]
        return [_path(uri) for uri in uris if uri.startswith("file:///")]

    return opened


def _path(uri: str) -> str:
    return os.fsdecode(unquote_to_bytes(urlsplit(uri).path))


def main() -> None:
    players = {
        "quodlibet": quodlibet, "mopidy": mopidy, "rhythmbox": rhythmbox, "audacious": audacious, "vlc": vlc,
    }  # fmt: skip
    opened = players[sys.argv[1]]()
    answers, sys.stdout = sys.stdout, sys.stderr  # players print, too
    for line in sys.stdin:
        print(json.dumps(opened(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
