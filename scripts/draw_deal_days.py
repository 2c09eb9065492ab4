"""Draw the picture of docs/deal.md and print its figures: `python -m scripts.draw_deal_days`.

Needs the extra `playshuffle[audit]`. The deals are those of the deck that `playshuffle deal` uses.
The seed is fixed, so that picture and figures are the same each time.
"""

import os
import sys
from array import array
from datetime import date, timedelta

import matplotlib as mpl
from matplotlib.figure import Figure

from playshuffle.dealing.deck import Deck
from playshuffle.dealing.next_deal import next_deal
from playshuffle.dealing.rounds import Rounds
from playshuffle.dealing.sizes import ByCount
from playshuffle.library.folder import Folder
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.recipe import Recipe
from playshuffle.shuffle import Seeded, sparse_deal

SEED, TRACKS, SIZE, DAYS, TIMES = "docs", 2000, 40, 100, 200
PICTURE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "docs/pictures/deal-days.svg")


def library() -> Tracks:
    """Return a library of `TRACKS` tracks without tags."""
    names = b"/".join(b"%04d.ogg" % number for number in range(TRACKS))
    stamps = bytes(32 * TRACKS)
    folder = Folder(b"/m/", 0, 0, 0, 0, b"", True, False, b"", names, stamps)
    return Tracks([folder], numbers=array("I", range(1, TRACKS + 1)))


def shares_dealt() -> list[float]:
    """Return the share of the library that was dealt at least once, after each day."""
    tracks = library()
    rounds = Rounds(tracks, Recipe(), Seeded(SEED), None)
    deck, listed, shares = Deck(), set[int](), [0.0]
    for day in range(DAYS):
        deck = next_deal(deck, tracks.numbers, rounds, ByCount(SIZE), date(2026, 1, 1) + timedelta(days=day))
        assert deck.deal is not None
        listed.update(deck.deal.entries)
        shares.append(len(listed) / TRACKS)
    return shares


def shares_random() -> list[list[float]]:
    """Return the same for a random list each day: the smallest, mean and largest share of all simulations."""
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


def main() -> None:
    """Write the picture, and a table to standard output."""
    dealt, (least, mean, most) = shares_dealt(), shares_random()
    head = "| day | dealt: not yet in a list | random each day: not yet in a list |\n|---:|---:|---:|\n"
    sys.stdout.write(head)
    for day in (10, 25, 50, 100):
        sys.stdout.write(f"| {day} | {1 - dealt[day]:.1%} | {1 - mean[day]:.1%} |\n")
    # Readable on white and on black, so that one picture serves light and dark pages.
    mpl.rcParams.update(
        dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), "#7a7a7a"
        )
    )
    mpl.rcParams["svg.hashsalt"] = SEED
    figure = Figure(figsize=(7, 3.6), layout="constrained", facecolor="none")
    axes = figure.subplots()
    axes.set_facecolor("none")
    days, rounds = range(DAYS + 1), TRACKS // SIZE
    axes.plot(days, [100 * share for share in dealt], color="#2f7fd0", linewidth=2)
    axes.plot(days, [100 * share for share in mean], color="#d94801", linewidth=2)
    axes.fill_between(
        days, [100 * share for share in least], [100 * share for share in most], color="#fdae6b", alpha=0.5
    )
    axes.text(30, 68, "playshuffle deal", color="#2f7fd0", ha="right", weight="bold")
    axes.text(54, 50, "40 at random each day", color="#d94801", weight="bold")
    axes.set(
        title=f"{SIZE} of {TRACKS:,} tracks a day: all after {rounds} days, random lists {mean[rounds]:.0%}",
        xlabel="days",
        ylabel="in a list at least once, % of the library",
        xlim=(0, DAYS),
        ylim=(0, 102),
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(PICTURE, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
