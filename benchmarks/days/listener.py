"""Let a listener, the same for all programs, use one program for a number of days."""

import os
import random
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.days.music import EVENTS, Library

# On this day the player is killed after half of its plays.
CRASH, _WEEK, _SATURDAY, _SUNDAY = EVENTS["killed"], 7, 5, 6
_BY_HAND_MIN = 2


@dataclass(frozen=True)
class Listener:
    """A person who listens each day.

    Attributes:
        plays: wanted plays a day.
        text: what the person does, for the page.
        skips: share of the plays that are skipped.
        is_away: the person does not listen on Sundays.
        has_weekends: the computer is off in the nights before Saturday and Sunday, so no job runs.
    """

    plays: int
    text: str
    skips: float = 0
    is_away: bool = False
    has_weekends: bool = False


SHOWN = "40"  # the listener of the table and of the picture
LISTENERS = {
    "25": Listener(25, "25 tracks a day, and the nightly job does not run at weekends", has_weekends=True),
    "40": Listener(40, "40 tracks a day, one in five is skipped, and nothing on Sundays", 0.2, is_away=True),
    "60": Listener(60, "60 tracks a day"),
}


@dataclass(frozen=True)
class Row:
    """A program in rows.toml. In its commands and files, FOLDER is the music, HOME its home.

    Attributes:
        key: names it on the command line.
        name: as the table shows it.
        package: package of Debian, or of the Python index; its version is shown. Empty for a simulated rule.
        how: how to set it up by hand, for the page.
        kind: the class that drives it.
        remembers: it remembers what it has played, until it is ended or longer.
        hand: new files are added by hand.
        is_once: only the listener of the table hears it, so that a run takes less time.
        ends: the player is ended after this number of days; 0 for never.
        command: starts it; for a list, prints its paths or writes LIST.
        before: shows the library to a program that writes lists, if the library has changed.
        after: a command for the evening, with the plays in HOME/plays.csv.
        setup: commands and words for MPD on the first day.
        refill: commands and words for MPD when its queue is empty.
        companion: a program that runs beside MPD, and fills its queue.
        files: its configuration: path below its home, and content.
    """

    key: str
    name: str
    package: str
    how: str
    kind: str
    remembers: bool = False
    hand: bool = False
    is_once: bool = False
    ends: int = 1
    command: str = ""
    before: str = ""
    after: str = ""
    setup: Mapping[str, str | int] = field(default_factory=dict)
    refill: Mapping[str, str | int] = field(default_factory=dict)
    companion: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


_TABLE = tomllib.loads((Path(__file__).parent / "rows.toml").read_text())
ROWS = {key: Row(key, **row) for key, row in _TABLE["row"].items()}
NOT_DRIVEN: Mapping[str, str] = _TABLE["not_driven"]


class Program:
    """A program with a home and a music folder of its own, and a listener."""

    def __init__(self, row: Row, home: Path, library: Library, who: Listener) -> None:
        self.row, self.home, self.library, self.who = row, home, library, who
        self.music = library.folder
        self.unplayable = self.minutes = 0
        self.new: list[Path] = []  # files that are new at their paths, and not yet added by hand
        self.env = dict(os.environ, HOME=str(home), LC_ALL="C.UTF-8", TERM="linux", BEETSDIR=str(home)) | {
            f"XDG_{kind}": str(home / kind.lower())
            for kind in ("CONFIG_HOME", "CACHE_HOME", "STATE_HOME", "DATA_HOME", "RUNTIME_DIR")
        }
        self.env["PATH"] = f"{os.path.dirname(sys.executable)}:{self.env['PATH']}"
        self.env["NO_FAKE_STAT"] = "1"  # faketime would change the times of all files each day
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)  # each start would compile the program again
        (home / "runtime_dir").mkdir(mode=0o700)
        for name, content in row.files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(self.words(content))

    def words(self, text: str) -> str:
        """Return a text of the row, with the folders of this run."""
        return text.replace("FOLDER", str(self.music)).replace("HOME", str(self.home))

    def added(self) -> list[Path]:
        """Return the files that the listener adds by hand now."""
        new = [path for path in self.new if path.exists()] if self.row.hand else []
        self.new = []
        self.minutes += _BY_HAND_MIN * bool(new)
        return new

    def by_hand(self) -> None:
        """Note a job that takes the listener some minutes."""
        self.minutes += _BY_HAND_MIN

    def night(self, day: int, *, is_changed: bool) -> None:
        """Do the automatic work of the night before a day."""

    def start(self, day: int) -> None:
        """Start the program, and let it play."""
        raise NotImplementedError

    def playing(self) -> str | None:
        """Wait until the program plays a track, and return its path; None at the end of its list."""
        raise NotImplementedError

    def next(self) -> None:
        """Go to the next track, as at the end of one."""
        raise NotImplementedError

    def stop(self, day: int) -> None:
        """End the program as its user does, or let it wait for the next day."""
        raise NotImplementedError

    def kill(self) -> None:
        """End the program by SIGKILL."""
        raise NotImplementedError

    def heard(self, path: str, day: int, *, is_skipped: bool) -> None:
        """Note a play, as a scrobbler does."""

    def close(self) -> None:
        """End all processes of the program, after the last day."""


@dataclass
class Day:
    """The plays of one day.

    Attributes:
        played: numbers of the tracks.
        heard: numbers of the tracks that were not skipped.
        before_kill: number of plays before the player was killed.
        silent: plays that were wanted, and entries that could not be played.
        minutes: work by hand.
        present: the library in the evening.
    """

    played: list[int] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    before_kill: int = 0
    silent: int = 0
    minutes: int = 0
    present: list[int] = field(default_factory=list)


def listen(program: Program, seed: int, days: int) -> Iterator[Day]:
    """Run the program for each day, and yield the plays of the day."""
    is_changed, library, who = True, program.library, program.who
    for day in range(days):
        today, minutes, unplayable = Day(), program.minutes, program.unplayable
        added, is_other = library.change(day, seed)
        program.new += added if day else []
        is_changed |= is_other
        if not (who.has_weekends and day % _WEEK >= _SATURDAY):
            program.night(day, is_changed=is_changed)
            is_changed = False
        if not (who.is_away and day % _WEEK == _SUNDAY):
            chance = random.Random(f"{seed} {day}")
            _listen(program, today, day, chance)
            today.silent = who.plays - len(today.played) + program.unplayable - unplayable
        today.minutes = program.minutes - minutes
        today.present = sorted(library.present())
        yield today


def _listen(program: Program, today: Day, day: int, chance: random.Random) -> None:
    """Listen for one day."""
    who = program.who
    for part in (who.plays // 2, who.plays - who.plays // 2) if day == CRASH else (who.plays,):
        program.start(day)
        for _ in range(part):
            if (path := program.playing()) is None:
                break
            is_skipped = chance.random() < who.skips
            today.played.append(program.library.number[path])
            if not is_skipped:
                today.heard.append(today.played[-1])
            program.heard(path, day, is_skipped=is_skipped)
            program.next()
        if day == CRASH and not today.before_kill:
            today.before_kill = len(today.played)
            program.kill()
        else:
            program.stop(day)
