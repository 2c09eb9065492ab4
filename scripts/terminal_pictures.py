"""Draw terminal pictures for the pages from real output: `python -m scripts.terminal_pictures`.

Needs rich, which typer brings. The commands run in an empty home, on the library of `playshuffle demo`.
"""

import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

CHECKOUT = Path(__file__).parents[1]
PICTURES = {"demo": "playshuffle demo"}
_COLUMNS, _LINES = 80, 18


def output(command: str) -> str:
    """Run a command on a terminal of 80 columns in an empty home, and return what it prints."""
    with tempfile.TemporaryDirectory() as home:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PLAYSHUFFLE_"))
        }
        ours, theirs = pty.openpty()
        env = {
            **kept,
            "HOME": home,
            "TERM": "xterm-256color",
            "COLUMNS": str(_COLUMNS),
            "PYTHONPATH": str(CHECKOUT),
        }
        words = command.replace("playshuffle", f"{sys.executable} -m playshuffle", 1).split()
        done = subprocess.Popen(words, cwd=home, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        text = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        if done.wait() != 0:
            raise SystemExit(f"{command} failed: {text.decode()}")
    plain = text.decode().replace("\r\n", "\n").replace(home, "~")
    return re.sub(r".*\r", "", plain)  # a progress bar that was overwritten


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""


def draw(command: str) -> str:
    """Return an SVG of a terminal in which the command was run; the middle of a long output is omitted."""
    lines = output(command).rstrip("\n").split("\n")
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 8], "  \N{VERTICAL ELLIPSIS}", *lines[-7:]]
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False)
    console.print(Text(f"$ {command}", style="bold"))
    for line in lines:
        console.print(Text.from_ansi(line))
    svg = console.export_svg(title="", unique_id="playshuffle")
    # No fonts from the network: the viewer's own monospace font.
    svg = re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # or librsvg joins the spaces of columns
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def main() -> None:
    """Write each picture to docs/pictures."""
    for name, command in PICTURES.items():
        (CHECKOUT / f"docs/pictures/{name}.svg").write_text(draw(command))


if __name__ == "__main__":
    main()
