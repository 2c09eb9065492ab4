"""Fill in the shipped unit files for this user: program, folders and environment."""

import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import AnyStr, NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.store.to_tell import WAITING

MARK = (
    "# Made by `playshuffle service install`, which replaces it; your own changes: `systemctl --user edit`.\n"
)

SERVICE = "playshuffle.service"
TELL_PATH = "playshuffle-tell.path"
_TELL = "playshuffle-tell.service"
LISTEN = "playshuffle-listen.service"
ENDLESS = "playshuffle-endless.service"
_SERVICES = (SERVICE, _TELL, LISTEN, ENDLESS)
_WITHOUT = "playshuffle-sandbox-off.conf"
# All files that may be installed, by path below the folder of units.
NAMES = (TELL_PATH, *_SERVICES, *(f"{name}.d/{_WITHOUT}" for name in _SERVICES))

_SHIPPED_PROGRAM = "ExecStart=%h/.local/bin/playshuffle "
HIDDEN = ("/tmp", "/var/tmp")  # noqa: S108 - nothing is written there
_PLACES = (
    *("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_MUSIC_DIR"),
    *("PLAYSHUFFLE_CONFIG", "BEETSDIR"),
)


class Program(NamedTuple):
    """The command that starts the program, and the folders that it needs."""

    words: tuple[str, ...]
    folders: tuple[str, ...]


class WritableFolders(NamedTuple):
    """Folders that the service writes to. The service cannot start without the state folder.

    Attributes:
        read: files and folders that must not be hidden.
    """

    state: bytes
    others: tuple[bytes, ...]
    read: tuple[bytes, ...] = ()


def program() -> Program:
    """Return the command that starts this program in a service.

    The returned folders have the script, the interpreter and all modules: pipx and uv keep them in the home.
    """
    beside = os.path.join(sysconfig.get_path("scripts"), "playshuffle")
    called = os.path.abspath(sys.argv[0])
    script = next((path for path in (called, beside) if _is_script(path)), None)
    # -P: not from the current folder, which is the home.
    words = (sys.executable, "-P", "-m", "playshuffle") if script is None else (script,)
    places = [os.path.dirname(words[0]), os.path.dirname(os.path.realpath(words[0]))]
    places += [sys.prefix, sys.base_prefix, os.path.dirname(os.path.realpath(sys.executable))]
    cached = next(filter(_is_cached, places), None)
    if cached is not None:
        raise PlayshuffleError(
            f"The program is in a cache, {shown(cached)}. The service would stop when that is emptied."
            " Install it first, in a clone: pipx install . or uv tool install . Then run playshuffle service"
            " install again.",
            Exit.CONFIG,
        )
    for hidden in HIDDEN:
        if any(is_in(place, hidden) for place in places):
            raise PlayshuffleError(
                f"The program is installed below {hidden}, where a service cannot see it. Install it in"
                " another folder.",
                Exit.CONFIG,
            )
    return Program(words, tuple(dict.fromkeys(places)))


def rendered(
    program: Program, folders: WritableFolders, environment: Mapping[str, str], *, sandboxed: bool
) -> dict[str, str | None]:
    """Map the path of each unit file below the folder of units to its text; None if it must not exist.

    Args:
        folders: the writable ones; a unit omits those that it cannot name.
        environment: variables that name folders or the configuration are written into the units.

    Raises:
        PlayshuffleError: a unit cannot name the path of the program or the state.
    """
    state = _fit(os.fsdecode(folders.state))
    waiting = [f"DirectoryNotEmpty={state.replace('%', '%%')}/{name}" for name in WAITING]
    return {
        TELL_PATH: MARK + _filled(shipped(TELL_PATH), {"DirectoryNotEmpty": waiting}, ()),
        **rendered_service(SERVICE, program, folders, environment, sandboxed=sandboxed),
        # The unit that updates players writes no playlist.
        **rendered_service(_TELL, program, folders._replace(others=()), environment, sandboxed=sandboxed),
    }


def rendered_service(
    name: str, program: Program, folders: WritableFolders, environment: Mapping[str, str], *, sandboxed: bool
) -> dict[str, str | None]:
    """Return the files of one unit, as `rendered` does."""
    state = _fit(os.fsdecode(folders.state))
    other_folders = [path for path in map(os.fsdecode, folders.others) if is_fit(path)]
    # Otherwise the program could not start if a playlist is written beside it.
    closed = [
        path for path in (state, *other_folders) if not any(is_in(own, path) for own in program.folders)
    ]
    lines = {
        "ExecStart": [f"ExecStart={_command(program)} "],
        "ConditionFileIsExecutable": [
            f"ConditionFileIsExecutable={path.replace('%', '%%')}"
            for path in dict.fromkeys([program.words[0], sys.executable])
        ],
        "ReadWritePaths": [f"ReadWritePaths={quoted(state)}"]
        + [f"ReadWritePaths={quoted(f'-{path}')}" for path in other_folders],
        "NoExecPaths": [f"NoExecPaths={quoted(f'-{path}')}" for path in closed]
        + ["NoExecPaths=-/tmp -/var/tmp -/dev/shm"],
    }
    variables = [
        f"Environment={quoted(f'{key}={environment[key]}')}"
        for key in _PLACES
        if environment.get(key, "").startswith("/") and is_fit(environment[key])
    ]
    home, read = os.path.expanduser("~"), list(map(os.fsdecode, folders.read))
    unit = _without(shipped(name), "ReadOnlyPaths", home, other_folders.__contains__)
    unit = _without(unit, "InaccessiblePaths", home, lambda path: any(is_in(folder, path) for folder in read))
    return {
        name: MARK + _filled(unit, lines, variables),
        f"{name}.d/{_WITHOUT}": None if sandboxed else MARK + shipped(_WITHOUT),
    }


def rendered_endless(
    word: str, program: Program, folders: WritableFolders, environment: Mapping[str, str], *, sandboxed: bool
) -> dict[str, str | None]:
    """Return the files of the unit that feeds MPD from a list: like those of the unit that listens to MPD."""
    files = rendered_service(LISTEN, program, folders, environment, sandboxed=sandboxed)
    for old, new in (
        (" listen\n", f" tell mpd {quoted(_fit(word))} --endless\n"),
        ("Record of played and skipped tracks", "Endless queue of MPD"),
        ("man:playshuffle-listen", "man:playshuffle-tell"),
        ("MemoryMax=256M", "MemoryMax=1G"),
    ):
        files = {name: None if text is None else text.replace(old, new) for name, text in files.items()}
    return {name.replace(LISTEN, ENDLESS): text for name, text in files.items()}


def shipped(name: str) -> str:
    """Return the text of a unit file that comes with the program."""
    package = os.path.dirname(os.path.dirname(__file__))
    for folder in (f"{package}/systemd", f"{package}/../systemd"):  # installed, or in a checkout
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise PlayshuffleError(
        f"This installation lacks the unit file {name}. Install playshuffle again.", Exit.NO_INPUT
    )


def is_fit(path: str) -> bool:
    """Return whether systemd can read a path in a unit: only UTF-8 without control characters."""
    return path.isprintable() or not any(
        ord(character) < 0x20 or ord(character) == 0x7F or 0xD800 <= ord(character) <= 0xDFFF
        for character in path
    )


def quoted(text: str) -> str:
    """Return a text quoted as one word of a unit file."""
    for character, escaped in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%")):
        text = text.replace(character, escaped)
    return f'"{text}"'


def _without(unit: str, key: str, home: str, is_unwanted: Callable[[str], bool]) -> str:
    """Return a unit without some paths in the lines of a key."""

    def kept(line: re.Match[str]) -> str:
        words = line[1].split()
        words = [word for word in words if not is_unwanted(word.lstrip("-").replace("%h", home))]
        return f"{key}={' '.join(words)}" if words else "#"  # an empty value would remove all others

    return re.sub(rf"(?m)^{key}=(.*)$", kept, unit)


def _filled(unit: str, lines: Mapping[str, Sequence[str]], variables: Iterable[str]) -> str:
    filled: list[str] = []
    written_keys = set()
    for line in unit.splitlines():
        key = line.partition("=")[0]
        if line.startswith(_SHIPPED_PROGRAM):
            filled += [*variables, lines[key][0] + line.removeprefix(_SHIPPED_PROGRAM)]
        elif key not in lines:
            filled.append(line)
        elif key not in written_keys:
            written_keys.add(key)
            filled += lines[key]
    return "\n".join(filled) + "\n"


def _command(program: Program) -> str:
    words = [_fit(word) for word in program.words]
    if set(words[0]) & set("\"'\\"):  # systemd accepts them in an argument, not in the name of a program
        words.insert(0, "env")
    # The colon turns off variables: a $ is a $.
    return ":" + " ".join(map(quoted, words))


def _is_cached(path: str) -> bool:
    caches = [os.environ.get(name, "") for name in ("UV_CACHE_DIR", "XDG_CACHE_HOME")]
    return ".cache" in path.split("/") or any(
        cache.startswith("/") and is_in(path, os.path.normpath(cache)) for cache in caches
    )


def is_in(path: AnyStr, folder: AnyStr) -> bool:
    """Return whether a path is a folder or below it."""
    return os.path.commonpath([path, folder]) == folder


def _fit(path: str) -> str:
    if not is_fit(path):
        raise PlayshuffleError(
            f"'{shown(path)}' has characters that a systemd unit cannot contain. Rename it or choose another"
            " folder.",
            Exit.CONFIG,
        )
    return path


def _is_script(path: str) -> bool:
    return os.path.basename(path) == "playshuffle" and os.path.isfile(path) and os.access(path, os.X_OK)
