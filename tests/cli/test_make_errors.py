"""Test that errors of `make` are one line with the right exit code, and leave the old playlist."""

import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import in_process
from tests.support.needs import need, unmet
from tests.support.program import Done, configured, library, listed, make, moved, numbered, run

pytestmark = pytest.mark.process


def snapshot(top: Path) -> dict[Path, tuple[object, ...]]:
    """Return mode, inode, time and content of all that a folder has."""
    return {
        path: (path.lstat()[:2], path.lstat().st_mtime_ns, path.is_file() and path.read_bytes())
        for path in top.rglob("*")
    }


def one_line(done: Done | in_process.Done, code: int) -> str:
    """Check that a run ended with this exit code and an error of one line; return the line."""
    assert (done.code, done.err[:7], len(done.out)) == (code, "error: ", 0), done.err
    assert done.err.count("\n") == 1
    assert done.err.endswith((".\n", "?\n", "help orders\n", "help config\n"))
    return done.err


Refused = Callable[..., str]


@pytest.fixture
def refused(music: Path, program: in_process.Program, monkeypatch: pytest.MonkeyPatch) -> Iterator[Refused]:
    """Check that `make` in the music folder fails with this code and changes nothing; return the message."""
    monkeypatch.chdir(music)
    before = snapshot(music.parent)
    yield lambda code, *words: one_line(program("make", str(music), *map(str, words)), code)
    assert snapshot(music.parent) == before


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a playlist by make and other files beside it; no test changes it."""
    top = tmp_path_factory.mktemp("top")
    music = library(top / "Music", ["a.mp3", "b.mp3", "sub/c.mp3", "other/c.mp3"])
    make(music, env={"XDG_STATE_HOME": str(top / "state"), "XDG_CACHE_HOME": str(top / "cache")})
    for suffix in ("m3u", "xspf"):
        (music / f"hand.{suffix}").write_text("#EXTM3U\n#EXTINF:1,mine\nb.mp3\na.mp3\n")
    os.mkfifo(music / "fifo.m3u")
    for link, target in ("circle.m3u", "b.m3u"), ("b.m3u", "c.m3u"), ("c.m3u", "circle.m3u"):
        (music / link).symlink_to(target)
    (top / "Empty").mkdir()
    return music


@pytest.mark.parametrize(
    ("code", "words", "says"),
    [
        (2, "--order ''", "To see all: playshuffle help orders"),
        (2, "--order spread --gap 20%", "It works with random."),
        (2, "--order albums --group-by genre", "It works with spread (each genre apart) or groups"),
        (2, "--inside all", "It is a key of lists in the configuration: inside. See: playshuffle help"),
        (2, "--json -o -", "Choose one of them"),
        (2, "-0 -o x.m3u", "Remove -o"),
        (2, "-o ''", "Is a shell variable not set"),
        (2, "-o list.txt", "does not end in .m3u, .m3u8 or .xspf. Use a name like list.m3u"),
        (2, "-o .m3u", "does not end in .m3u, .m3u8"),
        (2, "--where path:sub --pin a.mp3", "a.mp3 is skipped by --where: path:sub fails"),
        (2, "--map '/a=Z:\\M' --paths uri", "cannot be written as a URI"),
        (73, "-o a.mp3/x.m3u", "hoose another"),
        (73, "-o fifo.m3u", "is not a regular file"),
        (73, "-o circle.m3u", "circle.m3u cannot be written: Too many levels of symbolic links"),
        (73, f"-o {'n' * 252}.m3u", "too long"),
        (73, "-o hand.m3u", "was not written by playshuffle"),
        (73, "-o hand.xspf", "add --force to replace it"),
    ],
)
def test_make_refuses_wrong_options_and_outputs(refused: Refused, code: int, words: str, says: str) -> None:
    assert says in refused(code, *shlex.split(words))


@pytest.mark.usefixtures("refused")
@pytest.mark.parametrize("words", ["../Empty -o playshuffle.m3u", "../Empty -o -", ". --where genre:polka"])
def test_if_no_track_is_found_or_chosen_nothing_is_written(program: in_process.Program, words: str) -> None:
    said = program.refused(3, "make", *words.split())

    assert "contains no audio files" in said or "No track matches 'genre:polka'" in said


def test_a_folder_that_has_only_unplayable_files_makes_no_playlist(tmp_path: Path) -> None:
    for name in ("empty.mp3", "new\nline.mp3"):
        (tmp_path / name).touch()

    assert "empty.mp3: empty file and 1 more" in one_line(run("make", tmp_path), 3)

    (tmp_path / "empty.mp3").unlink()
    library(tmp_path, ["new\nline.mp3"])
    assert "line break in the name" in one_line(run("make", tmp_path), 3)


def test_tracks_of_a_subfolder_that_cannot_be_read_stay_in_the_playlist(tmp_path: Path) -> None:
    need("setpriv")
    music = library(tmp_path, ["a.mp3", "locked/b.mp3", "locked/deep/c.mp3"])
    make(music)
    (music / "locked").chmod(0)

    # Root obeys permissions as any other user does, where it lacks these capabilities.
    obeying = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    done = run("make", music, "-v", before=obeying)

    (music / "locked").chmod(0o700)
    assert done.code == 0, done.err
    assert sorted(listed(music / "playshuffle.m3u")) == ["a.mp3", "locked/b.mp3", "locked/deep/c.mp3"]
    assert "Unread: 1 file or folder, whose known tracks stay\n" in done.err
    assert f"  {music}/locked/: Permission denied" in done.err


def test_in_a_deleted_current_folder_absolute_paths_work_and_relative_ones_are_errors(tmp_path: Path) -> None:
    music = library(tmp_path / "Music", ["a.mp3"])
    start = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"'

    def nowhere(*words: str | Path) -> Done:
        return run("make", *words, before=["sh", "-c", start, str(tmp_path / "gone")])

    assert nowhere(music).code == 0
    one_line(nowhere("Music"), 66)
    one_line(nowhere(music, "-o", "x.m3u"), 73)


def test_the_option_force_replaces_a_playlist_from_another_program(tmp_path: Path) -> None:
    """The order sattolo then starts from the order in that playlist."""
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
    """Run a script in its own mount namespace; a command is its arguments."""
    before = ["unshare", "--mount", "sh", "-c", script, "sh"]
    done = run(*words, cwd=folder, env={"OTHER": str(folder)}, before=before)
    if done.code == 99 or done.err.startswith("unshare:"):
        unmet(f"this root may not mount: {done.err}")
    return done


@pytest.mark.root
def test_make_keeps_the_old_playlist_while_the_disk_is_full_and_works_afterwards(tmp_path: Path) -> None:
    """First the disk of the playlist is full, then the disk of the state."""
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


@pytest.mark.root
def test_tracks_of_an_unmounted_drive_stay_in_the_playlist_until_the_drive_is_back(tmp_path: Path) -> None:
    """The drive has the whole library, or a part of it."""
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

    parts = done.out.decode().split("\n- ")
    # The tracks of the first list were found below both/usb since: it stays as it is.
    made = ["0, 2 0, 5", "0, 5", "0, 5", "75, 2 0, 5", "0, 2 0, 5"]
    assert [" ".join(re.findall(r"(?m)^made (.*)$", part)) for part in parts] == made
    _, gone, back, all_gone, all_back = parts
    for text in (gone, all_gone):
        assert f"tracks wait for {tmp_path}/both: " in text
        assert "is not mounted as it was (tmpfs, drive)" in text
    assert f"error: {tmp_path}/music seems to be missing: " in all_gone
    assert "wait" not in back + all_back


@pytest.mark.parametrize(("name", "text"), [("album/.nomedia", ""), (".ignore", "album/")])
def test_the_command_make_names_an_ignore_file_that_hides_most_tracks(
    tmp_path: Path, name: str, text: str
) -> None:
    music = library(tmp_path / "Music", ["top.mp3", *(f"album/{number:02}.mp3" for number in range(30))])
    make(music)
    before = sorted(listed(music / "playshuffle.m3u"))
    (music / name).write_text(text)
    said = make(music)

    assert f"{music}/{name}{', line 1: ' * bool(text)}{text} hides 30 tracks of " in said
    assert f"30 of 31 tracks wait for {music}: " in said
    assert "--accept-missing" in said
    assert "seems to be missing" not in said
    assert sorted(listed(music / "playshuffle.m3u")) == before
    configured(f'[playlist.all]\nfolders = ["{music}"]\nignore_files = false\n')
    make("all")
    assert len(listed(music / "all.m3u")) == 31
    make(music, "--accept-missing")
    assert listed(music / "playshuffle.m3u") == ["top.mp3"]


def test_missing_tracks_are_not_blamed_on_an_ignore_file_that_hides_only_one_track(tmp_path: Path) -> None:
    music = numbered(tmp_path / "Music", 40)
    make(music)
    for number in range(35):
        (music / f"{number:03}.mp3").unlink()
    (music / ".ignore").write_text("039.mp3\n")
    assert f"tracks wait for {music}: " in make(music)
    assert len(listed(music / "playshuffle.m3u")) == 40
