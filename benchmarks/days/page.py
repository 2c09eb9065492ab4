"""Write the page of the hundred days, and draw its picture."""

import contextlib
import json
import math
import subprocess
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from benchmarks.days.listener import NOT_DRIVEN, ROWS, VARIANTS, Day
from benchmarks.days.measures import EVENTS, Measures, measure, shares
from scripts.draw_deal_days import BLUE, ORANGE, draw, save

_PAGE = Path(__file__).parents[2] / "docs/hundred-days.md"
Days = dict[str, list[Day]]
_PLAIN = str.maketrans("", "", "*`")

# Each column: its title, how its value is shown, and what is best: the smallest value of this function.
_COLUMNS: tuple[tuple[str, Callable[[Measures], str], Callable[[Measures], float]], ...] = (
    ("heard in 25 days", lambda row: f"{row.first_days:.0%}", lambda row: -row.first_days),
    ("in 100 days", lambda row: f"{row.all_days:.1%}", lambda row: -row.all_days),
    ("days until 99%", lambda row: str(row.until or "never"), lambda row: row.until or math.inf),
    ("again in 7 days", lambda row: f"{row.again:,}", lambda row: row.again),
    (
        "same artist: longest run, share",
        lambda row: f"{row.run}, {row.neighbours:.1%}",
        lambda row: row.neighbours,
    ),
    ("new tracks in 10 days", lambda row: f"{row.new:.0%}", lambda row: -row.new),
    ("unplayable", lambda row: str(row.unplayable), lambda row: row.unplayable),
    ("events kept", lambda row: f"{len(row.kept)} of {len(EVENTS)}", lambda row: -len(row.kept)),
    ("spread of plays", lambda row: str(row.spread), lambda row: row.spread),
)


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [head, ["---"] * len(head), *lines]) + "\n"


def _results(rows: Days) -> str:
    measures = {key: measure(days) for key, days in rows.items()}
    best = [min(map(rank, measures.values())) for _, _, rank in _COLUMNS]
    lines = (
        [ROWS[key].name]
        + [
            f"**{show(row)}**" if rank(row) == first < math.inf else show(row)
            for (_, show, rank), first in zip(_COLUMNS, best, strict=True)
        ]
        for key, row in measures.items()
    )
    return _table(["program", *(title for title, _, _ in _COLUMNS)], lines)


def _events(rows: Days) -> str:
    kept = [(ROWS[key], measure(days).kept) for key, days in rows.items()]
    lines = (
        [row.name, *("yes" if event in events else "no" for event in EVENTS), "yes" if row.hand else "no"]
        for row, events in kept
    )
    return _table(["program", *EVENTS, "by hand"], lines)


def _version(package: str) -> str:
    """Return the version of a package of the Python index, else of Debian, else as the program prints it."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    script = f"dpkg-query -W -f '${{Version}}' {package} 2>/dev/null || {package} --version"
    found = subprocess.run(script, shell=True, stdout=subprocess.PIPE, text=True, check=False).stdout
    return found.strip().removeprefix(f"{package} ").rpartition(":")[2]


def _draw(rows: Days) -> None:
    """Draw the share heard over the days: a line for each program, with its name at the end."""
    curves = {key: [0.0, *shares(days)] for key, days in rows.items()}
    ours = [key for key in curves if ROWS[key].package == "playshuffle"]
    others = [key for key in curves if key not in ours]
    title = "Share of the library heard, by a listener who hears all that is played"
    colors = [(curves[key], ORANGE) for key in others] + [(curves[key], BLUE) for key in ours]
    figure, axes = draw("hundred-days", title, "heard at least once", colors)
    for line, (heard, _) in zip(axes.lines, colors, strict=True):
        line.set(data=(range(0, len(heard), 5), [100 * share for share in heard[::5]]), linewidth=1)
    for names, color, x, y in ((ours, BLUE, 68, 56), (others, ORANGE, 44, 56)):
        texts = [f"{ROWS[key].name.translate(_PLAIN).split(',')[0]} {curves[key][50]:.0%}" for key in names]
        texts = [text.removeprefix("playshuffle ") for text in texts]
        axes.text(
            x,
            y,
            "\n".join(["After 50 days:" if color == ORANGE else "playshuffle:", *texts]),
            color=color,
            va="top",
            fontsize=6,
        )
    save(figure)


def write(results: Path) -> None:
    """Write the results into the page, between its marks, and draw the picture."""
    rows: dict[str, Days] = {
        variant: {
            key: [Day(**day) for day in json.loads(path.read_text())]
            for key in ROWS
            if (path := results / f"{key}-{variant}.json").exists()
        }
        for variant in VARIANTS
    }
    driven = [ROWS[key] for key in ROWS if any(key in days for days in rows.values())]
    found = [f"Run on {datetime.now(UTC):%-d %B %Y} by `python -m benchmarks.days`.\n\n"]
    found += [f"### A listener who {words}\n\n{_results(rows[key])}" for key, words in VARIANTS.items()]
    found += ["### After which events the order went on\n\n", _events(rows["all"])]
    versions = ([row.name, _version(row.package), row.how.replace("|", "\\|")] for row in driven)
    found += ["### The programs\n\n", _table(["program", "version", "how it was driven"], versions)]
    found += ["Not driven:\n\n", *(f"* {name}: {why}\n" for name, why in NOT_DRIVEN.items())]
    before, begin, rest = _PAGE.read_text().partition("<!-- found -->\n")
    _, end, after = rest.partition("<!-- end -->")
    _PAGE.write_text(f"{before}{begin}\n{''.join(found)}\n{end}{after}")
    _draw(rows["all"])
