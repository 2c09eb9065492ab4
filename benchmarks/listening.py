"""Simulate listeners: how much of the library do they hear in one round of a deck?

    python -m benchmarks.listening [--runs 20]

The library has 2,000 tracks, a deal 40. Each day a listener hears the first 10 to 40 tracks of the deal,
and 5 others chosen by hand. Another listener hears nothing on each third day.
"""

import argparse
import statistics
from array import array
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from playshuffle.dealing.amount import Count
from playshuffle.dealing.deck import Deck, mark_written
from playshuffle.dealing.heard import count_deal, mark_heard, tracks_again
from playshuffle.dealing.next_deal import DealRules, is_due, next_deal, update_deck
from playshuffle.dealing.period import Every
from playshuffle.dealing.rounds import Rounds
from playshuffle.dealing.sizes import ByCount
from playshuffle.library.folder import Folder
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.recipe import Recipe
from playshuffle.shuffle import Seeded

TRACKS, SIZE, LEAST, BY_HAND, DAY_S = 2000, 40, 10, 5, 86_400
_BEGIN = date(2026, 1, 1)


def library() -> Tracks:
    """Return a library of `TRACKS` tracks without tags."""
    names = b"/".join(b"%04d.ogg" % number for number in range(TRACKS))
    stamps = bytes(32 * TRACKS)
    folder = Folder(b"/m/", 0, 0, 0, 0, b"", True, False, b"", names, stamps)
    return Tracks([folder], numbers=array("I", range(1, TRACKS + 1)))


def listen(count: Count, seed: str, silent_every: int = 0) -> Iterator[tuple[int, int, int]]:
    """Yield for each day the round at its deal's start, and the numbers of tracks dealt and heard so far.

    On each `silent_every`-th day nothing is heard; 0 for none.
    """
    tracks, chance = library(), Seeded(seed)
    rules = DealRules(range(TRACKS), Rounds(Chosen(tracks, range(TRACKS)), Recipe(), chance), ByCount(SIZE))
    deck = Deck(heard_from_s=1)
    last_play: dict[int, int] = {}
    dealt: set[int] = set()
    day = 0
    while True:
        now_s = (day + 1) * DAY_S
        if count is Count.PLAYED:
            deck = mark_heard(deck, [track for track, at in last_play.items() if at >= deck.heard_from_s])
        today = _BEGIN + timedelta(days=day)
        if is_due(deck, Every.DAY, datetime(today.year, today.month, today.day, tzinfo=UTC), range(TRACKS)):
            before = update_deck(deck, rules)
            deck = next_deal(before, rules, today, again=tracks_again(before))
            deck = mark_written(count_deal(before, deck, now_s) if count is Count.PLAYED else deck)
        assert deck.deal is not None
        dealt.update(deck.deal.entries)
        if not silent_every or (day + 1) % silent_every:
            heard = deck.deal.entries[: LEAST + chance(SIZE - LEAST + 1)]
            by_hand = [1 + chance(TRACKS) for _ in range(BY_HAND)]
            last_play |= dict.fromkeys((*heard, *by_hand), now_s + 1)
        yield deck.deal.round, len(dealt), len(last_play)
        day += 1


def first_round(count: Count, seed: str, silent_every: int = 0) -> tuple[int, float, float]:
    """Return the days of the first round, and the shares of the library heard in it and three days later.

    By then the unheard tracks of its last deal have come again.
    """
    shares: list[float] = []
    rounds: list[int] = []
    for number, _, heard in listen(count, seed, silent_every):
        shares.append(heard / TRACKS)
        rounds.append(number)
        if len(rounds) > 3 and rounds[-4] > 1:
            break
    days = rounds.count(1)
    return days, shares[days - 1], shares[days + 2]


def main() -> None:
    """Print a Markdown table."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--runs", type=int, default=20)
    runs = words.parse_args().runs
    print("| listens | count | days of a round | heard in it | least | three days later |")
    print("|---|---|---:|---:|---:|---:|")
    for name, silent_every in (("every day", 0), ("two days of three", 3)):
        for count in Count:
            rounds = [first_round(count, str(seed), silent_every) for seed in range(runs)]
            days, shares, later = zip(*rounds, strict=True)
            print(
                f"| {name} | `{count.value}` | {statistics.mean(days):.0f} | {statistics.mean(shares):.1%}"
                f" | {min(shares):.1%} | {statistics.mean(later):.1%} |"
            )


if __name__ == "__main__":
    main()
