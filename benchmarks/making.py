"""How long `playshuffle make` takes, as a whole command, beside `find` and MPD, in one run.

    python -m benchmarks.making [--tracks 100000] [--rounds 7] [--keep FOLDER]

Makes a library of that many tagged MP3 files, twelve to an album. Each round runs every
command once, so that what else the machine does meets all of them alike; quoted are medians
over the rounds of each command's ratio to the one it is held against.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_WORDS = [
    "night",
    "river",
    "stone",
    "light",
    "paper",
    "moon",
    "garden",
    "winter",
    "engine",
    "silver",
    "harbour",
    "mirror",
    "thunder",
    "velvet",
    "signal",
    "orchard",
    "copper",
    "meadow",
    "lantern",
    "shadow",
]
_FRAME = bytes([0xFF, 0xFB, 0x90, 0x64]) + bytes(413)  # MPEG 1 layer III, 128 kbit/s, silence


def library(folder: Path, tracks: int) -> None:
    """Make a library of small MP3 files with ID3v2.4 tags: three albums an artist, 8 to 16 tracks each."""
    chance = random.Random(1)
    made = 0
    for album in range(tracks):
        if made == tracks:
            break
        artist = f"{_WORDS[album // 3 % 20]} {_WORDS[album // 60 % 20]} {album // 3}".title()
        name = f"{chance.choice(_WORDS)} of {chance.choice(_WORDS)} {album}".title()
        there = folder / artist / f"{name} ({1970 + album % 50})"
        there.mkdir(parents=True)
        for number in range(1, 1 + min(tracks - made, chance.randrange(8, 17))):
            title = " ".join(chance.choice(_WORDS) for _ in range(3)).title()
            tags = {"TIT2": title, "TPE1": artist, "TALB": name, "TRCK": f"{number}", "TCON": "Folk"}
            frames = b"".join(_frame(key, value) for key, value in tags.items())
            content = b"ID3\x04\0\0" + _synchsafe(len(frames)) + frames + _FRAME * chance.randrange(3, 8)
            (there / f"{number:02} - {title}.mp3").write_bytes(content)
            made += 1


def _frame(key: str, value: str) -> bytes:
    text = b"\3" + value.encode()
    return key.encode() + _synchsafe(len(text)) + b"\0\0" + text


def _synchsafe(number: int) -> bytes:
    return bytes(number >> shift & 0x7F for shift in (21, 14, 7, 0))


class Mpd:
    """A private MPD over a library, with its database in a folder of its own.

    more: lines of its configuration.
    """

    def __init__(self, music: Path, folder: Path, more: str = "") -> None:
        folder.mkdir()
        self._socket = folder / "socket"
        config = folder / "mpd.conf"
        config.write_text(
            f'music_directory "{music}"\ndb_file "{folder}/db"\nbind_to_address "{self._socket}"\n'
            'audio_output {\n type "null"\n name "null"\n}\n' + more
        )
        self._process = subprocess.Popen(
            ["mpd", "--no-daemon", "--stderr", config], stderr=subprocess.DEVNULL
        )
        self.pid = self._process.pid
        while not self._socket.exists():
            time.sleep(0.05)

    def update(self) -> None:
        """Have it look at all files, and wait for the end of that."""
        subprocess.run(["mpc", "-h", self._socket, "update", "--wait"], check=True, stdout=subprocess.DEVNULL)

    def waiting(self) -> subprocess.Popen[bytes]:
        """A process that ends as soon as it has seen a change; it listens when this comes back."""
        idle = subprocess.Popen(["mpc", "-h", self._socket, "idle", "database"], stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        return idle

    def songs(self) -> int:
        """How many it knows."""
        said = subprocess.check_output(["mpc", "-h", self._socket, "stats"], text=True)
        return next(int(line.split()[1]) for line in said.splitlines() if line.startswith("Songs:"))

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tracks", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keep", type=Path, help="make the library here, or use the one that is here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        music = options.keep or Path(scratch, "music")
        if not music.exists():
            library(music, options.tracks)
        small = Path(scratch, "small")
        library(small, 100)
        os.environ |= {"HOME": scratch, "XDG_CACHE_HOME": f"{scratch}/c", "XDG_STATE_HOME": f"{scratch}/s"}
        _measure(music, small, Path(scratch), options.rounds)


def _measure(music: Path, small: Path, scratch: Path, rounds: int) -> None:
    program = [sys.executable, "-m", "playshuffle"]
    # Each its own playlist: what would change in turn has to be held against its last order.
    make, bare, few = (
        [*program, "make", "-q", "-o", f"{scratch}/{name}.m3u"] for name in ("all", "bare", "few")
    )
    find = ["find", str(music), "-type", "f", "-printf", "%p %s %T@\n"]
    nothing = [sys.executable, "-c", "pass"]
    mpd = Mpd(music, scratch / "mpd") if shutil.which("mpd") and shutil.which("mpc") else None
    cold_s = _seconds(lambda: _run([*make, str(music)]))
    print(f"first make, tags read: {cold_s:.1f} s")
    if mpd is not None:
        print(f"MPD's first update:    {_seconds(mpd.update):.1f} s")
    _run([*few, str(small)])
    rows: dict[str, tuple[Callable[[], object], str, float]] = {
        "find": (lambda: _run(find), "find", 1),
        "make, nothing changed": (lambda: _run([*make, str(music)]), "find", 2.75),
        "make --no-tags": (lambda: _run([*bare, "--no-tags", str(music)]), "find", 3),
    }
    if mpd is not None:
        rows["MPD, second update"] = (mpd.update, "find", 0)
        rows["make, nothing changed, to MPD"] = (lambda: None, "MPD, second update", 0.9)
    rows |= {
        "python -c pass": (lambda: _run(nothing), "python -c pass", 1),
        "--version": (lambda: _run([*program, "--version"]), "python -c pass", 1.5),
        "make, 100 tracks, nothing changed": (lambda: _run([*few, str(small)]), "python -c pass", 12),
    }
    times: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(rounds):
        for name, (work, _, _) in rows.items():
            times[name].append(_seconds(work))
    times["make, nothing changed, to MPD"] = times["make, nothing changed"]
    if mpd is not None:
        mpd.stop()
    print(f"\n{'':36}{'median s':>9}{'ratio':>7}{'goal':>7}")
    for name, (_, against, goal) in rows.items():
        ratio = statistics.median(a / b for a, b in zip(times[name], times[against], strict=True))
        said = f"{goal:7.2f}" if goal and name != against else ""
        print(f"{name:36}{statistics.median(times[name]):9.3f}{ratio:7.2f}{said}  of {against}")
    _print_memory(make, music, nothing)


def _print_memory(make: Sequence[str], music: Path, nothing: Sequence[str]) -> None:
    tracks = int(subprocess.check_output(["sh", "-c", 'find "$0" -name "*.mp3" | wc -l', music]))
    bare, warm, cheap = (
        _peak_kb(command) for command in (nothing, [*make, str(music)], [*make, "--no-tags", str(music)])
    )
    print(f"\npeak memory above a bare interpreter ({bare / 1024:.1f} MB), KB a track; goal 0.6")
    print(f"{'make, nothing changed':36}{(warm - bare) / tracks:9.3f}")
    print(f"{'make --no-tags':36}{(cheap - bare) / tracks:9.3f}")


def _peak_kb(command: Sequence[str]) -> int:
    """The largest resident set of a command, alone in a process that waits for it."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    return int(subprocess.check_output([sys.executable, "-c", code, *command]))


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
