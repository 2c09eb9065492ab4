"""Write real folders and files, and scan them."""

import contextlib
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from playshuffle.library.folder import Folder
from playshuffle.library.listing import Look
from playshuffle.library.scan import Place, find_folders
from playshuffle.library.walk import Changes, Dirty, WalkResult
from playshuffle.system.workers import ALONE, Workers
from tests.support.needs import need

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@contextlib.contextmanager
def public_folder() -> Iterator[bytes]:
    """Yield a folder that other users can read; pytest's own are private."""
    top = os.fsencode(tempfile.mkdtemp())
    os.chmod(top, 0o755)
    yield top
    subprocess.run(["chmod", "-R", "u+rwX", top], check=True)
    shutil.rmtree(top)


def find(
    roots: Sequence[bytes],
    known: Mapping[bytes, Folder],
    *,
    use_ignore_files: bool = True,
    dirty: Dirty | None = None,
    still_ns: int = 0,
    workers: Workers = ALONE,
    report: Callable[[int], object] = lambda _: None,
    clock_ns: Callable[[], int] = time.time_ns,
) -> WalkResult:
    """Scan some roots of one place."""
    place = Place(tuple(roots), None, use_ignore_files)
    changes = Changes(dirty, still_ns=still_ns)
    look = Look(workers=workers, clock_ns=clock_ns, report=report)
    return find_folders([place], known, changes, look)[place]


def find_with_error(
    top: bytes, known: Mapping[bytes, Folder], scratch: Path, call: str, *paths: bytes
) -> WalkResult:
    """Return a walk while one system call, on these paths, fails as on a broken disk."""
    need("strace")
    (scratch / "asked").write_bytes(pickle.dumps((top, known)))
    script = """
import pickle, sys
from tests.support.tree import find
with open(sys.argv[1], "rb") as file:
    top, known = pickle.load(file)
with open(sys.argv[2], "wb") as file:
    pickle.dump(find([top], known), file)
"""
    subprocess.run(
        ["strace", "-qq", "-o", "/dev/null", *(word for path in paths for word in ("-P", path)),
         "-e", f"trace={call}", "-e", f"inject={call}:error=EIO",
         sys.executable, "-c", script, scratch / "asked", scratch / "found"],
        env={**os.environ, "PYTHONPATH": _ROOT},
        check=True,
    )  # fmt: skip
    found: WalkResult = pickle.loads((scratch / "found").read_bytes())
    return found


def put(top: bytes, *names: bytes, content: bytes = b"x") -> None:
    """Write files; a name that ends in a slash makes a folder."""
    for name in names:
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not name.endswith(b"/"):
            with open(path, "wb") as file:
                file.write(content)


def files(folders: Sequence[Folder]) -> list[bytes]:
    """Return the paths of all audio files in these folders, sorted."""
    return sorted(folder.path + name for folder in folders for name in folder.file_names())


def names_below(top: bytes, found: WalkResult | None = None) -> list[bytes]:
    """Return the audio files of a new or given walk, without the folder's own path."""
    found = found or find([top], {})
    return [path.removeprefix(top + b"/") for root in found.roots.values() for path in files(root)]


def reasons(top: bytes, found: WalkResult | None = None) -> dict[bytes, str]:
    """Return the skipped files of a new or given walk, with reasons."""
    found = found or find([top], {})
    return {path.removeprefix(top + b"/"): str(reason) for path, reason in found.skipped}


def first_root(found: WalkResult) -> Sequence[Folder]:
    """Return the folders below the first root of a walk."""
    return next(iter(found.roots.values()))


def by_path(found: WalkResult) -> dict[bytes, Folder]:
    """Return the folders of a walk by path, as the next walk needs them."""
    return {folder.path: folder for folder in found.folders}
