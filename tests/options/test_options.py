"""Test that contradictory options are refused, and that given options replace those of a list."""

import json

import pytest

from playshuffle.errors import ONLY_KEYS, OptionError
from playshuffle.options.contradictions import CONTRADICTIONS, check
from playshuffle.options.given import NOTHING_GIVEN
from playshuffle.options.table import ROWS, Options, as_flags

DEALT = Options(every="day")

# Of each row of the table, in its order.
REFUSED = [
    (Options(source="x", folders=("m",), output="o"), "--from reads a list of files"),
    (Options(source="x"), "--from needs the name of the playlist to write. Give it with -o."),
    (Options(maps=("a=b",), relative_to="d"), "--map does not work with relative_to: each says"),
    (Options(relative_to="d", paths="uri"), "relative_to does not work with --paths uri"),
    (Options(maps=("a=b",), paths="relative"), "--map does not work with --paths relative"),
    (Options(output="-", paths="relative"), "--paths relative does not work with -o -"),
    (Options(rest="30d", seed="x", history=("mpd",)), "--rest does not work with --seed"),
    (Options(group_by="genre"), "--group-by genre does not work with --order random"),
    (Options(gap="2", order="sorted"), "--gap does not work with --order sorted: its own rule"),
    (Options(inside="all"), "inside does not work with --order random: it has no groups."),
    (Options(rest="30d", history=("mpd",), order="sorted"), "--rest does not work with --order sorted"),
    (Options(pin=("a",), order="albums"), "--pin does not work with --order albums"),
    (Options(no_duplicates=True, order="albums"), "the albums would have gaps"),
    (Options(done_when="dealt"), "--count works only with --every"),
    (DEALT._replace(patience="always"), "--patience works only with --count played"),
    (DEALT._replace(limit=1, time="2h"), "--limit does not work with --time: a deal has one size"),
    (Options(limit=1, groups=2), "--limit does not work with --groups: a list has one size"),
    (DEALT._replace(time="2h", groups=2), "--time does not work with --groups"),
    (DEALT._replace(groups=2, size="8GB"), "--size does not work with --groups"),
    (DEALT._replace(limit=1, size="8GB"), "--limit does not work with --size"),
    (Options(time="2h", size="8GB"), "--time does not work with --size: a list has one of these limits."),
    (Options(most="2:artist", groups=2, order="albums"), "--most does not work with --groups"),
    (DEALT._replace(pin=("a",)), "--pin does not work with --every"),
    (DEALT._replace(seed="x"), "--seed does not work with --every: a deal continues"),
    (DEALT._replace(order="kept"), "--order kept does not work with --every: a round has no last order"),
    (DEALT._replace(groups=2), "--groups 2 does not work with --order random: it keeps no groups"),
    (Options(rest="30d"), "--rest needs a play history: --history with a source."),
    (DEALT._replace(done_when="played"), "--count played needs a play history"),
    (Options(order="rare"), "--order rare needs a play history: --history with a source."),
    (DEALT._replace(tags=False), "--every does not work with --no-tags"),
    (Options(time="2h", tags=False), "--time does not work with --no-tags: track lengths come from tags."),
    (Options(history=("mpd",), tags=False), "--history does not work with --no-tags"),
    (Options(no_duplicates=True, tags=False), "--no-duplicates does not work with --no-tags"),
    (Options(order="spread", tags=False), "--order spread does not work with --no-tags: it needs artist."),
    (Options(most="2:artist", tags=False), "--most does not work with --no-tags"),
    (Options(where=("genre:jazz",), tags=False), "--where does not work with --no-tags: genre is a tag."),
]


@pytest.mark.parametrize(("options", "says"), REFUSED)
def test_options_that_contradict_each_other_are_refused(options: Options, says: str) -> None:
    with pytest.raises(OptionError) as refused:
        check(options)

    assert says in str(refused.value)


def test_each_contradiction_of_the_table_refuses_some_options() -> None:
    first = [next(row for row in CONTRADICTIONS if row.applies(options)) for options, _ in REFUSED]

    assert first == list(CONTRADICTIONS)


@pytest.mark.parametrize(
    "options",
    [
        Options(limit=3, time="2h"),
        Options(gap="0", order="sorted"),
        Options(order="folders", tags=False),
        Options(where=("path:x",), tags=False),
        Options(most="2:folder", tags=False),
        Options(output="-", paths="relative", relative_to="d"),
        DEALT._replace(order="albums", groups=2),
        Options(order="folders", groups=1),
        Options(order="by:size", tags=False),
    ],
)
def test_options_that_work_together_are_accepted(options: Options) -> None:
    check(options)


# Options that are given now, and those of a list


LIST = Options(folders=("/m",), limit=3, order="spread")


def test_options_on_the_command_line_replace_those_of_the_list() -> None:
    assert NOTHING_GIVEN.over(LIST) == LIST
    assert NOTHING_GIVEN.plus(order="random", spoken=True).over(LIST) == LIST._replace(
        order="random", spoken=True
    )


def test_a_given_size_of_a_deal_replaces_a_size_in_any_other_unit() -> None:
    assert NOTHING_GIVEN.plus(time="2h").over(LIST) == LIST._replace(limit=None, time="2h")


def test_the_option_patience_of_a_deck_is_dropped_if_the_deck_no_longer_counts_plays() -> None:
    heard = LIST._replace(every="run", done_when="played", patience="always")

    assert NOTHING_GIVEN.plus(done_when="dealt").over(heard) == LIST._replace(every="run", done_when="dealt")
    assert NOTHING_GIVEN.plus(done_when="played").over(heard) == heard


def test_given_folders_replace_a_saved_list_of_files_and_given_files_replace_saved_folders() -> None:
    listed = LIST._replace(folders=(), source="/l")

    assert NOTHING_GIVEN.plus(source="/l").over(LIST) == listed
    assert NOTHING_GIVEN.plus(folders=("/m",)).over(listed) == LIST


# Options without a flag


def test_the_constant_only_keys_of_errors_has_exactly_the_options_with_a_key_but_without_a_flag() -> None:
    assert {row.key for row in ROWS if not row.verbs} == ONLY_KEYS


def test_each_option_without_a_flag_has_a_configuration_key() -> None:
    assert all(row.has_key for row in ROWS if not row.verbs)


def test_among_flags_an_option_without_a_flag_is_shown_as_its_configuration_key() -> None:
    options = Options(order="spread", inside="all", extinf=False)

    assert as_flags(options) == f"--order spread inside = {json.dumps('all')} extinf = false"
