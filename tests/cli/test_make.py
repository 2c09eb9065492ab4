"""Run `playshuffle make` as a user does: in an own process, with real files, output and exit codes."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from playshuffle import __version__
from tests.support.hostile import PATHS
from tests.support.processes import strace
from tests.support.program import (
    DATA,
    PROGRAM,
    TRACKS,
    Done,
    configured,
    entries,
    environment,
    library,
    listed,
    make,
    minutes,
    numbered,
    ran,
    report,
    run,
    state_file,
)
from tests.support.terminal import on_terminal

pytestmark = pytest.mark.process


def test_make_writes_every_track_once_into_a_playlist_in_the_music_folder(tmp_path: Path) -> None:
    music = library(tmp_path / "Music")
    (music / "cover.jpg").write_bytes(b"\xff\xd8")
    (music / "old.m3u").write_text("#EXTM3U\n1/01.mp3\n")
    (music / "2" / "old.m3u8").write_text("c.aiff\n")

    said = make(music)

    assert sorted(listed(music / "playshuffle.m3u")) == sorted(TRACKS)
    assert re.match(rf"ok: Wrote {music}/playshuffle.m3u: 13 tracks, \d+ s, 1 artist, random order\n", said)
    assert said.count(str(music / "playshuffle.m3u")) == 2
    assert f"mpv --playlist={music}/playshuffle.m3u" in said

    again = make(music)

    assert sorted(listed(music / "playshuffle.m3u")) == sorted(TRACKS)
    assert "mpv" not in again
    assert "Unchanged: " in make(music, "--order", "sorted") + make(music, "--order", "sorted")


def test_entries_have_length_artist_and_title_unless_the_key_extinf_or_tags_is_false(tmp_path: Path) -> None:
    music = library(tmp_path, ["a.mp3", "b.flac"])

    make(music, "--order", "sorted")
    assert (music / "playshuffle.m3u").read_text() == (
        "#EXTM3U\n#PLAYSHUFFLE-ORDER:sorted\n"
        "#EXTINF:1,Björk; 椎名林檎 - Title v24.mp3\na.mp3\n"
        "#EXTINF:1,Björk; 椎名林檎 - Title tone.flac\nb.flac\n"
    )
    for key in ("extinf", "tags"):
        configured(f'[playlist.plain]\nfolders = ["{music}"]\norder = "sorted"\n{key} = false\n')
        make("plain")
        plain = (music / "plain.m3u").read_text()
        assert plain == "#EXTM3U\n#PLAYSHUFFLE-ORDER:sorted\na.mp3\nb.flac\n"


def test_a_playlist_outside_of_the_music_folder_has_absolute_paths(tmp_path: Path, home: Path) -> None:
    """`-o FILE` starts at the current folder."""
    music = library(tmp_path / "Music")
    make(music, "-o", "x.m3u8", cwd=home)

    assert sorted(listed(home / "x.m3u8")) == sorted(f"{music}/{name}" for name in TRACKS)
    assert not (music / "playshuffle.m3u").exists()


def test_a_relative_path_of_a_music_folder_starts_at_the_current_folder(tmp_path: Path) -> None:
    music = library(tmp_path / "Music", ["a.mp3", "b.mp3"])

    for word, here in ((".", music), ("../Music//", music), ("Music/", tmp_path)):
        make(word, cwd=here)
        assert sorted(listed(music / "playshuffle.m3u")) == ["a.mp3", "b.mp3"]
        (music / "playshuffle.m3u").unlink()


def test_the_option_print0_prints_any_file_name_and_writes_no_playlist(tmp_path: Path) -> None:
    """Even a name with a line break, which no playlist can have."""
    names = {"new\nline.mp3", "caf\udce9.mp3", "x.mp3"}
    music = library(tmp_path / "Music", names)

    done = run("make", music, "--print0")

    assert {os.fsdecode(path) for path in done.out.split(b"\0")[:-1]} == {f"{music}/{name}" for name in names}
    assert sorted(os.listdir(music)) == sorted(names)


def test_the_order_sorted_plays_several_music_folders_one_after_the_other(tmp_path: Path) -> None:
    """The playlist is in the first one, with absolute paths."""
    first, second = library(tmp_path / "b", ["z.mp3"]), library(tmp_path / "a", ["a.mp3", "b/c.mp3"])

    make(first, second, "--order", "sorted")

    absolute = [f"{first}/z.mp3", f"{second}/a.mp3", f"{second}/b/c.mp3"]
    assert listed(first / "playshuffle.m3u") == absolute


def test_dry_runs_and_output_to_stdout_change_neither_playlist_nor_state(tmp_path: Path, home: Path) -> None:
    """Else the next sattolo would start from an order that was never written."""
    music = numbered(tmp_path / "Music", 4)
    make(music, "--order", "sattolo")
    before = listed(music / "playshuffle.m3u"), state_file(home).read_bytes()

    for words in ("--dry-run", "-o -", "--print0", "--dry-run --json"):
        run("make", music, "--order", "sattolo", *words.split())
        assert (listed(music / "playshuffle.m3u"), state_file(home).read_bytes()) == before

    facts = json.loads(run("make", music, "--dry-run", "--json").out)
    assert (facts["tracks"], facts["changed"]) == (4, False)
    assert sorted(os.listdir(music)) == [*(f"{number:03}.mp3" for number in range(4)), "playshuffle.m3u"]


def test_a_seed_gives_the_same_order_for_the_same_music_in_another_folder_and_with_another_home(
    tmp_path: Path,
) -> None:
    here, there = library(tmp_path / "here/Music"), library(tmp_path / "there/Lieder")
    (tmp_path / "home").mkdir()
    elsewhere = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": "", "XDG_CACHE_HOME": ""}

    make(here, "--seed", "42")
    make(there, "--seed", "42", env=elsewhere)
    first = (here / "playshuffle.m3u").read_bytes()
    make(here, "--seed", "43")

    assert (there / "playshuffle.m3u").read_bytes() == first
    assert b"#PLAYSHUFFLE-SEED:42\n" in first
    assert entries(first) != listed(here / "playshuffle.m3u")


def test_the_report_says_if_a_list_is_shorter_than_the_option_time_asks_for(tmp_path: Path) -> None:
    music = minutes(tmp_path, [f"{number}.wav" for number in range(3)])

    assert report(music, "--time", "2h")["notes"] == ["All tracks together last 3 min, less than 2 h."]
    assert report(music, "--time", "3m")["notes"] == []


def test_a_second_make_of_an_unchanged_folder_opens_no_audio_file(tmp_path: Path) -> None:
    """After changes it opens only the changed files."""
    names = [f"{folder}/{number}.mp3" for folder in "ab" for number in range(3)]
    music, log = library(tmp_path / "Music", names), tmp_path / "log"

    def files_opened() -> list[str]:
        ran("make", music, "-o", tmp_path / "x.m3u", before=strace(log, "trace=open,openat,openat2"))
        return sorted({*re.findall(rf'"{re.escape(str(music))}/([^"]+\.[^"/]+)"', log.read_text())})

    assert files_opened() == names
    assert files_opened() == []

    shutil.copyfile(DATA / "v22.mp3", music / "b/1.mp3")
    library(music, ["a/new.mp3"])
    (music / "a/0.mp3").rename(music / "a/renamed.mp3")
    assert files_opened() == ["a/new.mp3", "a/renamed.mp3", "b/1.mp3"]
    assert "Title v22.mp3" in (tmp_path / "x.m3u").read_text()
    assert files_opened() == []


def test_make_with_the_option_quiet_prints_nothing(tmp_path: Path) -> None:
    music = library(tmp_path, ["a.mp3", "#.mp3"])
    (music / "empty.mp3").touch()

    assert run("make", music, "-q") == Done(0, b"", "")
    assert len(listed(music / "playshuffle.m3u")) == 2


def test_the_option_json_prints_the_whole_report(tmp_path: Path) -> None:
    music = library(tmp_path / "Music", ["a.mp3", "sub/caf\udce9#.mp3", "cut.flac"])
    (music / "empty.mp3").touch()
    (music / "cut.flac").write_bytes((DATA / "tone.flac").read_bytes()[:300])

    said = report(music, "-n", "2", "--pin", "caf\udce9#", "--pin", "a@2")

    assert said["schema"] == 1
    assert said["output"] == f"{music}/playshuffle.m3u"
    assert (said["order"], said["paths"]) == ("random", "relative")
    assert (said["tracks"], said["library"], said["changed"], said["dry_run"]) == (2, 3, True, False)
    assert said["duration_s"] == pytest.approx(1, abs=0.2)
    assert said["skipped"] == [{"path": f"{music}/empty.mp3", "reason": "empty file"}]
    assert [pair["path"] for pair in said["untagged"]] == [f"{music}/cut.flac"]
    assert {tuple(loss["tracks"]) for loss in said["losses"]} == {(f"{music}/sub/caf\udce9#.mp3",)}
    assert (said["unreadable"], said["notes"]) == ([], [])


def test_files_that_are_not_audio_are_skipped_and_listed_by_the_option_v(tmp_path: Path) -> None:
    """A file that is damaged after its beginning is still a track."""
    music = library(tmp_path, ["good.mp3"])
    (music / "empty.mp3").touch()
    (music / "text.mp3").write_text("this is no music\n" * 100)
    (music / "cut.mp3").write_bytes((DATA / "v24.mp3").read_bytes()[:1200])
    os.mkfifo(music / "pipe.mp3")
    (music / "nowhere.mp3").symlink_to("nothing")
    (music / "zero.mp3").symlink_to("/dev/zero")
    (music / "folder.mp3").mkdir()

    short, long = make(music), make(music, "-v")

    assert sorted(listed(music / "playshuffle.m3u")) == ["cut.mp3", "good.mp3"]
    assert re.search(r"Skipped: .*empty file \(1\).* List: -v", short)
    assert "pipe.mp3" not in short
    reasons = {"empty": "empty file", "text": "not audio", "cut": "tags could not be read"}
    for name, reason in {**reasons, "pipe": "not a regular file", "nowhere": "", "zero": ""}.items():
        assert f"  {music}/{name}.mp3: {reason}" in long
    assert f"{music}/folder.mp3" not in long


def test_tracks_that_players_may_not_play_are_counted_and_listed_by_the_option_v(tmp_path: Path) -> None:
    music = library(tmp_path, ["a.mp3", "who?.mp3"])

    short, long = make(music), make(music, "-v")

    assert "VLC may not play 1 track of this list. To fit yours: --for PLAYER" in short
    assert "VLC may not play 1 track: '#' or '?' in the name. To fix: use --paths uri for VLC" in long
    assert f"  {music}/who?.mp3" in long
    assert sorted(listed(music / "playshuffle.m3u")) == ["a.mp3", "who?.mp3"]


# Everything that moves the cursor, rings, or turns the rest of a line around.
_HARMFUL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


_FIRST = b"\x01[red].mp3"  # of the names that are shown
_STRICT = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii:strict"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of 4 tracks and many empty files, with names that could harm a terminal."""
    music = tmp_path_factory.mktemp("hostile") / "Mu\x1b[2Jsic\udcff"
    library(music, ["x.mp3", *(f"real\x07{number}#?\u202e.mp3" for number in range(3))])
    for name in map(os.fsdecode, [_FIRST, *PATHS]):
        (music / name).parent.mkdir(parents=True, exist_ok=True)
        (music / name).touch()
    return music


@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C"}, {"LC_ALL": "en_US.UTF-8", "PYTHONIOENCODING": "utf-8:strict"}, _STRICT], ids=str
)
def test_file_names_with_control_characters_or_markup_are_printed_harmlessly(
    hostile: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    """In every locale, on both outputs; and `[red]` is not markup."""
    output = tmp_path / "o\x1b]0;x\x07.m3u"

    done = ran("make", hostile, "-v", "--json", "-o", output, "--seed", "s\x1b[31m\n#EXTINF:\udce9", env=env)
    assert not _HARMFUL.search(done.err), ascii(_HARMFUL.findall(done.err))
    assert not _HARMFUL.search(done.out.decode())
    assert "Mu\\x1b[2Jsic\\xff/\\x01[red].mp3: empty file" in done.err
    assert {os.fsencode(pair["path"]) for pair in json.loads(done.out)["skipped"]} == {
        os.fsencode(hostile) + b"/" + name for name in [_FIRST, *PATHS]
    }
    assert len(entries(output.read_bytes())) == 4


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (66, ["no\x1b[2Jne"]),
        (2, ["--pin", "no\x9b2J\u202e"]),
        (2, ["--order", "\x1b[2J\udce9"]),
        (2, ["--b\x1b[2J\udce9"]),
        (73, ["-o", "/none\x07/x.m3u"]),
    ],
)
def test_control_characters_of_arguments_are_escaped_in_error_messages(
    hostile: Path, code: int, words: list[str]
) -> None:
    done = run("make", hostile, *words, env=_STRICT)

    assert (done.code, done.out) == (code, b"")
    assert not _HARMFUL.search(done.err), ascii(_HARMFUL.findall(done.err))


@pytest.mark.timing
def test_a_short_make_shows_no_progress_bar_and_colours_only_on_a_terminal(tmp_path: Path) -> None:
    music = library(tmp_path, ["a.mp3"])
    coloured, plain = on_terminal("make", music).text, on_terminal("make", music, NO_COLOR="1").text
    piped = run("make", music, env={"FORCE_COLOR": "1", "TERM": "xterm-256color"}).err

    assert ["\x1b" in text for text in (coloured, plain, piped)] == [True, False, False]
    assert not [word for word in ("Finding", "Reading") if word in coloured + plain + piped]


@pytest.mark.parametrize("words", ["make FOLDER --no-tags -o -", "make FOLDER --no-tags -0", "make -h"])
def test_a_reader_that_closes_the_pipe_ends_the_run_without_an_error(tmp_path: Path, words: str) -> None:
    """As in `playshuffle make … -o - | head -1`; the list is longer than the pipe holds."""
    folder = numbered(tmp_path / ("n" * 200) / ("m" * 200), 400)
    command = [*PROGRAM, *words.replace("FOLDER", str(folder)).split()]
    pipe = subprocess.PIPE

    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read().decode()

    assert process.returncode == 0
    assert "Traceback" not in said
    assert "pipe" not in said.lower()


def test_a_closed_stderr_is_not_an_error(tmp_path: Path) -> None:
    """As in `playshuffle make … 2>&-`; above all the summary must not end up in the playlist."""
    music = library(tmp_path / "Music", ["a.mp3"])
    closed = ["sh", "-c", 'exec "$@" 2>&-', "sh"]

    done = run("make", music, "-o", "-", before=closed)
    assert (done.code, entries(done.out)) == (0, [f"{music}/a.mp3"])

    assert run("make", music, before=closed) == Done(0, b"", "")
    assert listed(music / "playshuffle.m3u") == ["a.mp3"]


def test_the_option_version_prints_the_version() -> None:
    assert run("--version") == Done(0, f"playshuffle {__version__}\n".encode(), "")


def test_a_playlist_that_is_written_through_a_link_has_absolute_paths(tmp_path: Path) -> None:
    """A player may read it by the path of the link or by the path of the file."""
    music = numbered(tmp_path / "Music", 2)
    (music / "lists").mkdir()
    (music / "playshuffle.m3u").symlink_to("lists/real.m3u")

    make(music, "--order", "sorted", "-q")

    assert listed(music / "lists/real.m3u") == [f"{music}/000.mp3", f"{music}/001.mp3"]
