"""Update an order after its tracks changed: only tracks that must move do so."""

import itertools
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.tag_columns import TagsOf, no_tags
from playshuffle.library.tracks import Tracks
from playshuffle.ordering import groups
from playshuffle.ordering.arrange import Arranged
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import HERE, LAST, Pin, Recipe
from playshuffle.ordering.running_order import last_order_now, update_order
from playshuffle.shuffle import RandBelow, Seeded, fewest_repeats, repeats
from playshuffle.tags.reading import Tags
from tests.shuffle.all_draws import distribution, is_uniform_over, replay
from tests.support.tagged import all_of, by_artists, numbered, tagged


class Kept(NamedTuple):
    """An updated order, in which absent tracks have the indices after those of the library.

    absent: the index of each absent track before the update.
    """

    arranged: Arranged
    order: list[int]
    absent: list[int]


def kept(
    tracks: Tracks,
    places: Sequence[int],
    now: Sequence[int | None],
    randbelow: RandBelow,
    recipe: Recipe | None = None,
    *,
    absent: Collection[int] = (),
    forgotten: Collection[int] = (),
    tags_of: TagsOf = no_tags,
    is_changed: bool = True,
) -> Kept:
    """Update the order `places`; `now` has the present index of each track, None if it is absent."""
    indices = [~before if index is None else index for before, index in enumerate(now)]
    chosen = all_of(tracks, tags_of)
    last = last_order_now(
        [indices[place] for place in places],
        [indices[before] for before in absent],
        chosen.indices,
        [indices[before] for before in forgotten],
    )
    arranged, order = update_order(chosen, recipe or Recipe(), last, randbelow, is_changed=is_changed)
    assert sorted(order) == sorted([*chosen.indices, *last.absent])
    assert [index for index in order if index >= 0] == arranged.order
    away = [index for index in last.order if index < 0]
    behind = {index: len(tracks) + at for at, index in enumerate(away)}
    return Kept(arranged, [behind.get(index, index) for index in order], [~index for index in away])


def test_all_orders_are_equally_likely_after_tracks_were_removed_added_and_returned() -> None:
    """After three tracks were shuffled, one was removed, another added, and the removed one returned."""

    def run(draw: RandBelow) -> tuple[int, ...]:
        order = [0, 1, 2]
        for place in (2, 1):
            other = draw(place + 1)
            order[place], order[other] = order[other], order[place]
        lost = kept(numbered(3), order, [0, 1, None], draw)  # 2 is a new track now
        assert lost.absent == [2]
        back = kept(numbered(4), lost.order, [0, 1, 2, 3], draw)
        return tuple(back.order)

    shares = distribution(run)

    assert is_uniform_over(shares, list(itertools.permutations(range(4))))


def test_absent_tracks_keep_their_positions_in_the_saved_order_for_their_return() -> None:
    """Two tracks of four are absent."""
    away = kept(numbered(2), [2, 0, 3, 1], [0, None, None, 1], replay())

    assert away.arranged.order == [0, 1]
    assert away.absent == [2, 1]
    assert away.order == [2, 0, 1, 3]


def test_a_forgotten_track_is_removed_from_the_order_even_if_a_new_track_has_its_number() -> None:
    """The forgotten track and the new one are both number 0."""
    for seed in range(10):
        found = kept(numbered(3), [1, 0, 2], [None, 1, 2], Seeded(str(seed)), absent=[0], forgotten=[0])

        assert (found.absent, sorted(found.order)) == ([], [0, 1, 2])
        assert [index for index in found.order if index] == [1, 2]


RECIPES = [
    *(Recipe(order) for order in ORDERS if order not in ("groups", "favourites")),
    Recipe("groups", group_by="genre"),
    Recipe("spread", group_by="genre"),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.full_name)
def test_if_no_track_changed_an_update_leaves_the_order_as_it_is_and_reads_no_tags(recipe: Recipe) -> None:
    """Even an order that the recipe cannot result in: a user may have edited the playlist."""
    tracks, _ = by_artists("A", "A", "B", "A", "C")
    places = [4, 3, 1, 0, 2]

    def tags_of(folder: object) -> list[Tags | None]:
        raise AssertionError("a tag was read")

    found = kept(tracks, places, range(5), replay(), recipe, tags_of=tags_of, is_changed=False)

    assert (found.order, found.arranged.order, found.absent) == (places, places, [])


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.full_name)
def test_every_order_can_be_updated_if_no_track_has_tags(recipe: Recipe) -> None:
    """As with the option --no-tags."""
    found = kept(numbered(6), [2, 0, 4, 1, 3], [0, 1, 2, None, 4], Seeded("1"), recipe)

    assert sorted(found.arranged.order) == [*range(6)]
    assert sorted(found.order) == [*range(7)]


def test_in_the_order_rare_a_new_track_is_equally_likely_anywhere_among_tracks_with_its_play_count() -> None:
    """Tracks 0 and 1 were never played, 2 twice. Track 3 is new, and 4 was played once."""
    plays = (0, 0, 2, 0, 1)
    tracks, tags_of = tagged({f"/m/{at}": Tags(play_count=count) for at, count in enumerate(plays)})

    shares = distribution(
        lambda draw: tuple(kept(tracks, [2, 1, 0], range(3), draw, Recipe("rare"), tags_of=tags_of).order)
    )

    assert is_uniform_over(shares, [(3, 1, 0, 4, 2), (1, 3, 0, 4, 2), (1, 0, 3, 4, 2)])


def test_if_only_the_last_album_is_shuffled_inside_an_update_sorts_an_album_that_is_no_longer_last() -> None:
    """If a new album is inserted behind the last one, the new album is shuffled instead."""
    files = {f"/m/{album}/{n}.ogg": Tags(album=album, number=n) for album in "xy" for n in (1, 2)}
    tracks, tags_of = tagged(files)
    recipe = Recipe(order_name="albums", inside="last")
    shares = distribution(
        lambda draw: tuple(kept(tracks, [1, 0], [0, 1], draw, recipe, tags_of=tags_of).order)
    )

    assert shares == {
        (0, 1, 2, 3): Fraction(1, 4),
        (0, 1, 3, 2): Fraction(1, 4),
        (2, 3, 1, 0): Fraction(1, 2),
    }


@pytest.mark.parametrize(
    ("pin", "place"), [(Pin(0, 0), 0), (Pin(0, LAST), 5), (Pin(0, 2), 2)], ids=["first", "last", "third"]
)
def test_an_update_moves_a_pinned_track_to_its_position_and_a_second_update_moves_no_track(
    pin: Pin, place: int
) -> None:
    tracks = numbered(6)
    recipe = Recipe(pins=(pin,))
    for seed in range(10):
        found = kept(tracks, [3, 1, 0, 2], [0, 1, 2, 3], Seeded(str(seed)), recipe)
        again = kept(tracks, found.order, list(range(6)), replay(), recipe)

        assert found.arranged.order[place] == 0
        assert again.order == found.order


@pytest.mark.parametrize(
    ("pin", "place"), [(Pin(0, 0), 0), (Pin(0, LAST), 4), (Pin(0, 2), 2), (Pin(4, 1), 1)], ids=str
)
def test_a_new_track_is_equally_likely_at_each_position_that_is_not_pinned(pin: Pin, place: int) -> None:
    """With the last pin, the pinned track is a new one, too."""
    new = 3 if pin.track_index == 4 else 4
    now = [0, 1, 2, 4 if new == 3 else 3][: 3 if new == 3 else 4]
    recipe = Recipe(pins=(pin,))

    def position(draw: RandBelow) -> int:
        order = kept(numbered(5), range(len(now)), now, draw, recipe).arranged.order
        assert order[place] == pin.track_index
        return order.index(new)

    assert is_uniform_over(distribution(position), [at for at in range(5) if at != place])


@pytest.mark.parametrize("order", ["random", "sattolo"])
@pytest.mark.parametrize("removed", [False, True])
def test_in_an_update_with_pins_the_tracks_without_a_pin_keep_their_relative_order(
    order: str, removed: bool
) -> None:
    """Six tracks are new, or two are removed."""
    before = [5, 2, 0, 4, 1, 3]
    now = [0, 1, None, 3, 4, None] if removed else [0, 1, 2, 3, 4, 5]
    recipe = Recipe(order, pins=(Pin(4, 3), Pin(0, 1)))
    for seed in range(20):
        updated = kept(numbered(12), before, now, Seeded(str(seed)), recipe).arranged.order

        assert (updated[1], updated[3]) == (0, 4)
        others = [index for index in before if now[index] is not None and index not in (0, 4)]
        assert [index for index in updated if index in others] == others


def test_pinning_a_track_to_its_present_position_moves_no_track() -> None:
    found = kept(numbered(3), [2, 0, 1], [0, 1, 2], replay(), Recipe(pins=(Pin(1, HERE),)))

    assert found.order == [2, 0, 1]


@pytest.mark.parametrize("pins", [(), (Pin(2, LAST),)])
def test_an_update_keeps_the_time_limit_and_another_update_changes_nothing(pins: tuple[Pin, ...]) -> None:
    """Without new tracks."""
    lengths = [100, 200, None, 400, 300, 90_000]
    tracks, _ = tagged({f"/m/{n}.ogg": Tags(duration_ms=length) for n, length in enumerate(lengths)})
    pins = tuple(Pin(3, pin.position) for pin in pins)
    recipe = Recipe(time_ms=800, pins=pins)

    found = kept(tracks, [5, 4, 2, 3, 1, 0], list(range(6)), replay(), recipe)
    again = kept(tracks, found.order, list(range(6)), replay(), recipe)

    played = found.arranged.order[: found.arranged.playlist_length]
    assert sum(lengths[index] or 99_999 for index in played) <= 800
    assert again == found
    assert not pins or played[-1] == 3


@given(st.data())
def test_an_updated_order_has_each_track_once_and_keeps_the_order_of_old_tracks(data: st.DataObject) -> None:
    """For any order and any changes; absent tracks are in the saved order once, too."""
    before = data.draw(st.integers(0, 8))
    places = data.draw(st.permutations(range(before)))
    count = data.draw(st.integers(1, 8))
    stay = data.draw(st.permutations(range(count)))[: data.draw(st.integers(0, min(before, count)))]
    now: list[int | None] = [*stay, *[None] * (before - len(stay))]

    found = kept(numbered(count), places, now, Seeded("x"))

    assert sorted(found.arranged.order) == list(range(count))
    assert sorted(found.order) == list(range(count + len(found.absent)))
    old = [now[place] for place in places if now[place] is not None]
    assert [index for index in found.arranged.order if index in stay] == old


@pytest.mark.parametrize(
    ("order", "names", "before", "after"),
    [
        # b/2 was c/2 before; the smaller part of a split folder moves to the larger one
        ("folders", "a/1 b/1 b/2 b/3 c/1", [1, 3, 0, 4, 2], [1, 2, 3, 0, 4]),
        ("folders", "a/1 a/2 a/3 b/1", [3, 1, 0, 2], [3, 0, 1, 2]),
        ("sorted", "1 2 3", [2, 0, 1], [0, 1, 2]),
        # track 2 is new, the others are `1` and `10`
        ("folders", "a/1 a/10 a/2", [0, 1], [0, 2, 1]),
        ("sorted", "a/1 a/10 a/2", [0, 1], [0, 2, 1]),
    ],
)
def test_in_orders_by_path_an_update_moves_renamed_and_new_tracks_to_where_their_paths_belong(
    order: str, names: str, before: list[int], after: list[int]
) -> None:
    tracks, _ = tagged({f"/m/{name}": None for name in names.split()})

    assert kept(tracks, before, range(len(before)), replay(), Recipe(order)).order == after


@given(st.data())
def test_an_updated_spread_order_has_the_fewest_repeats_after_any_change(data: st.DataObject) -> None:
    """With or without a limit, by artist or genre, also if one artist has most tracks."""
    artists = data.draw(st.lists(st.sampled_from("AABCD"), min_size=1, max_size=16))
    limit = data.draw(st.none() | st.integers(1, 16))
    by = data.draw(st.sampled_from(["artist", "genre"]))
    recipe = Recipe(order_name="spread", limit=limit, group_by=by)
    before = data.draw(st.integers(0, 12))
    places = data.draw(st.permutations(range(before)))
    stay = data.draw(st.permutations(range(len(artists))))[: data.draw(st.integers(0, before))]
    now: list[int | None] = [*stay, *[None] * (before - len(stay))]
    tracks, tags_of = tagged(
        {f"/m/{at:02}.ogg": Tags(artist=name, genre=name) for at, name in enumerate(artists)}
    )
    keys = groups.group_keys(all_of(tracks, tags_of), by)

    found = kept(tracks, places, now, Seeded("x"), recipe, tags_of=tags_of)

    order, count = found.arranged.order, found.arranged.playlist_length
    played = [keys[index] for index in order[:count]]
    assert count == min(limit or 16, len(artists))
    assert sorted(order) == list(range(len(artists)))
    assert repeats(played) == fewest_repeats(played)


@pytest.mark.parametrize(
    ("artists", "places", "now", "pins"),
    [
        ("ABACD", range(5), range(5), (Pin(0, 1),)),
        *(
            ("ABBCDE", [0, 3, 4, 1, 6, 2, 5], [*range(6), None], pins)
            for pins in [(Pin(0, 0),), (Pin(3, 2),), (Pin(0, 0), Pin(5, LAST))]
        ),
    ],
    ids=str,
)
def test_if_a_new_pin_or_a_removal_makes_an_artist_repeat_the_order_is_spread_around_pins(
    artists: str, places: Sequence[int], now: Sequence[int | None], pins: tuple[Pin, ...]
) -> None:
    tracks, tags_of = by_artists(*artists)
    recipe, is_changed = Recipe("spread", pins), None in now
    keys = groups.artist_keys(tracks)
    for seed in map(str, range(10)):
        found = kept(tracks, places, now, Seeded(seed), recipe, tags_of=tags_of, is_changed=is_changed)
        order = found.arranged.order

        assert repeats([keys[index] for index in order]) == 0
        assert all(order[5 if pin.position == LAST else pin.position] == pin.track_index for pin in pins)  # type: ignore[index]


@given(st.data())
def test_after_tags_changed_an_update_makes_each_album_whole_and_sorted(data: st.DataObject) -> None:
    """Each album is one block, sorted by track number."""
    count = data.draw(st.integers(1, 10))
    tag = st.tuples(st.sampled_from("XYZ"), st.integers(1, 3))
    tags = data.draw(st.lists(tag, min_size=count, max_size=count))
    files = {f"/m/{at:02}.ogg": Tags(album=album, number=number) for at, (album, number) in enumerate(tags)}
    tracks, tags_of = tagged(files)
    places = data.draw(st.permutations(range(data.draw(st.integers(0, count)))))

    found = kept(
        tracks, places, range(len(places)), Seeded("x"), Recipe(order_name="albums"), tags_of=tags_of
    )

    played = [tags[index] for index in found.order]
    blocks = [album for album, _ in itertools.groupby(album for album, _ in played)]
    assert len(blocks) == len(set(blocks))
    for album in blocks:
        numbers = [number for name, number in played if name == album]
        assert numbers == sorted(numbers)


@given(st.data())
def test_after_updates_every_order_has_each_present_and_each_absent_track_once(data: st.DataObject) -> None:
    """After up to four updates in a row."""
    recipe = data.draw(
        st.sampled_from(
            [
                *(Recipe(order_name=order) for order in ORDERS if order not in ("groups", "favourites")),
                Recipe(order_name="groups", group_by="artist"),
                Recipe(limit=2),
            ]
        )
    )
    order: Sequence[int] = range(4)
    missing: Sequence[int] = ()
    known = 4
    for _ in range(data.draw(st.integers(1, 4))):
        count = data.draw(st.integers(1, 6))
        files = {f"/m/{data.draw(st.sampled_from('abc'))}/{n}": None for n in range(count)}
        tracks, tags_of = tagged({path: Tags(artist=path[3], album=path[3], number=1) for path in files})
        stay = data.draw(st.permutations(range(len(tracks))))
        stay = stay[: data.draw(st.integers(0, min(known, len(stay))))]
        now = data.draw(st.permutations([*stay, *[None] * (known - len(stay))]))

        found = kept(tracks, order, now, Seeded("x"), recipe, absent=missing, tags_of=tags_of)

        known = len(tracks) + len(found.absent)
        assert sorted(found.order) == [*range(known)]
        assert [index for index in found.order if index < len(tracks)] == found.arranged.order
        order = found.order
        missing = range(len(tracks), known)
