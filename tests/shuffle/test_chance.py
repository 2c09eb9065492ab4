"""Chance: exactly bounded, the same from a seed everywhere, the same in bulk as one by one."""

import hashlib
import math
import os
import struct
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.shuffle import RandomSource, Seeded, System, draws, durstenfeld

WORDS = 1 << 30


def specified_stream(seed: bytes) -> Iterator[int]:
    """Yield the words of a seed, computed in the plainest way from the docstring of Seeded."""
    block = 0
    while True:
        text = b"playshuffle 1\0" + block.to_bytes(8, "little") + seed
        for (number,) in struct.iter_unpack("<I", hashlib.shake_256(text).digest(4096)):
            yield number % WORDS
        block += 1


def specified_draw(words: Iterator[int], bound: int) -> int:
    """Return the draw for a bound, computed in the plainest way from the docstring of Seeded."""
    count = 1
    while WORDS**count < bound:
        count += 1
    while True:
        number = 0
        for _ in range(count):
            number = number * WORDS + next(words)
        if number < WORDS**count - WORDS**count % bound:
            return number % bound


@pytest.fixture
def injected(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Words that `os.urandom` returns instead of random ones, with the two top bits set, too."""
    words: list[int] = []

    def urandom(size: int) -> bytes:
        taken = [words.pop(0) for _ in range(size // 4)]
        return b"".join((word | 3 << 30).to_bytes(4, "little") for word in taken)

    monkeypatch.setattr(os, "urandom", urandom)
    return words


@pytest.mark.parametrize("seed", ["", "1", "Für Elise"])
def test_the_draws_from_a_seed_are_those_that_the_docstring_of_seeded_specifies(seed: str) -> None:
    small = [1, 2, 7, 52, 1000, 1 << 24, (1 << 24) + 1, WORDS]
    bounds = [*small, WORDS + 1, 10**9, 10**12, 1 << 53, 1 << 90] * 200
    words = specified_stream(seed.encode())
    source = Seeded(seed)

    assert [source(bound) for bound in bounds] == [specified_draw(words, bound) for bound in bounds]


def test_a_seed_that_is_not_utf8_gives_the_draws_specified_for_its_bytes() -> None:
    assert Seeded(os.fsdecode(b"\xff"))(WORDS) == next(specified_stream(b"\xff"))


@pytest.mark.parametrize(
    "bounds",
    [
        range(10_000, 1, -1),
        range(3 << 22, (3 << 22) - 9_000, -1),  # one word in a hundred is thrown away
        range((1 << 24) + 2_000, (1 << 24) - 7_000, -1),
        range(1, 9_000),
        [3, 1, 10**12, 5] * 2_000,
        [],
    ],
    ids=str,
)
def test_draws_from_a_seed_made_in_bulk_equal_draws_made_one_by_one(bounds: range | list[int]) -> None:
    bulk, single = Seeded("same"), Seeded("same")

    assert list(draws(bulk, bounds)) == [single(bound) for bound in bounds]
    assert bulk(WORDS) == single(WORDS)


@given(st.lists(st.integers(1, 1 << 70), max_size=50), st.text(max_size=5).filter(str.isprintable))
def test_each_draw_is_below_its_bound_and_bulk_draws_equal_single_draws(bounds: list[int], seed: str) -> None:
    single = Seeded(seed)
    bulk = list(draws(Seeded(seed), bounds))

    assert bulk == [single(bound) for bound in bounds]
    assert all(0 <= drawn < bound for drawn, bound in zip(bulk, bounds, strict=True))
    assert all(0 <= drawn < bound for drawn, bound in zip(draws(System(), bounds), bounds, strict=True))


def test_draws_in_bulk_from_a_plain_function_call_it_once_for_each_bound() -> None:
    asked = []

    def randbelow(bound: int) -> int:
        asked.append(bound)
        return bound - 1

    assert list(draws(randbelow, [5, 3, 9])) == [4, 2, 8]
    assert asked == [5, 3, 9]


def test_exactly_the_random_words_that_would_bias_a_draw_are_thrown_away(injected: list[int]) -> None:
    """2**30 % 7 is 1, so the highest word, and no other, would make 0 too likely; 8 divides 2**30.

    In bulk, each word after one thrown away moves up, and is checked against its new bound.
    """
    injected += [WORDS - 1, WORDS - 2, 10, WORDS - 1, WORDS - 2, WORDS - 1, WORDS - 1, 40, 50]

    assert System()(7) == (WORDS - 2) % 7

    assert list(draws(System(), [7, 7, 8, 7, 7])) == [10 % 7, (WORDS - 2) % 7, 7, 40 % 7, 50 % 7]
    assert not injected


def test_two_shuffles_with_the_random_generator_of_the_operating_system_differ() -> None:
    """Two random orders of 100 entries are equal once in 100!, 10¹⁵⁸, cases."""
    assert durstenfeld(range(100), System()) != durstenfeld(range(100), System())


@pytest.mark.parametrize("source", [System(), Seeded("1")], ids=["system", "seeded"])
@pytest.mark.parametrize("bound", [0, -1])
def test_a_draw_below_a_bound_of_zero_or_less_is_refused(source: RandomSource, bound: int) -> None:
    with pytest.raises(ValueError, match="cannot draw"):
        source(bound)
    with pytest.raises(ValueError, match="cannot draw"):
        list(draws(source, [3, bound, 3]))
    with pytest.raises(ValueError, match="cannot draw"):
        list(draws(source, range(3, bound - 1, -1)))


def test_a_seed_has_8_bits_of_entropy_for_each_byte_up_to_256_bits_and_the_system_has_256() -> None:
    assert System().entropy_bits == 256
    assert Seeded("").entropy_bits == 0
    assert Seeded("ü").entropy_bits == 16
    assert Seeded("long " * 100).entropy_bits == 256
    assert math.log2(math.factorial(57)) < System().entropy_bits < math.log2(math.factorial(58))
