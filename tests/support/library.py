"""Run jobs over a library in this process, one playlist at a time, with made-up tags where possible."""

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.library.scan import Progress
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.pipeline import undo as undoing
from playshuffle.pipeline.deal import Dealt
from playshuffle.pipeline.deal import deal as deal_run
from playshuffle.pipeline.keep import keep as keep_run
from playshuffle.pipeline.make import make
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.shuffle import Seeded
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.tags.reading import ReadAll, Reading, Tags
from playshuffle.tags.tag_reader import read
from tests.support.program import DATA, listed

NOON = datetime(2026, 3, 28, 12, tzinfo=UTC)
FRAME = (DATA / "none.mp3").read_bytes()[-72:]  # of MPEG audio, without tags


def read_here(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    """Read tags in this process, which is faster for a few files."""
    return ((number, read(path)) for number, path in enumerate(paths))


def reader(reading_of: Callable[[str], Tags | Reading]) -> ReadAll:
    """Return a tag reader that makes up the tags of a file from its path, and opens no file."""

    def read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for number, path in enumerate(paths):
            made = reading_of(os.fsdecode(path))
            yield number, made if isinstance(made, Reading) else Reading(made)

    return read_all


NO_TAGS = reader(lambda _: Tags(60_000))


def tools(read_all: ReadAll = read_here, seed: str = "seed", now_s: float | None = None) -> Tools:
    """Return the tools of a run; with `now_s`, its clock stands still."""
    made = Tools(read_all, Seeded(seed), Progress(), patience_s=0)
    return made if now_s is None else made._replace(clock=lambda: now_s)


def put(folder: Path, *names: str) -> Path:
    """Write files of 16 random bytes, which no tag reader recognises as audio."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(os.urandom(16))
    return folder


def keep(request: Request, tools: Tools, changes: Changes = EVERYWHERE, redraw_before_s: float = 0) -> Report:
    """Open one playlist, and update its kept order, as the service does."""
    request = request._replace(redraw_before_s=redraw_before_s)
    with open_run(request, tools, changes, must_remember=True) as run:
        return keep_run(run)


def make_playlist(request: Request, tools: Tools) -> Report:
    """Open one playlist, and make it in a new order."""
    with open_run(request, tools) as run:
        return make(run)


def deal(
    request: Request,
    tools: Tools,
    count: int,
    every: Every = Every.RUN,
    now: datetime = NOON,
    changes: Changes = EVERYWHERE,
    *,
    has_options: bool = False,
) -> Dealt:
    """Open one playlist, and deal a number of tracks."""
    return deal_amount(request, tools, Amount(count), every, now, changes, has_options=has_options)


def deal_amount(
    request: Request,
    tools: Tools,
    amount: Amount,
    every: Every,
    now: datetime,
    changes: Changes = EVERYWHERE,
    *,
    has_options: bool = False,
) -> Dealt:
    """Open one playlist, and deal."""
    request = request._replace(deal=(request.deal or DealSettings())._replace(amount=amount, every=every))
    tools = tools._replace(clock=now.timestamp)
    with open_run(request, tools, changes, must_remember=request.writes) as run:
        return deal_run(run, has_options=has_options)


def undo(request: Request, tools: Tools) -> Report:
    """Open one playlist, and undo the last make or deal."""
    with open_run(request, tools, must_remember=True) as run:
        return undoing.undo(run, undoing.record_before(run.opened.state, run.path))


def undo_deal(request: Request, tools: Tools) -> Report:
    """Open one playlist, and undo its last deal."""
    assert request.output is not None
    with State(writes=False) as state:
        undoing.record_before(state, atomic_file.resolved(request.output))
    return undo(request._replace(deal=request.deal or DealSettings()), tools)


def entries(request: Request) -> list[str]:
    """Return the entries of the request's playlist."""
    return listed(Path(os.fsdecode(request.output or b"")))
