import os
import signal
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import Rows, TagsOf, no_tags
from playshuffle.library.tracks import Tracks
from playshuffle.selection import evaluation
from playshuffle.selection.findings import Finding, Lacking
from playshuffle.selection.query import Query, Selection, narrow, parse, with_new_paths
from playshuffle.selection.tokens import LONGEST, QueryError, TokenKind, split
from playshuffle.tags.reading import Tags
from tests.support.tagged import tagged

ROOT = b"/m"
NOW = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - users write local times
ONE = Tags(60_000, "One", "Anna", "First", genre="Jazz; Blues", date="1959", rating=0.8, lossless=True)
TWO = Tags(270_000, "Straße", "Annie", "First", genre="Jazz Fusion", date="1990-12-31", rating=0.2)
LIBRARY = {
    "/m/Albums/1.flac": ONE._replace(explicit=True, bitrate=900_000),
    "/m/Albums/2.m4a": TWO._replace(lossless=True, composer="Komponist"),
    "/m/Albumsx/3.mp3": Tags(
        3_723_000, unicodedata.normalize("NFD", "Café"), "Beth", date="1999-02", bpm=120, explicit=False
    ),
    "/m/4.ogg": None,
}
TAGGED = TRACKS, TAGS_OF = tagged(LIBRARY)
Library = tuple[Tracks, TagsOf]


def selected(query: Query, library: Library) -> Selection:
    tracks, tags_of = library
    return query.select(tracks, range(len(tracks)), tags_of)


def kept(text: str, now: datetime = NOW) -> str:
    """Return the numbers in the names of the tracks that a query selects."""
    names = [os.path.basename(path)[:1].decode() for path in TRACKS.paths]
    return "".join(sorted(names[index] for index in selected(parse(text, [ROOT], now), TAGGED).kept))


@pytest.mark.parametrize(
    ("days", "inside", "outside"),
    [
        ("12-24", ["2026-12-24"], ["2026-12-23", "2026-12-25"]),
        ("12-01..12-26", ["2026-12-01", "2026-12-26"], ["2026-11-30", "2026-12-27"]),
        (
            "12-20..01-06",
            ["2026-12-20", "2026-12-31", "2027-01-01", "2027-01-06"],
            ["2026-12-19", "2027-01-07"],
        ),
        ("02-29", ["2028-02-29", "2026-03-01"], ["2028-03-01", "2026-02-28", "2100-02-28"]),
        ("02-20..02-29", ["2026-03-01", "2028-02-29"], ["2028-03-01", "2026-03-02"]),
        ("02-29..03-05", ["2028-02-29", "2026-03-01"], ["2028-02-28", "2026-02-28"]),
        ("03-01..02-28", ["2026-03-01", "2026-02-28"], ["2028-02-29"]),
    ],
)
def test_a_term_for_days_of_the_year_matches_all_tracks_on_these_days_and_none_on_others(
    days: str, inside: list[str], outside: list[str]
) -> None:
    for day in inside + outside:
        for clock in ("T00:00:00", "T23:59:59"):
            now = datetime.fromisoformat(day + clock)
            assert kept(f"today:{days}", now) == ("1234" if day in inside else ""), day + clock
            assert kept(f"one today:{days}", now) == ("1" if day in inside else ""), day + clock
            assert kept(f"-title:one OR today:{days}", now) == ("1234" if day in inside else "234")


def test_a_negated_term_for_days_of_the_year_is_never_reported_as_without_effect() -> None:
    assert selected(parse("-today:12-24", [ROOT], NOW), TAGGED).idle == ()


# Each operator with values that just match and that just do not, as far as the examples of the queries page
# and the comparison with beets in test_beets.py do not have them.
OPERATORS = [
    ("", "1234"), ('""', "1234"), ("genre::z", "12"), ("title:straße", "2"),
    ("composer:komponist", "2"), ("title:=Café", "3"), (r"title::^Caf.$", "3"), ("year:>1990", "3"),
    ("year:>=1990", "23"), ("year:<1990", "1"), ("year:<=1990", "12"), ("year:=1990", "2"),
    ("year::^19[59]", "123"), ("year:", "123"), ("date:1990", "2"), ("date:1990-12", "2"),
    ("date:1990-12-31", "2"), ("date:1990-12-30", ""), ("date:1990..1999-01", "2"),
    ("date:1990..1999-02", "23"), ("date:1999..1990", "23"), ("date:>1990", "3"), ("date:>=1990", "23"),
    ("date:<1990", "1"), ("date:<=1990", "12"), ("date:-36y..", "23"), ("date:..-36y", "1"),
    ("length:1:02:03", "3"), ("duration:60", "1"), ("rating:1", "2"), ("rating:>4", ""),
    ("bpm:100..", "3"), ("path:/m", "1234"), ("path:/", "1234"), ("path:4.ogg", "4"),
    (r"path::\.(ogg|mp3)$", "34"), ("path:=/m/4.ogg", "4"), ("format:alac", "2"), ("format:mp3", "3"),
    ("format:ogg", "4"), ("lossless:yes", "12"), ("lossless:no", ""), ("explicit:yes", "1"),
    ("explicit:no", "3"), ("-explicit:yes", "234"), ("-explicit:no", "124"), ("explicit::yes", "1"),
    ("size:0", "1234"), ("size:..1K", "1234"), ("size:1k..", ""), ("mtime:1969..", "1234"),
    ("year:1990s", "23"), ("year:1980s..1990s", "23"), ("year:<1990s", "1"), ("date:1990s", "23"),
    ("mtime:-1d..", ""), ("genre:jazz , year:1999", "123"), ("genre:jazz, year:1999", "123"),
    ("(one OR café) length:2:00..", "3"), ("^(one , café)", "24"), ("-(genre:jazz -one)", "134"),
    ("((one))", "1"), ("(one), (café)", "13"), ('"OR"', ""), ('title:"One"', "1"), ("title:'One'", "1"),
    ("album_artist:x", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('title:"Oh," artist:A', ["title:Oh,", "artist:A"]), ("title:'Oh,' x", ["title:Oh,", "x"]),
        (r"title:Oh\, x", ["title:Oh,", "x"]), ('",", x', [",", None, "x"]), (r"\, x", [",", "x"]),
        ('title:"Oh,", x', ["title:Oh,", None, "x"]), ("title:Oh, x", ["title:Oh", None, "x"]),
        (r"title::Oh\, x", [r"title::Oh\,", "x"]), ("a,, b", ["a,", None, "b"]), ("a , b", ["a", None, "b"]),
        (r"path:/AC\,", ["path:/AC,"]), ('"a,"b', ["a,b"]), ('a,""', ["a,"]),
    ],
)  # fmt: skip
def test_a_comma_is_an_or_only_if_it_is_neither_quoted_nor_escaped(
    text: str, words: list[str | None]
) -> None:
    assert [None if token.kind is TokenKind.OR else token.text for token in split(text)] == words


@pytest.mark.parametrize(("text", "tracks"), OPERATORS)
def test_a_query_with_each_operator_selects_exactly_the_matching_tracks(text: str, tracks: str) -> None:
    assert kept(text) == tracks


NO_DAYS = ("12-01..", "..12-26", ">=12-01", "13-01", "00-10", "02-30", "1-1", "2026-12-24")


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("gerne:jazz", 1, "there is no field 'gerne'. Did you mean 'genre'?"),
        ("one -lenght:1", 5, "there is no field 'lenght'. Did you mean 'length'?"),
        ("added:-2w..", 1, "For files of the last 30 days, write mtime:-30d.."),
        ("Re:Zero", 1, r"To look for a text with a colon, write \: for it."),
        ("one year+", 5, "'year+' would sort in beets, but the order is another option."),
        ("one artist-", 5, "would sort"),
        ("one (two", 5, "this parenthesis is not closed."),
        ("one two)", 8, "this parenthesis was not opened."),
        ("()", 2, "a term is missing."),
        ("one OR", 7, "a term is missing."),
        (", one", 1, "a term is missing."),
        ("one OR OR two", 8, "a term is missing."),
        ("genre:(jazz OR blues)", 7, "a group around whole terms: (genre:a OR genre:b)"),
        ('one title:"x', 11, 'the quote " is not closed.'),
        ("title:don't", 10, "the quote ' is not closed."),
        ("year:x", 1, "'year:x': x is not a number."),
        *((f"one year:{number}", 5, "is not a number.") for number in ("1..x", "nan", "1e9", "1985s", "80s")),
        ("year:" + "9" * 5000, 1, "is not a number."),
        ("length:4:99", 1, "is not a length. Write it like 4:30, or in seconds."),
        ("length:1200s", 1, "is not a length. Write it like 4:30, or in seconds."),
        ("size:3X", 1, "is not a size."),
        ("date:yesterday", 1, "is not a date. Write it like 2024, 2024-12-31 or -2w."),
        ("date:9999", 1, "is not a date."),
        ("mtime:-999999y..", 1, "is not a date."),
        ("lossless:maybe", 1, "is neither yes nor no."),
        ("today:christmas", 1, "'today:christmas': christmas is not a day or a range of days. Write it like"),
        *((f"one today:{day}", 5, "is not a day or a range of days.") for day in NO_DAYS),
        ("one title::a[", 5, "is not a regular expression: unterminated character set"),
        ("title::" + '"' + "(" * 4000 + ")" * 4000 + '"', 1, "is not a regular expression"),
        ("x" * (LONGEST + 1), LONGEST + 1, "queries of more than 10,000 characters are not supported."),
        ("(" * 200 + "x" + ")" * 200, 101, "more than 100 groups inside each other"),
    ],
)
def test_the_error_for_an_invalid_query_names_column_and_reason(text: str, column: int, reason: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text, [ROOT], NOW)

    assert caught.value.code == Exit.USAGE
    assert caught.value.column == column
    assert reason in caught.value.reason
    assert f"column {column}" in str(caught.value)
    assert len(str(caught.value)) < 700


@pytest.mark.timing
def test_a_query_of_a_megabyte_is_refused_at_once() -> None:
    began_s = time.process_time()
    with pytest.raises(QueryError):
        parse("genre:jazz " * 100_000)

    assert time.process_time() - began_s < 0.5


def test_the_error_for_an_invalid_query_escapes_control_characters() -> None:
    with pytest.raises(QueryError) as caught:
        parse("\x1b[2J\x07:x")

    assert str(caught.value).isprintable()


@given(st.text(alphabet="ab:\"'\\()-^,=~. OR/1>\x00é☃", max_size=30) | st.text(max_size=30))
def test_any_text_is_either_a_valid_query_or_is_refused_with_the_column_of_the_error(text: str) -> None:
    try:
        chosen = selected(parse(text, [ROOT], NOW), TAGGED)
    except QueryError as error:
        assert 1 <= error.column <= len(text) + 1  # noqa: PT017 - most texts are queries
    else:
        assert sorted([*chosen.kept, *chosen.left_out]) == list(range(len(TRACKS)))


@given(*[st.sampled_from([text for text, _ in OPERATORS if text])] * 2)
def test_joining_queries_by_and_or_not_selects_intersection_union_complement(one: str, other: str) -> None:
    first, second = set(kept(one)), set(kept(other))

    assert set(kept(f"({one}) ({other})")) == first & second
    assert set(kept(f"({one}) OR ({other})")) == first | second
    assert set(kept(f"-({one})")) == set("1234") - first


def test_the_explanation_of_a_track_has_the_result_and_the_compared_values_of_each_term() -> None:
    texts = {"artist": "Anna", "title": "One", "comment": "", "album": "First", "albumartist": ""}
    parsed = parse("-(genre:jazz OR year:1999) one", [ROOT], NOW)

    assert parsed.explain(*TAGGED, TRACKS.paths.index(b"/m/Albums/1.flac")) == [
        Finding("genre:jazz", 3, True, (("genre", "Jazz; Blues"),)),
        Finding("year:1999", 17, False, (("year", "1959"),)),
        Finding("one", 28, True, (*texts.items(), ("genre", "Jazz; Blues"))),
    ]


@pytest.mark.parametrize("text", ["year:1990", "length:1:00", "path:Albums", "genre:jazz", "-lossless:yes"])
def test_a_term_holds_in_the_explanation_of_a_track_exactly_if_it_selects_the_track(text: str) -> None:
    parsed = parse(text, [ROOT], NOW)
    explained = [index for index in (0, 1, 3) if parsed.explain(*TAGGED, index)[0].holds]

    assert explained == parsed.select(TRACKS, [0, 1, 3], TAGS_OF).kept


def test_a_selection_counts_the_tracks_that_a_term_selected_or_omitted_because_they_lack_its_tag() -> None:
    negated, positive = Lacking("-genre:x", "genre", 2, True), Lacking("year:..1990", "year", 1, False)

    assert selected(parse("-genre:x"), TAGGED).lacking == [negated]
    assert selected(parse("year:..1990"), TAGGED).lacking == [positive]
    assert selected(parse("artist:anna"), TAGGED).lacking == []


def test_several_queries_combined_into_one_select_the_tracks_that_match_all_of_them() -> None:
    both = narrow([parse("one OR café"), parse("year:1999 OR ann")])

    paths = [TRACKS.paths[index] for index in selected(both, TAGGED).kept]
    assert paths == [b"/m/Albums/1.flac", b"/m/Albumsx/3.mp3"]


def test_a_query_by_artist_length_path_time_and_size_looks_up_no_tags() -> None:
    def rows_of(_folder: Folder) -> Rows:
        raise AssertionError("tags were looked up")

    parsed = parse("artist:ann length:..2:00 path:Albums mtime:..2000 size:0", [ROOT])
    assert len(parsed.select(TRACKS, range(len(TRACKS)), rows_of).kept) == 1


def test_if_tags_are_not_read_a_term_treats_its_tag_as_missing_from_every_track() -> None:
    assert selected(parse("-genre:jazz"), (TRACKS, no_tags)).kept == [0, 1, 2, 3]
    assert selected(parse("year:1.."), (TRACKS, no_tags)).kept == []


def test_a_query_finds_tracks_in_more_folders_than_it_reads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "_BLOCK_FOLDERS", 3)
    files = {f"/m/{number % 7}/{number}.mp3": Tags(title=str(number)) for number in range(50)}
    library = tagged(files)
    found = selected(parse("title:=13 OR title:=49"), library).kept

    assert {os.path.basename(library[0].paths[index]) for index in found} == {b"13.mp3", b"49.mp3"}


def test_a_regular_expression_that_takes_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "REGEX_LIMIT_S", 0.2)
    library = tagged({"/m/a.mp3": Tags(title="a" * 60 + "!")})
    before = signal.getsignal(signal.SIGVTALRM)
    for text in ("aaa title::(a+)+$", "title::(a|aa)+$", "title::(a*)*b", ":(a+)+$"):
        with pytest.raises(PlayshuffleError, match="takes too long") as caught:
            selected(parse(text), library)

        assert caught.value.code == Exit.USAGE
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
        assert signal.getsignal(signal.SIGVTALRM) is before
    with pytest.raises(PlayshuffleError, match="column 5"):
        parse("aaa title::(a+)+$").explain(*library, 0)


def test_one_time_limit_covers_all_regular_expressions_of_a_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "REGEX_LIMIT_S", 0.3)
    files = {f"/m/{number}.mp3": Tags(title="a" * 21 + str(number)) for number in range(1000)}
    with pytest.raises(PlayshuffleError, match="takes too long"):
        selected(parse("title::(a+)+$"), tagged(files))


def test_a_query_with_a_regular_expression_also_works_outside_of_the_main_thread() -> None:
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(kept, "title::^O").result() == "1"


def test_a_path_in_a_query_in_composed_unicode_matches_a_folder_named_in_decomposed_unicode() -> None:
    folder = unicodedata.normalize("NFD", "Café")
    library = tagged({f"/m/{folder}/1.mp3": None, "/m/Cafe/2.mp3": None})

    (index,) = selected(parse("path:Café", [ROOT]), library).kept
    assert library[0].paths[index] == f"/m/{folder}/1.mp3".encode()


def test_a_path_in_a_query_may_start_at_each_music_folder_or_with_a_tilde(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/m")
    library = tagged({"/m/A/1.mp3": None, "/n/A/2.mp3": None, "/n/B/3.mp3": None})

    assert selected(parse("path:A", [b"/m", b"/n"]), library).kept == [0, 1]
    assert selected(parse("path:~/A"), library).kept == [0]
    assert selected(parse("path:A/1.mp3", [b"/m/"]), library).kept == [0]


def test_a_path_in_a_query_that_is_not_utf8_matches_the_same_bytes() -> None:
    library = tagged({"/m/\udcff/1.mp3": None})

    assert selected(parse("path:\udcff", [ROOT]), library).kept == [0]
    assert selected(parse("path::1", [ROOT]), library).kept == [0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("path:/old/Jazz", 'path:"/new disk/Jazz"'),
        ("-/old/Jazz title:x", '-"/new disk/Jazz" title:x'),
        ("(genre:x , path:/old/Jazz) -title:z", '(genre:x , path:"/new disk/Jazz") -title:z'),
        ("(genre:x , path:/old)", '(genre:x , path:"/new disk")'),
        ('path:="/old/A b" , path:/old/c', 'path:="/new disk/A b" , path:"/new disk/c"'),
        ('"path:/old/A b"', 'path:"/new disk/A b"'),
        ('path:/old/A\\ "b"', 'path:"/new disk/A b"'),
        ("path:/older/x path::/old/x title:old", "path:/older/x path::/old/x title:old"),
        ("(path:/old", "(path:/old"),
    ],
)
def test_the_path_of_a_moved_folder_is_replaced_and_quoted_in_a_query(before: str, after: str) -> None:
    def place(path: bytes) -> bytes:
        return b"/new disk" + path[4:] if path == b"/old" or path.startswith(b"/old/") else path

    assert with_new_paths(before, place) == after
    if before != after:
        assert [each.text for each in parse(after).terms] != []
