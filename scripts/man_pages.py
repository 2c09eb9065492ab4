"""Write the man pages: playshuffle(1), one for each command, and playshuffle.toml(5).

`python -m scripts.man_pages FOLDER` writes them. The build of a package runs it.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from playshuffle import __version__
from playshuffle.options.help_groups import GROUPS
from scripts.command_tree import Command, Option, commands
from scripts.facts import ENVIRONMENT, EXIT_CODES, FILES, KEYS_OF_ALL, PLAYER_KEYS, Key, playlist_keys

_ESCAPES = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "~": r"\(ti", "^": r"\(ha"})


def man_pages() -> Iterator[tuple[str, str]]:
    """Return the path below the folder of man pages, and the text of each page."""
    known = list(commands())
    names = [page_name(command) for command in known]
    for command in known:
        name = page_name(command)
        others = [f"{other}(1)" for other in names if other != name and _is_near(name, other)]
        yield f"man1/{name}.1", _command_page(command, [*others, "playshuffle.toml(5)"])
    yield "man5/playshuffle.toml.5", _configuration_page()


def page_name(command: Command) -> str:
    """Return the name of a command's page, such as `playshuffle-deck-show`."""
    return "-".join(("playshuffle", *command.words))


def _is_near(name: str, other: str) -> bool:
    return other == "playshuffle" or other.startswith(f"{name}-") or name.startswith(f"{other}-")


def _command_page(command: Command, see_also: Sequence[str]) -> str:
    name = _roff(page_name(command))
    summary = command.help.partition(". ")[0].rstrip(".")
    lines = [_title(page_name(command), 1), ".SH NAME", f"{name} \\- {_roff(summary)}"]
    lines += [".SH SYNOPSIS", f".B {_roff(command.name)}", _synopsis(command)]
    lines += [".SH DESCRIPTION", _sentence(_roff(command.help)), *_commands(command), *_options(command)]
    if not command.words:
        lines += [*_table("EXIT STATUS", EXIT_CODES), *_table("FILES", FILES)]
        lines += _table("ENVIRONMENT", ENVIRONMENT)
    elif not command.children:
        lines += [".SH EXIT STATUS", "0 if done. All exit codes are listed in", ".BR playshuffle (1)."]
    if command.examples:
        lines += [".SH EXAMPLES", ".nf", *(_roff(line) for line in command.examples), ".fi"]
    return "\n".join([*lines, *_see_also(see_also)]) + "\n"


def _commands(command: Command) -> list[str]:
    lines = [".SH COMMANDS"] if command.children else []
    for child in command.children:
        lines += [".TP", f".BR {_roff('-'.join((page_name(command), child)))} (1)"]
        lines.append(f"The command {_roff(f'{command.name} {child}')}.")
    return lines


def _options(command: Command) -> list[str]:
    """Write the arguments, then the options in their groups."""
    arguments = [option for option in command.options if option.is_argument]
    options = [option for option in command.options if not option.is_argument]
    lines = [".SH ARGUMENTS"] if arguments else []
    lines += [line for option in arguments for line in _paragraph(option)]
    lines += [".SH OPTIONS"] if options else []
    groups = dict.fromkeys(option.group for option in options)
    for group in sorted(groups, key=lambda group: GROUPS.index(group) if group in GROUPS else -1):
        lines += [f".SS {_roff(group)}"] if group and group != "Options" else []
        lines += [line for option in options if option.group == group for line in _paragraph(option)]
    return lines


def _configuration_page() -> str:
    lines = [
        _title("playshuffle.toml", 5),
        ".SH NAME",
        r"playshuffle.toml \- configuration of playshuffle",
        ".SH DESCRIPTION",
        "A file in TOML lists the playlists that the service manages and deals.",
        "It is the file given by",
        r".BR \-\-config ,",
        "else by",
        ".BR $PLAYSHUFFLE_CONFIG ,",
        "else",
        r".IR \(ti/.config/playshuffle/config.toml ,",
        "else",
        ".IR /etc/playshuffle/config.toml .",
        ".PP",
        "Keys of all playlists come first.",
        "Each playlist is a table",
        ".RB [playlist. NAME ].",
        "A path may begin with",
        r".BR \(ti .",
        "A relative path starts at the folder of the configuration.",
        ".SH KEYS OF ALL PLAYLISTS",
        *(line for key in KEYS_OF_ALL for line in _key(key)),
        ".SH KEYS OF ONE PLAYLIST",
        *(line for key in playlist_keys() for line in _key(key)),
        ".SH KEYS OF A PLAYER",
        "A table",
        ".RB [player. NAME ]",
        "is a player for the key",
        ".B for",
        "and the option",
        r".BR \-\-for .",
        "A key that is not given is as in the player that it is like.",
        *(line for key in PLAYER_KEYS for line in _key(key)),
        ".SH EXAMPLE",
        ".nf",
        r'folders = ["\(ti/Music"]',
        ".PP",
        "[playlist.everything]",
        ".PP",
        "[playlist.calm]",
        'order = "spread"',
        'time = "3h"',
        ".fi",
    ]
    return "\n".join([*lines, *_see_also(["playshuffle(1)", "playshuffle-config(1)"])]) + "\n"


def _title(name: str, section: int) -> str:
    return f'.TH "{_roff(name.upper())}" {section} "" "playshuffle {__version__}" "playshuffle manual"'


def _synopsis(command: Command) -> str:
    parts = ["COMMAND"] if command.children else []
    if any(not option.is_argument for option in command.options):
        parts.append("[OPTION]...")
    parts += [option.metavar.strip("{}") for option in command.options if option.is_argument]
    return _roff(" ".join(parts)) or ".br"


def _paragraph(option: Option) -> list[str]:
    spellings = ", ".join(rf"\fB{_roff(spelling)}\fR" for spelling in option.spellings)
    head = f"{spellings} " if spellings else ""
    head += rf"\fI{_roff(option.metavar)}\fR" if option.metavar else ""
    default = f". Default: {option.default}." if option.default else ""
    return [".TP", head.rstrip(), _sentence(_roff(option.help + default))]


def _key(key: Key) -> list[str]:
    default = f" Default: {key.default}." if key.default else ""
    return [
        ".TP",
        rf"\fB{_roff(key.name)}\fR = {_roff(key.example)}",
        _sentence(_roff(key.meaning + default)),
    ]


def _table(title: str, rows: Sequence[tuple[object, str]]) -> list[str]:
    lines = [f".SH {title}"]
    for name, meaning in rows:
        lines += [".TP", rf"\fB{_roff(str(name))}\fR", _sentence(_roff(meaning))]
    return lines


def _see_also(names: Sequence[str]) -> list[str]:
    pages = [name.partition("(") for name in names]
    return [".SH SEE ALSO", *(f".BR {_roff(page)} ({number}" for page, _, number in pages)]


def _roff(text: str) -> str:
    return text.translate(_ESCAPES).replace("\N{HORIZONTAL ELLIPSIS}", "...")


def _sentence(text: str) -> str:
    """Protect a line that would begin with a control character of roff."""
    return rf"\&{text}" if text.startswith((".", r"\(aq")) else text


def main(folder: Path) -> None:
    """Write all pages below a folder."""
    for name, text in man_pages():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
