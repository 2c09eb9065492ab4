"""Write the page of the hundred days, and draw its picture."""

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import matplotlib as mpl

from benchmarks.days.listener import LISTENERS, NOT_DRIVEN, ROWS, SHOWN, Day
from benchmarks.days.measures import Measures, measure, shares
from benchmarks.days.music import EVENTS
from scripts.draw_deal_days import BLUE, GREEN, ORANGE, draw, save

_PAGE = Path(__file__).parents[2] / "docs/hundred-days.md"
PARTS = ("table", "details", "programs")  # between marks of the page
Days = Mapping[str, Sequence[list[Day]]]  # the runs of each row

# Each column: its title, and how the value of a run is shown.
Column = tuple[str, Callable[[Measures], str]]
_FIRST: tuple[Column, ...] = (
    ("heard in 25 days", lambda run: f"{run.first_days:.0%}"),
    ("in 100", lambda run: f"{run.all_days:.1%}"),
    ("again in 7 days", lambda run: f"{run.again:,}"),
    ("silent plays", lambda run: f"{run.silent:,}"),
    ("minutes by hand", lambda run: str(run.minutes)),
)
_MORE: tuple[Column, ...] = (
    ("99% on day", lambda run: str(run.until or "never")),
    ("new tracks in 10 days", lambda run: f"{run.new:.0%}"),
    ("same artist", lambda run: f"{run.neighbours:.1%}"),
)
_AGAIN: tuple[Column, ...] = (("quiet days", lambda run: f"{run.quiet:.1f}"),)


def _after(name: str) -> Column:
    return name, lambda run: str(run.after[name])


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [head, ["---"] * len(head), *lines])


def _results(rows: Days, columns: Sequence[Column]) -> str:
    lines = []
    for key, runs in rows.items():
        measured = [measure(run) for run in runs]
        cells = (", ".join(map(show, measured)) for _, show in columns)
        lines.append([ROWS[key].name, *cells])
    return _table(["program", *(title for title, _ in columns)], lines)


def _version(package: str) -> str:
    """Return the version of a package of Debian, else of the Python index."""
    command = ["dpkg-query", "-W", "-f", "${Version}", package]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return found.rpartition(":")[2] or metadata.version(package)


def _draw(rows: Days) -> None:
    """Draw the share heard over the days: a line for each program, of its first run, in three groups."""
    mpl.rcParams["svg.fonttype"] = "none"  # text as text: a small file
    curves = {key: [0.0, *shares(runs[0])] for key, runs in rows.items()}
    groups: dict[str, list[str]] = {BLUE: [], GREEN: [], ORANGE: []}
    for key in curves:
        is_ours = ROWS[key].package == "playshuffle"
        groups[BLUE if is_ours else GREEN if ROWS[key].remembers else ORANGE].append(key)
    lines = [(curves[key], color) for color, keys in groups.items() for key in keys]
    figure, axes = draw("hundred-days", "40 tracks a day of 1,000, one in five skipped", "heard", lines)
    figure.set_size_inches(7, 5.2)
    for line, (heard, _) in zip(axes.lines, lines, strict=True):  # each fifth day makes a small file
        line.set(data=(range(0, len(heard), 5), [100 * share for share in heard[::5]]), linewidth=1)
    heads = ("playshuffle", "remember what they played", "forget it")
    for (color, keys), head, x, y in zip(groups.items(), heads, (2, 26, 66), (100, 46, 46), strict=True):
        names = [re.sub(r"\*\*playshuffle\*\* |[*`]", "", ROWS[key].name) for key in keys]
        axes.text(x, y, "\n".join([f"{head}:", *names]), color=color, va="top", fontsize=10)
    save(figure)


def _replace(text: str, name: str, content: str) -> str:
    """Replace what a page has between two marks."""
    before, begin, rest = text.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    return f"{before}{begin}\n{content}\n{end}{after}"


def write(results: Path) -> None:
    """Write the results into the page, between its marks, and draw the picture."""
    rows: dict[str, Days] = {
        who: {
            key: runs
            for key in ROWS
            if (
                runs := [
                    [Day(**day) for day in json.loads(path.read_text())]
                    for path in sorted(results.glob(f"{key}-{who}-?.json"))
                ]
            )
        }
        for who in LISTENERS
    }
    details = []
    for who, listener in LISTENERS.items():
        more = _MORE if who == SHOWN else _FIRST + _MORE
        again = [*_AGAIN, *map(_after, EVENTS)]
        details += [f"**A listener: {listener.text}.**\n", _results(rows[who], more)]
        details += ["Of the last 100 heard, those that were played again within two days:\n"]
        details += [_results(rows[who], again)]
    versions = (
        [row.name, _version(row.package) if row.package else "none", row.how.replace("|", "\\|")]
        for row in ROWS.values()
    )
    programs = _table(["program", "version", "set-up"], versions)
    programs += "\nNot driven:\n\n" + "".join(f"* {name}: {why}\n" for name, why in NOT_DRIVEN.items())
    run = f"Run on {datetime.now(UTC):%-d %B %Y}.\n\n{programs}"
    text = _PAGE.read_text()
    for name, content in zip(PARTS, (_results(rows[SHOWN], _FIRST), "\n".join(details), run), strict=True):
        text = _replace(text, name, content)
    _PAGE.write_text(text)
    _draw(rows[SHOWN])
