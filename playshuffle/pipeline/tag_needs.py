"""Check that the tags which the options of a request need are read."""

from playshuffle.errors import OptionError
from playshuffle.ordering.groups import FOLDER
from playshuffle.pipeline.request import Request
from playshuffle.selection import query
from playshuffle.selection.query import Query


def parse_all(request: Request) -> Query:
    """Return one query for all that a request selects.

    Raises:
        QueryError: one of them is not a query.
    """
    return query.narrow([query.parse(text, request.roots) for text in request.where])


def check_needs(request: Request) -> None:
    """Check that the query can be answered, duplicates recognised, and values of tags counted.

    Raises:
        OptionError: it needs tags, which are not read.
    """
    if request.tags:
        return
    if request.most is not None and request.most.tag != FOLDER:
        raise OptionError("{} needs tags. Remove {}.", "most", "tags = false")
    if request.no_duplicates:
        raise OptionError("{} needs tags. Remove {}.", "no_duplicates", "tags = false")
    if not request.where:
        return
    fields = {check.field.name for term in parse_all(request).terms for check in term.checks} - {
        "path",
        "today",
    }
    if fields:
        raise OptionError(
            "{} uses {field}, which needs tags. Remove {}.", "where", "tags = false", field=min(fields)
        )
