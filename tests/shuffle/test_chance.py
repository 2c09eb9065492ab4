"""Chance: exactly bounded, the same from a seed everywhere, the same in bulk as one by one."""

import hashlib
import math
import os
import struct
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.shuffle import RandomSource, Seeded, System, draws, durstenfeld

WORDS = 1 << 30


def specified_stream(seed: bytes) -> Iterator[int]:
    """The words as the docstring of Seeded specifies them, written down without haste."""
    block = 0
    while True:
        text = b"playshuffle 1\0" + block.to_bytes(8, "little") + seed
        for (number,) in struct.iter_unpack("<I", hashlib.shake_256(text).digest(4096)):
            yield number % WORDS
        block += 1


def specified_draw(words: Iterator[int], bound: int) -> int:
    """A draw as the docstring of Seeded specifies it."""
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
    """Words that the operating system's generator is made to deliver, top bits set to be ignored."""
    words: list[int] = []

    def urandom(size: int) -> bytes:
        taken = [words.pop(0) for _ in range(size // 4)]
        return b"".join((word | 3 << 30).to_bytes(4, "little") for word in taken)

    monkeypatch.setattr(os, "urandom", urandom)
    return words


@pytest.mark.parametrize("seed", ["", "1", "Für Elise"])
def test_a_seed_gives_the_specified_draws(seed: str) -> None:
    small = [1, 2, 7, 52, 1000, 1 << 24, (1 << 24) + 1, WORDS]
    bounds = [*small, WORDS + 1, 10**9, 10**12, 1 << 53, 1 << 90] * 200
    words = specified_stream(seed.encode())
    source = Seeded(seed)

    assert [source(bound) for bound in bounds] == [specified_draw(words, bound) for bound in bounds]


@pytest.mark.parametrize(
    ("seed", "head", "digest"),
    [
        ("", [635, 232, 615, 925, 204, 308, 136, 529], "1afb86a0607660d2aec87e6fb80d2660"),
        ("1", [29, 404, 421, 902, 551, 671, 855, 302], "e3a2e990001c327858688d29f753551a"),
        ("Für Elise", [551, 183, 674, 662, 578, 679, 431, 898], "f76915f5801cafe82ff147c0dad1c74d"),
    ],
)
def test_a_seed_gives_the_same_order_for_ever(seed: str, head: list[int], digest: str) -> None:
    order = durstenfeld(range(1000), Seeded(seed))

    assert order[:8] == head
    assert hashlib.sha256(",".join(map(str, order)).encode()).hexdigest()[:32] == digest


def test_a_seed_that_is_not_utf8_is_taken_as_its_bytes() -> None:
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
def test_bulk_draws_equal_single_draws(bounds: range | list[int]) -> None:
    bulk, single = Seeded("same"), Seeded("same")

    assert list(draws(bulk, bounds)) == [single(bound) for bound in bounds]
    assert bulk(WORDS) == single(WORDS)


@given(st.lists(st.integers(1, 1 << 70), max_size=50), st.text(max_size=5).filter(str.isprintable))
def test_draws_are_within_their_bounds_and_bulk_draws_from_a_seed_equal_single_draws(
    bounds: list[int], seed: str
) -> None:
    single = Seeded(seed)
    bulk = list(draws(Seeded(seed), bounds))

    assert bulk == [single(bound) for bound in bounds]
    assert all(0 <= drawn < bound for drawn, bound in zip(bulk, bounds, strict=True))
    assert all(0 <= drawn < bound for drawn, bound in zip(draws(System(), bounds), bounds, strict=True))


def test_bulk_draws_call_a_plain_function_once_for_each_bound() -> None:
    asked = []

    def randbelow(bound: int) -> int:
        asked.append(bound)
        return bound - 1

    assert list(draws(randbelow, [5, 3, 9])) == [4, 2, 8]
    assert asked == [5, 3, 9]


def test_a_random_word_that_would_bias_a_draw_is_thrown_away(injected: list[int]) -> None:
    """2**30 % 7 is 1, so the highest word, and no other, would make 0 too likely."""
    injected += [WORDS - 1, WORDS - 2, WORDS - 2]

    assert WORDS % 7 == 1
    assert System()(7) == (WORDS - 2) % 7
    assert list(draws(System(), [7])) == [(WORDS - 2) % 7]


def test_bulk_draws_throw_the_biased_words_away_too(injected: list[int]) -> None:
    """Words that come after one thrown away move up, and one that moved is checked against its new bound."""
    injected += [10, WORDS - 1, WORDS - 2, 30, WORDS - 1, 40, 50]

    assert list(draws(System(), [7, 7, 8, 7, 7])) == [10 % 7, (WORDS - 2) % 7, 30 % 8, 40 % 7, 50 % 7]
    assert not injected


def test_no_word_is_thrown_away_for_a_power_of_two(injected: list[int]) -> None:
    injected += [WORDS - 1] * 3

    assert list(draws(System(), [1 << 24, 1, 2])) == [(1 << 24) - 1, 0, 1]


def test_the_generator_of_the_system_reaches_every_value_of_a_range() -> None:
    """A value of 10 is missed by 2,000 draws with probability below 10 · 0.9^2000, 10⁻⁹⁰."""
    assert Counter(draws(System(), [10] * 2000)).keys() == set(range(10))


def test_the_generator_of_the_system_does_not_repeat_itself() -> None:
    """Two orders of 100 are equal once in 100!, 10¹⁵⁸, cases."""
    assert durstenfeld(range(100), System()) != durstenfeld(range(100), System())


@pytest.mark.parametrize("source", [System(), Seeded("1")], ids=["system", "seeded"])
@pytest.mark.parametrize("bound", [0, -1])
def test_nothing_can_be_drawn_from_an_empty_range(source: RandomSource, bound: int) -> None:
    with pytest.raises(ValueError, match="cannot draw"):
        source(bound)
    with pytest.raises(ValueError, match="cannot draw"):
        list(draws(source, [3, bound, 3]))
    with pytest.raises(ValueError, match="cannot draw"):
        list(draws(source, range(3, bound - 1, -1)))


def test_the_entropy_is_256_bits_for_the_system_and_8_bits_a_byte_up_to_256_for_a_seed() -> None:
    assert System().entropy_bits == 256
    assert Seeded("").entropy_bits == 0
    assert Seeded("ü").entropy_bits == 16
    assert Seeded("long " * 100).entropy_bits == 256
    assert math.log2(math.factorial(57)) < System().entropy_bits < math.log2(math.factorial(58))
