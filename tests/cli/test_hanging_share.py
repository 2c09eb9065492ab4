"""Test runs over a network share that does not answer: other folders stay up to date, and Ctrl-C works."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from playshuffle.pipeline.request import Request
from playshuffle.system import workers
from playshuffle.tags.reader_pool import read_all
from tests.support.file_systems import bound
from tests.support.library import make_playlist, tools
from tests.support.program import DATA, PROGRAM, environment, listed, numbered
from tests.support.service import wait_for

pytestmark = [pytest.mark.process, pytest.mark.root]


def _is_waiting(pid: int) -> bool:
    """Return whether a thread of a process waits for an answer of a FUSE file system."""
    return any(
        (task / "wchan").read_text() == "request_wait_answer" for task in Path(f"/proc/{pid}/task").iterdir()
    )


def test_a_network_share_gives_the_same_tracks_as_the_local_folder_behind_it(tmp_path: Path) -> None:
    """Sixteen workers read the share at once. Later, files are added and removed."""
    real = numbered(tmp_path / "real", 200)
    run_tools = tools(read_all)

    def names(root: Path) -> list[str]:
        output = tmp_path / f"{root.name}.m3u"
        make_playlist(Request((os.fsencode(root),), os.fsencode(output)), run_tools)
        return [os.path.basename(entry) for entry in listed(output)]

    with bound(real, tmp_path / "Seen"):
        assert workers.worker_count([os.fsencode(tmp_path / "Seen")]) == 16
        assert sorted(names(tmp_path / "Seen")) == sorted(names(real))
        (real / "007.mp3").unlink()
        shutil.copyfile(DATA / "tone.ogg", real / "new.ogg")
        (real / "sub").mkdir()
        shutil.copyfile(DATA / "v24.mp3", real / "sub" / "newer.mp3")
        assert sorted(names(tmp_path / "Seen")) == sorted(names(real))


def test_a_network_share_that_hangs_counts_as_missing_and_other_folders_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_PATIENCE_S", 1.0)
    here, real, seen = numbered(tmp_path / "Here", 4), numbered(tmp_path / "real", 3), tmp_path / "Seen"
    request = Request((os.fsencode(here), os.fsencode(seen)), os.fsencode(tmp_path / "all.m3u"))
    run_tools = tools(read_all)
    with bound(real, seen) as drive:
        make_playlist(request, run_tools)
        assert len(listed(tmp_path / "all.m3u")) == 7
        shutil.copyfile(DATA / "tone.ogg", here / "new.ogg")
        drive.send_signal(signal.SIGSTOP)

        report = make_playlist(request, run_tools)

        assert "Here/new.ogg" in listed(tmp_path / "all.m3u")
        assert len(listed(tmp_path / "all.m3u")) == 8
        assert "does not answer" in str(report)


@pytest.mark.timing
def test_ctrl_c_ends_the_wait_for_a_network_share_long_before_the_wait_would_end(tmp_path: Path) -> None:
    real, seen = numbered(tmp_path / "real", 3), tmp_path / "Seen"
    with bound(real, seen) as drive:
        drive.send_signal(signal.SIGSTOP)
        with subprocess.Popen(
            [*PROGRAM, "make", seen, "-o", tmp_path / "all.m3u"], env=environment(), stderr=subprocess.PIPE
        ) as process:
            try:
                wait_for(lambda: _is_waiting(process.pid))
                began_s = time.monotonic()
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=500)
                ended_s = time.monotonic()
            finally:
                drive.send_signal(signal.SIGCONT)
    assert (process.returncode, err) == (130, b"error: Interrupted.\n")
    assert ended_s - began_s < workers._PATIENCE_S / 3
