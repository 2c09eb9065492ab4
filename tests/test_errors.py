import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.errors import OptionError, shown

# Characters that move, hide or reverse the text around them.
_HARMFUL = {
    chr(code)
    for code in range(sys.maxunicode + 1)
    if unicodedata.category(chr(code)) in {"Cc", "Cs", "Zl", "Zp"}
    or unicodedata.bidirectional(chr(code)) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
}


@given(st.text() | st.binary())
def test_no_text_or_file_name_is_shown_with_a_harmful_character(name: str | bytes) -> None:
    assert _HARMFUL.isdisjoint(shown(name))
    shown(name).encode()


def test_each_harmful_character_is_escaped_when_it_is_shown() -> None:
    assert _HARMFUL.isdisjoint("".join(map(shown, _HARMFUL)))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (b"Bj\xc3\xb6rk - J\xc3\xb3ga.mp3", "Björk - Jóga.mp3"),
        (b"caf\xe9", "caf\\xe9"),
        (b"\x1b]0;x\x07", "\\x1b]0;x\\x07"),
        (b"a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f"),
        ("\x85\u202egnp.exe", "\\x85\\u202egnp.exe"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("[/b] {0} %s", "[/b] {0} %s"),
        ("שלום 音楽 🎵 👩\u200d🎤", "שלום 音楽 🎵 👩\u200d🎤"),
        (Path("a/b"), "a/b"),
        ("", ""),
    ],
)
def test_only_harmful_characters_of_a_name_are_escaped(name: bytes | str | Path, said: str) -> None:
    assert shown(name) == said


@pytest.mark.parametrize(
    ("option", "flag_of_it"),
    [
        ("gap", "--gap"),
        ("group_by", "--group-by"),
        ("tags = false", "--no-tags"),
        ("force = true", "--force"),
        ('order = "sorted"', "--order sorted"),
        ("output", "-o"),
        ("extinf = false", "extinf = false"),  # it has no flag
    ],
)
def test_an_error_names_an_option_as_a_flag_or_as_a_configuration_key(option: str, flag_of_it: str) -> None:
    error = OptionError("Remove {}.", option)

    assert (str(error), error.in_configuration) == (f"Remove {flag_of_it}.", f"Remove {option}.")
    assert error.keys == (option.split(" ", maxsplit=1)[0],)


@pytest.mark.parametrize(
    ("value", "text"),
    [("{} --gap {x}", "{} --gap {x}"), (b"a\x1b]0;\xff.m3u", "a\\x1b]0;\\xff.m3u")],
    ids=["braces and flags", "control characters"],
)
def test_an_error_quotes_a_value_with_only_harmful_characters_escaped(value: str | bytes, text: str) -> None:
    error = OptionError("{} '{value}' is wrong.", "gap", value=value)

    assert str(error) == f"--gap '{text}' is wrong."
    assert error.in_configuration == f"gap '{text}' is wrong."
