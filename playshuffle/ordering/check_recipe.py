"""Reject options of an order that do not work together."""

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.ordering.groups import FOLDER
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import Recipe
from playshuffle.text import any_of

_WHY_NOT = {
    "--group-by": "only groups and spread use a tag of your choice",
    "--group-size": "only groups can have a fixed size",
    "--gap": "its own rule and a gap may contradict each other",
    "--inside": "it has no groups",
    "--part": "its guarantee is about the whole list",
    "--pin": "a pinned track would be torn out of its group",
}


def check_recipe(recipe: Recipe, *, has_pins: bool, has_tags: bool) -> None:
    """Reject options that do not work together, whatever the tracks are.

    Raises:
        PlayshuffleError: options exclude each other, or one is missing.
    """
    order = ORDERS[recipe.order]
    is_given = {
        "--gap": recipe.gap is not None,
        "--group-by": recipe.group_by is not None,
        "--group-size": recipe.group_size is not None,
        "--inside": recipe.inside is not None,
        "--part": recipe.part is not None,
        "--pin": has_pins,
    }
    for option, has_value in is_given.items():
        if has_value and option not in order.takes:
            takers = [name for name, order_row in ORDERS.items() if option in order_row.takes]
            raise PlayshuffleError(
                f"{option} does not work with --order {recipe.order}: {_WHY_NOT[option]}."
                f" It works with {any_of(takers)}.",
                Exit.USAGE,
                [option, "--order"],
            )
    if recipe.order == "groups" and is_given["--group-by"] == is_given["--group-size"]:
        raise PlayshuffleError(
            "--order groups needs either --group-by (a tag, such as genre) or --group-size (a number of"
            " tracks).",
            Exit.USAGE,
            ["--order", "--group-by", "--group-size"],
        )
    if recipe.group_size is not None and recipe.group_size < 1:
        raise PlayshuffleError("--group-size must be a number from 1.", Exit.USAGE, ["--group-size"])
    if recipe.gap is not None and recipe.part is not None:
        raise PlayshuffleError(
            "--gap does not work with --part: the tracks outside it keep their positions. Remove either.",
            Exit.USAGE,
            ["--gap", "--part"],
        )
    tag = recipe.group_by or order.tag
    if not has_tags and tag not in (None, FOLDER):
        raise PlayshuffleError(
            f"--order {recipe.order} needs tags ({tag}). Remove --no-tags.",
            Exit.USAGE,
            ["--order", "--group-by", "--no-tags"],
        )
