"""`playshuffle audit --order` in this process: report, heat map, picture, JSON and exit codes."""

import json
import math
import os
import random
import re
import sys
from pathlib import Path

import pytest

from playshuffle.audit.audited_orders import NAMES, SPECIMEN
from tests.support.in_process import Program
from tests.support.needs import unmet
from tests.support.terminal import on_terminal

QUICK = ("--tracks", "12", "--rounds", "300", "--seed", "audit")


def map_of(text: str) -> list[str]:
    """Return the rows of the heat map in a report."""
    return [line[8:] for line in text.splitlines() if re.match(r" +\d+   ", line)]


def test_the_audit_report_on_a_good_order_calls_the_order_ok_and_has_all_figures(program: Program) -> None:
    done = program("audit", "--order", "random", *QUICK)

    assert (done.code, done.err) == (0, "")
    assert re.match(
        r"ok: random: all deviations can be chance\n"
        r"Simulated: 300 shuffles of 12 tracks, draws from a seed\n"
        r"Judged by: every track equally likely at every position\n"
        r"Positions: chi-square [\d.]+ with 121 degrees of freedom, p = 0\.\d+\n"
        r"Fixed: \d+ tracks that kept their position, expected 300, p = 0\.\d+\n"
        r"Bits: reaching every possible order needs 28\.8 bits; a seed of this length has at most 40\n"
        r"Time: [\d,]+ ns per track\n"
        r"Errors: 1 good shuffle in 10,000 is called bad\n\n",
        done.out,
    )


def test_the_audit_report_says_that_the_system_supplies_enough_random_bits_for_all_orders(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An order of 100 tracks needs 525 bits. The kernel's key has 256, but is renewed."""
    # Of the real bits, one run in 10,000 would be called bad.
    monkeypatch.setattr(os, "urandom", random.Random(1).randbytes)
    done = program("audit", "--order", "random", "--tracks", "100", "--rounds", "500")
    said = " ".join(done.out.split())

    assert "order needs 524.8 bits; the operating system's generator supplies fresh ones" in said
    assert done.code == 0


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith(SPECIMEN)])
def test_the_audit_report_calls_each_bad_shuffle_an_error_and_names_the_flaw_of_the_shuffle(
    program: Program, name: str
) -> None:
    done = program("audit", "--order", name, "--tracks", "30", "--rounds", "1000", "--seed", "audit")

    assert done.code == 1
    assert done.out.startswith(f"error: {name}: ")
    assert "\nFlaw: " in done.out


def test_the_audit_report_names_the_guarantee_that_the_order_was_tested_against(program: Program) -> None:
    for name, words in [
        ("sattolo", "no track keeps its position, every other position equally likely; all tracks change"),
        ("gap", "no track returns before 3 plays"),
        ("spread", "neighbours by one artist are as few as can be"),
        ("light", "6 swaps: "),
        ("groups", "each of 6 blocks, seen as one,"),
    ]:
        said = " ".join(program("audit", "--order", name, *QUICK).out.split())

        assert words in said


def test_the_json_of_an_audited_order_has_all_figures_and_the_counts_of_each_cell(program: Program) -> None:
    done = program("audit", "--order", "specimen:little-state", *QUICK, "--json")
    said = json.loads(done.out)

    assert done.code == 1
    assert said["schema"] == 1
    assert (said["order"], said["tracks"], said["rounds"]) == ("specimen:little-state", 12, 300)
    assert said["bits"] == {"needed": pytest.approx(28.835, abs=0.001), "had": 16, "of": "order"}
    assert (said["good"], said["degrees_of_freedom"]) == (False, 121)
    assert [sum(row) for row in said["cells"]] == [300] * 12
    assert said["fixed_points"]["seen"] == sum(said["cells"][track][track] for track in range(12))


def test_two_audits_of_an_order_with_the_same_seed_print_the_same_figures(program: Program) -> None:
    one, two = (program("audit", "--order", "gap", *QUICK).out for _ in range(2))

    assert re.sub("Time: .*", "", one) == re.sub("Time: .*", "", two)


@pytest.mark.parametrize("tracks", [12, 72, 73])
@pytest.mark.parametrize("name", ["random", "specimen:random-swaps"])
def test_the_heat_map_in_a_pipe_is_ascii_of_at_most_80_columns_and_merges_cells_of_many_tracks(
    program: Program, name: str, tracks: int
) -> None:
    rounds = str(5 * tracks)
    out = program("audit", "--order", name, "--tracks", str(tracks), "--rounds", rounds, "--seed", "1").out

    assert "".join(map_of(out)).isascii()
    assert max(map(len, out.partition("\n\n")[2].splitlines())) <= 80
    assert all(line.isprintable() for line in out.splitlines())
    pooled = -(-tracks // 72)
    assert [len(row) for row in map_of(out)] == [-(-tracks // pooled)] * -(-tracks // pooled)


def test_strong_signs_in_the_heat_map_appear_only_at_biased_cells(program: Program) -> None:
    """With random swaps the diagonal is full of #, with Sattolo blank. A good order has only weak signs."""
    words = ("--tracks", "20", "--rounds", "1000", "--seed", "2")
    swaps, ring, good = (
        map_of(program("audit", "--order", name, *words).out)
        for name in ("specimen:random-swaps", "sattolo", "random")
    )
    noise = "".join(good)

    assert "".join(row[at] for at, row in enumerate(swaps)) == "#" * 20
    assert "".join(row[at] for at, row in enumerate(ring)) == " " * 20
    assert "".join(ring).count(" ") == 20
    assert noise.count(".") > 360
    assert {*"#="}.isdisjoint(noise)


@pytest.mark.process
def test_the_heat_map_on_a_terminal_is_the_same_as_in_a_pipe_with_at_most_80_columns(
    program: Program,
) -> None:
    words = ("audit", "--order", "random", "--rounds", "300", "--seed", "1")
    seen = on_terminal(*words).text

    assert map_of(seen) == map_of(program(*words).out)
    assert max(map(len, seen.splitlines())) <= 80


@pytest.mark.process
def test_the_suffix_of_the_file_name_decides_whether_a_picture_is_png_or_svg(
    program: Program, tmp_path: Path
) -> None:
    need_matplotlib()
    for name, head in (("x.png", b"\x89PNG"), ("X.SVG", b"<?xml")):
        done = program("audit", "--order", "random", *QUICK, "--plot", str(tmp_path / name))

        assert (done.code, done.err) == (0, f"Wrote {tmp_path / name}\n")
        assert (tmp_path / name).read_bytes().startswith(head)


def test_the_same_figures_give_a_picture_with_the_same_bytes() -> None:
    need_matplotlib()
    from playshuffle.audit.picture import picture

    for path in ("x.png", "x.svg"):
        assert len({picture(path, [[0.0, math.nan], [math.inf, -3.0]], "Title") for _ in range(2)}) == 1


def need_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        unmet("matplotlib is missing: pip install 'playshuffle[audit]'")


def test_without_matplotlib_only_the_picture_of_an_audit_is_refused(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("matplotlib", "numpy", "scipy"):
        monkeypatch.setitem(sys.modules, name, None)
    without = program("audit", "--order", "random", *QUICK)
    plot = ("audit", "--order", "random", *QUICK, "--plot", str(tmp_path / "x.png"))

    assert without.code == 0
    assert map_of(without.out)
    assert "pipx inject playshuffle matplotlib" in program.refused(2, *plot)
    assert list(tmp_path.iterdir()) == []


def test_an_audit_whose_picture_cannot_be_written_ends_with_an_error(
    program: Program, tmp_path: Path
) -> None:
    need_matplotlib()
    program.refused(73, "audit", "--order", "random", *QUICK, "--plot", str(tmp_path / "no" / "x.png"))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "Name either a playlist, or an order"),
        (["x.m3u", "--order", "random"], "Name either a playlist, or an order"),
        (["x.m3u", "--tracks", "9"], "do not work with a playlist"),
        (["--order", "nix"], "Unknown order to audit 'nix'"),
        (["--order", "specimen:nix"], "Use random, forward, "),
        (["--order", "\x1b[2J"], "'\\x1b[2J'"),
        (["--order", "random", "--tracks", "2"], "--tracks must be a number from 3 to 1000"),
        (["--order", "random", "--tracks", "1001"], "--tracks must be a number from 3 to 1000"),
        (["--order", "table", "--tracks", "9"], "--tracks 8"),
        (["--order", "random", "--rounds", "299"], "at least 300"),
        (["--order", "random", "--plot", "x.gif"], "'x.gif'. The name must end in .png or .svg."),
        (["--order", "random", "--plot", ""], "must end in .png or .svg"),
    ],
)
def test_audit_options_that_do_not_work_together_or_are_out_of_range_are_refused(
    program: Program, words: list[str], reason: str
) -> None:
    assert reason in program.refused(2, "audit", *words)
