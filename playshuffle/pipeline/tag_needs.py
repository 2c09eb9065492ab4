"""Check that the tags which the options of a request need are read."""

from collections.abc import Iterable

from playshuffle.dealing.amount import Count
from playshuffle.errors import OptionError
from playshuffle.ordering.groups import FOLDER
from playshuffle.pipeline.request import Request
from playshuffle.selection.fields import OF_HISTORY

_NEEDS = "{} needs a play history. Name one, such as {}."
_HOW = 'Name one: --history mpd, or history = ["mpd"] in the configuration.'


def check_history(fields: Iterable[str], *, has_history: bool) -> None:
    """Check that there is a play history if a field of a query needs one.

    Raises:
        OptionError: there is none.
    """
    lacking = OF_HISTORY.intersection(fields)
    if lacking and not has_history:
        raise OptionError(
            f"There is no field '{{field}}' without a play history. {_HOW}",
            field=min(lacking),
        )


def check_needs(request: Request) -> None:
    """Check that the query can be answered, duplicates recognised, and values of tags counted.

    Raises:
        OptionError: it needs tags, which are not read.
    """
    fields = {check.field.name for term in request.query.terms for check in term.checks}
    keys = request.recipe.group_by, request.most and request.most.tag
    check_history(fields.union(filter(None, keys)), has_history=bool(request.history))
    if request.recipe.rest_ms is not None and not request.history:
        raise OptionError(_NEEDS, "rest", 'history = "mpd"')
    if request.deal is not None and request.deal.count is Count.PLAYED and not request.history:
        raise OptionError(_NEEDS, 'count = "played"', 'history = "mpd"')
    if request.tags:
        return
    if request.history:
        raise OptionError("{} needs tags. Remove {}.", "history", "tags = false")
    if request.most is not None and request.most.tag != FOLDER:
        raise OptionError("{} needs tags. Remove {}.", "most", "tags = false")
    if request.no_duplicates:
        raise OptionError("{} needs tags. Remove {}.", "no_duplicates", "tags = false")
    if fields := fields - {"path", "today"}:
        raise OptionError(
            "{} uses {field}, which needs tags. Remove {}.", "where", "tags = false", field=min(fields)
        )
