import ast
import inspect
import os
import random
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.library.cache import LAYOUT, Cache
from playshuffle.library.folder import Folder, Odd
from playshuffle.library.tag_columns import pack, unpack
from playshuffle.tags import spoken, stars, tag_frames
from playshuffle.tags.reading import Tags
from tests.support.damage import damaged
from tests.support.databases import execute
from tests.support.forked import forked
from tests.support.tree import public_folder


def some_folder(path: bytes, names: bytes = b"x.mp3/y.mp3") -> Folder:
    count = names.count(b"/") + 1
    return Folder(
        path, 1, 2, 3, 4, b"digest", True, False, b"in", names, bytes(32 * count),
        bytes(4 * count), b"\0".join([b"#EXTINF:1,x\n"] * count), b"artist",
    )  # fmt: skip


SOME = [some_folder(b"/m/%d/" % number, b"%0999d.mp3/y.mp3" % number) for number in range(40)]


def keep(folders: list[Folder]) -> None:
    with Cache() as cache:
        cache.keep([(folder, pack([["tag"]])) for folder in folders], ())


@pytest.fixture
def cache_file(home: Path) -> bytes:
    """The path of a cache with some folders."""
    keep(SOME)
    return os.fsencode(home / ".cache/playshuffle/cache.db")


def known(root: bytes = b"/m") -> dict[bytes, Folder]:
    with Cache() as cache:
        return cache.folders([root])


def test_a_change_in_the_tables_of_tags_requires_a_new_version_of_the_cache() -> None:
    """The cache has tags that were read with the old tables. Raise `LAYOUT`, and correct the checksum."""
    checksum = crc32(repr(Tags._fields).encode())
    for module in (tag_frames, stars, spoken):
        source = inspect.getsource(module)
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign):
                checksum = crc32(str(ast.get_source_segment(source, node)).encode(), checksum)

    assert (LAYOUT, checksum) == (19, 3890393364)


_INTEGERS = st.integers(-(2**63), 2**63 - 1)
_NAMES = st.binary(min_size=1, max_size=9).filter(lambda name: b"\0" not in name and b"/" not in name)
_REASONS = st.text(max_size=9)
_ODDS = st.builds(
    Odd,
    st.lists(_NAMES, max_size=3),
    st.dictionaries(_NAMES, _INTEGERS, max_size=3),
    st.lists(st.tuples(_NAMES | st.just(b""), _REASONS), max_size=3),
    st.dictionaries(st.integers(0, 2**31), st.tuples(_REASONS, st.booleans()), max_size=3),
)
_FOLDERS = st.builds(
    Folder,
    path=_NAMES.map(lambda name: b"/m/" + name + b"/"),
    **dict.fromkeys(("device", "inode", "mtime_ns", "ctime_ns"), _INTEGERS),
    **dict.fromkeys(("is_plain", "has_hard_links"), st.booleans()),
    **dict.fromkeys(("digest", "folders", "names", "stamps", "extinfs", "artists"), st.binary()),
    durations_ms=st.none() | st.binary(),
    odd=_ODDS,
)


# The tags of a folder: rows of one width.
_VALUES = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(allow_nan=False) | st.text(max_size=3)
_ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.none() | st.lists(_VALUES, min_size=width, max_size=width), max_size=6)
)


@given(st.lists(st.tuples(_FOLDERS, _ROWS), max_size=5, unique_by=lambda one: one[0].path))
@settings(max_examples=30)
def test_cached_folders_are_read_back_unchanged(kept: list[tuple[Folder, list[list[object] | None]]]) -> None:
    """Every field of a folder, whatever its value, and the tags of its files."""
    with tempfile.TemporaryDirectory() as top, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", top)
        with Cache() as cache:
            cache.keep([(folder, pack(fields)) for folder, fields in kept], ())
        with Cache() as cache:
            assert cache.folders([b"/"]) == {folder.path: folder for folder, _ in kept}
            assert [repr(list(cache.fields(folder))) for folder, _ in kept] == [
                repr(rows) for _, rows in kept
            ]


@given(_ROWS)
def test_packed_rows_and_columns_of_tags_are_read_back_unchanged(rows: list[list[object] | None]) -> None:
    unpacked = unpack(pack(rows).encode())

    assert repr(list(unpacked)) == repr(rows)
    assert len(unpacked) == len(rows)
    assert unpacked == rows
    tagged = {number: row for number, row in enumerate(rows) if row is not None}
    for index in range(len(next(iter(tagged.values()), ()))):
        column = unpacked.column(index)
        assert [repr(column[number]) for number in tagged] == [repr(row[index]) for row in tagged.values()]


def test_a_text_that_all_files_of_a_folder_share_is_stored_once() -> None:
    assert pack([["Album", 1], ["Album", 2]]) == '[2, [], ["Album", [1, 2]]]'


def test_the_tags_of_a_folder_are_unknown_if_another_process_has_cached_other_files_for_the_folder(
    cache_file: bytes,
) -> None:
    """The other process cached as many files: one has another name, or was retagged."""
    other = SOME[0]._replace(names=b"other.mp3/y.mp3")
    retagged = SOME[0]._replace(stamps=b"1" * 64)
    for newer in (other, retagged):
        with Cache() as reader, Cache() as writer:
            [before] = [folder for path, folder in reader.folders([b"/"]).items() if path == SOME[0].path]
            writer.keep([(newer, pack([["other"]]))], ())

            assert reader.fields(before) == []
            assert reader.fields(newer) == [["other"]]


def test_deleted_folders_and_their_tags_are_removed_from_the_cache(cache_file: bytes) -> None:
    with Cache() as cache:
        cache.keep((), [SOME[0].path, b"/never/there/"])

    assert known().keys() == {folder.path for folder in SOME[1:]}
    with Cache() as cache:
        assert cache.fields(SOME[0]) == []
        assert cache.fields(SOME[1]) == [["tag"]]


def test_only_cached_folders_at_or_below_the_given_roots_are_read(home: Path) -> None:
    paths = [b"/", b"/a/", b"/a/b/", b"/a/\xff/", b"/a!/", b"/a-b/", b"/a.b/", b"/a0/", b"/ab/", b"/b/"]
    with Cache() as cache:
        cache.keep([(some_folder(path), "[]") for path in paths], ())

        def below(*roots: bytes) -> list[bytes]:
            return sorted(cache.folders(roots))

        assert below(b"/a") == below(b"/a/") == [b"/a/", b"/a/b/", b"/a/\xff/"]
        assert below(b"/") == sorted(paths)
        assert below(b"/ab", b"/a/b", b"/a") == [b"/a/", b"/a/b/", b"/a/\xff/", b"/ab/"]
        assert below(b"/never") == below() == []


def test_a_fifo_in_place_of_the_cache_file_does_not_block_the_program(cache_file: bytes) -> None:
    os.unlink(cache_file)
    os.mkfifo(cache_file)

    with Cache() as cache:
        assert not cache.is_kept


@pytest.mark.parametrize(
    "damage",
    [
        *("PRAGMA user_version = 99", "DROP TABLE folder"),
        *(b"garbage " * 1000, b"", b"SQLite format 3\0", bytes(8192)),
    ],
    ids=["version", "table", "garbage", "empty", "short", "zeros"],
)
def test_a_cache_file_of_another_version_or_kind_is_replaced_by_an_empty_cache(
    cache_file: bytes, damage: str | bytes
) -> None:
    if isinstance(damage, str):
        execute(cache_file, damage)
    else:
        Path(os.fsdecode(cache_file)).write_bytes(damage)

    assert known() == {}
    keep([SOME[0]])
    assert known() == {SOME[0].path: SOME[0]}
    with Cache() as cache:
        assert cache.fields(SOME[0]) == [["tag"]]


def test_reading_a_damaged_cache_raises_no_error_and_returns_no_wrong_folder_or_tag(
    cache_file: bytes,
) -> None:
    """Flipped bits, zeroed sectors, garbage and lost ends."""
    whole = Path(os.fsdecode(cache_file)).read_bytes()
    true = {folder.path: folder for folder in SOME}
    draw = random.Random(1)
    came_back = 0
    for _ in range(60):
        for suffix in (b"-wal", b"-shm"):
            assert not os.path.exists(cache_file + suffix)
        Path(os.fsdecode(cache_file)).write_bytes(damaged(whole, draw))

        with Cache() as cache:
            folders = cache.folders([b"/"])
            fields = [cache.fields(folder) for folder in true.values()]
            cache.keep([(SOME[0], pack([["tag"]])), (SOME[-1], pack([["tag"]]))], [SOME[1].path])

        assert folders.items() <= true.items()
        assert all(one in ([], [["tag"]]) for one in fields)
        came_back += len(folders)
        with Cache() as cache:
            assert cache.folders([b"/"]).items() <= true.items()

    assert came_back > 10 * len(SOME)


@pytest.mark.parametrize("column", ["packed", "crc", "path"])
@pytest.mark.parametrize("value", [0, None, "text", b"blob", b""])
def test_a_folder_whose_row_in_the_cache_is_damaged_counts_as_unknown(
    cache_file: bytes, column: str, value: object
) -> None:
    """Whatever type the value has. All other folders are known, and the folder is when it is cached again."""
    execute(cache_file, f"UPDATE folder SET {column} = ? WHERE path = ?", (value, SOME[2].path))

    assert known(b"/").keys() == {folder.path for folder in SOME} - {SOME[2].path}

    keep([SOME[2]])
    assert known(b"/") == {folder.path: folder for folder in SOME}


@pytest.mark.parametrize("value", [0, None, pack([["tag"]]), b'[["gat"]]', b""])
def test_cached_tags_that_do_not_match_their_checksum_count_as_unknown(
    cache_file: bytes, value: object
) -> None:
    execute(cache_file, "UPDATE folder SET tags = ? WHERE path = ?", (value, SOME[0].path))

    with Cache() as cache:
        assert [cache.fields(folder) for folder in SOME[:2]] == [[], [["tag"]]]


@pytest.fixture
def foreign_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[bytes]:
    """A cache folder that other users can read."""
    with public_folder() as folder:
        monkeypatch.setenv("XDG_CACHE_HOME", os.fsdecode(folder))
        yield folder


def write_and_read() -> tuple[int, dict[bytes, Folder]]:
    with Cache() as cache:
        before = len(cache.folders([b"/"]))
        cache.keep([(SOME[0], "[]")], ())
        return before, cache.folders([b"/"])


@pytest.mark.process
def test_the_cache_is_kept_in_memory_if_the_cache_folder_is_read_only(foreign_home: bytes) -> None:
    os.chmod(foreign_home, 0o555)

    assert forked(write_and_read, as_nobody=True) == (0, {SOME[0].path: SOME[0]})
    assert os.listdir(foreign_home) == []


@pytest.mark.process
def test_a_cache_file_without_write_permission_stays_unchanged(foreign_home: bytes) -> None:
    with Cache() as cache:
        cache.keep([(folder, "[]") for folder in SOME], ())
    for path, mode in ((b"/playshuffle/cache.db", 0o444), (b"/playshuffle", 0o755)):
        os.chmod(foreign_home + path, mode)

    assert forked(write_and_read, as_nobody=True)[0] == 0
    os.chmod(foreign_home + b"/playshuffle/cache.db", 0o600)
    assert len(known()) == len(SOME)


@pytest.mark.root
@pytest.mark.process
def test_on_a_full_disk_a_run_continues_without_the_cache(home: Path) -> None:
    """Folders cached before are found again when the disk has room."""
    disk = home / ".cache"
    disk.mkdir()

    def fill() -> tuple[int, int, int]:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", disk], check=True)
        with Cache() as cache:
            cache.keep([(SOME[0], "[]")], ())
        with Cache() as cache:
            cache.keep([(some_folder(b"/big/", bytes(1 << 20)), "[]")], ())
            meanwhile = len(cache.folders([b"/"]))
        with open(disk / "filler", "wb", buffering=0) as file:
            file.write(bytes(1 << 20))  # as much of it as there is room for
        with Cache() as cache:
            cache.keep([(SOME[1], "[]")], ())
            assert isinstance(cache.folders([b"/"]), dict)
        os.unlink(disk / "filler")
        with Cache() as cache:
            after = len(cache.folders([b"/"]))
            cache.keep([(SOME[2], "[]")], ())
            return meanwhile, after, len(cache.folders([b"/"]))

    assert forked(fill, own_mounts=True) == (1, 1, 2)


def test_using_a_closed_cache_is_an_error_and_does_not_delete_the_cache_file(cache_file: bytes) -> None:
    """It is a fault of the program. Recovering, as from damage, would hide it and lose all tags."""
    with Cache() as cache:
        pass

    for use in (
        lambda: cache.folders([b"/m"]),
        lambda: cache.keep([(SOME[0], "[]")], ()),
        lambda: cache.fields(SOME[0]),
    ):
        with pytest.raises(sqlite3.ProgrammingError):
            use()

    assert os.path.exists(cache_file)
    assert len(known()) == len(SOME)


def test_a_run_continues_without_the_cache_while_another_process_locks_it(
    cache_file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache is not damaged, so it loses nothing."""
    monkeypatch.setattr("playshuffle.system.sqlite._WAIT_S", 0.05)
    with closing(sqlite3.connect(cache_file)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("DELETE FROM folder")

        write_and_read()

        other.rollback()

    assert len(known()) == len(SOME)


@pytest.mark.process
def test_several_processes_can_create_the_cache_at_the_same_time(home: Path) -> None:
    """Every folder that any of the processes stores is kept."""
    children = []
    for number in range(8):
        child = os.fork()
        if child == 0:
            with Cache() as cache:
                for folder in SOME[5 * number : 5 * number + 5]:
                    cache.keep([(folder, "[]")], ())
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8

    assert known() == {folder.path: folder for folder in SOME}
