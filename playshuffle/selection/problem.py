"""Define the error of an invalid query, with its column."""

from playshuffle.errors import Exit, PlayshuffleError


class QueryError(PlayshuffleError):
    """An invalid query. Columns count from 1; `reason` is a sentence without the column."""

    def __init__(self, column: int, reason: str) -> None:
        super().__init__(f"The query has an error in column {column}: {reason}", Exit.USAGE)
        self.column = column
        self.reason = reason
