"""Copies get names that FAT, other file systems and players accept."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.exporting.copied_tracks import find_tracks, safe_name
from tests.exporting.steps import read_no_tags


@given(st.text(), st.booleans())
def test_any_text_is_made_a_file_name_that_every_file_system_accepts(text: str, is_ascii: bool) -> None:
    name = safe_name(text, is_ascii=is_ascii)

    assert 0 < len(name.encode()) <= 180
    assert not re.search(r'[<>:"/\\|?*\x00-\x1f\x7f]', name)
    assert name == name.strip(" .")
    assert name.isprintable()
    assert not is_ascii or name.isascii()
    assert safe_name(name, is_ascii=is_ascii) == name


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Bj\xf6rk - J\xf3ga", "Bjork - Joga"),
        ("Sigur R\xf3s - \xc1g\xe6tis byrjun", "Sigur Ros - Agaetis byrjun"),
        ("Stra\xdfe \u2013 \u0141\xf3d\u017a \u2019s", "Strasse - Lodz 's"),
        ("A\u0308", "A"),
        ("\u97f3\u697d", "__"),
        ("AC/DC: \u2026 Back?", "AC_DC_ ... Back_"),
        ("a \xa8b", "a b"),
        ("...", "_"),
    ],
)
def test_with_the_option_ascii_accents_are_dropped_and_other_letters_are_replaced(
    text: str, plain: str
) -> None:
    assert safe_name(text, is_ascii=True) == plain


def test_entries_of_a_list_that_are_not_audio_files_are_not_copied(tmp_path: Path) -> None:
    (tmp_path / "id_rsa").write_text("secret")
    (tmp_path / "folder.mp3").mkdir()
    os.mkfifo(tmp_path / "fifo.mp3")
    (tmp_path / "song.mp3").write_text("x")
    names = ("id_rsa", "folder.mp3", "fifo.mp3", "gone.mp3", "song.mp3")
    paths = [bytes(tmp_path / name) for name in names]

    tracks, skipped = find_tracks(paths, read_no_tags, lambda *_: None, is_ascii=False)

    assert [track.name for track in tracks] == ["song.mp3"]
    assert [str(each.reason) for each in skipped] == ["not an audio file"] * 3 + ["missing"]
