"""Test that `playshuffle trace` shows shuffles step by step."""

import itertools

import pytest

from playshuffle.audit.trace_steps import TRACED, allowed, steps
from playshuffle.shuffle import Seeded
from tests.shuffle.all_draws import replay
from tests.support.in_process import Program

FISHER_YATES = """\
k=0 draw 5   0 1 2 3 4 - 6  5
k=1 draw 3   0 1 2 - 4 - 6  5 3
k=2 draw 4   0 1 2 - 4 - -  5 3 6
k=3 draw 3   0 1 2 - - - -  5 3 6 4
k=4 draw 0   - 1 2 - - - -  5 3 6 4 0
k=5 draw 1   - 1 - - - - -  5 3 6 4 0 2
"""


def test_the_command_trace_shows_the_steps_for_draws_given_as_an_option(program: Program) -> None:
    """This shuffle strikes numbers out; tests of the page on shuffles have steps that swap."""
    assert program("trace", "--order", "fisher-yates", "--draws", "5,3,4 3,0 1") == (0, FISHER_YATES, "")


@pytest.mark.parametrize(
    ("name", "first"), [("sattolo", 0), ("random", 0), ("forward", 0), ("fisher-yates", 10)]
)
def test_a_trace_with_a_seed_ends_in_the_order_that_a_shuffle_with_this_seed_gives(
    program: Program, name: str, first: int
) -> None:
    _, out, _ = program("trace", "--order", name, "-n", "10", "--seed", "1")

    assert program("trace", "--order", name, "--seed", "1")[1] == out
    end = [int(word) for word in out.splitlines()[-1].split()[3 + first :]]
    assert end == TRACED[name].shuffle(range(10), Seeded("1"))[: len(end)]


def test_columns_of_a_trace_stay_aligned_beyond_ten_tracks(program: Program) -> None:
    _, out, _ = program("trace", "-n", "12", "--seed", "1")

    assert len({len(line) for line in out.splitlines()}) == 1
    assert out.startswith("k=11 draw 4     0  1  2  3 11  5")


@pytest.mark.parametrize("name", TRACED)
@pytest.mark.parametrize("tracks", [2, 3, 4, 5])
def test_each_step_of_a_trace_swaps_or_strikes_out_a_track_and_the_last_step_has_the_final_order(
    name: str, tracks: int
) -> None:
    """A step swaps its position with the drawn one. All sequences of draws are tried."""
    traced = TRACED[name]
    for draws in itertools.product(*allowed(traced, tracks)):
        before = list(range(tracks))
        left = list(range(tracks))
        for step in steps(traced, tracks, draws):
            if traced.is_struck:
                assert step.order[-1] == left.pop(step.draw)
            else:
                before[step.position], before[step.draw] = before[step.draw], before[step.position]

                assert step.order == before
        if traced.is_struck:
            before = step.order + left
        raw = [draw - may_be[0] for draw, may_be in zip(draws, allowed(traced, tracks), strict=True)]

        assert before == traced.shuffle(range(tracks), replay(*raw))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("--draws 1,9", "For k=1 the draw must be from 0 to 1, not 9."),
        ("--order sattolo --draws 0,1", "For k=1 the draw must be 0, not 1."),
        ("--order forward --draws 1,0", "For k=1 the draw must be from 1 to 2, not 0."),
        ("-n 4 --draws 1,0", "--draws has 2 numbers, but 4 tracks need 3, for k=3 to 1."),
        ("--draws 1,x\x1b", "not '1,x\\x1b'."),
        ("-n 1", "-n must be a number from 2 to 1000."),
        ("-n 1001", "-n must be a number from 2 to 1000."),
        ("--draws 0 --seed 1", "so --seed has no effect"),
        ("--order satolo", "Did you mean 'sattolo'?"),
    ],
)
def test_the_command_trace_refuses_wrong_arguments(program: Program, words: str, reason: str) -> None:
    assert reason in program.refused(2, "trace", *words.split())
