import os
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.errors import OptionError, shown

# What moves, hides or reverses the text around it.
_HARMFUL = {
    chr(code)
    for code in range(sys.maxunicode + 1)
    if unicodedata.category(chr(code)) in {"Cc", "Cs", "Zl", "Zp"}
    or unicodedata.bidirectional(chr(code)) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
}


@given(st.text())
@settings(deadline=None)
def test_any_text_is_made_harmless_to_print(text: str) -> None:
    said = shown(text)

    assert _HARMFUL.isdisjoint(said)
    assert "\n" not in said
    said.encode()


@given(st.binary().filter(lambda name: b"\0" not in name))
@settings(deadline=None)
def test_any_file_name_is_made_harmless_to_print(name: bytes) -> None:
    assert _HARMFUL.isdisjoint(shown(name))


def test_every_harmful_character_is_escaped() -> None:
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
def test_only_harmful_characters_are_escaped(name: bytes | str | os.PathLike[str], said: str) -> None:
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
def test_an_error_names_an_option_as_the_user_wrote_it(option: str, flag_of_it: str) -> None:
    error = OptionError("Remove {}.", option)

    assert (str(error), error.in_configuration) == (f"Remove {flag_of_it}.", f"Remove {option}.")
    assert error.keys == (option.split(" ", maxsplit=1)[0],)


def test_braces_and_flags_in_the_value_of_an_option_stay_as_they_are() -> None:
    error = OptionError("{} '{text}' is wrong.", "gap", text="{} --gap {x}")

    assert str(error) == "--gap '{} --gap {x}' is wrong."
    assert error.in_configuration == "gap '{} --gap {x}' is wrong."


def test_a_name_in_an_option_error_is_shown_without_harm() -> None:
    name = b"a\x1b]0;\xff.m3u"
    error = OptionError("{path} works with {}.", "gap", path=name)

    assert str(error) == f"{shown(name)} works with --gap."
    assert error.in_configuration == f"{shown(name)} works with gap."
