"""Draw a playlist: one cell for each track, coloured by artist, 50 cells in a row.

The same tracks in path order are drawn above it. Tracks next to another by the same artist are outlined.
"""

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from playshuffle.audit import picture
from playshuffle.audit.mix import successors
from playshuffle.text import counted, short

_PER_ROW = 50
_MOST = 5000  # tracks drawn at most
# Paul Tol's "muted" colours, which colour-blind people can distinguish (personal.sron.nl/~pault).
_COLOURS = ("#332288", "#88CCEE", "#44AA99", "#117733", "#999933", "#DDCC77", "#CC6677", "#882255", "#AA4499")
_OTHERS, _UNTAGGED = "#C4C4C4", "#F2F2F2"
_OUTLINE = "#000000"
_GAP = 0.08  # of a cell, on each side
_INCHES = 0.135  # of a cell
_LABEL_CHARACTERS = 30


def draw(path: str, title: str, paths: Sequence[bytes], by: Sequence[tuple[int, str]]) -> bytes:
    """Return the picture, as PNG or SVG by the suffix of the path. `by` is as in `PlaylistAudit`."""
    order = sorted(range(len(paths)), key=paths.__getitem__)
    panels = [("This playlist", by)]
    if successors(paths) < len(paths) - 1:
        panels.insert(0, ("In path order", [by[index] for index in order]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # signs that the font lacks
        return picture.saved(path, _figure(panels, f"{title}: {counted(len(paths), 'track')}"))


def _figure(panels: Sequence[tuple[str, Sequence[tuple[int, str]]]], title: str) -> Figure:
    count = min(len(panels[0][1]), _MOST)
    rows = max(-(-count // _PER_ROW), 1)
    colours, legend = _colours(panels[-1][1])
    lines = -(-(len(legend) + 1) // 2)
    head, panel_head, foot = 0.45, 0.4, 0.25 + 0.22 * lines
    width = _PER_ROW * _INCHES + 0.75
    height = head + len(panels) * (panel_head + rows * _INCHES) + foot
    figure = Figure(figsize=(width, height), dpi=144)
    figure.text(0.02, 1 - 0.3 / height, title, fontsize=12, fontweight="bold").set_parse_math(False)
    for panel, (name, groups) in enumerate(panels):
        bottom = foot + (len(panels) - 1 - panel) * (panel_head + rows * _INCHES)
        size = (_PER_ROW * _INCHES / width, rows * _INCHES / height)
        axes = figure.add_axes((0.6 / width, bottom / height, *size))
        repeats = sum(len(run) - 1 for run in _runs(groups))
        more = f", the first {count:,} of {len(groups):,}" if len(groups) > count else ""
        heading = f"{name}: {counted(repeats, 'repeat')} by the same artist{more}"
        axes.set_title(heading, fontsize=10, loc="left").set_parse_math(False)
        _panel(axes, groups[:count], rows, colours)
    _legend(figure, legend, foot / height)
    return figure


def _colours(groups: Sequence[tuple[int, str]]) -> tuple[dict[int, str], list[tuple[str, str]]]:
    names = {number: name for (number, name), _ in reversed(Counter(groups).most_common())}
    sizes = Counter(number for number, _ in groups if number >= 0)
    ranked = [number for number, _ in sizes.most_common()]
    # A group of one track has no neighbours to show.
    best = [number for number in ranked if sizes[number] > 1][: len(_COLOURS)]
    colours = dict(zip(best, _COLOURS, strict=False))
    legend = [
        (colours[number], f"{short(names[number], _LABEL_CHARACTERS)} ({sizes[number]:,})") for number in best
    ]
    others = [number for number in ranked if number not in colours]
    colours |= dict.fromkeys(others, _OTHERS)
    if others:
        tracks = sum(sizes[number] for number in others)
        legend.append((_OTHERS, f"{counted(len(others), 'other artist')} ({tracks:,})"))
    untagged = sum(number < 0 for number, _ in groups)
    if untagged:
        legend.append((_UNTAGGED, f"no artist ({untagged:,})"))
    return colours, legend


def _panel(axes: Axes, groups: Sequence[tuple[int, str]], rows: int, colours: dict[int, str]) -> None:
    cells: dict[str, list[int]] = {}
    for position, (number, _) in enumerate(groups):
        cells.setdefault(colours.get(number, _UNTAGGED), []).append(position)
    for colour, positions in cells.items():
        boxes = [_box(position, 1, _GAP) for position in positions]
        edge = "#808080" if colour == _UNTAGGED else "none"
        axes.add_patch(
            PathPatch(Path.make_compound_path(*boxes), facecolor=colour, edgecolor=edge, linewidth=0.4)
        )
    outlines = [_box(position, length, 0) for run in _runs(groups) for position, length in _in_rows(run)]
    if outlines:
        axes.add_patch(
            PathPatch(Path.make_compound_path(*outlines), facecolor="none", edgecolor=_OUTLINE, linewidth=1.3)
        )
    axes.set(xlim=(-0.1, _PER_ROW + 0.1), ylim=(rows + 0.1, -0.1), xticks=[])
    step = max(1, rows // 20)
    shown_rows = range(0, rows, step)
    labels = [f"{row * _PER_ROW + 1:,}" for row in shown_rows]
    axes.set_yticks([row + 0.5 for row in shown_rows], labels, fontsize=10)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _legend(figure: Figure, legend: Sequence[tuple[str, str]], top: float) -> None:
    handles = [
        Patch(facecolor=colour, edgecolor="#808080" if colour == _UNTAGGED else "none", label=label)
        for colour, label in legend
    ]
    handles.append(
        Patch(facecolor="none", edgecolor=_OUTLINE, linewidth=1.3, label="same artist twice or more in a row")
    )
    box = figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.015, top),
        ncols=2,
        fontsize=10,
        frameon=False,
        handlelength=1.2,
    )
    for text in box.get_texts():
        text.set_parse_math(False)


def _runs(groups: Sequence[tuple[int, str]]) -> Iterator[list[int]]:
    for number, run in groupby(range(len(groups)), key=lambda position: groups[position][0]):
        positions = list(run)
        if number >= 0 and len(positions) > 1:
            yield positions


def _in_rows(run: Sequence[int]) -> Iterator[tuple[int, int]]:
    for _, part in groupby(run, key=lambda position: position // _PER_ROW):
        positions = list(part)
        yield positions[0], len(positions)


def _box(position: int, length: int, gap: float) -> Any:
    row, column = divmod(position, _PER_ROW)
    left, right, top, bottom = column + gap, column + length - gap, row + gap, row + 1 - gap
    return Path([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], closed=False)
