"""Draw the pictures of docs/deal.md and print the figures of one: `python -m scripts.draw_deal_days`.

Needs the extra `playshuffle[audit]`. The seed is fixed, so that picture and figures are the same each time.
"""

import os
import sys
import textwrap
from collections.abc import Sequence
from datetime import date, timedelta

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.listening import SIZE, TRACKS, library, listen
from playshuffle.dealing.amount import Count
from playshuffle.dealing.deck import Deck
from playshuffle.dealing.next_deal import DealRules, next_deal, update_deck
from playshuffle.dealing.rounds import Rounds
from playshuffle.dealing.sizes import ByCount
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.recipe import Recipe
from playshuffle.shuffle import Seeded, sparse_deal

SEED, DAYS, TIMES = "docs", 100, 200
PICTURES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "docs/pictures")
BLUE, ORANGE, GREY, GREEN = "#1f66b0", "#b83c00", "#59636e", "#1a7f37"
# The colours on dark pages.
_DARK = {BLUE: "#6cb0f5", ORANGE: "#ff9a5c", GREY: "#b0b8c0", GREEN: "#57c27c"}


def shares_dealt() -> list[float]:
    """Return the share of the library that was dealt at least once, after each day."""
    tracks = library()
    rounds = Rounds(Chosen(tracks, range(len(tracks))), Recipe(), Seeded(SEED))
    rules = DealRules(range(len(tracks)), rounds, ByCount(SIZE))
    deck, listed, shares = Deck(), set[int](), [0.0]
    for day in range(DAYS):
        deck = next_deal(update_deck(deck, rules), rules, date(2026, 1, 1) + timedelta(days=day))
        assert deck.deal is not None
        listed.update(deck.deal.entries)
        shares.append(len(listed) / TRACKS)
    return shares


def shares_random() -> list[list[float]]:
    """Return the smallest, mean and largest share dealt after each day, if each day had a random list."""
    source = Seeded(SEED)
    runs = []
    for _ in range(TIMES):
        listed: set[int] = set()
        shares = [0.0]
        for _ in range(DAYS):
            listed.update(sparse_deal(TRACKS, SIZE, source))
            shares.append(len(listed) / TRACKS)
        runs.append(shares)
    columns = list(zip(*runs, strict=True))
    return [
        [min(column) for column in columns],
        [sum(column) / TIMES for column in columns],
        [max(column) for column in columns],
    ]


def shares_heard(count: Count) -> list[float]:
    """Return the share of the library that a listener has heard after each day."""
    days = zip(listen(count, SEED), range(DAYS), strict=False)
    return [0.0, *(heard / TRACKS for (_, _, heard), _ in days)]


def draw(
    name: str, title: str, what: str, curves: Sequence[tuple[Sequence[float], str]]
) -> tuple[Figure, Axes]:
    """Draw shares of the library by days, in percent; the picture is to be saved as `name`."""
    # Small, with large letters: on a phone, which shows it at 343 pixels, they still have 10 points.
    mpl.rcParams["font.size"] = mpl.rcParams["axes.titlesize"] = 14
    mpl.rcParams.update(
        dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), GREY)
    )
    mpl.rcParams["svg.hashsalt"] = SEED
    figure = Figure(figsize=(4.8, 3.6), layout="constrained", facecolor="none", label=name)
    axes = figure.subplots()
    axes.set_facecolor("none")
    for shares, color in curves:
        axes.plot(range(DAYS + 1), [100 * share for share in shares], color=color, linewidth=2)
    axes.set(
        title=textwrap.fill(title, 36), xlabel="days", ylabel=f"{what}, %", xlim=(0, DAYS), ylim=(0, 102)
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def save(figure: Figure) -> None:
    """Write a picture with the same bytes each time."""
    path = os.path.join(PICTURES, f"{figure.get_label()}.svg")
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    dark = "".join(
        f'[style*="{kind}: {light}"]{{{kind}:{colour}!important}}'
        for light, colour in _DARK.items()
        for kind in ("fill", "stroke")
    )
    style = f"<style>@media (prefers-color-scheme:dark){{{dark}}}</style>\n <metadata>"
    with open(path) as file:
        picture = file.read()
    with open(path, "w") as file:
        file.write(picture.replace("<metadata>", style, 1))


def main() -> None:
    """Write the pictures, and a table to standard output."""
    dealt, (least, mean, most) = shares_dealt(), shares_random()
    head = "| day | dealt: not yet in a list | random each day: not yet in a list |\n|---:|---:|---:|\n"
    sys.stdout.write(head)
    for day in (10, 25, 50, 100):
        sys.stdout.write(f"| {day} | {1 - dealt[day]:.1%} | {1 - mean[day]:.1%} |\n")
    rounds = TRACKS // SIZE
    title = f"{SIZE} of {TRACKS:,} tracks a day: all after {rounds} days, random lists {mean[rounds]:.0%}"
    figure, axes = draw("deal-days", title, "in a list at least once", [(dealt, BLUE), (mean, ORANGE)])
    axes.fill_between(
        range(DAYS + 1),
        [100 * share for share in least],
        [100 * share for share in most],
        color="#fdae6b",
        alpha=0.5,
    )
    axes.text(98, 20, "playshuffle deal", color=BLUE, ha="right", weight="bold")
    axes.text(98, 6, "40 at random each day", color=ORANGE, ha="right", weight="bold")
    save(figure)
    heard, heard_played = shares_heard(Count.DEALT), shares_heard(Count.PLAYED)
    days = next(day for day, share in enumerate(heard_played) if share > 0.995)
    shares = f"{heard[days]:.0%}, or {heard_played[days]:.1%}"
    title = f"10 to {SIZE} of {SIZE} tracks heard each day: after {days} days {shares}"
    curves = [(heard_played, BLUE), (heard, ORANGE)]
    figure, axes = draw("deal-heard", title, "heard at least once", curves)
    axes.text(98, 20, 'count = "played"', color=BLUE, ha="right", weight="bold")
    axes.text(98, 6, 'count = "dealt"', color=ORANGE, ha="right", weight="bold")
    save(figure)


if __name__ == "__main__":
    main()
