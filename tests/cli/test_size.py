"""Test lists and deals of a maximum size, such as that of a stick."""

from pathlib import Path

import pytest

from playshuffle.errors import OptionError
from playshuffle.options.option_values import parse_size
from tests.support.in_process import Program
from tests.support.program import listed, minutes

pytestmark = pytest.mark.process

NAMES = [f"{number:02}.wav" for number in range(12)]  # of 48 kB, two clusters and a name each: 66,560 bytes


@pytest.fixture
def music(home: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(home)
    (home / "stick").mkdir()
    return minutes(home / "Music", NAMES, rate=800)


def names(music: Path) -> set[str]:
    return {Path(entry).name for entry in listed(music / "today.m3u")}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("10", 10),
        ("10M", 10 << 20),
        ("8GB", 8 * 10**9),
        ("8 GB", 8 * 10**9),
        ("8gib", 8 << 30),
        ("1.5T", 3 << 39),
    ],
)
def test_a_size_has_a_unit_as_programs_write_it_or_as_sticks_are_sold(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "8 bananas", "-1G", "0"])
def test_a_text_without_a_positive_size_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="size"):
        parse_size(text)


def test_deals_of_a_size_fit_on_a_stick_of_that_size_and_have_each_track_once_in_a_round(
    music: Path, program: Program
) -> None:
    dealt: list[str] = []
    assert program("deal", "Music", "--size", "300kB").code == 0
    for _ in range(3):
        assert "~/stick/today: 4 tracks, 0 MB" in program("export", "today", "stick", "--size", "300kB").err
        dealt += names(music)
        program("deal", "today", "--now")

    assert sorted(dealt) == NAMES


def test_export_names_the_tracks_of_a_deal_that_do_not_fit_and_its_commands_deal_only_what_fits(
    music: Path, program: Program
) -> None:
    program("deal", "Music")

    done = program("export", "today", "stick", "--size", "300kB")
    assert "warning: ~/stick/today: 5 of 12 tracks fit" in done.err
    assert done.err.count("Stay out: ~/Music/") == 5
    assert done.err.endswith(
        "Note: They were dealt, so they come again in the next round. To deal only what fits:\n"
        "    playshuffle undo today\n    playshuffle deal today --now --size 300kB\n"
    )
    program("undo", "today")
    assert program("deal", "today", "--now", "--size", "300kB").code == 0
    assert "~/stick/today: 4 tracks" in program("export", "today", "stick", "--size", "300kB").err


def test_export_of_a_list_that_was_made_names_what_does_not_fit_but_no_deal(
    music: Path, program: Program
) -> None:
    program("make", "Music")

    done = program("export", "Music", "stick", "--size", "300kB")
    assert "Stay out: … and 2 more" in done.err
    assert "deal" not in done.err


def test_make_takes_tracks_up_to_a_size_and_leaves_out_larger_ones(music: Path, program: Program) -> None:
    minutes(music, ["large.wav"], rate=20_000)

    assert "~/a.m3u: 4 tracks of 13" in program("make", "Music", "--size", "300 kB", "-o", "a.m3u").err
    assert "large.wav" not in (music.parent / "a.m3u").read_text()
    assert "position 5, after the end" not in program("why", "Music/00.wav", "--in", "a").err
    error = program.refused(2, "make", "Music", "--size", "1k", "-o", "b.m3u")
    assert error == "error: --size 0.0 MB: no track is known to fit. Allow more.\n"
    error = program.refused(2, "make", "Music", "--size", "1G", "--time", "1h")
    assert (
        error == "error: --time does not work with --size: a list has one of these limits. Remove either.\n"
    )
