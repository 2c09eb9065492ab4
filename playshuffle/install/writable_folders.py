"""List the folders that the service must be able to write to."""

import os
from collections.abc import Iterator

from playshuffle.config.model import Config
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.install import units
from playshuffle.system import atomic_file
from playshuffle.system.xdg import cache_folder, state_folder


def writable_folders(config: Config, *, make: bool = True) -> units.WritableFolders:
    """Return the folders that the service writes to.

    With `make`, create the state folder, without which the service does not start.
    """
    try:
        state = state_folder(make=make)
        cache = cache_folder(make=False)
    except OSError as error:
        raise PlayshuffleError(
            f"Orders cannot be saved: {error.strerror}. Set XDG_STATE_HOME to a folder.", Exit.CANNOT_CREATE
        ) from error
    # The target of a link is replaced; or the link itself, if its target has changed by then.
    folders = [
        os.path.dirname(path)
        for output_ in _outputs(config)
        for path in (output_, atomic_file.resolved(output_))
    ]
    return units.WritableFolders(state, tuple(dict.fromkeys([cache, *folders])))


def doubts(config: Config) -> Iterator[str]:
    """Yield a message with advice for each folder that the service cannot read or write."""
    for path in dict.fromkeys(map(os.path.dirname, _outputs(config))):
        if not units.is_fit(os.fsdecode(path)):
            yield f"{shown(path)} cannot be named in a unit of systemd. Write playlists to another folder."
        elif not os.path.isdir(path):
            yield f"{shown(path)} does not exist. Create it, or mount its drive, and restart the service."
    for path in dict.fromkeys(
        [*(root for w in config.playlists for root in w.request.roots), *_outputs(config)]
    ):
        for hidden in units.HIDDEN:
            if path.startswith(os.fsencode(hidden) + b"/"):
                yield f"The service cannot see {shown(path)}: its {hidden} is its own. Use another folder."


def _outputs(config: Config) -> list[bytes]:
    lists = [playlist.output for playlist in config.playlists]
    return lists if config.page is None else [*lists, config.page]
