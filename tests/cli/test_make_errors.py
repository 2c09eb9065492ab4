"""Whatever goes wrong: one clear line, the right exit code, and the old playlist byte for byte."""

import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import in_process
from tests.support.needs import need, unmet
from tests.support.program import (
    Done,
    configured,
    library,
    listed,
    make,
    moved,
    numbered,
    ran,
    report,
    run,
    state_file,
)

pytestmark = pytest.mark.process

# Root obeys permissions as any other user does, where it lacks these capabilities.
OBEYING = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def snapshot(top: Path) -> dict[str, tuple[object, ...]]:
    """All that a folder holds, and when each thing was last changed."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(top.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else None
        found[str(path)] = (status.st_mode, status.st_ino, status.st_mtime_ns, content)
    return found


def one_line(done: Done | in_process.Done, code: int) -> str:
    """The error that a run ended with."""
    assert (done.code, done.err[:7], len(done.out)) == (code, "error: ", 0), done.err
    assert done.err.count("\n") == 1
    assert done.err.endswith(
        (".\n", "?\n", "help orders\n", "help config\n", "tags\n", "--help\n", "to/music\n")
    )
    return done.err


@pytest.fixture
def refused(music: Path, program: in_process.Program) -> Iterator[Callable[..., str]]:
    """Check that `make` fails with this code and changes nothing; return the message."""
    before = snapshot(music.parent)
    yield lambda code, *words: one_line(program("make", str(music), *map(str, words)), code)
    assert snapshot(music.parent) == before


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a playlist of ours, and some other files beside it; no test changes it."""
    top = tmp_path_factory.mktemp("top")
    music = library(top / "Music", ["a.mp3", "b.mp3", "sub/c.mp3", "other/c.mp3"])
    make(music, env={"XDG_STATE_HOME": str(top / "state"), "XDG_CACHE_HOME": str(top / "cache")})
    for suffix in ("m3u", "m3u8", "xspf"):
        (music / f"hand.{suffix}").write_text("#EXTM3U\n#EXTINF:1,mine\nb.mp3\na.mp3\n")
    (music / "folder.m3u").mkdir()
    os.mkfifo(music / "fifo.m3u")
    for link, target in ("circle.m3u", "b.m3u"), ("b.m3u", "c.m3u"), ("c.m3u", "circle.m3u"):
        (music / link).symlink_to(target)
    (top / "Empty").mkdir()
    return music


# Options


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--order ''", "Use random, spread, "),
        ("--order album", "Did you mean 'albums'?"),
        ("--order sattolo --gap 2", "--gap does not work with --order sattolo"),
        ("--order spread --gap 20%", "It works with random."),
        ("--order albums --group-by genre", "It works with spread (each genre apart) or groups"),
        ("--order spread --group-by colour", "Unknown field 'colour'. To see all: playshuffle tags"),
        ("--inside all", "It is a key of lists in the configuration: inside. See: playshuffle help config"),
        ("--gap -1", "--gap '-1' is not a gap"),
        ("--gap 10", "there are only 4 tracks"),
        ("--where skips:0", "without a play history. Name one: --history mpd"),
        ("--history spotify", "'spotify' is unknown. Use mpd, beets, navidrome"),
        ("--json -o -", "Choose one of them"),
        ("-0 -o x.m3u", "Remove -o"),
        ("-o ''", "Is a shell variable not set"),
        ("-o list.txt", "does not end in .m3u, .m3u8 or .xspf. Use a name like list.m3u"),
        ("-o .m3u", "does not end in .m3u, .m3u8"),
        ("-o /dev/stdout", "does not end in .m3u, .m3u8"),
        ("-o /dev/null", "does not end in .m3u, .m3u8"),
        ("--map /a", "is not FROM=TO"),
        ("--map '/a=Z:\\M' --paths uri", "cannot be written as a URI"),
        ("--limit 0", "must be a number from 1, not 0"),
    ],
)
def test_wrong_values_and_combinations_of_options_are_refused(
    refused: Callable[..., str], words: str, says: str
) -> None:
    """All combinations are in `tests/options/test_options.py`."""
    assert says in refused(2, *shlex.split(words))


@pytest.mark.parametrize("words", [["make"], ["make", ""], ["mkae", "x"], ["--verbos"]], ids=" ".join)
def test_empty_values_of_options_are_refused(tmp_path: Path, words: list[str]) -> None:
    """An empty word for a folder, too: it is a variable that was not set, not the folder you are in."""
    library(tmp_path, ["a.mp3"])

    one_line(run(*words, cwd=tmp_path), 2)

    assert os.listdir(tmp_path) == ["a.mp3"]


# What is to be read


@pytest.mark.parametrize(
    "words", [[], ["-o", "playshuffle.m3u"], ["-o", "-"], ["--accept-missing"]], ids=" ".join
)
def test_a_folder_without_music_makes_no_playlist(
    refused: Callable[..., str], music: Path, words: list[str]
) -> None:
    """Nor replaces one."""
    done = run("make", music.parent / "Empty", *words, cwd=music)

    assert "contains no audio files" in one_line(done, 3)


def test_a_folder_of_unplayable_files_makes_no_playlist(tmp_path: Path) -> None:
    for name in ("empty.mp3", "new\nline.mp3"):
        (tmp_path / name).touch()

    assert "empty.mp3: empty file and 1 more" in one_line(run("make", tmp_path), 3)

    (tmp_path / "empty.mp3").unlink()
    library(tmp_path, ["new\nline.mp3"])
    assert "line break in the name" in one_line(run("make", tmp_path), 3)


def test_tracks_of_a_subfolder_that_cannot_be_read_stay_in_the_playlist(tmp_path: Path) -> None:
    """Unreadable is not gone."""
    need("setpriv")
    music = library(tmp_path, ["a.mp3", "locked/b.mp3", "locked/deep/c.mp3"])
    make(music)
    (music / "locked").chmod(0)

    done = run("make", music, "-v", before=OBEYING)

    (music / "locked").chmod(0o700)
    assert done.code == 0, done.err
    assert sorted(listed(music / "playshuffle.m3u")) == ["a.mp3", "locked/b.mp3", "locked/deep/c.mp3"]
    assert "Unread: 1 file, kept as known before\n" in done.err
    assert f"  {music}/locked/: Permission denied" in done.err


def test_in_a_deleted_current_folder_absolute_paths_work_and_relative_ones_are_errors(tmp_path: Path) -> None:
    music = library(tmp_path / "Music", ["a.mp3"])
    start = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"'

    def nowhere(*words: str | Path) -> Done:
        return run("make", *words, before=["sh", "-c", start, str(tmp_path / "gone")])

    assert nowhere(music).code == 0
    one_line(nowhere("Music"), 66)
    one_line(nowhere(music, "-o", "x.m3u"), 73)


# What is to be written


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("none/x.m3u", "none does not exist"),
        ("a.mp3/x.m3u", "hoose another"),
        ("folder.m3u", "is a folder"),
        ("fifo.m3u", "is not a regular file"),
        ("circle.m3u", "circle.m3u cannot be written: Too many levels of symbolic links"),
        ("n" * 252 + ".m3u", "too long"),
        ("hand.m3u", "was not written by playshuffle"),
        ("hand.m3u8", "add --force to replace it"),
        ("hand.xspf", "add --force to replace it"),
    ],
)
def test_outputs_that_cannot_or_must_not_be_written_are_refused(
    refused: Callable[..., str], music: Path, output: str, says: str
) -> None:
    assert says in refused(73, "-o", music / output)


def test_force_replaces_a_playlist_from_another_program(tmp_path: Path) -> None:
    """And takes its order for the last one."""
    music = numbered(tmp_path, 4)
    other = ["002.mp3", "000.mp3", "001.mp3", "003.mp3"]
    (music / "playshuffle.m3u").write_text("\n".join(other))

    one_line(run("make", music), 73)
    make(music, "--force", "--order", "sattolo")

    assert moved(other, listed(music / "playshuffle.m3u"))
    make(music)


@pytest.mark.parametrize("words", [["-o", "-"], ["-0"], ["--json", "--dry-run"]], ids=" ".join)
def test_make_fails_with_an_error_if_standard_output_cannot_be_written(music: Path, words: list[str]) -> None:
    """`/dev/full` is a disk without room; a closed stdout takes nothing either."""
    for redirected in (">/dev/full", ">&-"):
        done = run("make", music, *words, before=["sh", "-c", f'exec "$@" {redirected}', "sh"])

        assert "Traceback" not in done.err
        assert done.err.splitlines()[-1].startswith("error: ")
        assert done.code == 73


def in_own_mounts(script: str, folder: Path, *words: str | Path) -> Done:
    """Run a script that may mount, with the words of a command as its arguments."""
    before = ["unshare", "--mount", "sh", "-c", script, "sh"]
    done = run(*words, cwd=folder, env={"OTHER": str(folder)}, before=before)
    if done.code == 99 or done.err.startswith("unshare:"):
        unmet(f"this root may not mount: {done.err}")
    return done


@pytest.mark.root
def test_make_keeps_the_old_playlist_on_a_full_disk_and_works_again_when_there_is_room(
    tmp_path: Path,
) -> None:
    """The disk of the playlist, or the disk of the state."""
    music = numbered(tmp_path / "Music", 60)
    (tmp_path / "disk").mkdir()
    script = """
        mount -t tmpfs -o size=400k none disk && cd disk || exit 99
        [ "$(stat -c %d .)" != "$(stat -c %d ..)" ] || exit 98  # never fill a disk but our own
        make() { "$@" -q -o "$list"; echo "made $?"; cksum < "$list"; }
        for list in x.m3u "$OTHER/y.m3u"; do
            [ $list = x.m3u ] && export XDG_STATE_HOME=$OTHER || export XDG_STATE_HOME=$PWD
            make "$@" --seed 1
            head -c 1M /dev/zero > filler 2> /dev/null
            make "$@" --seed 2
            rm filler
            make "$@" --seed 3
        done
        ls -A
    """

    done = in_own_mounts(script, tmp_path, "make", music, "--no-tags")

    lines = done.out.decode().splitlines()
    assert lines[0:12:2] == ["made 0", "made 73", "made 0"] * 2
    for first, second, third in (lines[1:6:2], lines[7:12:2]):
        assert first == second != third
    assert lines[12:] == ["playshuffle", "x.m3u"]
    full, unkept = done.err.splitlines()
    assert "x.m3u: the disk is full. The old file was not changed." in full
    assert f"The saved state of {tmp_path}/y.m3u cannot be written" in unkept
    assert "No playlist was changed. Make room on the disk of" in unkept


# A drive that is away


@pytest.mark.root
def test_tracks_of_an_unmounted_drive_stay_in_the_playlist_until_the_drive_is_back(tmp_path: Path) -> None:
    """The library, or a part of it however small; mounted again, all is well."""
    numbered(tmp_path / "kept", 5)
    script = """
        mkdir music && mount -t tmpfs drive music && cp kept/000.mp3 kept/001.mp3 music/ || exit 99
        mkdir both both/usb && cp kept/00[234].mp3 both/ && mount --bind music both/usb || exit 99
        try() { at=$1 out=$2; shift 2; "$@" $at -o $out 2>&1; echo "made $?, $(grep -vc '^#' $out)"; }
        try music a.m3u "$@"; try both b.m3u "$@"
        echo "- one mount is gone"; umount both/usb
        try both b.m3u "$@"
        echo "- it is back"; mount --bind music both/usb; try both c.m3u "$@"
        echo "- the drive is gone"; umount both/usb; mount --move music kept
        try music a.m3u "$@"; try both b.m3u "$@"
        echo "- it is back"; mount --move kept music; mount --bind music both/usb
        try music a.m3u "$@"; try both b.m3u "$@"
    """

    done = in_own_mounts(script, tmp_path, "make", "--no-tags")

    lines = [line for line in done.out.decode().splitlines() if line.startswith(("made", "-"))]
    assert lines == [
        "made 0, 2", "made 0, 5",
        "- one mount is gone", "made 0, 5",
        "- it is back", "made 0, 5",
        # The tracks of the first list were found below both/usb since: it stays as it is.
        "- the drive is gone", "made 75, 2", "made 0, 5",
        "- it is back", "made 0, 2", "made 0, 5",
    ]  # fmt: skip
    _, gone, back, all_gone, all_back = done.out.decode().split("\n- ")
    for text in (gone, all_gone):
        assert f"tracks wait for {tmp_path}/both: " in text
        assert "is not mounted as it was (tmpfs, drive)" in text
    assert f"error: {tmp_path}/music seems to be missing: " in all_gone
    assert "wait" not in back + all_back


# The state


@pytest.mark.damages_state
def test_a_damaged_state_is_set_aside_and_the_last_order_is_read_from_the_playlist(
    tmp_path: Path, home: Path
) -> None:
    music = numbered(tmp_path, 5)
    make(music)
    before = listed(music / "playshuffle.m3u")
    whole = state_file(home).read_bytes()
    damaged = whole[:2000] + os.urandom(len(whole) - 4000) + whole[-2000:]
    state_file(home).write_bytes(damaged)

    said = make(music, "--order", "sattolo")

    assert moved(before, listed(music / "playshuffle.m3u"))
    (aside,) = state_file(home).parent.glob("state.db.damaged-*[0-9]")
    kept = f"~/.local/state/playshuffle/{aside.name}"
    assert f"The state was damaged. It was kept as {kept}, and a new one started." in said
    assert aside.read_bytes() == damaged
    assert report(music)["notes"] == []


@pytest.mark.parametrize("name", [".nomedia", ".ignore"])
def test_an_ignore_file_that_hides_most_tracks_is_named(tmp_path: Path, name: str) -> None:
    music = library(tmp_path / "Music", ["top.mp3", *(f"album/{number:02}.mp3" for number in range(30))])
    make(music)
    before = sorted(listed(music / "playshuffle.m3u"))
    file = music / "album/.nomedia" if name == ".nomedia" else music / name
    file.write_text("" if name == ".nomedia" else "album/\n")
    done = run("make", music)

    by = f"{file}, line 1: album/" if name == ".ignore" else str(file)
    assert (done.code, f"{by} hides 30 tracks of " in done.err) == (0, True), done.err
    assert f"30 of 31 tracks wait for {music}: " in done.err
    assert "--accept-missing" in done.err
    assert "seems to be missing" not in done.err
    assert sorted(listed(music / "playshuffle.m3u")) == before
    configured(f'[playlist.all]\nfolders = ["{music}"]\nignore_files = false\n')
    make("all")
    assert len(listed(music / "all.m3u")) == 31
    make(music, "--accept-missing")
    assert listed(music / "playshuffle.m3u") == ["top.mp3"]


def test_missing_tracks_are_not_blamed_on_an_ignore_file_that_hides_only_one(tmp_path: Path) -> None:
    music = library(tmp_path / "Music", [f"album/{number:02}.mp3" for number in range(40)])
    make(music)
    for number in range(35):
        (music / f"album/{number:02}.mp3").unlink()
    (music / "album/.ignore").write_text("39.mp3\n")
    assert f"tracks wait for {music}: " in ran("make", music).err
    assert len(listed(music / "playshuffle.m3u")) == 40
