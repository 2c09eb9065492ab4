"""Name a playlist as MPD loads it."""

import os

from playshuffle.system import mpd_conf


def load_name(playlist: bytes) -> bytes | None:
    """Return the argument of `mpc load` for a playlist; None if it is outside MPD's folders.

    A stored playlist, always an .m3u, is loaded by its name without suffix. A playlist in the music
    folder is loaded by its path there.
    Without a configuration of MPD, the playlist's folder is assumed to be the music folder.
    """
    folder, name = os.path.split(os.path.realpath(playlist))
    conf = mpd_conf.read_if_possible()
    if conf is not None and conf.playlists is not None and os.path.realpath(conf.playlists) == folder:
        stem, suffix = os.path.splitext(name)
        return stem if suffix == b".m3u" else None
    if conf is None or conf.music is None:
        return name
    path, music = os.path.join(folder, name), os.path.join(os.path.realpath(conf.music), b"")
    return path.removeprefix(music) if path.startswith(music) else None
