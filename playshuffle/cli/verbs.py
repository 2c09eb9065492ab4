"""List the commands, and import the one that a command line names."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType

EVERYDAY, SERVICE, ABOUT, LAB = "Everyday commands", "Service", "About files and playlists", "Shuffle lab"

# The commands in the order of the help, each with its group and the first sentence of its docstring.
# Importing all modules for these sentences would take longer than most runs.
VERBS = {
    "make": (EVERYDAY, "Write a shuffled playlist of music folders."),
    "deal": (EVERYDAY, "Write some tracks, and others tomorrow."),
    "check": (EVERYDAY, "Check that the entries of a playlist work."),
    "status": (EVERYDAY, "Show folders, playlists and the service."),
    "help": (EVERYDAY, "Explain a topic or a command."),
    "demo": (EVERYDAY, "Try it on a small library of tones."),
    "config": (SERVICE, "Create, check or show the configuration."),
    "service": (SERVICE, "Install, remove or check the service."),
    "watch": (SERVICE, "Keep playlists up to date in the foreground."),
    "reshuffle": (SERVICE, "Shuffle configured playlists again."),
    "accept-missing": (SERVICE, "Remove the tracks of a missing drive."),
    "deck": (SERVICE, "Show, reset or forget decks."),
    "forget": (SERVICE, "Forget the saved order and deck of a file."),
    "tell": (SERVICE, "Replace the queue of a running player."),
    "orders": (ABOUT, "Show the orders and what they guarantee."),
    "players": (ABOUT, "Show how to use each player."),
    "why": (ABOUT, "Explain why files are in a playlist or not."),
    "tags": (ABOUT, "Show tags and their values for queries."),
    "duplicates": (ABOUT, "List copies of the same recording."),
    "plugin": (ABOUT, "Install shuffle orders in Quod Libet."),
    "audit": (LAB, "Measure an order or a playlist."),
    "trace": (LAB, "Show a shuffle step by step."),
}


def module_of(verb: str) -> ModuleType:
    """Import the module of a command."""
    return import_module(f"playshuffle.cli.{verb.replace('-', '_')}")


def commands_of(module: ModuleType) -> Mapping[str, Callable[..., object]] | None:
    """Return the subcommands of a command, its `VERBS`, by name; None if it has none."""
    verbs = getattr(module, "VERBS", None)
    return None if verbs is None else {command.__name__: command for command in verbs}


def command_of(words: Sequence[str]) -> tuple[Callable[..., object], Sequence[str]] | None:
    """Return the command that these words begin with, and the words after it; None if there is none."""
    if not words or words[0] not in VERBS:
        return None
    module = module_of(words[0])
    commands = commands_of(module)
    if commands is None:
        return getattr(module, words[0].replace("-", "_")), words[1:]
    if len(words) > 1 and words[1] in commands:
        return commands[words[1]], words[2:]
    return None
