"""Call a function that must refuse its arguments."""

from collections.abc import Callable
from typing import ParamSpec

import pytest

from playshuffle.errors import Exit, PlayshuffleError

P = ParamSpec("P")


def refusal(code: Exit, function: Callable[P, object], *given: P.args, **named: P.kwargs) -> str:
    """Call a function that must fail with this exit code, and return its message."""
    with pytest.raises(PlayshuffleError) as caught:
        function(*given, **named)
    assert caught.value.code == code
    return str(caught.value)
