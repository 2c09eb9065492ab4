"""Test the orders of decks: guarantees, the gap between two plays of a track, limits, and copies."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.amount import Amount
from playshuffle.dealing.copies import join_copies
from playshuffle.dealing.deck import Deck
from playshuffle.dealing.rounds import Rounds, deal_size
from playshuffle.dealing.sizes import ByCount, ByGroups, ByTotal, Limited, Size
from playshuffle.library.tag_columns import TagsOf, no_tags
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.gap import Gap
from playshuffle.ordering.groups import artist_keys
from playshuffle.ordering.recipe import Recipe
from playshuffle.shuffle import RandBelow, Seeded, fewest_repeats, repeats
from playshuffle.tags.reading import Tags
from tests.shuffle.all_draws import distribution, is_uniform_over
from tests.support.decks import Uniform, check, deal_next, tracks
from tests.support.tagged import all_of, by_artists, numbered, tagged

TODAY = date(2026, 11, 21)


def entries(deck: Deck) -> tuple[int, ...]:
    assert deck.deal is not None
    return deck.deal.entries


def dealt(tracks: Tracks, recipe: Recipe, tags_of: TagsOf, sizes: list[int], seed: str) -> list[int]:
    """Return the tracks of several deals from a new deck, in order."""
    law = Rounds(all_of(tracks, tags_of), recipe, Seeded(seed))
    deck, played = Deck(), list[int]()
    for count in sizes:
        deck = deal_next(deck, range(len(tracks)), law, ByCount(count), TODAY)
        played += entries(deck)
    return played


def test_each_round_in_the_order_spread_has_the_fewest_possible_repeats_of_an_artist() -> None:
    """Deals end with the round here, so no track is postponed to the next one."""
    tracks, tags_of = by_artists(*"aaaaabbbccd")
    keys = artist_keys(tracks)
    for seed in map(str, range(20)):
        played = [keys[track] for track in dealt(tracks, Recipe("spread"), tags_of, [4, 7, 11], seed)]

        for one in (played[:11], played[11:]):
            assert repeats(one) == fewest_repeats(one)


def test_a_round_in_the_order_spread_does_not_begin_with_the_artist_of_the_track_dealt_last() -> None:
    """By chance each tenth of these 100 rounds would."""
    tracks, tags_of = by_artists(*"ABCDEFGHIJ" * 10)
    played = dealt(tracks, Recipe("spread"), tags_of, [7] * 1450, "1")

    artists = [tracks.artists[index] for index in played]
    assert len(artists) > 10_000
    assert repeats([ord(artist) for artist in artists]) == 0


def test_a_deck_in_album_order_keeps_albums_whole_and_adds_new_tracks_to_their_album() -> None:
    files = {
        f"/m/{album}/{number}.ogg": Tags(album=album, number=number) for album in "abc" for number in range(4)
    }
    tracks, tags_of = tagged(files)
    some = [index for index, path in enumerate(tracks.paths) if not path.endswith(b"2.ogg")]
    law = Rounds(Chosen(tracks, some, tags_of), Recipe("albums"), Seeded("1"))
    deck = deal_next(Deck(), some, law, ByCount(3), TODAY)

    law = Rounds(all_of(tracks, tags_of), Recipe("albums"), Seeded("2"))
    after = deal_next(deck, range(len(tracks)), law, ByCount(9), TODAY)

    played = [tracks.paths[track] for track in (*deck.dealt, *entries(after))]
    albums = [track.split(b"/")[2] for track in played]
    assert len(set(albums)) == sum(one != other for one, other in zip([b"", *albums], albums, strict=False))
    assert [track[-5:-4] for track in played[4:8]] == [b"0", b"1", b"2", b"3"]


def test_each_deal_in_the_order_rare_takes_the_upcoming_tracks_with_the_fewest_plays_by_then() -> None:
    plays = dict.fromkeys(range(9), 0) | {0: 5, 1: 3, 2: 1}

    def deal(deck: Deck) -> Deck:
        tracks, tags_of = tagged({f"/m/{at}": Tags(play_count=count) for at, count in plays.items()})
        law = Rounds(all_of(tracks, tags_of), Recipe("rare"), Seeded("1"))
        return deal_next(deck, range(9), law, ByCount(3), TODAY)

    first = deal(Deck())
    assert {*entries(first)} < {3, 4, 5, 6, 7, 8}
    often, *others = {3, 4, 5, 6, 7, 8}.difference(entries(first))
    plays[often] = 4  # heard from another list
    second = deal(first)
    assert entries(second) in ((*others, 2), (*reversed(others), 2))
    assert entries(deal(second)) == (1, often, 0)


def test_the_order_sattolo_gives_no_track_the_position_that_it_had_in_the_last_round() -> None:
    tracks = numbered(30)
    for seed in map(str, range(20)):
        played = dealt(tracks, Recipe("sattolo"), no_tags, [10] * 9, seed)

        for start in (0, 30):
            before, after = played[start : start + 30], played[start + 30 : start + 60]
            assert all(one != other for one, other in zip(before, after, strict=True))


def test_a_deck_in_the_order_spread_keeps_the_gap_as_far_as_ten_attempts_allow() -> None:
    """Of forty tracks the last ones come soon again in nearly each order; few do in the best of ten."""
    tracks, tags_of = by_artists(*(str(number % 13) for number in range(40)))
    early = 0
    for seed in map(str, range(50)):
        played = dealt(tracks, Recipe("spread"), tags_of, [40, 40], seed)
        early += sum(track in played[at - 9 : at] for at, track in enumerate(played) if at >= 40)

    assert early / 50 < 0.25  # of one order alone it is 0.95 on average, of ten 0.04


def test_if_no_order_keeps_the_gap_a_track_is_dealt_too_soon_rather_than_not_at_all() -> None:
    tracks, tags_of = by_artists("a")

    assert Rounds(all_of(tracks, tags_of), Recipe("spread"), Seeded("1")).arrange([0], {0: 1}) == [0]


def test_the_tracks_that_come_last_in_a_round_of_a_deck_are_the_resting_tracks_of_the_recipe() -> None:
    recipe = Recipe(resting=frozenset({0, 4}))

    assert Rounds(all_of(numbered(6)), recipe, Seeded("1")).resting == {0, 4}


@pytest.mark.parametrize(
    ("recipe", "track_count", "plays"),
    [
        (Recipe(), 40, 10),
        (Recipe(), 9999, 280),
        (Recipe("sorted"), 9999, 0),
        (Recipe(gap=Gap(1)), 40, 1),
        (Recipe(gap=Gap(50, is_percent=True)), 40, 20),
    ],
)
def test_the_gap_is_as_given_or_a_quarter_of_the_library_up_to_280_plays_and_0_if_sorted(
    recipe: Recipe, track_count: int, plays: int
) -> None:
    assert Rounds(all_of(numbered(2)), recipe, Seeded("1")).gap(track_count) == plays


def test_the_random_order_inserts_a_new_track_at_each_position_with_equal_probability() -> None:
    tracks = numbered(4)

    shares = distribution(
        lambda draw: tuple(Rounds(all_of(tracks), Recipe(), draw).insert_new([0, 1, 2], [3], None))
    )

    assert is_uniform_over(shares, [(*range(at), 3, *range(at, 3)) for at in range(4)])


def test_the_name_of_an_order_includes_the_field_and_the_shuffle_inside_its_groups() -> None:
    assert Recipe().full_name == "random"
    assert Recipe("groups", group_by="genre", inside="all").full_name == "groups by genre inside all"


def test_the_size_of_a_deal_is_counted_in_tracks_minutes_or_groups_as_its_amount_is() -> None:
    tracks, tags_of = by_artists("a", "b")

    assert isinstance(deal_size(Amount(tracks=2), all_of(tracks, tags_of), Recipe()), ByCount)
    assert isinstance(deal_size(Amount(time_ms=2000), all_of(tracks, tags_of), Recipe()), ByTotal)
    assert isinstance(deal_size(Amount(groups=2), all_of(tracks, tags_of), Recipe("albums")), ByGroups)


def test_a_deck_in_the_order_sorted_accepts_a_new_track_and_deals_each_track_once() -> None:
    """The track dealt last sorts behind some that are still to come."""
    tracks = numbered(9)
    deck = Deck((6,), tuple(range(6)), round=1, order_name="sorted")

    after = deal_next(
        deck, range(9), Rounds(all_of(tracks), Recipe("sorted"), Seeded("1")), ByCount(8), TODAY
    )

    assert sorted(after.dealt) == list(range(9))


def test_deals_of_the_whole_library_differ_in_order_though_rounds_begin_within_a_deal() -> None:
    law, every = Rounds(all_of(numbered(24)), Recipe(), Seeded("1")), range(24)
    deck = deal_next(Deck(), every, law, ByCount(5), TODAY)
    orders = []
    for _ in range(4):
        deck = deal_next(deck, every, law, ByCount(40), TODAY)
        orders.append(entries(deck))

    assert all(sorted(order) == list(every) for order in orders)
    assert all(one[:12] != other[:12] for one, other in itertools.pairwise(orders))


# Deals with a limit for each value


LIBRARIES = st.lists(st.integers(1, 5), min_size=1, max_size=5)


def values(counts: Sequence[int]) -> dict[int, int]:
    """Return the value of each track, in a library with these numbers of tracks for the values."""
    numbers = [value for value, count in enumerate(counts) for _ in range(count)]
    return dict(zip(tracks(len(numbers)), numbers, strict=True))


@given(counts=LIBRARIES, size=st.integers(1, 5), limit=st.integers(1, 3), seed=st.text(max_size=3))
def test_no_deal_exceeds_the_limit_per_value_and_each_round_deals_each_track_once(
    counts: list[int], size: int, limit: int, seed: str
) -> None:
    value_of = values(counts)
    order = Uniform(Seeded(seed), 0)
    for plain in (ByCount(size), ByTotal(size * 60_000, dict.fromkeys(value_of, 60_000))):
        deck, played = Deck(), list[int]()
        for day in range(3 * len(value_of)):
            deck = deal_next(
                deck, [*value_of], order, Limited(plain, limit, value_of), TODAY + timedelta(day)
            )
            played += entries(deck)
            assert 0 < len(entries(deck)) <= size
            assert max(Counter(map(value_of.__getitem__, entries(deck))).values()) <= limit

        for start in range(0, 3 * len(value_of), len(value_of)):
            assert Counter(played[start : start + len(value_of)]) == Counter([*value_of])


def test_a_track_that_a_limit_keeps_out_of_a_deal_comes_first_in_the_next_deal() -> None:
    value_of: Mapping[int, int] = {1: 0, 2: 0, 3: 0, 4: 1, 5: 2}
    deck = Deck(upcoming=(1, 2, 3, 4, 5), round=1, order_name="random")
    size = Limited(ByCount(2), 1, value_of)
    dealt = []
    for day in range(3):
        deck = deal_next(deck, [*value_of], Uniform(Seeded("x"), 0), size, TODAY + timedelta(day))
        dealt.append(entries(deck))
    assert dealt[:2] == [(1, 4), (2, 5)]
    assert dealt[2][0] == 3


@pytest.mark.parametrize(("counts", "size"), [([3, 1, 1], 2), ([2, 2, 1], 2), ([3, 2], 3), ([2, 1, 1], 3)])
def test_under_a_limit_per_value_the_tracks_of_one_value_are_equally_likely_to_be_dealt(
    counts: list[int], size: int
) -> None:
    value_of = values(counts)
    deal_size = Limited(ByCount(size), 1, value_of)

    def first_deal(randbelow: RandBelow) -> frozenset[int]:
        return frozenset(entries(deal_next(Deck(), [*value_of], Uniform(randbelow, 0), deal_size, TODAY)))

    shares = distribution(first_deal)
    share_of = {track: sum(share for deal, share in shares.items() if track in deal) for track in value_of}
    for value in range(len(counts)):
        assert len({share for track, share in share_of.items() if value_of[track] == value}) == 1


@given(seed=st.text(max_size=3), size=st.integers(1, 9))
def test_a_limit_per_value_that_no_value_exceeds_changes_no_deal(seed: str, size: int) -> None:
    value_of = values([3, 3, 2])
    sizes: tuple[Size, Size] = (ByCount(size), Limited(ByCount(size), 3, value_of))
    plain, limited = (deal_next(Deck(), [*value_of], Uniform(Seeded(seed)), any_, TODAY) for any_ in sizes)

    assert plain == limited


# Copies of a recording count as one track


TRACKS = list(range(1, 9))


@st.composite
def decks(draw: st.DrawFn) -> Deck:
    order = draw(st.permutations(TRACKS))
    cuts = sorted(draw(st.lists(st.integers(0, 8), min_size=3, max_size=3)))
    dealt, upcoming, missing = (tuple(order[start:end]) for start, end in zip([0, *cuts], cuts, strict=False))
    return Deck(dealt=dealt, upcoming=upcoming, missing=missing, tail=tuple(draw(st.permutations(TRACKS))))


def test_if_an_omitted_copy_was_dealt_the_kept_copy_counts_as_dealt() -> None:
    deck = join_copies(Deck(dealt=(1, 2), upcoming=(3, 4)), {1: 9, 3: 8})

    assert (deck.dealt, deck.upcoming) == ((1, 9, 2), (8, 4))


@given(decks(), st.dictionaries(st.sampled_from(TRACKS[:4]), st.sampled_from(TRACKS[4:])))
def test_joining_the_copies_in_a_deck_a_second_time_changes_nothing(deck: Deck, kept: dict[int, int]) -> None:
    joined = join_copies(deck, kept)

    check(joined)
    assert join_copies(joined, kept) == joined
    assert not kept.keys() & set(joined.upcoming)
    assert all(kept[track] in joined.dealt for track in deck.dealt if track in kept)
    assert set(joined.dealt) >= set(deck.dealt)
