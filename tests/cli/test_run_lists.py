"""Updates of lists by the commands, in this process."""

from pathlib import Path

import pytest

from playshuffle.cli import run_lists
from playshuffle.config.build_request import build_request
from playshuffle.config.options import Options
from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit
from playshuffle.library.scan import scan_places
from playshuffle.pipeline import open_library
from playshuffle.pipeline.keep import update
from playshuffle.pipeline.request import Request
from tests.support.library import read_here
from tests.support.program import DATA, listed

EACH_RUN = DealSettings(Amount(count=2), Every.RUN)


def playlist(name: str, folder: Path, deal: DealSettings | None = None) -> Request:
    options = Options(folders=(str(folder),), output=str(folder.parent / f"{name}.m3u"))
    return build_request(options)._replace(deal=deal)


@pytest.fixture
def music(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(run_lists, "read_all", read_here)
    (tmp_path / "music").mkdir()
    for name in "abcdef":
        file = tmp_path / f"music/{name}.mp3"
        file.write_bytes((DATA / "v24.mp3").read_bytes() + name.encode())
    return tmp_path / "music"


def test_all_playlists_of_a_command_share_one_scan_and_none_stops_the_others(
    music: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scans = []

    def counting(*given: object) -> object:
        scans.append(given)
        return scan_places(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(open_library, "scan_places", counting)
    requests = {
        "kept": playlist("kept", music),
        "gone": playlist("gone", music.parent / "none"),
        "dealt": playlist("dealt", music, EACH_RUN),
    }

    done, codes = run_lists.run_lists(requests, update, quiet=True)
    assert (list(done), codes) == (["kept", "dealt"], [Exit.NO_INPUT])

    assert len(scans) == 1
    assert "gone: " in capsys.readouterr().err
    assert {*listed(music.parent / "kept.m3u")} == {f"music/{name}.mp3" for name in "abcdef"}
    assert len(listed(music.parent / "dealt.m3u")) == 2
