"""A deck of cards: rounds, seams, sizes, changes of the library."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.amount import ByAlbums, ByCount, ByTime
from playshuffle.dealing.deck import Deck, deal, ended, renamed, settled
from playshuffle.shuffle import RandBelow, Seeded, System
from tests.decks import Sorted, Uniform, tracks
from tests.shuffle.all_draws import distribution, is_uniform_over

TODAY = date(2026, 11, 21)
MINUTE_MS = 60_000


def deals(here: Sequence[bytes], *counts: int, deck: Deck | None = None, seed: str = "1") -> list[Deck]:
    """The deck after each deal of so many tracks, a day apart."""
    law = Uniform(Seeded(seed))
    decks = [deck or Deck()]
    for day, count in enumerate(counts):
        decks.append(deal(decks[-1], here, law, ByCount(count), TODAY + timedelta(days=day)))
    return decks[1:]


def dealt(deck: Deck) -> tuple[bytes, ...]:
    assert deck.deal is not None
    return deck.deal.entries


def shortest_gap(played: Sequence[bytes]) -> int:
    """The least number of plays from one playing of a track to its next."""
    last: dict[bytes, int] = {}
    gaps = []
    for at, track in enumerate(played):
        gaps.append(at - last.get(track, -sys.maxsize))
        last[track] = at
    return min(gaps)


# Rounds


def test_fifty_deals_of_forty_are_two_thousand_tracks_each_once() -> None:
    here = tracks(2000)
    decks = deals(here, *[40] * 50)

    assert Counter(track for deck in decks for track in dealt(deck)) == Counter(here)
    assert [(deck.deal.number, deck.deal.of) for deck in decks if deck.deal] == [
        (number, 50) for number in range(1, 51)
    ]
    assert (decks[-1].round, decks[-1].since, decks[-1].to_go) == (1, TODAY, 0)


@given(st.integers(1, 60), st.lists(st.integers(1, 70), min_size=1, max_size=12), st.integers())
def test_rounds_hold_every_track_once_whatever_the_deals_are(count: int, sizes: list[int], seed: int) -> None:
    """And a deal has its full length, none twice, or all that there is."""
    here = tracks(count)
    decks = deals(here, *sizes, seed=str(seed))
    played = [track for deck in decks for track in dealt(deck)]

    assert [len(dealt(deck)) for deck in decks] == [min(size, count) for size in sizes]
    assert all(len(set(dealt(deck))) == len(dealt(deck)) for deck in decks)
    for start in range(0, len(played) - count + 1, count):
        assert sorted(played[start : start + count]) == here
    assert shortest_gap(played) >= min(count // 4, 100)


def test_the_last_deal_of_a_round_is_filled_up_from_the_next() -> None:
    first, second, third = deals(tracks(10), 6, 6, 6)

    assert set(dealt(first) + dealt(second)[:4]) == set(tracks(10))
    assert (second.deal and second.deal.round, second.round, second.number) == (1, 2, 0)
    assert (second.deal and second.deal.number, second.deal and second.deal.of) == (2, 2)
    assert (second.since, second.heard) == (TODAY + timedelta(days=1), dealt(second)[4:])
    assert third.deal is not None
    assert (third.deal.round, third.deal.number, third.deal.of) == (2, 1, 2)


def test_a_round_that_ends_with_its_deal_is_left_ended() -> None:
    """It may still get a new track; the next round begins with the next deal."""
    [_, deck] = deals(tracks(10), 5, 5)
    assert (deck.round, deck.to_come) == (1, ())

    [later] = deals(tracks(11), 5, deck=deck)

    assert dealt(later)[0] == tracks(11)[-1]
    assert (later.deal and later.deal.round, later.round) == (1, 2)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_library_smaller_than_the_deal_is_dealt_whole_each_time(count: int) -> None:
    decks = deals(tracks(count), 40, 40, 40)

    assert [sorted(dealt(deck)) for deck in decks] == [tracks(count)] * 3
    assert [deck.round for deck in decks] == [1, 2, 3]


# Across the seam


@pytest.mark.parametrize(("count", "size", "gap"), [(4, 3, 1), (5, 3, 2), (5, 4, 0), (5, 5, 3), (6, 4, 2)])
def test_the_next_round_is_uniform_over_all_that_keep_the_gap(count: int, size: int, gap: int) -> None:
    """And that bring no track twice into the deal that crosses the seam."""
    here = tracks(count)
    played = tuple(here)
    before = Deck(played[:size], played[size:], round=1, since=TODAY, law="uniform")

    def next_round(draw: RandBelow) -> tuple[bytes, ...]:
        after = deal(before, here, Uniform(draw, gap), ByCount(size), TODAY)
        if after.round == 1:
            after = deal(after, here, Uniform(draw, gap), ByCount(size), TODAY)
        return after.heard + after.to_come

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


def test_by_time_too_the_next_round_is_uniform() -> None:
    """Over all orders in which what was dealt waits for as many as could still come into the deal."""
    here = tracks(5)
    lengths = dict.fromkeys(here, MINUTE_MS)
    before = Deck(tuple(here[:3]), tuple(here[3:]), round=1, since=TODAY, law="uniform")

    def next_round(draw: RandBelow) -> tuple[bytes, ...]:
        after = deal(before, here, Uniform(draw, 0), ByTime(4 * MINUTE_MS, lengths), TODAY)
        return after.heard + after.to_come

    assert is_uniform_over(
        distribution(next_round),
        [order for order in permutations(here) if not set(here[3:]).intersection(order[:2])],
    )


@pytest.mark.parametrize("gone", [[0], [5], [0, 1, 2, 9], [9]], ids=str)
def test_tracks_that_go_after_the_seam_do_not_shorten_the_gap(gone: list[int]) -> None:
    """What would come too soon without them is put off."""
    here = tracks(40)
    for seed in map(str, range(40)):
        law = Uniform(Seeded(seed), 10)
        one = deal(Deck(), here, law, ByCount(40), TODAY)
        two = deal(one, here, law, ByCount(1), TODAY)
        absent = {two.to_come[at] for at in gone}
        left = [track for track in here if track not in absent]

        three = deal(two, left, law, ByCount(39 - len(gone)), TODAY)

        assert shortest_gap(dealt(one) + dealt(two) + dealt(three)) >= 10
        assert set(dealt(two) + dealt(three)) == set(left)


def test_a_gap_that_cannot_be_kept_gives_way_and_the_round_its_tracks() -> None:
    """What was heard longest ago comes first."""
    here = tracks(8)
    deck = Deck((), tuple(here), tail=tuple(here), round=2, since=TODAY, law="uniform")

    after = deal(deck, here[6:], Uniform(System(), 8), ByCount(2), TODAY)

    assert dealt(after) == (here[6], here[7])
    assert after.to_come == ()


def test_an_order_that_keeps_no_gap_still_brings_no_track_twice_into_one_deal() -> None:
    """Sorted: the library is walked through; what is in the deal already comes in the next."""
    law = Sorted()
    here = tracks(5)
    one = deal(Deck(), here, law, ByCount(3), TODAY)
    two = deal(one, here, law, ByCount(4), TODAY)
    three = deal(two, here, law, ByCount(4), TODAY)

    assert dealt(two) == (here[3], here[4], here[0], here[1])
    assert dealt(three) == (here[2], here[3], here[4], here[0])


# While a round runs


def test_new_tracks_come_at_any_place_among_those_to_come() -> None:
    """Each order of what is still to come is as likely as any other, under all draws."""
    here = tracks(5)
    new = tracks(2, first=7)

    def to_come(draw: RandBelow) -> tuple[bytes, ...]:
        law = Uniform(draw, 0)
        one = deal(Deck((b"/m/9999",), round=1, law="uniform"), here, law, ByCount(1), TODAY)
        return settled(one, [*here, *new], law).to_come if one.heard[-1] == here[0] else ()

    shares = distribution(to_come)
    del shares[()]

    assert is_uniform_over(shares, list(permutations([*here[1:], *new])))


def test_what_is_gone_is_dropped_and_comes_at_a_drawn_place_if_it_is_back() -> None:
    here = tracks(6)
    deck = Deck(tuple(here[:2]), tuple(here[2:]), round=1, law="uniform")

    without = settled(deck, [*here[:3], *here[4:]], Uniform(System()))
    shares = distribution(lambda draw: settled(without, here, Uniform(draw)).to_come)

    assert without.to_come == (here[2], here[4], here[5])
    assert is_uniform_over(
        shares, [(*without.to_come[:at], here[3], *without.to_come[at:]) for at in range(4)]
    )


def test_what_was_heard_is_not_heard_again_in_its_round_though_it_was_away() -> None:
    here = tracks(10)
    one, *_ = deals(here, 4)
    left = [track for track in here if track not in dealt(one)]

    [two] = deals(left, 3, deck=one)
    [three] = deals(here, 3, deck=two)

    assert (two.library, two.still, len(two.gone), two.to_go) == (6, 3, 4, 1)
    assert Counter(dealt(one) + dealt(two) + dealt(three)) == Counter(here)
    assert (three.round, three.library) == (1, 10)


def test_a_renamed_track_keeps_its_place_and_its_mark() -> None:
    here = tracks(6)
    [deck] = deals(here, 3)
    old, new = {deck.heard[0]: b"/m/x", deck.to_come[0]: b"/m/y"}, {b"/m/x", b"/m/y"}

    after = renamed(deck, old)

    assert after.heard == (b"/m/x", *deck.heard[1:])
    assert after.to_come == (b"/m/y", *deck.to_come[1:])
    assert dealt(after) == after.heard
    assert settled(after, sorted(new.union(here).difference(old)), Uniform(System())) == after


def test_a_track_that_replaces_another_by_its_new_name_takes_no_mark_over() -> None:
    here = tracks(6)
    [deck] = deals(here, 3)

    after = renamed(deck, {deck.to_come[0]: deck.heard[0]})
    swapped = renamed(deck, {deck.to_come[0]: deck.heard[0], deck.heard[0]: deck.to_come[0]})

    assert (after.heard, after.to_come) == (deck.heard[1:], (deck.heard[0], *deck.to_come[1:]))
    assert swapped.heard == (deck.to_come[0], *deck.heard[1:])
    assert swapped.to_come == (deck.heard[0], *deck.to_come[1:])


def test_another_order_is_that_of_what_is_still_to_come() -> None:
    here = tracks(10)
    [deck] = deals(here, 4)

    after = deal(deck, here, Sorted(), ByCount(3), TODAY)

    assert dealt(after) == tuple(sorted(deck.to_come)[:3])
    assert (after.law, after.round) == ("sorted", 1)


def test_a_round_broken_off_is_followed_by_a_whole_one_through_the_gap() -> None:
    here = tracks(40)
    for seed in map(str, range(20)):
        [deck] = deals(here, 15, seed=seed)
        after = deals(here, 10, 10, 10, 10, deck=ended(deck), seed=seed)
        played = [track for one in after for track in dealt(one)]

        assert sorted(played) == here
        assert after[0].round == 2
        assert shortest_gap([*dealt(deck), *played]) >= 10


def test_a_gap_reaches_over_a_short_round_into_the_one_before() -> None:
    here = tracks(40)
    for seed in map(str, range(20)):
        [one] = deals(here, 15, seed=seed)
        [two] = deals(here, 5, deck=ended(one), seed=seed)
        [three] = deals(here, 10, deck=ended(two), seed=seed)

        assert shortest_gap([*dealt(one), *dealt(two), *dealt(three)]) >= 10


# By time


def by_time(minutes: Sequence[float], per_deal: float, count: int) -> list[tuple[list[float], float]]:
    """The lengths in each of so many deals, in the natural order, and the minutes carried over."""
    here = tracks(len(minutes))
    lengths = {track: int(length * MINUTE_MS) for track, length in zip(here, minutes, strict=True)}
    deck = Deck()
    came = []
    for _ in range(count):
        deck = deal(deck, here, Sorted(), ByTime(int(per_deal * MINUTE_MS), lengths), TODAY)
        came.append(([minutes[here.index(track)] for track in dealt(deck)], deck.carried_ms / MINUTE_MS))
    return came


def test_a_track_is_never_split_and_unused_minutes_are_carried() -> None:
    assert by_time([4, 4, 4, 4, 4, 4, 4, 4, 4, 4], 10, 3) == [([4, 4], 2), ([4, 4, 4], 0), ([4, 4], 2)]


def test_an_overlong_track_is_dealt_alone() -> None:
    """And takes along what was carried; if that makes it short enough, more may follow."""
    assert by_time([5, 90, 5, 5, 5], 10, 3) == [([5], 5), ([90], 0), ([5, 5], 0)]
    assert by_time([1, 13, 1, 9], 7, 3) == [([1], 6), ([13], 0), ([1], 6)]
    assert by_time([1, 12, 1, 9], 7, 2) == [([1], 6), ([12, 1], 0)]


def test_a_deal_by_time_crosses_the_seam_and_never_holds_more_than_there_is() -> None:
    assert by_time([3, 3, 3], 8, 3) == [([3, 3], 2), ([3, 3, 3], 0), ([3, 3], 2)]
    assert by_time([3, 3, 3], 100, 2) == [([3, 3, 3], 0), ([3, 3, 3], 0)]


def test_no_more_is_carried_than_one_deal_is_long() -> None:
    """Not even if the track that did not fit went away, and one came that fits even less."""
    lengths = dict(zip(tracks(3), [MINUTE_MS, 60 * MINUTE_MS, MINUTE_MS], strict=True))
    deck = Deck((), tuple(tracks(3)), round=1, carried_ms=9 * MINUTE_MS, law="sorted")

    after = deal(deck, tracks(3), Sorted(), ByTime(10 * MINUTE_MS, lengths), TODAY)

    assert (dealt(after), after.carried_ms) == (tuple(tracks(1)), 10 * MINUTE_MS)


def test_what_has_no_known_length_counts_as_the_mean_of_the_others() -> None:
    assert by_time([2, 0, 4, 0, 3, 3, 3, 3], 9, 2) == [([2, 0, 4], 0), ([0, 3, 3], 0)]
    assert by_time([0, 0, 0], 9, 2) == [([0], 0), ([0], 0)]


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=30),
    st.integers(1, 30),
    st.integers(1, 12),
)
def test_over_many_deals_the_time_is_kept(minutes: list[int], per_deal: int, count: int) -> None:
    """What was played is never more than allowed so far, but for a track that alone is longer."""
    longest = max(minutes)
    came = by_time(minutes, per_deal, count)

    for done in range(1, count + 1):
        played = sum(sum(lengths) for lengths, _ in came[:done])
        assert played <= done * per_deal + sum(max(0, sum(lengths) - per_deal) for lengths, _ in came[:done])
    for (_, carried), (lengths, _) in pairwise([([], 0), *came]):
        assert sum(lengths) <= per_deal + carried or len(lengths) == 1
        assert carried < max(longest, 1)


# By albums


def test_whole_albums_are_dealt_and_rounds_hold_each_once() -> None:
    here = tracks(12)
    album_of = {track: number // 3 for number, track in enumerate(here)}
    law = Sorted()
    deck = Deck()
    came = []
    for _ in range(4):
        deck = deal(deck, here, law, ByAlbums(3, album_of), TODAY)
        came.append([here.index(track) for track in dealt(deck)])

    assert came[0] == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert came[1] == [9, 10, 11, 0, 1, 2, 3, 4, 5]
    assert came[2] == [6, 7, 8, 9, 10, 11, 0, 1, 2]


def test_an_album_of_which_some_was_heard_is_dealt_to_its_end() -> None:
    here = tracks(9)
    album_of = {track: number // 3 for number, track in enumerate(here)}
    one = deal(Deck(), here, Sorted(), ByCount(2), TODAY)

    two = deal(one, here, Sorted(), ByAlbums(2, album_of), TODAY)

    assert dealt(two) == tuple(here[2:6])


# Values


def test_a_deck_is_not_changed_by_a_deal() -> None:
    [deck] = deals(tracks(10), 4)
    before = replace(deck)

    deals(tracks(10), 4, 4, deck=deck)

    assert deck == before
