"""Draw random numbers, from the operating system or from a seed.

A draw is a call of `randbelow(n)`; any function of that kind works. `draws` asks `System` and `Seeded` for
many draws at a time, with the same result as one by one.

Randomness comes in words of 30 bits, one digit of a Python integer: `%` is fastest then. A word w is used
for the bound b if w < b * (2**30 // b), and the draw is then w % b; any other word is thrown away, so every
draw is exactly uniform.
"""

import itertools
import operator
import os
import sys
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator, Sequence

# Uniform over range(n) for n >= 1.
RandBelow = Callable[[int], int]

_WORD_BITS = 30
_WORDS = 1 << _WORD_BITS
# For a bound up to 2**24, only words with this top byte can be thrown away.
_FULL = (_WORDS >> 24) - 1
_BULK_BOUND = 1 << 24
# The resolution of a float between 0 and 1: a power of two, so that no words are thrown away.
_TWO_WORD_BOUND = 1 << 53
_LOW_SIX_BITS = bytes(byte & _FULL for byte in range(256))
_TOP_BYTE = 3 if sys.byteorder == "little" else 0
_CHUNK = 4096
_SEED_BLOCK_BYTES = 4096


def draws(randbelow: RandBelow, bounds: Sequence[int]) -> Iterator[int]:
    """Draw once for each of the bounds, in order.

    Consume all results before any other draw: they are drawn ahead in bulk.
    """
    return map(operator.mod, unreduced(randbelow, bounds), bounds)


def unreduced(randbelow: RandBelow, bounds: Sequence[int]) -> Iterator[int]:
    """Draw as `draws` does, but faster: the caller must take each number modulo its bound."""
    if isinstance(randbelow, RandomSource):
        return itertools.chain.from_iterable(randbelow.chunks(bounds))
    return map(randbelow, bounds)


class RandomSource(ABC):
    """A `randbelow` that makes its draws from 30-bit words.

    Attributes:
        entropy_bits: at most 2**entropy_bits different orders can result.
    """

    entropy_bits: int

    @abstractmethod
    def _take(self, count: int) -> "array[int]":
        """Return the next 30-bit words."""

    def __call__(self, bound: int) -> int:
        """Draw from range(bound). A bound above 2**30 takes several words, the highest first."""
        if bound < 1:
            raise ValueError(f"cannot draw from range({bound})")
        word_count = max(1, -(-(bound - 1).bit_length() // _WORD_BITS))
        span = 1 << (_WORD_BITS * word_count)
        while True:
            number = 0
            for word in self._take(word_count):
                number = number << _WORD_BITS | word
            if number < span - span % bound:
                return number % bound

    def chunks(self, bounds: Sequence[int]) -> "Iterator[array[int] | list[int]]":
        """Yield arrays with a number for each bound; modulo its bound, the number is the draw."""
        for start in range(0, len(bounds), _CHUNK):
            part = bounds[start : start + _CHUNK]
            # The first and last of a range are its extremes; a full scan would cost as much as drawing.
            ends = (part[0], part[-1]) if isinstance(part, range) else part
            if min(ends) < 1:
                raise ValueError(f"cannot draw from range({min(ends)})")
            if min(ends) == max(ends) == _TWO_WORD_BOUND:
                words = self._take(2 * len(part))
                yield [high << _WORD_BITS | low for high, low in zip(words[::2], words[1::2], strict=True)]
            elif max(ends) > _BULK_BOUND:
                yield [self(bound) for bound in part]
            else:
                words = self._take(len(part))
                self._replace_biased(words, part)
                yield words

    def _replace_biased(self, words: "array[int]", bounds: Sequence[int]) -> None:
        tops = bytearray(words.tobytes()[_TOP_BYTE::4])
        position = tops.find(_FULL)
        while position >= 0:
            if words[position] < _WORDS - _WORDS % bounds[position]:
                position += 1
            else:
                del words[position], tops[position]
                words.extend(self._take(1))
                tops.append(words[-1] >> 24)
            position = tops.find(_FULL, position)


class System(RandomSource):
    """Draws from the operating system's generator, different each time.

    Linux seeds it with 256 bits, and renews them while the system runs.
    """

    entropy_bits = 256

    def _take(self, count: int) -> "array[int]":
        # Nothing is kept between calls, so a forked process never repeats its parent's draws.
        return _words(os.urandom(4 * count))


class Seeded(RandomSource):
    """Draws from a seed, the same on every machine and with every Python.

    The stream, for another language: block c (c = 0, 1, 2, …) is the first 4096 bytes of SHAKE-256 over the
    ASCII bytes `playshuffle 1`, a zero byte, c as 8 bytes, lowest first, and the seed in UTF-8 (bytes that
    are not UTF-8 unchanged). The concatenated blocks are read 4 bytes at a time, lowest first; the low 30
    bits of each are a word. The module docstring has the rule for a bound up to 2**30. A greater bound b
    takes the fewest words k with 2**(30 k) >= b as one number, the first word highest, and throws all k away
    unless that number is below 2**(30 k) - 2**(30 k) % b. A bound of 1 takes a word as well.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed.encode("utf-8", "surrogateescape")
        self._block_count = 0
        self._ready = array("I")
        self.entropy_bits = min(8 * len(self._seed), 256)

    def _take(self, count: int) -> "array[int]":
        from hashlib import shake_256  # it loads OpenSSL, and few lists have a seed

        while len(self._ready) < count:
            counter = self._block_count.to_bytes(8, "little")
            block = shake_256(b"playshuffle 1\0" + counter + self._seed)
            self._ready.extend(_words(block.digest(_SEED_BLOCK_BYTES)))
            self._block_count += 1
        words = self._ready[:count]
        del self._ready[:count]
        return words


def chance(seed: str | None) -> RandomSource:
    """Return a source of draws: from a seed, or from the operating system if the seed is None."""
    return System() if seed is None else Seeded(seed)


def _words(raw: bytes) -> "array[int]":
    masked = bytearray(raw)
    masked[3::4] = masked[3::4].translate(_LOW_SIX_BITS)
    words = array("I", masked)
    if sys.byteorder == "big":
        words.byteswap()
    return words
