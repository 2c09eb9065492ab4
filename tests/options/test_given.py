"""Test which options a list has when some are given now."""

from playshuffle.options.given import NOTHING_GIVEN
from playshuffle.options.table import Options

LIST = Options(folders=("/m",), limit=3, order="spread")


def test_options_that_are_given_replace_those_of_the_list() -> None:
    assert NOTHING_GIVEN.over(LIST) == LIST
    assert NOTHING_GIVEN.plus(order="random", spoken=True).over(LIST) == LIST._replace(
        order="random", spoken=True
    )


def test_each_amount_replaces_any_other_amount() -> None:
    assert NOTHING_GIVEN.plus(time="2h").over(LIST) == LIST._replace(limit=None, time="2h")


def test_deals_that_do_not_count_plays_need_no_patience() -> None:
    heard = LIST._replace(every="run", done_when="played", patience="always")

    assert NOTHING_GIVEN.plus(done_when="dealt").over(heard) == LIST._replace(every="run", done_when="dealt")
    assert NOTHING_GIVEN.plus(done_when="played").over(heard) == heard


def test_folders_and_a_list_of_files_replace_each_other() -> None:
    listed = LIST._replace(folders=(), source="/l")

    assert NOTHING_GIVEN.plus(source="/l").over(LIST) == listed
    assert NOTHING_GIVEN.plus(folders=("/m",)).over(listed) == LIST
