"""Find the music folders to use if the command line names no folder."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from playshuffle.cli.screen import home_path
from playshuffle.config.build_request import absolute
from playshuffle.config.configuration import load_if_any
from playshuffle.config.example import music_folder
from playshuffle.errors import Exit, PlayshuffleError, shown

if TYPE_CHECKING:
    from playshuffle.history.sources import Source


def default_folders(config: str | None) -> "tuple[tuple[str, ...], str, tuple[Source, ...]]":
    """Return the folders of the configuration, else the music folder of the desktop.

    Return also a line that names them, and the configured play histories.

    Raises:
        PlayshuffleError: the configuration is wrong, or the music folder does not exist.
    """
    file = load_if_any(config)
    if file is not None and file.path is not None:
        roots = dict.fromkeys(root for wanted in file.playlists for root in wanted.request.roots)
        names = ", ".join(map(home_path, roots))
        return (
            tuple(map(os.fsdecode, roots)),
            f"Folders: {names} (from {home_path(file.path)})",
            tuple(dict.fromkeys(source for wanted in file.playlists for source in wanted.request.history)),
        )

    folder = os.path.expanduser(music_folder())
    if not os.path.isdir(folder):
        raise PlayshuffleError(
            f"No music folder was named, and {home_path(folder)} does not exist. Name one, such as"
            " playshuffle make /path/to/music"
        )
    return (folder,), f"Folder: {home_path(folder)} (the music folder of the desktop)", ()


def music_folders(
    folders: Sequence[str], config: str | None
) -> tuple[tuple[bytes, ...], "tuple[Source, ...]"]:
    """Return the named folders; if none is named, the default folders and the configured play histories.

    Raises:
        PlayshuffleError: a name is not that of a folder, or no default folder exists.
    """
    if not folders:
        default, _, histories = default_folders(config)
        return tuple(map(os.fsencode, default)), histories
    roots = tuple(absolute(folder) for folder in folders)
    for root in roots:
        if not os.path.isdir(root):
            raise PlayshuffleError(f"{shown(root)} is not a folder. Name a music folder.", Exit.NO_INPUT)
    return roots, ()
