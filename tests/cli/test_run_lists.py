"""Lists that one command updates share one scan."""

from pathlib import Path

import pytest

from playshuffle.library.scan import scan_places
from playshuffle.pipeline import open_library
from tests.support.in_process import Program
from tests.support.program import configured, listed, numbered

pytestmark = pytest.mark.process


def test_all_lists_share_one_scan_and_a_failure_does_not_stop_the_others(
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
