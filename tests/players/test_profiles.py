"""The table of players, their pages in `help`, and the tracks that are left out or reported as lost."""

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.players.losses import left_out, losses, twins
from playshuffle.players.player import FORMS, Player
from playshuffle.players.profiles import GENERIC, PLAYERS, READERS
from playshuffle.players.quirks import LIST_QUIRKS, QUIRKS
from playshuffle.playlist.m3u import PathStyle, entries, escaped
from tests.players import names, readers
from tests.players.drivers import DRIVERS
from tests.players.versions import RULES
from tests.support.hostile import PATHS
from tests.support.program import library, run


@pytest.mark.parametrize("player", READERS, ids=lambda player: player.title)
def test_a_row_of_the_table_of_players_has_only_known_oddities_and_a_suffix_that_the_player_loads(
    player: Player,
) -> None:
    assert player.loses.keys() <= QUIRKS.keys() | LIST_QUIRKS.keys()
    assert all(set(lost.forms.upper()) <= set(FORMS) for lost in player.loses.values())
    assert player.suffix in player.loads
    assert player.suffix not in player.latin1


@pytest.mark.parametrize("name", PLAYERS)
@given(
    some=st.lists(st.sampled_from(sorted(PATHS)), unique=True, max_size=8), style=st.sampled_from(PathStyle)
)
def test_a_track_that_all_versions_of_a_player_lose_is_left_out_and_if_only_some_do_it_is_reported(
    name: str, some: list[bytes], style: PathStyle
) -> None:
    """A track that only some versions would lose stays in the playlist, and is reported as lost by these."""
    paths = [b"/m/" + path for path in some]
    out = left_out(paths, style, b"/m", name)
    kept = [path for index, path in enumerate(paths) if index not in out]

    found = losses(kept, len(kept), style, b"/m", name)

    if name != GENERIC:
        assert all(loss.players != (PLAYERS[name].title,) for loss in found)
        assert left_out(kept, style, b"/m", name) == {}
    if style is not PathStyle.URI:
        assert not any(b"\n" in entry for entry in entries(kept, style, b"/m"))


@pytest.mark.parametrize(
    ("path", "style", "takers"),
    [
        (b"/m/new\nline.mp3", PathStyle.URI, PLAYERS.keys() - {"mpd", "cmus"}),
        (b"/m/new\nline.mp3", PathStyle.RELATIVE, set()),
        (b"/m/c\rr.mp3", PathStyle.RELATIVE, {"mpd", "mpv", "vlc", "cmus", "quodlibet", "audacious"}),
    ],
)
def test_a_track_with_a_line_break_in_its_name_is_left_out_except_for_players_that_can_open_it(
    path: bytes, style: PathStyle, takers: set[str]
) -> None:
    assert {name for name in PLAYERS if not left_out([path], style, b"/m", name)} == takers


def test_a_track_is_left_out_if_an_old_version_of_the_player_would_play_another_file(tmp_path: Path) -> None:
    """For `dir /x.mp3`, MPD before 0.24 plays `dir/x.mp3` if that exists, else nothing."""
    here = bytes(tmp_path)
    path = here + b"/dir /x.mp3"
    assert left_out([path], PathStyle.RELATIVE, here, "mpd") == {}
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "x.mp3").touch()

    assert list(left_out([path], PathStyle.RELATIVE, here, "mpd")) == [0]


def test_twins_are_file_names_that_differ_only_in_letter_case_or_unicode_form() -> None:
    paths = ["/A.mp3", "/a.mp3", "/b.mp3", "/\u00e9.mp3", "/e\u0301.mp3", "/STRASSE", "/stra\u00dfe", "/c"]
    named = [os.fsencode(path) for path in paths]

    assert twins(named) == {1: named[0], 4: named[3], 6: named[5]}


@pytest.mark.process
def test_the_command_help_players_has_a_line_for_each_player() -> None:
    lines = run("help", "players").out.decode().splitlines()

    assert [line.split()[0] for line in lines if line[:3].strip() and ": " in line] == list(PLAYERS)


def test_each_row_of_the_table_of_players_has_a_command_or_advice_to_play_a_playlist() -> None:
    assert [name for name, player in PLAYERS.items() if not (player.play or player.use)] == []


@pytest.mark.process
@pytest.mark.parametrize("name", ["generic", "mpd", "vlc", "kodi"])
def test_the_help_on_a_player_has_the_problems_of_the_player_and_commands_to_write_and_play_a_list(
    name: str, home: Path
) -> None:
    library(home / "Music", ["a.mp3"])
    done = run("help", name.upper())
    facts = dict(line.split(": ", 1) for line in done.out.decode().splitlines()[1:])

    assert (done.code, done.err) == (0, "")
    assert facts["Problems"] == (", ".join(PLAYERS[name].loses_words()) or "none")
    if name != "mpd":  # whose playlists need its configuration
        made = run(*shlex.split(facts["Write"].replace("~", str(home)))[1:], "--json", "-q")
        written = json.loads(made.out)["output"]
        assert Path(written).parent == home / "Music"
        command = shlex.split(facts.get("Play", "").replace("~", str(home)))
        assert not command or written in command or f"--playlist={written}" in command


def test_the_model_of_a_player_is_for_the_version_that_the_table_of_players_names() -> None:
    assert RULES.keys() <= DRIVERS.keys()
    assert all(PLAYERS[player].measured.startswith(rules.version) for player, rules in RULES.items())


_PARTS = st.one_of(
    st.sampled_from([part for name in names.ALL for part in name.split(b"/")]),
    st.binary(min_size=1, max_size=12),
    st.text(max_size=8).map(lambda text: text.encode(errors="replace")),
    st.text("ab#%20?+\\: \t\n\r.~<'é\xa0\ufeff\u2028", min_size=1, max_size=6).map(str.encode),
    st.integers(1, 245).map(lambda count: b"x" * count),
).map(lambda part: part.replace(b"/", b"_").replace(b"\0", b"_").lstrip(b".")[:245] or b"_")
_NAMES = st.builds(
    lambda parts, suffix: b"/".join(parts) + suffix,
    st.lists(_PARTS, min_size=1, max_size=5),
    st.sampled_from(names.SUFFIXES),
)


@pytest.mark.parametrize("player", readers.READERS)
@settings(max_examples=40, deadline=None)
@given(found=st.sets(_NAMES, min_size=1, max_size=6))
def test_the_model_of_a_player_opens_each_track_that_is_neither_left_out_nor_reported_as_lost(
    player: str, found: set[bytes]
) -> None:
    """With the functions that `make` uses, and file names that are on no disk."""
    profile = PLAYERS[player]
    top = b"/device" if player in ("rockbox", "car") else b"/device/Music"
    folder = b"/device/Music" if player != "mpd" else b"/device/Playlists"
    style = PathStyle.RELATIVE if profile.style is None else profile.style
    here = b"/device/Music"  # for MPD's stored playlists, too
    there = [b"/device/Music/" + name for name in sorted(found | {*names.decoys(found)})]
    paths = [path for path in there if names.is_track(path)]
    known = {*there, *map(os.path.dirname, there), folder}
    exists: Callable[[bytes], bool] = lambda path: os.path.normpath(path) in known  # noqa: E731 - as the disk has it
    with mock.patch("os.path.lexists", exists):
        out = {*left_out(paths, style, here, player), *(twins(paths) if profile.has_twins else ())}
    kept = [path for index, path in enumerate(paths) if index not in out]
    lost = {kept[index] for loss in losses(kept, len(kept), style, here, player) for index in loss.indices}
    written = [entry + b"\n" for entry in entries(kept, style, here)]
    content = b"#EXTM3U\n" + b"".join(map(escaped, written) if profile.escapes else written)

    opened = readers.READERS[player](
        content, readers.Place(folder + b"/list" + profile.suffix, exists, top, paths)
    )

    assert opened == [path for path in kept if path not in lost or path in opened]
    assert {*kept} - lost <= {*opened}
