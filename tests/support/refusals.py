"""Call a function that must refuse what it is given."""

from collections.abc import Callable
from typing import ParamSpec

import pytest

from playshuffle.errors import Exit, PlayshuffleError

P = ParamSpec("P")


def refusal(code: Exit, function: Callable[P, object], *given: P.args, **named: P.kwargs) -> str:
    """Return the message with which a function fails, which must have this exit code."""
    with pytest.raises(PlayshuffleError) as caught:
        function(*given, **named)
    assert caught.value.code == code
    return str(caught.value)
