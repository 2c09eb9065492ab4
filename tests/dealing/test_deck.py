"""Test decks: rounds, deals that span two rounds, sizes of deals, and changes of the library."""

import sys
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deck, mark_written
from playshuffle.dealing.next_deal import TAIL, DealRules, end_round, next_deal, update_deck
from playshuffle.dealing.sizes import ByCount, ByGroups, ByTotal, Size
from playshuffle.shuffle import RandBelow, Seeded, System
from tests.shuffle.all_draws import distribution, is_uniform_over
from tests.support.decks import Sorted, Uniform, check, deal_next, tracks

TODAY = date(2026, 11, 21)
MINUTE_MS = 60_000


def deals(here: Sequence[int], *counts: int, deck: Deck | None = None, seed: str = "1") -> list[Deck]:
    """Return the deck after each deal of N tracks, a day apart."""
    law = Uniform(Seeded(seed))
    decks = [deck or Deck()]
    for day, count in enumerate(counts):
        decks.append(deal_next(decks[-1], here, law, ByCount(count), TODAY + timedelta(days=day)))
    return decks[1:]


def dealt(deck: Deck) -> tuple[int, ...]:
    assert deck.deal is not None
    return deck.deal.entries


def shortest_gap(played: Sequence[int]) -> int:
    """Return the least number of plays from one play of a track to its next play."""
    last: dict[int, int] = {}
    gaps = []
    for at, track in enumerate(played):
        gaps.append(at - last.get(track, -sys.maxsize))
        last[track] = at
    return min(gaps)


# Rounds


def test_fifty_deals_of_forty_tracks_deal_each_of_two_thousand_tracks_once() -> None:
    here = tracks(2000)
    decks = deals(here, *[40] * 50)

    assert Counter(track for deck in decks for track in dealt(deck)) == Counter(here)
    assert [(deck.deal.number, deck.deal.of) for deck in decks if deck.deal] == [
        (number, 50) for number in range(1, 51)
    ]
    assert (decks[-1].round, decks[-1].since, decks[-1].deals_left) == (1, TODAY, 0)


def test_the_last_deal_of_a_round_is_filled_up_from_the_next_round() -> None:
    first, second, third = deals(tracks(10), 6, 6, 6)

    assert set(dealt(first) + dealt(second)[:4]) == set(tracks(10))
    assert (second.deal and second.deal.round, second.round, second.number) == (1, 2, 0)
    assert (second.deal and second.deal.number, second.deal and second.deal.of) == (2, 2)
    assert (second.since, second.dealt) == (TODAY + timedelta(days=1), dealt(second)[4:])
    assert third.deal is not None
    assert (third.deal.round, third.deal.number, third.deal.of) == (2, 1, 2)


def test_a_new_track_that_is_added_after_the_last_deal_of_a_round_is_first_in_the_next_deal() -> None:
    """It may still get a new track; the next round begins with the next deal."""
    [_, deck] = deals(tracks(10), 5, 5)
    assert (deck.round, deck.upcoming) == (1, ())

    [later] = deals(tracks(11), 5, deck=deck)

    assert dealt(later)[0] == tracks(11)[-1]
    assert (later.deal and later.deal.round, later.round) == (1, 2)


# Across the seam


@pytest.mark.parametrize(("count", "size", "gap"), [(4, 3, 1), (5, 3, 2), (5, 4, 0), (5, 5, 3), (6, 4, 2)])
def test_the_next_round_is_uniform_over_all_orders_that_keep_the_gap(count: int, size: int, gap: int) -> None:
    """The orders must also bring no track twice into a deal that spans both rounds."""
    here = tracks(count)
    played = tuple(here)
    before = Deck(played[:size], played[size:], round=1, since=TODAY, order_name="random")

    def next_round(draw: RandBelow) -> tuple[int, ...]:
        after = deal_next(before, here, Uniform(draw, gap), ByCount(size), TODAY)
        if after.round == 1:
            after = deal_next(after, here, Uniform(draw, gap), ByCount(size), TODAY)
        return after.dealt + after.upcoming

    part = len(played) - size if 0 < len(played) - size < size else 0

    assert is_uniform_over(
        distribution(next_round),
        [
            order
            for order in permutations(here)
            if shortest_gap(played + order) >= max(gap, 1)
            and not set(played[count - part :]).intersection(order[: size - part if part else 0])
        ],
    )


def test_the_order_of_the_next_round_is_uniform_for_deals_by_playing_time_too() -> None:
    """It is uniform over the orders in which tracks of the open deal come only after that is full."""
    here = tracks(5)
    lengths = dict.fromkeys(here, MINUTE_MS)
    before = Deck(tuple(here[:3]), tuple(here[3:]), round=1, since=TODAY, order_name="random")

    def next_round(draw: RandBelow) -> tuple[int, ...]:
        after = deal_next(before, here, Uniform(draw, 0), ByTotal(4 * MINUTE_MS, lengths), TODAY)
        return after.dealt + after.upcoming

    assert is_uniform_over(
        distribution(next_round),
        [order for order in permutations(here) if not set(here[3:]).intersection(order[:2])],
    )


def test_a_gap_that_cannot_be_kept_is_shortened_and_the_round_has_all_tracks() -> None:
    """The track dealt longest ago comes first."""
    here = tracks(8)
    deck = Deck((), tuple(here), tail=tuple(here), round=2, since=TODAY, order_name="random")

    after = deal_next(deck, here[6:], Uniform(System(), 8), ByCount(2), TODAY)

    assert dealt(after) == (here[6], here[7])
    assert after.upcoming == ()


def test_no_track_comes_twice_in_one_deal_though_the_order_keeps_no_gap() -> None:
    """A track that is already in the deal comes in the next deal."""
    decks = in_order(tracks(5), ByCount(3), 1)
    for _ in range(2):
        decks.append(deal_next(decks[-1], tracks(5), Sorted(), ByCount(4), TODAY))

    assert [*map(dealt, decks)] == [(1, 2, 3), (4, 5, 1, 2), (3, 4, 5, 1)]


# While a round runs


def test_new_tracks_are_equally_likely_at_each_position_among_the_upcoming_tracks() -> None:
    """Each order of the upcoming tracks is equally likely, under all draws."""
    here = tracks(5)
    new = tracks(2, first=8)

    def upcoming(draw: RandBelow) -> tuple[int, ...]:
        law = Uniform(draw, 0)
        one = deal_next(Deck((9999,), round=1, order_name="random"), here, law, ByCount(1), TODAY)
        return (
            update_deck(one, DealRules([*here, *new], law, ByCount(1))).upcoming
            if one.dealt[-1] == here[0]
            else ()
        )

    shares = distribution(upcoming)
    del shares[()]

    assert is_uniform_over(shares, list(permutations([*here[1:], *new])))


def test_a_deleted_track_that_comes_back_is_inserted_at_a_random_position_of_the_upcoming_tracks() -> None:
    here = tracks(6)
    deck = Deck(tuple(here[:2]), tuple(here[2:]), round=1, order_name="random")

    without = update_deck(deck, DealRules([*here[:3], *here[4:]], Uniform(System()), ByCount(1)))
    shares = distribution(
        lambda draw: update_deck(without, DealRules(here, Uniform(draw), ByCount(1))).upcoming
    )

    assert without.upcoming == (here[2], here[4], here[5])
    assert is_uniform_over(
        shares, [(*without.upcoming[:at], here[3], *without.upcoming[at:]) for at in range(4)]
    )


def test_after_a_change_of_the_option_order_only_the_upcoming_tracks_are_rearranged() -> None:
    here = tracks(10)
    [deck] = deals(here, 4)

    after = deal_next(deck, here, Sorted(), ByCount(3), TODAY)

    assert dealt(after) == tuple(sorted(deck.upcoming)[:3])
    assert (after.order_name, after.round) == ("sorted", 1)


def test_a_track_dealt_again_counts_as_dealt_in_the_new_deal_and_not_in_the_earlier_one() -> None:
    """So it keeps the gap from this deal on, whichever round it was first dealt in."""
    here = tracks(6)
    deck = Deck(dealt=(1, 2, 3), upcoming=(4,), tail=(5, 6), round=2, since=TODAY, order_name="random")
    rules = DealRules(here, Uniform(Seeded("1"), 0), ByCount(3))

    after = next_deal(deck, rules, TODAY, again=[1, 5])

    assert (dealt(after), after.dealt, after.tail) == ((1, 5, 4), (2, 3, 1, 4), (6, 5))


def test_a_deck_forgets_deleted_tracks_when_its_round_is_ended_early() -> None:
    here = tracks(12)
    [deck] = deals(here, 4)
    left = [track for track in here if track != deck.dealt[0]]
    [later] = deals(left, 3, deck=deck)

    after = end_round(later)

    check(after)
    assert (after.track_count, after.removed, after.deals_left, after.deal) == (11, (), 0, None)
    assert sorted(track for one in deals(left, 4, 4, 3, deck=after) for track in dealt(one)) == left


def test_a_deck_remembers_the_last_280_tracks_that_were_dealt_before_its_round() -> None:
    """It remembers more if the gap is larger, and tracks of several rounds if they are short."""
    here = tracks(30)
    played = [track for deck in deals(here, *[30] * 11) for track in dealt(deck)]
    last = deals(here, *[30] * 11)[-1]

    assert last.tail == tuple(played[:-30][-TAIL:])
    assert end_round(last).tail == tuple(played[-TAIL:])
    law = Uniform(Seeded("1"), 320)
    many = tracks(330)
    two = deal_next(deal_next(Deck(), many, law, ByCount(330), TODAY), many, law, ByCount(1), TODAY)
    assert len(two.tail) == 320
    assert end_round(two._replace(tail=(*two.tail, *tracks(30, 901)))).tail[-1] == dealt(two)[0]
    assert len(end_round(two).tail) == 320


# Any changes

_STEPS = st.fixed_dictionaries(
    {
        "come": st.integers(0, 9),
        "rest": st.integers(0, 5),
        "share": st.integers(2, 9),
        "is_back": st.sampled_from([False, False, False, True]),
        "is_whole": st.booleans(),
        "is_reset": st.sampled_from([False, False, False, True]),
        "count": st.integers(1, 12) | st.integers(1, 99),
    }
)


@settings(max_examples=200)
@given(st.integers(1, 9) | st.integers(30, 90), st.lists(_STEPS, max_size=30), st.integers())
def test_through_any_changes_a_track_repeats_only_after_all_other_tracks_and_the_gap(
    made: int, steps: list[dict[str, int]], seed: int
) -> None:
    """Tracks come, go and are back; a drive may be missing, with all tracks on it that are not here.

    A track that was dealt in the round comes again only when all that are expected were dealt.
    """
    deck, law, here = Deck(), Uniform(Seeded(str(seed))), {*range(1, made + 1)}
    heard, expected, played = set[int](), set[int](), list[int]()
    for step in steps:
        here |= {*range(1 if step["is_back"] else made + 1, made + step["come"] + 1)}
        made += step["come"]
        gone = {track for track in here if track % step["share"] == step["rest"]}
        here -= gone if gone < here else set()
        if step["is_reset"] and deck.round and not deck.is_ended:
            deck, heard = end_round(deck), set()
        known = here if step["is_whole"] else here | expected
        is_waiting = not known - here <= heard
        waiting = sorted(known - here)
        present, size = sorted(here, key=lambda track: track * 7919 % 1000), ByCount(step["count"])
        if is_waiting and here <= heard:
            with pytest.raises(ValueError, match="are missing"):
                deal_next(deck, present, law, size, TODAY, waiting)
            continue
        deck = mark_written(deal_next(deck, present, law, size, TODAY, waiting))
        check(deck)
        expected, entries = {*known}, dealt(deck)
        assert (
            len({*entries}) == len(entries) == min(step["count"], len(here - heard if is_waiting else here))
        )
        assert here.issuperset(entries)
        assert deck.track_count == len(expected)
        for track in entries:
            if track in heard:
                assert expected <= heard, "a round ended before every track was dealt"
                heard.clear()
            heard.add(track)
        gap = min(len(here) // 4, 280)
        for track in entries:
            assert track not in played[max(len(played) - gap + 1, 0) :]
            played.append(track)


# By time


def by_time(minutes: Sequence[float], per_deal: float, count: int) -> list[list[float]]:
    """Return the lengths in each of N deals, in the natural order."""
    here = tracks(len(minutes))
    lengths = {track: int(length * MINUTE_MS) for track, length in zip(here, minutes, strict=True)}
    size = ByTotal(int(per_deal * MINUTE_MS), lengths)
    return [[minutes[track - 1] for track in dealt(deck)] for deck in in_order(here, size, count)]


def in_order(here: Sequence[int], size: Size, count: int) -> list[Deck]:
    """Return the deck after each of N deals in the natural order."""
    decks = [Deck()]
    for _ in range(count):
        decks.append(deal_next(decks[-1], here, Sorted(), size, TODAY))
    return decks[1:]


@pytest.mark.parametrize(
    ("minutes", "per_deal", "expected"),
    [
        pytest.param([4] * 10, 10, [[4, 4]] * 3, id="no time is carried over"),
        pytest.param([4, 9, 5, 4, 4], 10, [[4, 5], [9], [4, 4]], id="what does not fit comes next time"),
        pytest.param([5, 90, 5, 5, 5], 10, [[5, 5], [90], [5, 5]], id="an overlong track is dealt alone"),
        pytest.param(
            [3.5, 60, *[3.5] * 18], 45, [[3.5] * 12, [60], [3.5] * 12], id="an overlong track and a seam"
        ),
        pytest.param([8, 5, 5, 1, 5], 10, [[8], [5, 5], [1, 5]], id="a full deal takes no later short track"),
        pytest.param([3, 3, 3], 8, [[3, 3]] * 3, id="a deal crosses the seam"),
        pytest.param([3, 3, 3], 100, [[3, 3, 3]] * 2, id="no more than there is"),
        pytest.param([2, 0, 4, 0, 3, 3, 3, 3], 9, [[2, 0, 4], [0, 3, 3]], id="unknown counts as the mean"),
        pytest.param([0, 0, 0], 9, [[0], [0]], id="nothing is known"),
    ],
)
def test_a_deal_by_playing_time_has_the_next_tracks_that_fit_into_this_time(
    minutes: list[float], per_deal: int, expected: list[list[float]]
) -> None:
    assert by_time(minutes, per_deal, len(expected)) == expected


@given(st.lists(st.integers(1, 12), min_size=1, max_size=30), st.integers(1, 30))
def test_deals_by_playing_time_are_not_too_long_and_have_each_track_of_a_round_once(
    minutes: list[int], per_deal: int
) -> None:
    """No deal is longer than asked for, unless a single track is."""
    minutes = [length + number / 100 for number, length in enumerate(minutes)]  # type: ignore[misc]
    came = by_time(minutes, per_deal, len(minutes))
    played = [length for lengths in came for length in lengths]

    assert all(sum(lengths) <= per_deal or len(lengths) == 1 for lengths in came)
    assert sorted(played[: len(minutes)]) == sorted(minutes)


# By albums


def test_deals_of_albums_have_whole_albums_and_each_album_once_in_a_round() -> None:
    here = tracks(12, first=0)
    decks = in_order(here, ByGroups(3, {track: track // 3 for track in here}), 3)

    assert [*map(dealt, decks)] == [(*range(9),), (9, 10, 11, *range(6)), (*range(6, 12), 0, 1, 2)]


def test_a_deal_of_albums_begins_with_the_rest_of_an_album_that_was_dealt_in_part() -> None:
    here = tracks(9, first=0)
    [one] = in_order(here, ByCount(2), 1)

    two = deal_next(one, here, Sorted(), ByGroups(2, {track: track // 3 for track in here}), TODAY)

    assert dealt(two) == (2, 3, 4, 5)
