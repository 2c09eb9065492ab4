"""No track is lost from a playlist while a drive is missing, cannot be read, or is full."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.forked import forked
from tests.support.processes import strace
from tests.support.program import listed, numbered
from tests.support.service import Service, add, aged, config, left, own_home, wait_for

pytestmark = pytest.mark.process


def sh(*words: str | Path, cwd: Path | None = None) -> None:
    subprocess.run(words, check=True, cwd=cwd)


# How the folder `drive` disappears and returns, as shell scripts. The folder `keep` has the same files.
_WAYS = {
    "unmounted": ("umount drive", "mount --bind keep drive"),
    "unmounted lazily": ("exec 3<drive/000.mp3; umount -l drive", "mount --bind keep drive"),
    "covered": ("mount -t tmpfs tmpfs drive", "umount drive"),
    "moved": ("mv drive elsewhere", "mv elsewhere drive"),
    "removed": ("rm -r drive", "mkdir drive; sleep 0.2; cp -a keep/. drive"),
}


def goes_and_comes(top: Path, go: str, come: str, rounds: int, *, is_mounted: bool) -> list[float]:
    """Remove and restore a drive while a service runs; return the seconds until a new file was listed.

    While it is missing, its tracks keep their positions, and tracks of another folder are added and removed.
    """
    drive, keep = top / "drive", top / "keep"
    drive.mkdir(parents=True)
    keep.mkdir()
    here = aged(numbered(top / "here", 3))
    sh("mount", "-t", "tmpfs", "tmpfs", keep)
    aged(numbered(keep, 9))
    sh(*(("mount", "--bind") if is_mounted else ("cp", "-aT")), keep, drive)
    playlist = top / "all.m3u"
    took_s = []
    text = f'folders = ["{drive}", "{here}"]\n[playlist.all]\noutput = "{playlist}"\n'
    with Service(top, text, env=own_home(top)) as service:
        assert service.process is not None
        wait_for(lambda: playlist.exists() and len(listed(playlist)) == 12)
        for number in range(rounds):
            before = playlist.read_bytes()
            sh("sh", "-ec", go, cwd=top)
            wait_for(lambda: service.status()["roots"][0]["state"] == "missing")
            wait_for(lambda number=number: service.playlist("all")["waiting"] == {str(drive): 9 + number})  # type: ignore[misc]
            assert playlist.read_bytes() == before
            order = listed(playlist)
            one, other = f"here/{number}.mp3", f"here/{number + 1}.mp3"
            (top / one).unlink(missing_ok=True)
            shutil.copyfile(keep / "000.mp3", top / other)
            wait_for(lambda other=other: other in listed(playlist))  # type: ignore[misc]
            assert left(order, listed(playlist)) == [entry for entry in order if entry != one]
            order = listed(playlist)
            (keep / f"new{number}.mp3").write_bytes((keep / "000.mp3").read_bytes())
            sh("sh", "-ec", come, cwd=top)
            new = drive / f"new{number}.mp3"
            if not new.exists():
                shutil.copyfile(keep / "000.mp3", new)
            took_s.append(wait_for(lambda new=new: f"drive/{new.name}" in listed(playlist), 15))  # type: ignore[misc]
            assert left(order, listed(playlist)) == order
            wait_for(lambda: service.status()["roots"][0]["state"] == "ok")
        assert service.process.poll() is None
        assert service.stop() == 0
    assert service.log.count("tracks wait for ~/drive: ") >= rounds
    return took_s


@pytest.mark.root
@pytest.mark.timeout(900)
@pytest.mark.parametrize("rounds", [1, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.timing
def test_within_15_seconds_of_the_return_of_a_drive_the_playlist_has_its_old_and_new_tracks(
    tmp_path: Path, rounds: int
) -> None:
    """Until then, `status` calls it missing, and its tracks stay in the playlist."""

    def all_ways() -> list[list[float]]:
        with ThreadPoolExecutor() as pool:
            done = [
                pool.submit(goes_and_comes, tmp_path / name, *way, rounds, is_mounted="mount" in way[0])
                for name, way in _WAYS.items()
            ]
            return [one.result() for one in done]

    took_s = forked(all_ways, own_mounts=True)

    assert [len(one) for one in took_s] == [rounds] * len(_WAYS)
    assert max(map(max, took_s)) < 15, took_s


# A folder that cannot be read


@pytest.mark.parametrize("call", ["openat", pytest.param("getdents64", marks=pytest.mark.slow)])
def test_the_tracks_of_a_folder_that_a_broken_disk_cannot_read_stay_in_the_playlist(
    tmp_path: Path, call: str
) -> None:
    """The error is in the log once."""
    music = numbered(tmp_path / "Music", 6)
    (music / "bad").mkdir()
    for number in range(4):
        (music / f"{number:03}.mp3").rename(music / f"bad/{number}.mp3")
    aged(music)
    playlist = music / "all.m3u"
    with Service(tmp_path, config(music)) as service:
        wait_for(lambda: playlist.exists() and len(listed(playlist)) == 6)
        assert service.stop() == 0
        before = listed(playlist)
        (music / "bad/new.mp3").write_bytes(b"")  # so that it has to be read
        (music / "004.mp3").unlink()
        failing = strace("/dev/null", f"trace={call}", f"inject={call}:error=EIO")
        service.begin([*failing, "-P", str(music / "bad"), "-P", f"{music}/bad/"])
        add(music / "one.ogg", playlist)
        add(music / "two.ogg", playlist)

        kept = [entry for entry in before if entry != "004.mp3"]
        assert left(before, listed(playlist)) == kept
        assert len(listed(playlist)) == len(kept) + 2
        assert service.log.count("Input/output error") == 1
        wait_for(lambda: any("bad" in one for one in service.playlist("all")["unreadable"]))
        service.kill()


# A full disk


@pytest.mark.root
@pytest.mark.parametrize(
    "what", [*(pytest.param(one, marks=pytest.mark.slow) for one in ("playlist", "state")), "both"]
)
def test_while_the_disk_of_the_playlist_or_the_state_is_full_the_playlist_is_unchanged(
    tmp_path: Path, what: str
) -> None:
    """The error is in the log once, and in the status until there is room."""
    music = aged(numbered(tmp_path / "Music", 30))
    small, state = tmp_path / "small", tmp_path / "home/.local/state"

    def fill() -> None:
        small.mkdir()
        state.mkdir(parents=True)
        for folder in [small] * (what != "state") + [state] * (what != "playlist"):
            sh("mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", folder)
        playlist = small / "all.m3u"
        with Service(
            tmp_path, config(music, output=str(playlist)), env=own_home(tmp_path / "home")
        ) as service:
            wait_for(lambda: playlist.exists() and len(listed(playlist)) == 30)
            wait_for(lambda: len(service.processes()) == 2)  # no update writes
            before = playlist.read_bytes()
            order = listed(playlist)
            full = [folder / "full" for folder in (small, state) if os.path.ismount(folder)]
            for path in full:
                sh("sh", "-c", f"! cat /dev/zero > {path}")
            (music / "000.mp3").rename(music / f"{'long' * 50}.mp3")
            for number in range(100):
                shutil.copyfile(music / "001.mp3", music / f"{number}{'x' * 200}.mp3")
            wait_for(lambda: service.playlist("all")["state"] == "error")
            assert playlist.read_bytes() == before
            assert re.search(r"full|room", service.playlist("all")["last_error"])
            for path in full:
                path.unlink()
            wait_for(lambda: len(listed(playlist)) == 130)
            after = [os.path.basename(entry) for entry in listed(playlist)]
            names = [os.path.basename(entry) for entry in order]
            assert left(names, after) == [name for name in names if name != "000.mp3"]
            wait_for(lambda: service.playlist("all")["state"] == "managed")
            assert service.log.count("error: ") == 1, service.log
            assert not [name for name in os.listdir(small) if name.endswith(".tmp")]

    forked(fill, own_mounts=True)
