"""Draw the terminal of the README from real runs: `python -m scripts.terminal_pictures`.

The commands run in an empty home on the music of `playshuffle demo`, the last one beside a running service.
The picture moves by CSS alone. Without motion, it shows all commands and their output.

Needs rich, which typer brings.
"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from rich.console import Console
from rich.text import Text

from playshuffle.demo.tones import write_library

CHECKOUT = Path(__file__).parents[1]
PICTURE = CHECKOUT / "docs/pictures/terminal.svg"
COMMANDS = (
    "playshuffle make ~/Music --order spread",
    "playshuffle make ~/Music --where genre:ambient -o calm.m3u",
    "playshuffle why 'Music/Saw Tooth/Edges/01 Ramp.wav'",
    "playshuffle status",
)
_CONSOLE = Console()
_COLUMNS = 80
# Seconds: of the whole picture, for each typed character, and from a result to the next command.
_LENGTH_S, _TYPE_S, _READ_S = 15.0, 0.03, 2.1
_FIRST_S = -12.0  # the first picture is the complete terminal, for readers who do not wait
_WIDTH, _HEIGHT, _LEFT, _TOP = 8.4, 19, 18, 34  # of a character and of the margins, in pixels
_COLOURS = ("dim", "red", "green", "yellow", "blue", "blue", "cyan", "dim")  # of ANSI, by number
_LIGHT = {"text": "#1f2328", "dim": "#59636e", "green": "#116329", "yellow": "#7d4e00", "red": "#cf222e"}
_LIGHT |= {"cyan": "#1b7c83", "blue": "#0969da", "cover": "#f6f8fa"}
_DARK = {"text": "#e6edf3", "dim": "#9198a1", "green": "#3fb950", "yellow": "#d29922", "red": "#ff7b72"}
_DARK |= {"cyan": "#39c5cf", "blue": "#58a6ff", "cover": "#0d1117"}


def _fills(colours: dict[str, str]) -> str:
    return "".join(f".{name}{{fill:{colour}}}" for name, colour in colours.items())


_STYLE = f"""\
svg{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}}
.strong{{font-weight:bold}}.typed{{opacity:0}}.back{{stroke:#808080;stroke-opacity:.4}}
{_fills(_LIGHT)}
@media (prefers-color-scheme:dark){{{_fills(_DARK)}}}
@media (prefers-reduced-motion:reduce){{*{{animation:none!important}}}}
"""


def outputs() -> Iterator[str]:
    """Run the commands in a home, and return what each prints on a terminal."""
    with tempfile.TemporaryDirectory() as home:
        program = Path(home) / "bin/playshuffle"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m playshuffle "$@"\n')
        program.chmod(0o755)
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PLAYSHUFFLE_"))
        }
        env = {
            **kept,
            "HOME": home,
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(CHECKOUT),
        }
        write_library(f"{home}/Music")
        for command in COMMANDS[:-1]:
            yield _run(command, home, env)
        _run("playshuffle make calm --save calm; playshuffle make playshuffle --save all", home, env)
        service = subprocess.Popen(
            [program, "watch"], cwd=home, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            while (text := _run(COMMANDS[-1], home, env)).count("  managed") < 2:
                time.sleep(0.2)
        finally:
            service.terminate()
            service.wait()
        yield text


def _run(command: str, home: str, env: dict[str, str]) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, _COLUMNS, 0, 0))
    done = subprocess.Popen(
        ["bash", "-c", command], cwd=home, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    text = b"".join(iter(lambda: _read(ours), b"")).decode()
    os.close(ours)
    done.wait()
    lines = text.replace("\r\n", "\n").replace(home, "/home/ann").split("\n")
    return "\n".join(line.rpartition("\r")[2] for line in lines).rstrip("\n")  # without a progress bar


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""


def draw(commands: Sequence[str], results: Sequence[str]) -> str:
    """Return the picture: each command is typed, then its result appears."""
    body, style, row, now = [], [_STYLE], 0, 0.4
    for number, (command, result) in enumerate(zip(commands, results, strict=True)):
        typed = now + _TYPE_S * len(command)
        width = _WIDTH * len(command)
        body.append(f'<g class="a{number}">')
        body.extend(_line(row, Text.assemble(("$ ", "green"), (command, "bold"))))
        box = f'x="{_LEFT + 2 * _WIDTH:g}" y="{_y(row) - 14}" width="{width:g}" height="{_HEIGHT}"'
        body.append(f'<rect class="cover typed b{number}" {box}/>')
        body.append(f'</g><g class="c{number}">')
        row += 1
        for line in result.split("\n"):
            body.extend(_line(row, Text.from_ansi(line)))
            row += 1
        body.append("</g>")
        row += 1
        style += [
            _shown(f"a{number}", now) if number else "",
            _shown(f"c{number}", typed + 0.2),
            _typed(f"b{number}", now, typed, len(command), width),
        ]
        now = typed + _READ_S
    if now > _LENGTH_S:
        raise SystemExit(f"the picture needs {now:.1f} seconds")
    width, height = _COLUMNS * _WIDTH + 2 * _LEFT, row * _HEIGHT + _TOP
    box = f'x=".5" y=".5" width="{width - 1:g}" height="{height - 1}" rx="8"'
    words = "A terminal: " + ", ".join(escape(command) for command in commands)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" role="img"'
        f' viewBox="0 0 {width:g} {height}" width="{width:g}"><title>{words}</title>\n'
        f"<style>\n{''.join(style)}</style>\n"
        f'<rect class="cover" {box}/>\n'
        + "\n".join(body)
        + f'\n<rect class="back" fill="none" {box}/>\n</svg>\n'  # over what hides untyped words
    )


def _line(row: int, text: Text) -> Iterator[str]:
    """Return the pieces of a line, each in one style, at their columns."""
    for start, end in _pieces(text):
        piece = text.plain[start:end]
        style = text.get_style_at_offset(_CONSOLE, start)
        names = ["dim" if style.dim else "text"]
        if style.color and style.color.number:
            names = [_COLOURS[style.color.number % 8]]
        names += ["strong"] * bool(style.bold)
        place = f'x="{_LEFT + start * _WIDTH:g}" y="{_y(row)}" textLength="{len(piece) * _WIDTH:g}"'
        yield f'<text class="{" ".join(names)}" {place}>{escape(piece)}</text>'


def _pieces(text: Text) -> Iterator[tuple[int, int]]:
    """Yield start and end of words of one style; two spaces separate columns."""
    plain, at = text.plain, 0
    while at < len(plain):
        end = at + 1
        same = text.get_style_at_offset(_CONSOLE, at)
        while (
            end < len(plain)
            and text.get_style_at_offset(_CONSOLE, end) == same
            and plain[end : end + 2] != "  "
        ):
            end += 1
        if plain[at:end].strip():
            first = at + len(plain[at:end]) - len(plain[at:end].lstrip())
            yield first, at + len(plain[at:end].rstrip())
        at = end


def _y(row: int) -> int:
    return _TOP + row * _HEIGHT


def _share(second: float) -> str:
    return f"{100 * second / _LENGTH_S:.2f}%"


def _shown(name: str, since: float) -> str:
    return (
        f".{name}{{animation:{name} {_LENGTH_S:g}s {_FIRST_S:g}s step-end infinite}}"
        f"@keyframes {name}{{0%{{opacity:0}}{_share(since)},to{{opacity:1}}}}\n"
    )


def _typed(name: str, since: float, until: float, steps: int, width: float) -> str:
    """Return an animation that uncovers a command, character by character."""
    moved = f"transform:translateX({width:g}px)"
    return (
        f".{name}{{animation:{name} {_LENGTH_S:g}s {_FIRST_S:g}s steps({steps}) infinite}}"
        f"@keyframes {name}{{0%,{_share(since)}{{opacity:1;transform:none}}"
        f"{_share(until)}{{opacity:1;{moved}}}{_share(until + 0.01)},to{{opacity:0;{moved}}}}}\n"
    )


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(draw(COMMANDS, list(outputs())))


if __name__ == "__main__":
    main()
