"""Test the orders by a field, the kept order, and lists of whole groups."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from playshuffle.errors import Exit
from playshuffle.options.option_values import checked
from playshuffle.options.table import Options
from playshuffle.ordering.arrange import Arranged, arrange, last_order
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.orders import KEPT, ORDERS, field_of
from playshuffle.ordering.recipe import Pin, Recipe
from playshuffle.ordering.running_order import last_order_now, update_order
from playshuffle.shuffle import RandBelow, Seeded
from playshuffle.tags.reading import Tags
from tests.shuffle.all_draws import distribution, is_uniform_over
from tests.support.refusals import refusal
from tests.support.tagged import all_of, tagged

YEARS = {"/m/a": "1999", "/m/b": "", "/m/c": "2001-05-02", "/m/d": "1999-12", "/m/e": "", "/m/f": "1970"}


def _dated(years: Mapping[str, str] = YEARS) -> Chosen:
    return all_of(*tagged({path: Tags(date=date) for path, date in years.items()}))


def _arranged(chosen: Chosen, order: str, randbelow: RandBelow, last: Arranged | None = None) -> str:
    return _names(arrange(chosen, Recipe(order), last, randbelow))


def _names(arranged: Arranged) -> str:
    return "".join("abcdef"[index] for index in arranged.order)


def test_each_order_of_equal_tracks_is_equally_likely_and_tracks_without_the_field_are_last() -> None:
    chosen = _dated()

    for order, expected in {
        "by:year": ["fadcbe", "fadceb", "fdacbe", "fdaceb"],
        "by:-year": ["cadfbe", "cadfeb", "cdafbe", "cdafeb"],
    }.items():
        assert is_uniform_over(distribution(partial(_arranged, chosen, order)), expected)


@pytest.mark.parametrize(
    ("field", "values", "order"),
    [
        ("title", {"a": "Track 10", "b": "track 9", "c": "Álbum"}, "bac"),
        ("bpm", {"a": 120, "b": 99.5, "c": None}, "bac"),
        ("rating", {"a": 0.2, "b": 1.0, "c": 0.0}, "cab"),
    ],
)
def test_texts_are_sorted_naturally_and_numbers_by_value(
    field: str, values: Mapping[str, Any], order: str
) -> None:
    tracks, tags_of = tagged(
        {f"/m/{name}": Tags()._replace(**{field: value}) for name, value in values.items()}
    )
    chosen = all_of(tracks, tags_of)

    assert _arranged(chosen, f"by:{field}", Seeded("1")) == order


def test_a_path_is_a_field_and_pins_count() -> None:
    chosen = _dated()

    assert _arranged(chosen, "by:-path", Seeded("1")) == "fedcba"
    pinned = arrange(chosen, Recipe("by:path", (Pin(5, 0),)), None, Seeded("1"))
    assert list(pinned.order) == [5, 0, 1, 2, 3, 4]


def test_an_update_inserts_new_tracks_among_their_equals() -> None:
    chosen = _dated()
    recipe, last = Recipe("by:year"), last_order_now([5, 3, 2, 4], [], range(6), [])

    shares = distribution(
        lambda randbelow: _names(update_order(chosen, recipe, last, randbelow, is_changed=True)[0])
    )

    assert shares.keys() == {"fadcbe", "fadceb", "fdacbe", "fdaceb"}


def test_kept_leaves_the_last_order_as_it_is_and_appends_new_tracks() -> None:
    chosen = _dated()
    last = last_order(range(6), [4, 2, 5])

    assert _arranged(chosen, KEPT, Seeded("1"), last) == "ecfabd"
    updated, _ = update_order(
        chosen, Recipe(KEPT), last_order_now([4, 2, 5], [], range(6), []), Seeded("1"), is_changed=True
    )
    assert list(updated.order) == [4, 2, 5, 0, 1, 3]


ALBUMS = ["x", "x", "x", "y", "z", "z"]


def _albums() -> Chosen:
    files = {f"/m/{album}/{n}": Tags(album=album, number=n) for n, album in enumerate(ALBUMS)}
    return all_of(*tagged(files))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_list_of_groups_has_that_number_of_whole_groups_before_and_after_an_update(count: int) -> None:
    chosen, recipe = _albums(), Recipe("albums", group_count=count)
    for seed in map(str, range(20)):
        arranged = arrange(chosen, recipe, None, Seeded(seed))
        kept, _ = update_order(
            chosen, recipe, last_order_now(arranged.order, [], range(6), []), Seeded(seed), is_changed=True
        )
        for one in (arranged, kept):
            names = [ALBUMS[index] for index in one.played]
            assert len(set(names)) == min(count, 3)
            assert len(names) == sum(ALBUMS.count(name) for name in set(names))


# Names


@pytest.mark.parametrize(
    ("name", "order"), [("by:Year", "by:year"), ("BY:-album_artist", "by:-albumartist"), ("Kept", KEPT)]
)
def test_orders_by_a_field_are_found_in_upper_and_lower_case(name: str, order: str) -> None:
    assert checked(Options(order=name)).order == order


@pytest.mark.parametrize("name", ["by", "by:", "by:FIELD", "by:-", "by:nothing", "by:today", "year"])
def test_the_error_for_an_order_without_a_known_field_says_what_to_write(name: str) -> None:
    text = refusal(Exit.USAGE, checked, Options(order=name))

    assert "by:year" in text or "playshuffle tags" in text


def test_the_table_of_orders_has_a_row_for_each_field_but_lists_one() -> None:
    assert field_of("by:-year") == "year"
    assert ORDERS["by:-year"].tag == "year"
    assert ORDERS["by:size"].tag is None
    assert "by:-year" not in ORDERS
    with pytest.raises(KeyError):
        ORDERS["nothing"]
