"""Run all benchmarks at one size, one after the other, and print their tables as Markdown.

    python -m benchmarks [TRACKS]

TRACKS (100,000) is the number of tiny files. A tenth as many files of the usual size are made with ffmpeg,
if it is installed. So are the comparisons with mpd, mpc and tinytag. A benchmark without its programs is
skipped.
"""

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import playshuffle
from benchmarks.making import machine

_PROGRAMS = {"watching": ("mpd", "mpc"), "latency": ("gcc", "pkg-config", "fusermount3")}


def main() -> None:
    """Run the benchmarks; each prints its own tables."""
    tracks = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    # Users have the program compiled; without that each run compiles it again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(Path(playshuffle.__file__).parent, quiet=1)
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as name:
        music = f"{name}/tiny{tracks}"
        real = max(10, tracks // 10) if shutil.which("ffmpeg") else 0
        # The later ones change the library, so they come last.
        for module, arguments in {
            "making": ["--tiny", str(tracks), "--real", str(real), "--keep", name],
            "scaling": ["--tracks", str(max(10, tracks // 10)), "--keep", name],
            "commands": ["--tracks", str(tracks), "--keep", music],
            "selecting": ["--tracks", str(tracks)],
            "shuffling": [],
            "spreading": [],
            "latency": [],
            "many_lists": ["--tracks", str(tracks), "--keep", music],
            "updating": ["--tracks", str(tracks), "--keep", music],
            "watching": ["--tracks", str(tracks), "--burst", str(max(10, tracks // 10)), "--keep", music],
        }.items():
            print(f"\n## {module}\n", flush=True)
            if missing := [name for name in _PROGRAMS.get(module, ()) if not shutil.which(name)]:
                print(f"skipped: missing {' and '.join(missing)}", flush=True)
                continue
            subprocess.run([sys.executable, "-m", f"benchmarks.{module}", *arguments], check=True)
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
