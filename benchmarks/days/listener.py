"""Let a listener, the same for all programs, use one program for a number of days."""

import os
import random
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.days.music import Library

PLAYS, CRASH = 40, 40
VARIANTS = {"all": "hears everything", "skips": "skips one in five, and is away each seventh day"}


@dataclass(frozen=True)
class Row:
    """A program in rows.toml. In its commands and files, FOLDER is the music, HOME its home.

    Attributes:
        key: names it on the command line.
        name: as the table shows it.
        package: package of Debian, or of the Python index; its version is shown.
        how: how the program was set up and controlled, for the page.
        kind: the class that drives it.
        hand: the user has to add new files by hand.
        command: starts it; for a list, prints the paths or writes LIST.
        before: shows the library to a program that writes lists, on the first day and when files are new.
        add: a command that adds folders or files to the queue of the program.
        bus: the program's name on the D-Bus.
        files: its configuration: path below its home, and content.
    """

    key: str
    name: str
    package: str
    how: str
    kind: str
    hand: bool = False
    command: str = ""
    before: str = ""
    add: str = ""
    bus: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


_TABLE = tomllib.loads((Path(__file__).parent / "rows.toml").read_text())
ROWS = {key: Row(key, **row) for key, row in _TABLE["row"].items()}
NOT_DRIVEN: Mapping[str, str] = _TABLE["not_driven"]


class Program:
    """A program with a home and a music folder of its own."""

    def __init__(self, row: Row, home: Path, library: Library) -> None:
        self.row, self.home, self.music = row, home, library.folder
        self.unplayable = 0
        self.env = dict(os.environ, HOME=str(home), LC_ALL="C.UTF-8", TERM="linux") | {
            f"XDG_{kind}": str(home / kind.lower())
            for kind in ("CONFIG_HOME", "CACHE_HOME", "STATE_HOME", "DATA_HOME", "RUNTIME_DIR")
        }
        (home / "runtime_dir").mkdir(mode=0o700)
        for name, content in row.files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(self.words(content))

    def words(self, text: str) -> str:
        """Return a text of the row, with the folders of this run."""
        return text.replace("FOLDER", str(self.music)).replace("HOME", str(self.home))

    def start(self, day: int, new: list[Path]) -> None:
        """Start the program in the morning, with files that are new at their paths, and let it play."""
        raise NotImplementedError

    def playing(self) -> str | None:
        """Wait until the program plays a track, and return its path; None at the end of its list."""
        raise NotImplementedError

    def next(self) -> None:
        """Go to the next track, as at the end of one."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the program as its user does."""
        raise NotImplementedError

    def kill(self) -> None:
        """End the program by SIGKILL."""
        raise NotImplementedError

    def heard(self, path: str, day: int, is_skipped: bool) -> None:
        """Note a play, as a scrobbler does."""

    def away(self, day: int) -> None:
        """Do the automatic work of a day without a listener."""

    def close(self) -> None:
        """End all processes of the program, after the last day."""


@dataclass
class Day:
    """The plays of one day.

    Attributes:
        played: numbers of the tracks.
        heard: numbers of the tracks that were not skipped.
        unplayable: number of entries that could not be played.
        present: the library in the evening.
    """

    played: list[int] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    unplayable: int = 0
    present: list[int] = field(default_factory=list)


def listen(program: Program, library: Library, variant: str, days: int) -> Iterator[Day]:
    """Run the program for each day, and yield the plays of the day."""
    for day in range(days):
        today, before = Day(), program.unplayable
        new = library.change(day)
        if variant == "skips" and day % 7 == 6:
            program.away(day)
        else:
            parts = [PLAYS // 2, PLAYS - PLAYS // 2] if day == CRASH else [PLAYS]
            for part, count in enumerate(parts):
                program.start(day, [] if part else new)
                for _ in range(count):
                    if (path := program.playing()) is None:
                        break
                    is_skipped = variant == "skips" and _chance(variant, day, len(today.played)) < 0.2
                    today.played.append(library.number[path])
                    if not is_skipped:
                        today.heard.append(today.played[-1])
                    program.heard(path, day, is_skipped)
                    program.next()
                (program.kill if part < len(parts) - 1 else program.stop)()
        today.unplayable = program.unplayable - before
        today.present = sorted(library.present())
        yield today


def _chance(variant: str, day: int, play: int) -> float:
    """Return a number from 0 to 1 that is the same in each run and for each program."""
    return random.Random(f"{variant} {day} {play}").random()
