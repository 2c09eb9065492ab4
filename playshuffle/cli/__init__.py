"""Words in, lines out: the command line, a module for each verb, and the one place that catches errors."""

import sys
from typing import Annotated

import typer

from playshuffle import __version__
from playshuffle.cli import audit, make, orders, trace
from playshuffle.cli.streams import say, write_out
from playshuffle.errors import Exit, PlayshuffleError, shown

app = typer.Typer(
    help="Turn folders of music into playlists that play every track once.",
    epilog=make.EXAMPLES,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=make.EXAMPLES)(make.make)
app.command(epilog=orders.EXAMPLES)(orders.orders)
app.command(epilog=audit.EXAMPLES)(audit.audit)
app.command(epilog=trace.EXAMPLES)(trace.trace)


def main() -> int:
    """Run the command line; the exit code."""
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="playshuffle", standalone_mode=False)
    except PlayshuffleError as error:
        return _fail(str(error), error.code)
    except typer.Exit as exit_:
        return exit_.exit_code
    except typer.TyperException as error:
        return _fail(f"{shown(error.format_message()).rstrip('.')}; see --help.", Exit.USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return Exit.INTERRUPTED
    # A verb returns its code, or None; typer itself turns Ctrl-C into 130.
    return Exit.DONE if code is None else int(code)


def _fail(text: str, code: int) -> int:
    say([f"playshuffle: {text}"])
    return code


def _version(wanted: bool) -> None:
    if wanted:
        write_out([f"playshuffle {__version__}\n".encode()])
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
