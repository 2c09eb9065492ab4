import contextlib
import errno
import os
import re
import resource
import signal
import stat
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import pytest

from playshuffle.errors import Exit
from playshuffle.system import atomic_file
from tests.support.forked import forked
from tests.support.hostile import NAMES
from tests.support.needs import need, unmet
from tests.support.processes import finished
from tests.support.refusals import refusal
from tests.support.tree import public_folder

OLD, NEW = b"#EXTM3U\nold.mp3\n" * 1000, b"#EXTM3U\nnew.mp3\n" * 2000
NOBODY = 65534


@pytest.fixture
def folder(tmp_path: Path) -> bytes:
    return os.fsencode(tmp_path)


@pytest.fixture
def list_path(folder: bytes) -> bytes:
    """An old playlist."""
    path = folder + b"/list.m3u"
    with open(path, "wb") as file:
        file.write(OLD)
    return path


@pytest.fixture
def public() -> Iterator[bytes]:
    """A folder that other users can read; pytest's own are private."""
    with public_folder() as folder:
        yield folder


def content_of(path: bytes) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def mode_of(path: bytes) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def refused(path: bytes, content: bytes = NEW) -> str:
    """Return the message of a write that must fail."""
    return refusal(Exit.CANNOT_CREATE, atomic_file.write, path, [content])


# Content


def test_every_user_can_read_a_new_file_whatever_the_umask_is(folder: bytes) -> None:
    """The service may run with UMask=0077, and players as another user."""
    before = os.umask(0o077)
    try:
        assert atomic_file.write(folder + b"/list.m3u", [NEW])
    finally:
        os.umask(before)

    assert content_of(folder + b"/list.m3u") == NEW
    assert mode_of(folder + b"/list.m3u") == 0o644
    assert os.listdir(folder) == [b"list.m3u"]


@pytest.mark.parametrize("name", [*NAMES, b"n" * 255, b"\xff" * 255, "ü".encode() * 127])
def test_a_file_with_any_name_can_be_written(folder: bytes, name: bytes) -> None:
    atomic_file.write(folder + b"/" + name, [OLD])
    atomic_file.write(folder + b"/" + name, [NEW])

    assert content_of(folder + b"/" + name) == NEW
    assert os.listdir(folder) == [name]


@pytest.mark.parametrize("content", [b"", b"x", bytes(3_000_000), OLD.swapcase()])
def test_new_content_is_written_even_if_it_is_as_long_as_the_old_content(
    list_path: bytes, content: bytes
) -> None:
    assert atomic_file.write(list_path, [content])
    assert content_of(list_path) == content


def test_a_file_that_already_has_the_new_content_is_not_touched(list_path: bytes) -> None:
    """Servers import a playlist again when its time changes."""
    before = os.stat(list_path), os.stat(os.path.dirname(list_path))

    assert not atomic_file.write(list_path, [OLD[:100], OLD[100:]])

    after = os.stat(list_path), os.stat(os.path.dirname(list_path))
    assert [(s.st_ino, s.st_mtime_ns, s.st_ctime_ns) for s in after] == [
        (s.st_ino, s.st_mtime_ns, s.st_ctime_ns) for s in before
    ]


# Mode, owner and attributes


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_a_replaced_file_has_the_mode_of_the_old_file(list_path: bytes, mode: int) -> None:
    os.chmod(list_path, mode)

    atomic_file.write(list_path, [NEW])

    assert mode_of(list_path) == mode


def test_other_users_can_never_read_the_new_content_of_a_private_file(
    list_path: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chmod(list_path, 0o600)
    modes = []
    monkeypatch.setattr(os, "fchmod", lambda fd, _: modes.append(stat.S_IMODE(os.fstat(fd).st_mode)))

    atomic_file.write(list_path, [NEW])

    assert modes == [0o600]


def set_attribute(path: bytes, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        unmet(f"the file system of {path!r} has no {name}: {error}")


def access_list(uid: int) -> bytes:
    """Return a POSIX access list that lets another user read."""
    nobody = 0xFFFFFFFF
    entries = [(1, 6, nobody), (2, 4, uid), (4, 4, nobody), (16, 4, nobody), (32, 0, nobody)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def test_a_replaced_file_keeps_its_extended_attributes_and_access_list(list_path: bytes) -> None:
    set_attribute(list_path, "user.note", b"mine")
    set_attribute(list_path, "system.posix_acl_access", access_list(1234))

    for number in range(3):
        atomic_file.write(list_path, [b"%d" % number])

    assert os.getxattr(list_path, "user.note") == b"mine"
    assert os.getxattr(list_path, "system.posix_acl_access") == access_list(1234)
    assert mode_of(list_path) == 0o640


def test_a_new_file_gets_the_default_access_list_of_its_folder_but_a_replaced_file_does_not(
    list_path: bytes,
) -> None:
    os.chmod(list_path, 0o640)
    set_attribute(os.path.dirname(list_path), "system.posix_acl_default", access_list(1234))
    new = list_path + b".m3u"

    atomic_file.write(list_path, [NEW])
    atomic_file.write(new, [NEW])

    assert "system.posix_acl_access" not in os.listxattr(list_path)
    assert mode_of(list_path) == 0o640
    assert "system.posix_acl_access" in os.listxattr(new)


@pytest.mark.root
def test_root_keeps_the_owner_of_a_file_that_it_replaces(list_path: bytes) -> None:
    os.chown(list_path, 1234, 4321)
    os.chmod(list_path, 0o640)

    atomic_file.write(list_path, [NEW])

    assert (os.stat(list_path).st_uid, os.stat(list_path).st_gid) == (1234, 4321)
    assert mode_of(list_path) == 0o640


@pytest.mark.root
@pytest.mark.process
def test_a_user_can_replace_the_file_of_another_user_and_becomes_its_owner(public: bytes) -> None:
    path = public + b"/list.m3u"
    atomic_file.write(path, [OLD])
    os.chmod(path, 0o664)
    os.chmod(public, 0o777)

    assert forked(lambda: atomic_file.write(path, [NEW]), as_nobody=True)
    assert content_of(path) == NEW
    assert os.stat(path).st_uid == NOBODY
    assert mode_of(path) == 0o664


# Links


@pytest.mark.parametrize("there", ["kept/real.m3u", "../{}/kept/real.m3u", "{}/kept/absolute.m3u"])
def test_a_symbolic_link_of_this_user_stays_and_the_content_of_its_target_is_replaced(
    folder: bytes, there: str
) -> None:
    os.mkdir(folder + b"/kept")
    name = os.path.basename(folder) if there.startswith("..") else folder
    os.symlink(there.format(os.fsdecode(name)), folder + b"/list.m3u")
    os.symlink(b"list.m3u", folder + b"/again.m3u")

    for content in (OLD, NEW, OLD):
        assert atomic_file.write(folder + b"/again.m3u", [content])
        assert content_of(folder + b"/list.m3u") == content

    assert os.path.islink(folder + b"/list.m3u")
    assert os.path.islink(folder + b"/again.m3u")
    assert os.path.dirname(atomic_file.resolved(folder + b"/again.m3u")) == os.path.realpath(
        folder + b"/kept"
    )
    assert len(os.listdir(folder + b"/kept")) == 1


@pytest.mark.parametrize(
    ("mode", "owner"), [(0o1777, os.geteuid()), pytest.param(0o755, NOBODY, marks=pytest.mark.root)]
)
def test_a_link_of_another_user_or_in_a_folder_that_everyone_can_write_to_is_not_followed(
    folder: bytes, mode: int, owner: int
) -> None:
    """An attacker could have made it."""
    victim, shared = folder + b"/victim", folder + b"/shared"
    path = shared + b"/list.m3u"
    atomic_file.write(victim, [OLD])
    os.mkdir(shared)
    os.chmod(shared, mode)
    os.symlink(victim, path)
    os.lchown(path, owner, -1)

    assert atomic_file.write(path, [NEW])

    assert content_of(victim) == OLD
    assert not os.path.islink(path)
    assert content_of(path) == NEW
    assert (mode_of(path), os.stat(path).st_uid) == (0o644, os.geteuid())


def test_a_link_with_the_name_of_the_temporary_file_is_not_followed(
    list_path: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attacker could have guessed the name."""
    victim = list_path + b".victim"
    atomic_file.write(victim, [OLD])
    monkeypatch.setattr(os, "getrandom", bytes)
    planted = os.path.dirname(list_path) + b"/.list.m3u.000000000000.tmp"
    os.symlink(victim, planted)

    refused(list_path)

    assert content_of(victim) == OLD
    assert content_of(list_path) == OLD
    assert os.path.islink(planted)


def test_a_link_that_is_part_of_a_circle_of_links_is_replaced(folder: bytes) -> None:
    os.symlink(b"b.m3u", folder + b"/a.m3u")
    os.symlink(b"a.m3u", folder + b"/b.m3u")

    assert atomic_file.write(folder + b"/a.m3u", [NEW])
    assert content_of(folder + b"/a.m3u") == NEW


# Files that cannot be written


def test_a_folder_or_fifo_or_device_is_not_replaced(folder: bytes) -> None:
    os.mkfifo(folder + b"/fifo.m3u")
    os.mkdir(folder + b"/folder.m3u")

    assert "is not a regular file" in refused(folder + b"/fifo.m3u")
    assert "is a folder" in refused(folder + b"/folder.m3u")
    assert "is not a regular file" in refused(b"/dev/null")
    assert sorted(os.listdir(folder)) == [b"fifo.m3u", b"folder.m3u"]


def test_the_error_for_a_file_that_cannot_be_written_has_its_path_and_reason_and_advice(
    folder: bytes, list_path: bytes
) -> None:
    where = os.fsdecode(folder)

    assert refused(folder + b"/no\x1b/x.m3u") == (
        f"Cannot write {where}/no\\x1b/x.m3u: the folder {where}/no\\x1b does not exist."
        " Nothing was written. Make it, mount its drive, or choose another place."
    )
    assert refused(folder + b"/" + b"x" * 256).endswith(
        ": the name is too long. Nothing was written. Choose a shorter one."
    )
    assert f"{where}/list.m3u is not a folder." in refused(list_path + b"/x.m3u")


@pytest.mark.process
def test_a_file_in_a_folder_where_the_user_may_not_write_is_not_replaced(public: bytes) -> None:
    path = public + b"/list.m3u"
    atomic_file.write(path, [OLD])

    os.chmod(public, 0o555)
    said = forked(lambda: refused(path), as_nobody=True)

    assert said == (
        f"Cannot write {os.fsdecode(path)}:"
        f" this user may not write in {os.fsdecode(public)}."
        " The old file was not changed. Change its permissions or choose another place."
    )
    assert content_of(path) == OLD
    assert os.listdir(public) == [b"list.m3u"]


@pytest.mark.process
def test_if_only_the_first_bytes_can_be_written_the_old_file_is_not_changed(list_path: bytes) -> None:
    """With a limit for the size of files, as on a disk that becomes full."""

    def write() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        return refused(list_path)

    assert "File too large. The old file was not changed." in forked(write)
    assert content_of(list_path) == OLD
    assert os.listdir(os.path.dirname(list_path)) == [b"list.m3u"]


def test_ctrl_c_during_a_write_leaves_the_old_file_and_no_temporary_file(
    list_path: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGINT))

    with pytest.raises(KeyboardInterrupt):
        atomic_file.write(list_path, [NEW])

    assert content_of(list_path) == OLD
    assert os.listdir(os.path.dirname(list_path)) == [b"list.m3u"]


# A signal or an error at each system call

_SCRIPT = f"""
import os, sys
sys.path.insert(0, {str(Path(atomic_file.__file__).parents[2])!r})
from playshuffle.system import atomic_file as output
from playshuffle.errors import PlayshuffleError
os.path.lexists("/begin")
try:
    output.write(os.fsencode(sys.argv[1]), [{NEW!r}])
except PlayshuffleError as error:
    os.path.lexists("/end")
    sys.exit(str(error))
os.path.lexists("/end")
"""
# System calls of the memory manager: their number differs from run to run.
_UNSTEADY = {"brk", "mmap", "munmap", "mremap", "madvise", "futex"}


def traced(path: bytes, *options: str) -> subprocess.CompletedProcess[str]:
    """Write the new content in a process under strace, with these options of strace."""
    return finished(["strace", "-qq", *options, sys.executable, "-ISB", "-c", _SCRIPT, os.fsdecode(path)])


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, int]]:
    """The system calls of one write, in order: name, and count of the calls of that name until then."""
    need("strace")
    folder = tmp_path_factory.mktemp("calls")
    (folder / "list.m3u").write_bytes(OLD)
    done = traced(os.fsencode(folder / "list.m3u"), "-o", str(folder / "log"))
    if done.returncode != 0:
        unmet(f"strace does not work here: {done.stderr}")
    counts: Counter[str] = Counter()
    made = []
    for line in (folder / "log").read_text().splitlines():
        name = line.partition("(")[0]
        counts[name] += 1
        made.append((name, counts[name], line))
    begin, end = (
        next(n for n, call in enumerate(made) if f'"/{mark}"' in call[2]) for mark in ("begin", "end")
    )
    assert {"write", "fsync", "openat", "close"} < counts.keys()
    return [(name, count) for name, count, _ in made[begin + 1 : end] if name not in _UNSTEADY]


@pytest.mark.process
def test_content_is_synced_before_the_rename_and_the_folder_after_it(calls: list[tuple[str, int]]) -> None:
    """Otherwise a power cut could leave an empty file on ext4 and xfs."""
    steps = [name[:6] for name, _ in calls if name.startswith(("write", "fsync", "rename"))]

    assert steps == ["write", "fsync", "rename", "fsync"]


def inject_at_each(
    calls: list[tuple[str, int]], fault: str, folder: bytes
) -> Iterator[tuple[bytes, subprocess.CompletedProcess[str]]]:
    """Replace an old file once for each system call, with a fault at this call; yield path and process."""

    def one(number: int) -> tuple[bytes, subprocess.CompletedProcess[str]]:
        name, count = calls[number]
        path = folder + b"/%d/list.m3u" % number
        os.mkdir(os.path.dirname(path))
        with open(path, "wb") as file:
            file.write(OLD)
        inject = f"inject={name}:{fault}:when={count}"
        return path, traced(path, "-o", "/dev/null", "-e", f"trace={name}", "-e", inject)

    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(one, range(len(calls)))


@pytest.mark.process
def test_a_write_killed_at_any_system_call_leaves_the_old_or_the_new_file(
    calls: list[tuple[str, int]], folder: bytes
) -> None:
    left = set()
    for path, done in inject_at_each(calls, "signal=KILL", folder):
        assert done.returncode == -signal.SIGKILL
        left.add(content_of(path))
        atomic_file.sweep(os.path.dirname(path), b"list.m3u")
        assert os.listdir(os.path.dirname(path)) == [b"list.m3u"]

    assert left == {OLD, NEW}


@pytest.mark.parametrize("error", ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES"])
@pytest.mark.process
def test_after_an_error_of_any_system_call_the_message_is_right_about_the_state_of_the_file(
    calls: list[tuple[str, int]], folder: bytes, error: str
) -> None:
    """It is the new file if the error does not matter, or came too late to undo the replacement."""
    writing = {"openat", "write", "fchmod", "fsync", "rename", "renameat", "renameat2"}
    chosen = [call for call in calls if error == "EIO" or call[0] in writing]
    for path, done in inject_at_each(chosen, f"error={error}", folder):
        if done.returncode == 0 or "was replaced, but" in done.stderr:
            assert content_of(path) == NEW
        else:
            assert "Cannot write" in done.stderr
            assert "The old file was not changed." in done.stderr
            assert content_of(path) == OLD
        assert os.listdir(os.path.dirname(path)) == [b"list.m3u"]


_ATTRIBUTES = "flistxattr,fgetxattr,fsetxattr,fremovexattr,fchmod,fchown"


@pytest.mark.parametrize("error", ["EIO", "ENODATA", "ENOSYS", "ESTALE", "ENOSPC", "EPERM"])
@pytest.mark.process
def test_no_error_about_the_attributes_of_a_file_prevents_its_replacement(
    list_path: bytes, error: str
) -> None:
    """With rclone, reading those of the old file is an input/output error."""
    need("strace")
    done = traced(list_path, "-o", "/dev/null", "-e", f"inject={_ATTRIBUTES}:error={error}")

    assert (done.returncode, done.stderr, content_of(list_path)) == (0, "", NEW)


# Temporary files and locks


def test_a_cleanup_removes_only_regular_files_that_are_named_like_temporary_files_of_the_playlist(
    folder: bytes,
) -> None:
    stays = [
        b".list.m3u.0123456789ab.tmp2", b".list.m3u.0123456789a.tmp", b".list.m3u.0123456789AB.tmp",
        b".list.m3u8.0123456789ab.tmp", b".listXm3u.0123456789ab.tmp", b"list.m3u.0123456789ab.tmp",
        b"list.m3u",
    ]  # fmt: skip
    for name in (*stays, b".list.m3u.0123456789ab.tmp", b".list.m3u.ffffffffffff.tmp"):
        open(folder + b"/" + name, "wb").close()
    os.symlink(b"list.m3u", folder + b"/.list.m3u.111111111111.tmp")
    os.mkfifo(folder + b"/.list.m3u.222222222222.tmp")

    atomic_file.sweep(folder, b"list.m3u")

    assert sorted(os.listdir(folder)) == sorted(
        [*stays, b".list.m3u.111111111111.tmp", b".list.m3u.222222222222.tmp"]
    )


@pytest.mark.root
def test_a_cleanup_removes_no_temporary_files_of_another_user(folder: bytes) -> None:
    path = folder + b"/.list.m3u.0123456789ab.tmp"
    open(path, "wb").close()
    os.chown(path, NOBODY, NOBODY)

    atomic_file.sweep(folder, b"list.m3u")

    assert os.path.exists(path)


@pytest.mark.parametrize(
    "name", [b"list.m3u", b"new\nline.m3u", b"n" * 255, "ü".encode() * 127, b"\xff" * 255]
)
def test_a_cleanup_removes_the_temporary_files_of_a_playlist_with_any_name(
    folder: bytes, name: bytes
) -> None:
    error = OSError(errno.EIO, "")
    with mock.patch("os.replace", side_effect=error), mock.patch("os.unlink", side_effect=error):
        refused(folder + b"/" + name)
    (litter,) = os.listdir(folder)
    assert re.fullmatch(rb"(?s)\..*\.[0-9a-f]{12}\.tmp", litter)

    atomic_file.sweep(folder, name)

    assert os.listdir(folder) == []


def test_a_cleanup_of_a_missing_folder_does_nothing(folder: bytes) -> None:
    atomic_file.sweep(folder + b"/none", b"list.m3u")


def hold(folder: bytes, patience_s: float = 0) -> None:
    with atomic_file.held(folder, patience_s=patience_s):
        pass


def test_a_locked_folder_cannot_be_locked_again_before_it_is_unlocked(folder: bytes) -> None:
    with atomic_file.held(folder):
        started = time.monotonic()
        assert "Another playshuffle has been writing" in refusal(Exit.CANNOT_CREATE, hold, folder, 0.1)
        assert time.monotonic() - started >= 0.1

    hold(folder)


@pytest.mark.process
def test_a_locked_folder_is_unlocked_after_an_error_even_if_a_child_process_still_runs(folder: bytes) -> None:
    with contextlib.suppress(ZeroDivisionError), atomic_file.held(folder):
        if (child := os.fork()) == 0:
            signal.pause()
        raise ZeroDivisionError
    try:
        hold(folder)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_missing_folder_cannot_be_locked(folder: bytes) -> None:
    assert "does not exist" in refusal(Exit.CANNOT_CREATE, hold, folder + b"/none")
