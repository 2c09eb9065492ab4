"""Test the table of options: which of them the command line has."""

import json

from playshuffle.errors import ONLY_KEYS
from playshuffle.options.table import ROWS, Options, as_flags


def test_errors_spell_an_option_without_a_flag_as_its_key() -> None:
    assert {row.key for row in ROWS if not row.verbs} == ONLY_KEYS


def test_each_option_without_a_flag_is_a_key() -> None:
    assert all(row.has_key for row in ROWS if not row.verbs)


def test_an_option_without_a_flag_is_shown_as_its_key() -> None:
    options = Options(order="spread", inside="all", extinf=False)

    assert as_flags(options) == f"--order spread inside = {json.dumps('all')} extinf = false"
