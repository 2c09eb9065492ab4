"""Reject options of an order that do not work together."""

from playshuffle.errors import OptionError
from playshuffle.ordering.groups import FOLDER
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import Recipe
from playshuffle.text import any_of

_WHY_NOT = {
    "gap": "its own rule and a gap may contradict each other",
    "inside": "it has no groups",
    "rest": "it says where each track comes",
    "pin": "a pinned track would be torn out of its group",
}


def check_recipe(recipe: Recipe, *, has_pins: bool, has_tags: bool) -> None:
    """Reject options that do not work together, whatever the tracks are.

    Raises:
        PlayshuffleError: options exclude each other, or one is missing.
    """
    order = ORDERS[recipe.order]
    this_order = f'order = "{recipe.order}"'
    is_given = {
        "gap": recipe.gap is not None,
        "group_by": recipe.group_by is not None,
        "inside": recipe.inside is not None,
        "pin": has_pins,
        "rest": recipe.rest_ms is not None,
    }
    if recipe.group_by is not None and "group_by" not in order.takes:
        raise OptionError(
            "{} needs {} (each {tag} apart) or {} (each {tag} together).",
            f'group_by = "{recipe.group_by}"',
            'order = "spread"',
            'order = "groups"',
            tag=recipe.group_by,
        )
    for option, has_value in is_given.items():
        if has_value and option not in order.takes:
            takers = [name for name, order_row in ORDERS.items() if option in order_row.takes]
            raise OptionError(
                "{} does not work with {}: {why}. It works with {takers}.",
                option,
                this_order,
                why=_WHY_NOT[option],
                takers=any_of(takers),
            )
    tag = recipe.group_by or order.tag
    if not has_tags and tag not in (None, FOLDER):
        raise OptionError("{} needs tags ({tag}). Remove {}.", this_order, "tags = false", tag=tag)
