"""Draw the picture of docs/deal.md and print its figures, as `python docs/pictures/deal_days.py`.

Needs the extra `playshuffle[audit]`. What is dealt is dealt by the deck that `playshuffle deal` uses.
The same seed, so the same picture and figures each time.
"""

import os
import sys
from datetime import date, timedelta

import matplotlib as mpl
from matplotlib.figure import Figure

from playshuffle.dealing.deck import Deck, deal
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.recipe import Recipe
from playshuffle.dealing.rounds import Rounds
from playshuffle.shuffle import Seeded, sparse_deal
from playshuffle.dealing.amount import ByCount
from playshuffle.library.folder import Folder

SEED, TRACKS, SIZE, DAYS, TIMES = "docs", 2000, 40, 100, 200
HERE = os.path.dirname(__file__)


def library() -> Tracks:
    """So many tracks, without tags."""
    names = b"/".join(b"%04d.ogg" % number for number in range(TRACKS))
    stamps = bytes(32 * TRACKS)
    return Tracks([Folder(b"/m/", 0, 0, 0, 0, b"", True, False, b"", names, stamps)])


def dealt() -> list[float]:
    """The share that was heard after each day, if a deck is dealt from."""
    tracks = library()
    law = Rounds(tracks, Recipe(), Seeded(SEED), None)
    deck, heard, shares = Deck(), set[bytes](), [0.0]
    for day in range(DAYS):
        deck = deal(deck, tracks.paths, law, ByCount(SIZE), date(2026, 1, 1) + timedelta(days=day))
        assert deck.deal is not None
        heard.update(deck.deal.entries)
        shares.append(len(heard) / TRACKS)
    return shares


def drawn() -> list[list[float]]:
    """The same, if each day is drawn afresh: of many times, the smallest, the mean and the largest."""
    source = Seeded(SEED)
    runs = []
    for _ in range(TIMES):
        heard: set[int] = set()
        shares = [0.0]
        for _ in range(DAYS):
            heard.update(sparse_deal(TRACKS, SIZE, source))
            shares.append(len(heard) / TRACKS)
        runs.append(shares)
    columns = list(zip(*runs, strict=True))
    return [
        [min(column) for column in columns],
        [sum(column) / TIMES for column in columns],
        [max(column) for column in columns],
    ]


def main() -> None:
    """Write the picture, and a table to standard output."""
    by_deck, (least, mean, most) = dealt(), drawn()
    sys.stdout.write("| day | dealt: not yet heard | drawn afresh: not yet heard |\n|---:|---:|---:|\n")
    for day in (10, 25, 50, 100):
        sys.stdout.write(f"| {day} | {1 - by_deck[day]:.1%} | {1 - mean[day]:.1%} |\n")
    mpl.rcParams["svg.hashsalt"] = SEED
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    days = range(DAYS + 1)
    axes.plot(days, [100 * share for share in by_deck], color="#08519c", label="dealt")
    axes.plot(days, [100 * share for share in mean], color="#d94801", label="drawn afresh each day")
    axes.fill_between(
        days, [100 * share for share in least], [100 * share for share in most], color="#fdae6b", alpha=0.5
    )
    axes.axvline(50, color="#969696", linewidth=0.8, linestyle=":")
    axes.set(
        title=f"{TRACKS:,} tracks, {SIZE} a day",
        xlabel="days",
        ylabel="heard at least once, % of the library",
        xlim=(0, DAYS),
        ylim=(0, 102),
    )
    axes.legend(loc="lower right")
    figure.savefig(os.path.join(HERE, "deal-days.png"), dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
