"""Call a function in a child process: as another user, or with its own mounts."""

import ctypes
import os
import pickle
import subprocess
import traceback
from collections.abc import Callable
from typing import TypeVar

import pytest

from tests.support.needs import unmet

T = TypeVar("T")

_NOBODY = 65534
_CLONE_NEWNS = 0x20000
_SKIPPED = 2


def forked(
    act: Callable[[], T], *, as_nobody: bool = False, as_user: int | None = None, own_mounts: bool = False
) -> T:
    """Call a function in a child process, and return its result, which must be picklable.

    Args:
        as_nobody: root passes every check of permissions, so the child must not be root.
        as_user: run as this user, who may be unknown to the system; only root can.
        own_mounts: no other process sees its mounts, and they end with the child.
    """
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if own_mounts:
                if ctypes.CDLL(None).unshare(_CLONE_NEWNS) != 0:
                    unmet("the kernel refuses mounts of our own, as in a container")
                subprocess.run(["mount", "--make-rprivate", "/"], check=True)
            if as_nobody and os.geteuid() == 0:
                as_user = _NOBODY
            if as_user is not None:
                os.setgroups([])
                os.setgid(as_user)
                os.setuid(as_user)
            answer = pickle.dumps(act())
            status = 0
        except pytest.skip.Exception as skipped:
            answer = str(skipped).encode()
            status = _SKIPPED
        except BaseException:  # noqa: BLE001 - whatever it is, the parent fails with it
            answer = traceback.format_exc().encode()
        with open(write_end, "wb") as pipe:
            pipe.write(answer)
        os._exit(status)
    os.close(write_end)
    with open(read_end, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) == _SKIPPED:
        pytest.skip(answer.decode())
    if status:
        pytest.fail(answer.decode(errors="replace"), pytrace=False)
    result: T = pickle.loads(answer)
    return result
