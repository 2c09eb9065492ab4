"""Check that commands import neither each other nor slow modules that they rarely need."""

import sys
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from playshuffle.cli.app import COMMANDS
from playshuffle.library.marks import MARK_BYTES
from playshuffle.library.missing import Root
from playshuffle.library.track_table import FolderRow
from playshuffle.store import records
from playshuffle.store.records import SavedOrder
from playshuffle.store.state import State
from scripts.command_tree import commands
from tests.support.processes import finished
from tests.support.program import environment, numbered

# Prints the number of databases that a command has opened, the bytes that it has read, and its modules.
_LOADED = """
import sys
opened = []
sys.addaudithook(lambda event, _: opened.append(event) if event == "sqlite3.connect" else None)
from playshuffle.__main__ import main
try:
    main()
finally:
    read = open("/proc/self/io").readline().split()[1]
    sys.stderr.write(f"\\n{len(opened)} {read} " + " ".join(sys.modules))
"""


def _ours(names: str) -> tuple[str, ...]:
    return tuple(f"playshuffle.{name}" for name in names.split())


# Modules that take long to import, and that no short run needs.
# typer 0.29.2 would import pydantic to convert the words of options: `cli.help_layout` converts them instead.
_SLOW = (
    "pydantic", "rich", "mutagen", "watchdog", "matplotlib", "numpy", "mpd", "asyncio", "multiprocessing",
    "http", "email", "tomlkit", "pickle", "xml.etree", "pyexpat", "_hashlib",
    *_ours("cli.usage_errors history.files install service.update service.status_publisher tags.tag_frames"),
)  # fmt: skip
_STORED = ("sqlite3", *_ours("store pipeline.run library.scan"))
_OF_SERVICE = _ours("service.status_json watch.debounce watch.watcher")
_OF_QUERIES = _ours("selection.query pipeline.query_stage")
_TABLES = _ours("config dealing history library ordering players playlist")
_OF_LISTS = _ours("config.load config.model ordering pipeline players service.page shuffle watch")
# Only with a configuration, or the option that needs it.
_OF_FEW = ("tomllib", *_ours("config.load config.model config.own_players selection.duplicates history"))
_COMPLETES = {"_PLAYSHUFFLE_COMPLETE": "complete_bash", "COMP_CWORD": "2"}

# A command, environment variables, and the modules that it must not import besides the slow ones.
_LIGHT: tuple[tuple[str, Mapping[str, str], tuple[str, ...]], ...] = (
    ("--version", {}, ("typer", "playshuffle.cli")),
    ("-h", {}, (*_STORED, "playshuffle.options.table", "tomllib")),
    ("make -h", {}, (*_STORED, *_TABLES)),
    ("", {"COMP_WORDS": "playshuffle make --ord", **_COMPLETES}, (*_STORED, *_TABLES)),
    ("", {"COMP_WORDS": "playshuffle make xy", **_COMPLETES}, _OF_SERVICE),
    ("status", {}, (*_OF_LISTS, *_OF_QUERIES, "tomllib")),
    ("make -q", {}, (*_OF_SERVICE, *_OF_QUERIES, *_OF_FEW)),
    ("deal -q", {}, (*_OF_SERVICE, *_OF_QUERIES, *_OF_FEW)),
)

_TRACKS = 40_000


class Cost(NamedTuple):
    """What a command has cost.

    Attributes:
        databases: number of opened databases.
        bytes_read: bytes read, modules included.
        modules: imported modules.
    """

    databases: int
    bytes_read: int
    modules: frozenset[str]


def cost(*words: str | Path, **variables: str) -> Cost:
    """Run a command, and return what it has opened, read and imported."""
    done = finished([sys.executable, "-c", _LOADED, *words], env=environment(**variables))
    assert done.returncode == 0, done.stderr
    databases, read, *modules = done.stderr.splitlines()[-1].split()
    return Cost(int(databases), int(read), frozenset(modules))


@pytest.mark.process
def test_the_option_help_imports_no_module_of_a_command() -> None:
    modules = cost("--help").modules

    assert [name for name in COMMANDS if f"playshuffle.cli.{name.replace('-', '_')}" in modules] == []


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "variables", "unused"),
    _LIGHT,
    ids=[f"{words or variables['COMP_WORDS']}" for words, variables, _ in _LIGHT],
)
def test_a_short_command_imports_no_slow_module_that_it_does_not_need(
    words: str, variables: Mapping[str, str], unused: tuple[str, ...], tmp_path: Path
) -> None:
    music = [numbered(tmp_path / "Music", 3)] if "-q" in words else []
    for _ in range(2):
        modules = cost(*words.split(), *music, **variables).modules

    assert sorted(modules.intersection((*_SLOW, *unused))) == []


@pytest.mark.process
def test_make_opens_state_and_cache_once_each_and_reads_only_rows_of_its_own_playlist(
    tmp_path: Path,
) -> None:
    make = ("make", "-q", numbered(tmp_path / "Music", 100), "-o", tmp_path / "x.m3u")
    for _ in range(2):
        before = cost(*make)
    numbers = range(1_000, 1_000 + _TRACKS)
    folders = {
        b"/other/%d/" % first: FolderRow(
            b"/".join(b"%d.mp3" % number for number in range(first, first + 10)),
            array("I", range(first, first + 10)).tobytes(),
            bytes(10 * MARK_BYTES),
        )
        for first in numbers[::10]
    }
    with State() as state:
        known = state.load_tracks()
        roots = {**known.roots, (b"/other", True): Root(array("I", numbers), ())}
        more = known._replace(folders={**known.folders, **folders}, roots=roots, next_number=numbers.stop)
        state.save_tracks(known, more)
        order = SavedOrder(array("I", numbers), frozenset(), _TRACKS, 1, "1-1", b"")
        records.save(state, b"/other/all.m3u", order)

    after = cost(*make)

    assert (before.databases, after.databases) == (2, 2)  # the state and the cache
    assert after.bytes_read - before.bytes_read < 50_000


@pytest.mark.process
def test_the_garbage_collection_at_exit_skips_the_imported_modules() -> None:
    """To search them would take a sixth of a short run."""
    code = (
        "import gc\nfrom playshuffle.__main__ import main\ntry: main()\nfinally: print(gc.get_freeze_count())"
    )
    done = finished([sys.executable, "-c", code, "--help"], env=environment())

    assert int(done.stdout.split()[-1]) > 10_000


def test_the_summary_of_each_command_is_the_first_sentence_of_its_help() -> None:
    """The list of commands is shown without importing their modules, so it has copies of these sentences."""
    helps = {command.words[0]: command.help for command in commands() if len(command.words) == 1}

    summaries = {verb: summary for verb, (_, summary) in COMMANDS.items()}
    assert {verb: f"{text.partition('.')[0]}." for verb, text in helps.items()} == summaries
