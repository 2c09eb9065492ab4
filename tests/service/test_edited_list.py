"""Test a managed playlist that its user edits by hand."""

from pathlib import Path

import pytest

from tests.support import damage
from tests.support.program import library, listed
from tests.support.service import Service, add, config, holds, wait_for

pytestmark = pytest.mark.process

MUSIC = tuple(f"{number}.mp3" for number in range(8))


def test_an_edited_playlist_with_the_comments_of_playshuffle_is_overwritten_by_the_next_update(
    tmp_path: Path, music: Path
) -> None:
    """The list belongs to playshuffle: the saved order counts, and the log says so."""
    playlist = music / "all.m3u"
    with Service(tmp_path, config(music)) as service:
        wait_for(holds(playlist, *MUSIC))
        order = listed(playlist)
        lines = playlist.read_text().splitlines()
        edited = "\n".join([*lines[:-3], "/elsewhere/x.mp3", ""])
        playlist.write_text(edited)

        add(music / "new.mp3", playlist)

        assert [name for name in listed(playlist) if name != "new.mp3"] == order
        wait_for(lambda: service.log.count(damage.PLAYLIST_CHANGED) == 1)


def test_a_playlist_that_a_player_saved_without_the_comments_of_playshuffle_is_not_overwritten(
    tmp_path: Path, music: Path
) -> None:
    playlist = music / "all.m3u"
    with Service(tmp_path, config(music)) as service:
        wait_for(holds(playlist, *MUSIC))
        order = listed(playlist)
        saved = "#EXTM3U\n" + "".join(f"{name}\n" for name in order[:2])
        playlist.write_text(saved)

        (music / "7.mp3").unlink()
        wait_for(lambda: service.playlist("all")["state"] == "error")

        assert playlist.read_text() == saved
        assert "was not written by playshuffle" in str(service.playlist("all"))
        playlist.unlink()
        library(music, ["9.mp3"])
        wait_for(playlist.exists)
        assert [name for name in listed(playlist) if name != "9.mp3"] == [
            name for name in order if name != "7.mp3"
        ]
