from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle import duration
from playshuffle.errors import Exit, PlayshuffleError
from tests.support.refusals import refusal

S, M, H, D = 1000, 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("90m", 90 * M), ("90min", 90 * M), ("1h30", 90 * M), ("1h30m", 90 * M),
        ("1h30min", 90 * M), ("1h5", 65 * M), ("1h30s", H + 30 * S), ("1h30m5", 90 * M + 5 * S),
        ("1h30m05s", 90 * M + 5 * S), ("1h300", 6 * H), ("2d", 2 * D), ("2d12h", 60 * H), ("1d5", 29 * H),
        ("1d30m", D + 30 * M), ("45s", 45 * S), ("5m30", 330 * S), ("5min30", 330 * S),
        (" 1H30M ", 90 * M), ("0h1m", M), ("999999999s", 999_999_999 * S),
        ("2 hours", 2 * H), ("1 hour 30 minutes", 90 * M), ("1h 30m", 90 * M), ("1:30:00", 90 * M),
        ("02:00:05", 2 * H + 5 * S), ("1 day", D), ("20 min", 20 * M), ("5 seconds", 5 * S),
    ],
)  # fmt: skip
def test_a_duration_is_parsed_in_each_form_in_which_people_write_durations(text: str, ms: int) -> None:
    assert duration.parse(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "0", "0s", "0h0m", "m", "h30", "1.5h", "1,5h", "-5m", "30m1h", "1:30",
        "1:60:00", "1h:30", "0:00:00", "1h1h",
        "5x", "1m5m", "s5", "1hm", "½h", "٣m", "²",
        "1h²", "1" * 10, "1" * 5000, "1h\n30", "\x1b[2J", "\udce9",
    ],
)  # fmt: skip
def test_an_invalid_duration_is_refused_and_quoted_without_control_characters(text: str) -> None:
    assert refusal(Exit.USAGE, duration.parse, text).isprintable()


@pytest.mark.parametrize("text", ["2", "90", " 5400 "])
def test_the_error_for_a_duration_without_a_unit_says_how_to_write_it(text: str) -> None:
    number = text.strip()
    said = f"'{number}' has no unit. Write {number}m (minutes) or {number}h (hours)."

    assert refusal(Exit.USAGE, duration.parse, text) == said


@given(st.text())
def test_any_text_is_a_duration_of_at_least_a_second_or_is_refused(text: str) -> None:
    with suppress(PlayshuffleError):
        assert duration.parse(text) >= 1000


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (0, "0 s"), (499, "0 s"), (500, "1 s"), (59_499, "59 s"), (59_500, "1 min"),
        (250 * S, "4 min 10 s"),
        (H - 500, "1 h"), (185 * M, "3 h 5 min"), (D - 501, "23 h 59 min"), (D - 500, "1 day"),
        (2 * D + 7 * H, "2 days 7 h"), (400 * D, "400 days"),
    ],
)  # fmt: skip
def test_a_duration_is_shown_in_its_two_largest_units_at_most(ms: int, said: str) -> None:
    assert duration.words(ms) == said
