"""Updates of configured playlists by the commands, in this process."""

from pathlib import Path

import pytest

from playshuffle.cli import by_name
from playshuffle.config.build_request import build_request
from playshuffle.config.model import ConfiguredPlaylist
from playshuffle.config.options import Options
from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit
from playshuffle.library.scan import scan_places
from playshuffle.pipeline import open_library
from tests.service.test_backlog import read_here
from tests.support.program import DATA, listed

EACH_RUN = DealSettings(Amount(count=2), Every.RUN)


def playlist(name: str, folder: Path, deal: DealSettings | None = None) -> ConfiguredPlaylist:
    options = Options(folders=(str(folder),), output=str(folder.parent / f"{name}.m3u"))
    return ConfiguredPlaylist(name, options, build_request(options), deal=deal)


@pytest.fixture
def music(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(by_name, "read_all", read_here)
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
    playlists = [
        playlist("kept", music),
        playlist("gone", music.parent / "none"),
        playlist("dealt", music, EACH_RUN),
    ]

    assert by_name.update_all(playlists, quiet=True) == [Exit.NO_INPUT]

    assert len(scans) == 1
    assert "gone: " in capsys.readouterr().err
    assert {*listed(music.parent / "kept.m3u")} == {f"music/{name}.mp3" for name in "abcdef"}
    assert len(listed(music.parent / "dealt.m3u")) == 2


def test_what_each_run_deals_is_not_dealt_by_another_command(music: Path) -> None:
    deck = playlist("dealt", music, EACH_RUN)
    by_name.update_all([deck], quiet=True)
    dealt = listed(music.parent / "dealt.m3u")

    by_name.update_all([deck], quiet=True, is_run=False)
    assert listed(music.parent / "dealt.m3u") == dealt

    by_name.update_all([deck], quiet=True)
    assert not set(dealt).intersection(listed(music.parent / "dealt.m3u"))
