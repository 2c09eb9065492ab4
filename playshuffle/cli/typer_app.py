"""Run command lines that are not plain with typer, which writes help and errors, too."""

import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Annotated, Any

import typer

from playshuffle import __version__
from playshuffle.cli.completion import PROGRAM_OPTIONS
from playshuffle.cli.help_layout import Command, Group
from playshuffle.cli.parameters import REQUIRED, Parameter, parameters
from playshuffle.cli.streams import fail, write_out
from playshuffle.cli.verbs import VERBS, commands_of, module_of
from playshuffle.errors import Exit

_HELP = {option.name: option.facts.help for option in PROGRAM_OPTIONS}

_EXAMPLES = """\b
Examples:
  playshuffle make ~/Music                  # writes ~/Music/playshuffle.m3u
  playshuffle make ~/Music --order spread   # artists far apart
  playshuffle deal ~/Music                  # 40 tracks a day, each track once
  playshuffle help orders                   # explains a topic
"""


def run(words: Sequence[str]) -> object:
    """Run a command line and return what its command returns, or the exit code of a usage error.

    Raises:
        KeyboardInterrupt: the user gave up.
    """
    try:
        return app(words)(words, prog_name="playshuffle", standalone_mode=False)
    except typer.Exit as exit_:
        return exit_.exit_code
    except typer.TyperException as error:
        from playshuffle.cli.usage_errors import usage_text

        return fail(usage_text(error, words), Exit.USAGE)
    except typer.Abort:
        raise KeyboardInterrupt from None


def app(words: Sequence[str], *, is_whole: bool = False) -> typer.Typer:
    """Build the command line, as far as these words need it.

    is_whole: import every command. Otherwise a command that is not named has only a name and a summary.
    """
    program = typer.Typer(
        cls=Group,
        help="Write shuffled playlists for any player: every track, exactly once.",
        epilog=_EXAMPLES,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.callback()(_common)
    named = next((word for word in words if not word.startswith("-")), None)
    for verb, (panel, summary) in VERBS.items():
        if not is_whole and verb != named:
            program.command(verb, cls=Command, help=summary, rich_help_panel=panel)(_unused)
            continue
        module = module_of(verb)
        if commands_of(module) is not None:
            program.add_typer(_group(module), name=verb, rich_help_panel=panel)
        else:
            command = for_typer(getattr(module, verb.replace("-", "_")))
            program.command(verb, cls=Command, epilog=module.EXAMPLES, rich_help_panel=panel)(command)
    return program


def _unused() -> None:
    """Take the place of a command that is not run."""


def _group(module: ModuleType) -> typer.Typer:
    """Build a command with subcommands; its help is the docstring of the module."""
    group = typer.Typer(cls=Group, help=module.__doc__, epilog=module.EXAMPLES)
    for name, command in (commands_of(module) or {}).items():
        group.command(name, cls=Command)(for_typer(command))
    return group


def for_typer(command: Callable[..., object]) -> Callable[..., object]:
    """Return a command with the signature that typer reads."""

    def run(**values: Any) -> object:
        return command(**values)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [_typed(parameter) for parameter in parameters(command)]
    )
    return run


def _typed(parameter: Parameter) -> inspect.Parameter:
    facts = parameter.facts
    if facts.is_argument:
        described = typer.Argument(metavar=facts.metavar, help=facts.help, show_default=False)
    else:
        described = typer.Option(
            *parameter.flags,
            metavar=facts.metavar,
            help=facts.help,
            rich_help_panel=facts.group,
            hidden=facts.is_hidden,
        )
    return inspect.Parameter(
        parameter.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if parameter.default is REQUIRED else parameter.default,
        annotation=Annotated[parameter.annotation, described],
    )


def _version(is_asked: bool) -> None:
    if is_asked:
        write_out([f"playshuffle {__version__}\n".encode()])
        raise typer.Exit


def _install_completion(shell: str | None) -> None:
    if shell is not None:
        from playshuffle.cli import completion_script

        completion_script.install(shell)
        raise typer.Exit


def _show_completion(shell: str | None) -> None:
    if shell is not None:
        from playshuffle.cli import completion_script

        write_out([completion_script.script(shell).encode()])
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help=_HELP["version"])
    ] = False,
    install_completion: Annotated[
        str | None,
        typer.Option(
            metavar="SHELL",
            callback=_install_completion,
            is_eager=True,
            help=_HELP["install_completion"],
        ),
    ] = None,
    show_completion: Annotated[
        str | None,
        typer.Option(
            metavar="SHELL", callback=_show_completion, is_eager=True, help=_HELP["show_completion"]
        ),
    ] = None,
) -> None:
    pass
