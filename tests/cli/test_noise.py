"""Test that commands on many lists print no fact twice, and read the music once."""

from pathlib import Path

import pytest

from playshuffle.library.scan import scan_places
from playshuffle.pipeline import open_library
from tests.support.in_process import Program
from tests.support.program import configured, listed, numbered
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process


@pytest.fixture
def music(home: Path) -> Path:
    names = (*(f"{number}.mp3" for number in range(8)), "quiet.m4b")
    music = tagged_library(home / "Music", {name: {"title": name, "genre": "Jazz"} for name in names})
    (music / "liked.m3u").write_text("1.mp3\n")
    (music / "broken.mp3").write_bytes(b"x" * 100)
    return music


@pytest.mark.usefixtures("music")
def test_make_of_twenty_lists_prints_one_line_for_each_list_and_each_new_note_once(program: Program) -> None:
    lists = "".join(f"[playlist.list{number}]\n" for number in range(20))
    configured(f'folders = ["~/Music"]\nhistory = ["~/Music/liked.m3u"]\n{lists}where = "genre:jazz"\n')

    first, again, verbose = (program("make", *words).err.splitlines() for words in ((), (), ("-v",)))

    assert [line.split(":")[1] for line in first[:20]] == [f" Wrote ~/Music/list{n}.m3u" for n in range(20)]
    assert sum(line.startswith("Left out: 1 file of spoken") for line in first) == 1
    assert sum(line.startswith("Note: ") for line in first) == 1
    assert [line for line in first if line.startswith("Chosen")] == [
        "Chosen: 8 of 8 tracks match the query (list19)"
    ]
    assert len(again) == 20
    assert again[0] == "ok: Wrote ~/Music/list0.m3u again: 8 tracks of 9, 4 s, random order"
    assert sum(line.startswith("Note: ") for line in verbose) == 20


def test_a_note_on_a_play_history_is_shown_again_only_if_it_changed(music: Path, program: Program) -> None:
    make = ("make", str(music), "--history", str(music / "liked.m3u"))

    assert "liked.m3u: 1 of 1 track found" in program(*make).err
    assert "liked.m3u: " not in program(*make).err
    (music / "liked.m3u").write_text("1.mp3\n2.mp3\n")
    assert "liked.m3u: 2 of 2 tracks found" in program(*make).err


# One scan for all lists


def test_lists_that_are_made_together_share_one_scan_even_if_one_of_the_lists_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program
) -> None:
    scans = []

    def counting(*given: object) -> object:
        scans.append(given)
        return scan_places(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(open_library, "scan_places", counting)
    music = numbered(tmp_path / "Music", 3)
    gone = f'[playlist.gone]\nfolders = ["{tmp_path}/none"]\n'
    configured(f'folders = ["{music}"]\n[playlist.a]\n{gone}[playlist.b]\nlimit = 2\n')

    done = program("make")

    assert (done.code, done.err.count("error: gone: ")) == (66, 1)
    assert [len(listed(music / f"{name}.m3u")) for name in ("a", "b")] == [3, 2]
    assert len(scans) == 1
