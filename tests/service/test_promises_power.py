"""After a power cut the playlist is whole, and no order that was reported as written is lost."""

import contextlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import damage
from tests.support.busy_folder import Changing
from tests.support.file_systems import Disk, plugged_in
from tests.support.forked import forked
from tests.support.needs import need
from tests.support.program import PROGRAM, environment, listed, make, moved, numbered, run
from tests.support.service import Service, config, own_home, wait_for

pytestmark = [pytest.mark.process, pytest.mark.root, pytest.mark.timeout(3600)]

_DISKS = [("ext4", ""), ("ext4", "noauto_da_alloc"), ("xfs", "")]
_EACH_DISK = [
    pytest.param(*disk, cuts, marks=[pytest.mark.slow] * (cuts > 9 or disk[1] == ""))
    for disk in _DISKS
    for cuts in ([3, 100] if disk[1] else [100])
]


def on_a_disk(tmp_path: Path, kind: str, options: str, act: Callable[[Disk], None]) -> None:
    need(f"mkfs.{kind}")

    def plug_in_and_act() -> None:
        with plugged_in(tmp_path, kind, options) as disk:
            act(disk)

    forked(plug_in_and_act, own_mounts=True)


@pytest.mark.parametrize(("kind", "options", "cuts"), _EACH_DISK)
def test_a_power_cut_while_the_service_runs_loses_no_order_of_its_playlist(
    tmp_path: Path, kind: str, options: str, cuts: int
) -> None:
    """At any time. A playlist without a later change is the same to the byte."""
    chance = random.Random(f"{kind}{options}")
    changing = Changing(tmp_path, 1)

    def cut_again_and_again(disk: Disk) -> None:
        playlist = disk.here / "all.m3u"
        service = Service(tmp_path, config(changing.music, output=str(playlist)), env=own_home(disk.here))

        def is_settled() -> bool:
            with contextlib.suppress(FileNotFoundError):
                names = [entry.removeprefix(f"{changing.music}/") for entry in listed(playlist)]
                # Without a pass that may still be at it.
                return sorted(names) == changing.names() and len(service.processes()) == 2
            return False

        with contextlib.ExitStack() as stack:
            stack.callback(service.kill)
            for number in range(cuts + 1):
                changing.act()
                service.begin()
                acknowledged = None
                if number % 3 == 0:
                    wait_for(is_settled)
                    acknowledged = playlist.read_bytes()
                if not number:
                    changing.check(playlist)
                time.sleep(chance.uniform(0, 1))
                if number % 2:
                    for _ in range(3):
                        changing.act()
                    acknowledged = None
                    time.sleep(chance.uniform(0.9, 1.9))
                disk.cut()
                service.kill()
                disk.unplug()
                disk.plug_in()
                changing.check(playlist)
                assert acknowledged in (None, playlist.read_bytes()), number
            changing.act()
            service.begin()
            wait_for(is_settled)
            changing.check(playlist)
            assert service.stop() == 0
        assert damage.STATE_DAMAGED not in service.log
        assert damage.PLAYLIST_CHANGED not in service.log

    on_a_disk(tmp_path, kind, options, cut_again_and_again)


@pytest.mark.parametrize(("kind", "options", "cuts"), _EACH_DISK)
def test_a_power_cut_during_the_command_make_loses_no_order(
    tmp_path: Path, kind: str, options: str, cuts: int
) -> None:
    """The file is whole, and the next order is drawn from the last one, as the state has it."""
    chance = random.Random(f"{kind}{options}")
    music = numbered(tmp_path / "Music", 9)

    def cut_again_and_again(disk: Disk) -> None:
        playlist = disk.here / "x.m3u"
        words = (str(music), "-o", str(playlist), "--order", "sattolo")
        make(*words, env=own_home(disk.here))
        began = time.monotonic()
        make(*words, env=own_home(disk.here))
        longest_s = time.monotonic() - began
        for number in range(cuts):
            with subprocess.Popen(
                [*PROGRAM, "make", *words], env=environment(**own_home(disk.here)), stderr=subprocess.DEVNULL
            ) as process:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(chance.uniform(0.5, 1.1) * longest_s)
                is_done = process.poll() == 0
                done = playlist.read_bytes() if is_done else None
                disk.cut()
                process.send_signal(signal.SIGKILL)
            disk.unplug()
            disk.plug_in()
            left = playlist.read_bytes()
            names = [os.path.basename(entry) for entry in listed(playlist)]
            assert sorted(names) == [f"{number:03}.mp3" for number in range(9)], number
            assert not is_done or left == done, number

            again = run("make", *words, env=own_home(disk.here))

            assert (again.code, damage.PLAYLIST_CHANGED in again.err, damage.STATE_DAMAGED in again.err) == (
                0,
                False,
                False,
            )
            assert moved(names, [os.path.basename(entry) for entry in listed(playlist)]), number

    on_a_disk(tmp_path, kind, options, cut_again_and_again)
