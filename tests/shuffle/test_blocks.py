"""Blocks: every order of the blocks equally likely, and each block whole."""

import itertools

import pytest

from playshuffle.shuffle import Inside, blocks, durstenfeld
from tests.shuffle.all_draws import distribution, is_uniform_over, replay

KEYS = [0, 1, 0, 2, 1, 0]
GROUPS = [(0, 2, 5), (1, 4), (3,)]


@pytest.mark.parametrize("inside", ["none", "last", "all"])
def test_all_orders_of_whole_groups_are_equally_likely_whatever_is_shuffled_inside(inside: Inside) -> None:
    """With 'last', a larger last block has more inner orders, so each of them is less likely."""
    shares = distribution(lambda randbelow: tuple(blocks(range(6), KEYS, randbelow, inside)))
    seen = 0
    for groups in itertools.permutations(GROUPS):
        mixed = [inside == "all", inside == "all", inside != "none"]
        inner = [
            itertools.permutations(group) if is_mixed else [group]
            for group, is_mixed in zip(groups, mixed, strict=True)
        ]
        variants = [sum(parts, ()) for parts in itertools.product(*inner)]
        of_these = {order: share for order, share in shares.items() if order in variants}
        seen += len(variants)

        assert is_uniform_over(of_these, variants)
        assert sum(of_these.values()) * 6 == 1
    assert len(shares) == seen


def test_a_single_group_keeps_its_order_unless_blocks_are_shuffled_inside() -> None:
    assert blocks([3, 1, 2], [0] * 4, replay(), "none") == [3, 1, 2]
    shares = distribution(lambda randbelow: tuple(blocks([3, 1, 2], [0] * 4, randbelow, "last")))
    assert shares == distribution(lambda randbelow: tuple(durstenfeld([3, 1, 2], randbelow)))
