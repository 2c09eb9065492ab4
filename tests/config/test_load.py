"""Test that loading a configuration reports each fault with its line."""

import os
import re
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playshuffle.config import keys
from playshuffle.config.build_request import build_request
from playshuffle.config.load import load
from playshuffle.config.model import Config, Reshuffle
from playshuffle.config.places import find
from playshuffle.config.toml_file import read
from playshuffle.dealing.amount import Amount, Count, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.options.table import Options
from tests.support.refusals import refusal

TOP = 'folders = ["/music"]\n'


def written(folder: Path, text: str | bytes) -> bytes:
    path = folder / "config.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return os.fsencode(path)


def loaded(folder: Path, text: str) -> Config:
    config = load(written(folder, text))
    assert not config.broken
    return config


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('gap = "25%"', {"gap": "25%"}),
        ('gap = 12\npin = ["a.mp3", "b.mp3@last"]', {"gap": "12", "pin": ("a.mp3", "b.mp3@last")}),
        ('pin = "a.mp3"\nseed = "x"\npaths = "uri"', {"pin": ("a.mp3",), "seed": "x", "paths": "uri"}),
        ('limit = 40\ntime = "3h"\nextinf = false', {"limit": 40, "time": "3h", "extinf": False}),
        ("force = true\ntags = false", {"force": True, "tags": False}),
        ('order = "albums"\ninside = "last"', {"order": "albums", "inside": "last"}),
        ('order = "spread"\ngroup_by = "genre"', {"order": "spread", "group_by": "genre"}),
    ],
)
def test_a_key_of_a_playlist_is_an_option_of_make(tmp_path: Path, text: str, options: dict[str, Any]) -> None:
    (wanted,) = loaded(tmp_path, f"{TOP}[playlist.all]\n{text}\n").playlists

    asked = Options(folders=("/music",), output="/music/all.m3u", **options)
    assert wanted.request == build_request(asked)
    assert wanted.request.options == asked


def test_paths_in_the_configuration_start_at_the_home_or_at_the_folder_of_the_file(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        'folders = ["~/Music", "nas"]\nsettle = "3s"\npoll = "1h"\n[playlist.all]\n[playlist.calm]\n'
        'output = "lists/calm.m3u8"\nfolders = ["/ambient"]\nreshuffle = "on-start"\n',
    )

    every, calm = config.playlists
    home = os.fsencode(Path.home())
    assert (config.settle_s, config.poll_s) == (3, 3600)
    assert every.request.roots == (home + b"/Music", os.fsencode(tmp_path / "nas"))
    assert (every.request.output, every.reshuffle) == (home + b"/Music/all.m3u", Reshuffle.NEVER)
    assert (calm.request.roots, calm.reshuffle) == ((b"/ambient",), Reshuffle.ON_START)
    assert calm.request.output == os.fsencode(tmp_path / "lists/calm.m3u8")


def test_every_option_of_make_but_accept_missing_and_from_has_a_key() -> None:
    fields = set(Options._fields)

    left_out = {"accept_missing", "done_when", "maps", "player", "source"}
    assert fields - set(keys.PLAYLIST) == left_out
    assert set(keys.PLAYLIST) - fields == {"count", "for", "map", "reshuffle", "tell"}


_HEARD = 'every = "run"\ncount = "played"\nhistory = ["beets"]\n'


@pytest.mark.parametrize(
    ("text", "deal"),
    [
        ("every = 'day'", DealSettings(Amount(tracks=40), Every.DAY)),
        ('time = "90m"\nevery = "week"', DealSettings(Amount(time_ms=5_400_000), Every.WEEK)),
        ('order = "folders"\ngroups = 2\nevery = "run"', DealSettings(Amount(groups=2), Every.RUN)),
        ('limit = 1\nevery = "run"', DealSettings(Amount(tracks=1), Every.RUN)),
        (_HEARD + "patience = 5", DealSettings(every=Every.RUN, done_when=Count.PLAYED, patience=5)),
        (_HEARD + 'patience = "always"', DealSettings(every=Every.RUN, done_when=Count.PLAYED, patience=inf)),
    ],
)
def test_the_keys_of_a_deal_set_its_size_and_period(tmp_path: Path, text: str, deal: DealSettings) -> None:
    (wanted,) = loaded(tmp_path, f"{TOP}[playlist.today]\n{text}\n").playlists

    assert wanted.request.deal == deal


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('order = "satolo"', 3, "Did you mean 'sattolo'?"),
        ('\n\nordr = "sorted"', 5, "Unknown key 'ordr'. Did you mean 'order'?"),
        ('group-by = "x"', 3, "Write group_by, in small letters with underscores"),
        ("no_tags = true", 3, "Write tags = false"),
        ('settle = "3s"', 3, "Write it at the top"),
        ("limit = true", 3, "limit must be a whole number without quotes: limit = 40"),
        ("limit = 0", 3, "limit must be a number from 1, not 0"),
        (f"gap = 0x{'f' * 9000}", 3, "gap must be a number, or a text in quotes"),
        ("tags = 1", 3, "tags must be true or false"),
        ("pin = [1]", 3, "pin must be a text in quotes or a list of texts"),
        ('folders = "/x"', 3, 'folders must be a list of texts: folders = ["~/Music"]'),
        ("folders = []", 2, "has no folders"),
        ('where = "genre:jazz OR"', 3, "where: The query has an error in column 14: a term is missing."),
        ('folders = ["~nobody-here/x"]', 3, "names an unknown user"),
        ('tags = false\ntime = "3h"', 4, "time does not work with tags = false: track lengths come"),
        ('order = "sorted"\ngap = 3', 4, 'gap does not work with order = "sorted"'),
        ('output = "x.mp3"', 3, "is the name of an audio file"),
        ('output = "x\\u0000.m3u"', 3, "contains a NUL"),
        ('reshuffle = "dayly"', 3, "Did you mean 'daily'?"),
        ("deal = 40", 3, "Unknown key 'deal'. For all keys: playshuffle help config"),
        ('count = "played"', 3, "count works only with every"),
        (
            'every = "day"\ncount = "played"',
            4,
            'count = "played" needs a play history: history with a source.',
        ),
        ('every = "day"\ncount = 4', 4, 'count must be a text in quotes: count = "played"'),
        ('limit = 3\nevery = "year"', 4, "Unknown period 'year'"),
        ('time = "0m"', 3, "time: '0m' is not a duration"),
        ('extinf = false\nmap = "~/M=/M"\nrelative_to = "/y"', 4, "map does not work with relative_to"),
        ('limit = 3\nevery = "day"\ntime = "3m"', 3, "limit does not work with time: a deal has one size"),
        ('every = "day"\nreshuffle = "daily"', 4, "Remove reshuffle: every already says"),
        ('a = {limit = """\n""", b = 1}', 3, "Unknown key 'a'"),
        ('history = "bets"', 3, "history: 'bets' is unknown. Did you mean 'beets'?"),
    ],
)
def test_a_fault_in_one_playlist_breaks_no_other(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = written(tmp_path, f"{TOP}[playlist.bad]\n{text}\n[playlist.good]\n")

    config = load(path)

    assert [wanted.name for wanted in config.playlists] == ["good"]
    (broken,) = config.broken
    assert broken.name == "bad"
    assert broken.text.startswith(f"{os.fsdecode(path)}, line {line}: ")
    assert says in broken.text
    assert "--" not in broken.text.replace(str(tmp_path), "").replace("service install --listen", "")


_WITH_OUTPUT = ["", "output = 'x.m3u'"]


@pytest.mark.parametrize(
    ("names", "outputs", "says"),
    [
        (["a/b", "..", "", ".x", "x\\n", "\\u202e", "\\u0000"], [""], "cannot be the name of a file"),
        (["x" * 201], _WITH_OUTPUT, "has at most 200 bytes, this one 201"),
        (["ä" * 101], _WITH_OUTPUT, "has at most 200 bytes, this one 202"),
        ([" a"], _WITH_OUTPUT, "begins or ends with a space"),
        (["GOOD"], _WITH_OUTPUT, "'good' and 'GOOD' differ only in upper and lower case"),
    ],
)
def test_a_bad_list_name_is_refused(tmp_path: Path, names: list[str], outputs: list[str], says: str) -> None:
    for name, output in product(names, outputs):
        config = load(written(tmp_path, f'{TOP}[playlist.good]\n[playlist."{name}"]\n{output}\n'))

        (broken,) = config.broken
        assert says in broken.text
        assert broken.text.isprintable()
        assert ", line 3: " in broken.text
        assert [playlist.name for playlist in config.playlists] == ["good"]


def test_queries_skip_lists_and_histories_for_all_playlists_apply_to_each_playlist(tmp_path: Path) -> None:
    top = f'{TOP}where = "-genre:podcast OR today:12-01..12-26"\nwithout = ["never.m3u", "old.m3u"]\n'
    top += 'history = ["beets", "plays.csv", "~/navidrome.db#ann"]\n[playlist.all]\n'
    calm = '[playlist.calm]\nwhere = "genre:calm"\nwithout = "calm.xspf"\nhistory = "quodlibet"\n'
    never = f'[playlist.never]\noutput = "{tmp_path}/never.m3u"\n'

    everything, of_calm, itself = (each.request for each in loaded(tmp_path, top + calm + never).playlists)

    lists = [os.fsencode(tmp_path / name) for name in ("never.m3u", "old.m3u", "calm.xspf")]
    rule = "-genre:podcast OR today:12-01..12-26"
    assert (everything.options.where, everything.without) == ((rule,), tuple(lists[:2]))
    assert (of_calm.options.where, of_calm.without) == ((rule, "genre:calm"), tuple(lists))
    assert itself.without == (lists[1],)
    home = os.fsencode(Path.home())
    assert [(source.path, source.user) for source in everything.history] == [
        (home + b"/.config/beets/library.db", ""),
        (os.fsencode(tmp_path / "plays.csv"), ""),
        (home + b"/navidrome.db", "ann"),
    ]
    assert of_calm.history[:3] == everything.history
    assert [source.text for source in of_calm.history[3:]] == ["quodlibet"]


def test_two_playlists_with_the_same_file_are_refused_however_their_paths_are_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    text = "[playlist.a]\noutput = 'link/x.m3u'\n[playlist.b]\nlimit = 3\noutput = 'real/../real/x.m3u'\n"
    (broken,) = load(written(tmp_path, TOP + text)).broken

    assert f"{tmp_path}/config.toml, line 6: Playlists 'a' and 'b' both write " in broken.text
    assert "Give one of them another output" in broken.text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ": The file has no playlist"),
        ("playlist = 3\n", ", line 1: Write a playlist as [playlist.NAME]"),
        ('fodlers = ["/x"]\n[playlist.a]\n', ", line 1: Unknown key 'fodlers'. Did you mean 'folders'?"),
        ('\nlimit = 3\n[playlist.a]\nfolders = ["/x"]\n', ", line 2: 'limit' is a key of a playlist."),
        (f"{TOP}settle = 'now'\n[playlist.a]\n", ", line 2: settle: 'now' is not a duration"),
        (f"{TOP}poll = '169h'\n[playlist.a]\n", ", line 2: poll must be at most 7d."),
        (f"{TOP}where = 'gnre:x'\n[playlist.a]\n", ", line 2: where: The query has an error in column 1: "),
        (f"{TOP}without = ''\n[playlist.a]\n", ", line 2: without: The name is empty."),
        (f"{TOP}[playlist.a\n", ", line 2: This is not TOML: "),
        (
            f"{TOP}[playlist.a]\norder = “spread”\n",
            ', line 3: This is not TOML: Invalid value. Text needs straight quotes, such as "spread".',
        ),
        (f"{TOP}[playlist.a]\n[playlist.a]\n", ", line 3: This is not TOML: "),
        (f"{TOP}x = '\\ud800'\ny = \"\\ud800\"\n", ", line 3: This is not TOML: "),
        (b"a = 1\nb = '\xff'\n", ", line 2: This line is not UTF-8"),
        (f"x = {'[' * 30_000}", " is nested too deeply"),
        (f"x = {'9' * 9000}", " has a number that is too long"),
        (b"#" * 10_000_000, " is not a configuration: it is larger than 64 KiB"),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_a_fault_outside_of_the_playlists_is_an_error(tmp_path: Path, text: str | bytes, says: str) -> None:
    assert refusal(Exit.CONFIG, load, written(tmp_path, text)).startswith(f"{tmp_path}/config.toml{says}")


def test_the_option_config_precedes_the_environment_variable_and_this_precedes_the_file_in_the_home(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = home / ".config/playshuffle/config.toml"
    assert "playshuffle config init" in refusal(Exit.CONFIG, find)
    mine.parent.mkdir(parents=True)
    mine.touch()
    (tmp_path / "a.toml").touch()
    (tmp_path / "b.toml").touch()

    assert find() == os.fsencode(mine)
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert find() == os.fsencode(mine)
    monkeypatch.setenv("PLAYSHUFFLE_CONFIG", str(tmp_path / "a.toml"))
    assert find() == os.fsencode(tmp_path / "a.toml")
    assert find(str(tmp_path / "b.toml")) == os.fsencode(tmp_path / "b.toml")
    assert "does not exist" in refusal(Exit.CONFIG, find, str(tmp_path / "none.toml"))


def test_a_configuration_that_is_not_a_file_is_refused(tmp_path: Path) -> None:
    said = refusal(Exit.CONFIG, load, os.fsencode(tmp_path))
    assert re.match("Cannot read the configuration .*: Is a directory", said)


def test_the_line_of_a_key_is_found_however_the_key_is_written(tmp_path: Path) -> None:
    text = (
        "folders = [\n  'limit = 3',\n]\n# [playlist.a]\n[playlist]\na.limit = 3\na.'time' = '''\nx'''\n"
        'a."or\\u0064er" = ""\n[playlist.b]\r\nlimit = 4'
    )
    document = read(written(tmp_path, text))

    lines = {"folders": 1, "playlist": 5, "playlist a": 6, "playlist a limit": 6, "playlist a time": 7}
    lines |= {"playlist a order": 9, "playlist b": 10, "playlist b limit": 11}
    assert {where: document.line(*where.split()) for where in lines} == lines
    assert document.line("playlist", "c") is None


VALUES = st.one_of(
    st.booleans().map(lambda value: str(value).lower()),
    st.integers().map(str),
    st.sampled_from(["1.5", "nan", "2026-01-01", "[]", "[[]]", "{}", "['a', 'b']", "[1]", "''"]),
    st.sampled_from(["'random'", "'3h'", "'25%'", "'1:3'", "'daily'", "'artist'", "'all'", "'x.m3u'", "40"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="'"), max_size=8).map(
        "'{}'".format
    ),
)
TABLES = st.dictionaries(st.sampled_from([*keys.PLAYLIST, "bogus"]), VALUES, max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(st.sampled_from([*keys.TOP, "bogus"]), VALUES, max_size=1), TABLES, TABLES)
def test_any_text_is_a_configuration_or_is_refused_with_the_faulty_line(
    tmp_path: Path, top: dict[str, Any], first: dict[str, Any], second: dict[str, Any]
) -> None:
    tables = {(): {"folders": "['/music']"} | top, ("a",): first, ("b",): second}
    lines: list[tuple[str, ...]] = []
    text = ""
    for where, table in tables.items():
        if where:
            text += f"[playlist.{where[0]}]\n"
            lines.append(where)
        for name, value in table.items():
            text += f"{name} = {value}\n"
            lines.append((*where, name))
    path = written(tmp_path, text)

    try:
        config = load(path)
    except PlayshuffleError as error:
        said = str(error).removeprefix(f"{os.fsdecode(path)}, line ")
        assert lines[int(said.partition(":")[0]) - 1] in [(name,) for name in top]
        return
    good, bad = {wanted.name for wanted in config.playlists}, {broken.name for broken in config.broken}
    assert good | bad == {"a", "b"}
    assert not good & bad
    for broken in config.broken:
        said = broken.text.removeprefix(f"{os.fsdecode(path)}, line ")
        assert lines[int(said.partition(":")[0]) - 1][0] == broken.name
        assert shown(said) == said


def test_a_hundred_faults_are_found_each_on_its_line(tmp_path: Path) -> None:
    text = "".join(f"[playlist.a{number}]\npin = [\n'x'\n]\nx = 1\n" for number in range(100))
    said = [broken.text for broken in load(written(tmp_path, TOP + text)).broken]

    start = f"{tmp_path}/config.toml, line "
    assert [line.partition(": ")[0] for line in said] == [f"{start}{n * 5 + 6}" for n in range(100)]
