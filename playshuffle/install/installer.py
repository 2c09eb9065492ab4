"""Install and remove the systemd units of the service, and report each change."""

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.install import systemctl, units
from playshuffle.system import atomic_file
from playshuffle.system.xdg import config_home

_SEE = "to see why: journalctl --user -u playshuffle"


def install(unit_texts: Mapping[str, str | None], starts: Mapping[str, bool]) -> Iterator[str]:
    """Write units and start some of them; yield a line for each change. A second call changes nothing.

    Args:
        starts: for each unit, whether it is started or stopped.

    Raises:
        PlayshuffleError: an existing unit is not from playshuffle, or a unit does not start.
    """
    folder = unit_folder()
    paths = {name: os.path.join(folder, name) for name in unit_texts}
    for path in paths.values():
        _check_ours(path)
    changed = [name for name, text in unit_texts.items() if _write_or_remove(paths[name], text)]
    for name in changed:
        yield f"{'removed' if unit_texts[name] is None else 'wrote'} {shown(paths[name])}"
    if not changed:
        yield f"all units in {shown(folder)} are up to date"
    if not systemctl.is_there():
        unit = next(iter(starts))
        commands = {units.LISTEN: "listen", units.ENDLESS: "tell mpd LIST --endless"}
        yield systemctl.instead(commands.get(unit, "watch"))
        yield f"If your next login has one: systemctl --user enable --now {unit}"
        return
    if any(name.endswith(".conf") and unit_texts[name] is not None for name in unit_texts):
        yield "this system does not allow a sandbox for files in a user's service; system calls and the"
        yield "network are limited. To allow it, install again after"
        yield "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    _order("daemon-reload")
    for unit, is_wanted in starts.items():
        if is_wanted:
            yield from _run(unit, is_changed=bool(changed))
        elif systemctl.ask("is-enabled", unit).code == 0:
            _order("disable", "--now", unit)
            yield f"stopped and disabled {unit}: no playlist has tell"
    yield from _linger()


def uninstall() -> Iterator[str]:
    """Stop the service and remove its units; yield a line for each change.

    Playlists, state and configuration stay.
    """
    folder = unit_folder()
    paths = {name: os.path.join(folder, name) for name in units.NAMES}
    present = [name for name, path in paths.items() if os.path.lexists(path)]
    own_units = [name for name in present if is_ours(paths[name])]
    if main_units := [name for name in own_units if not name.endswith(".conf")]:
        if systemctl.is_there():
            _order("disable", "--now", *main_units)
            yield f"stopped and disabled {', '.join(main_units)}"
        else:
            for name in main_units:
                _forget_enabled(folder, name)
            yield "no systemd for this user in this session; a service that runs is not stopped"
    for name in own_units:
        _write_or_remove(paths[name], None)
        yield f"removed {shown(paths[name])}"
    for name in present:
        if name not in own_units:
            yield f"kept {shown(paths[name])}: it was not written by playshuffle service install"
    if not own_units:
        yield "the service is not installed"
    elif systemctl.is_there():
        _order("daemon-reload")
    yield "playlists, configuration and saved orders were not changed"


def unit_folder() -> str:
    """Return the folder of this user's units."""
    return os.path.join(os.fsdecode(config_home()), "systemd/user")


def _run(unit: str, *, is_changed: bool) -> Iterator[str]:
    # A service that is still starting has the old units, too.
    was_up = systemctl.show(unit, "ActiveState")["ActiveState"] in {"active", "activating", "reloading"}
    _order("enable", unit)
    verb = "restart" if was_up and is_changed else "start"
    if systemctl.ask(verb, unit).code != 0:
        raise PlayshuffleError(f"{unit} is enabled, but does not start. {_SEE.capitalize()}", Exit.LOSSES)
    yield f"{unit} is enabled and {'runs' if was_up and not is_changed else f'was {verb}ed'}"


def _linger() -> Iterator[str]:
    lingers = systemctl.lingers()
    if lingers:
        yield "linger: on; the service runs without a login session, too"
    elif lingers is False:
        yield "linger: off; the service runs only while you are logged in"
        yield "to run it always: sudo loginctl enable-linger $USER"


def _order(*words: str) -> None:
    answer = systemctl.ask(*words)
    if answer.code != 0:
        raise PlayshuffleError(
            f"systemctl --user {' '.join(words)} failed: {shown(answer.text)}.", Exit.CANNOT_CREATE
        )


def _check_ours(path: str) -> None:
    if os.path.lexists(path) and not is_ours(path):
        raise PlayshuffleError(
            f"{shown(path)} was not written by playshuffle service install. Nothing was changed."
            " Move the file and try again.",
            Exit.CANNOT_CREATE,
        )


def is_ours(path: str) -> bool:
    """Return whether a unit was written by `install`."""
    return (unit_content(path) or "").startswith(units.MARK)


def unit_content(path: str) -> str | None:
    """Return the content of a regular file, None for anything else."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def _write_or_remove(path: str, text: str | None) -> bool:
    if unit_content(path) == text:
        return False
    if text is not None:
        atomic_file.make_folder_for(os.fsencode(path))
        return atomic_file.write(os.fsencode(path), [text.encode()])
    atomic_file.remove(os.fsencode(path))
    if path.endswith(".conf"):
        with contextlib.suppress(OSError):  # other drop-ins may be in it
            os.rmdir(os.path.dirname(path))
    return True


def _forget_enabled(folder: str, unit: str) -> None:
    link = os.path.join(folder, "default.target.wants", unit)
    if os.path.islink(link):
        os.unlink(link)
