"""List the folders that the service must be able to write to."""

import os
from collections.abc import Iterator

from playshuffle.config.model import Config
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.install import units
from playshuffle.system import atomic_file
from playshuffle.system.xdg import cache_folder, config_home, data_home, state_folder


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
    requests = [playlist.request for playlist in config.playlists]
    read = [path for request in requests for path in (*request.roots, *request.skip_lists)]
    read += [source.path for request in requests for source in request.history]
    return units.WritableFolders(state, tuple(dict.fromkeys([cache, *folders])), tuple(dict.fromkeys(read)))


def open_lists(config: Config, program: units.Program) -> list[bytes]:
    """Return the files in whose folders the service could change what this user runs, such as the home."""
    home, settings, data = os.path.realpath(os.path.expanduser(b"~")), config_home(), data_home()
    places = [os.path.join(home, name) for name in (b".local/bin", b"bin")]
    places += [os.path.join(settings, name) for name in (b"systemd", b"autostart")]
    places += [os.path.join(data, name) for name in (b"systemd", b"applications")]
    above = [home, *places, *map(os.fsencode, program.folders)]
    return [
        path
        for path in _outputs(config)
        for folder in [os.path.realpath(os.path.dirname(path))]
        if any(units.is_in(os.path.realpath(place), folder) for place in above)
        or any(units.is_in(folder, os.path.realpath(place)) for place in places)
    ]


def open_list_advice(path: bytes) -> str:
    """Return the reason and the remedy for a list of `open_lists`."""
    own = os.path.join(b"~/Playlists", os.path.basename(path))
    return (
        f"{shown(path)} is in a folder with programs or settings, so the service may change them, too. To"
        f" prevent that, write it to a folder of its own, such as {shown(own)}."
    )


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
