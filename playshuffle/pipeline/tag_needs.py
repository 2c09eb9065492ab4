"""Check that the tags which the options of a request need are read."""

from typing import TYPE_CHECKING

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.ordering.groups import FOLDER
from playshuffle.ordering.limit_per_tag import parse_limit
from playshuffle.pipeline.request import Request

if TYPE_CHECKING:
    from playshuffle.selection.query import Query


def parse_all(request: Request) -> "Query":
    """Return one query for all that a request selects.

    Raises:
        QueryError: one of them is not a query.
    """
    from playshuffle.selection import query  # most playlists have none

    return query.narrow([query.parse(text, request.roots) for text in request.where])


def check_needs(request: Request) -> None:
    """Check that the query can be answered, duplicates recognised, and values of tags counted.

    Raises:
        PlayshuffleError: it needs tags, which are not read.
    """
    if request.tags:
        return
    if request.most is not None and parse_limit(request.most).tag != FOLDER:
        raise PlayshuffleError("--most needs tags. Remove --no-tags.", Exit.USAGE, ["--most", "--no-tags"])
    if request.dedupe is not None:
        raise PlayshuffleError(
            "--dedupe needs tags. Remove --no-tags.", Exit.USAGE, ["--dedupe", "--no-tags"]
        )
    if not request.where:
        return
    fields = {check.field.name for term in parse_all(request).terms for check in term.checks} - {"path"}
    if fields:
        raise PlayshuffleError(
            f"--where uses {min(fields)}, which needs tags. Remove --no-tags.",
            Exit.USAGE,
            ["--where", "--no-tags"],
        )
