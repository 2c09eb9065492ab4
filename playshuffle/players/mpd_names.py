"""Name a playlist as MPD loads it."""

import os

from playshuffle.system.mpd_conf import MpdConf


def load_name(playlist: bytes, conf: MpdConf | None) -> bytes | None:
    """Return the argument of `mpc load` for a playlist; None if it is outside MPD's folders.

    A stored playlist, always an .m3u, is loaded by its name without suffix; one in the music folder by its
    path there. Without `conf`, the playlist's folder counts as the music folder.
    """
    folder, name = os.path.split(os.path.realpath(playlist))
    if conf is not None and conf.playlists is not None and os.path.realpath(conf.playlists) == folder:
        stem, suffix = os.path.splitext(name)
        return stem if suffix == b".m3u" else None
    if conf is None or conf.music is None:
        return name
    path, music = os.path.join(folder, name), os.path.join(os.path.realpath(conf.music), b"")
    return path.removeprefix(music) if path.startswith(music) else None
