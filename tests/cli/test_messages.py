"""Test the exact messages for typical mistakes."""

import os
import shlex
import sqlite3
from pathlib import Path

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.library.missing import check_root
from playshuffle.system.write_errors import words
from tests.support.in_process import Program
from tests.support.program import numbered
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.usefixtures("music")


@pytest.fixture
def music(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The music folder of the home, as current folder."""
    folder = home / "Music"
    folder.mkdir()
    (folder / "old.m3u").write_text("1.mp3\n")
    (folder / "1.mp3").touch()
    monkeypatch.chdir(folder)
    return folder


def message(typed: str, program: Program) -> str:
    """Run a command line; return its standard error without `error:`."""
    return program(*shlex.split(typed)).err.removeprefix("error: ").rstrip("\n")


MESSAGES = {
    "export old.m3u . --max-per-folder 0": "--max-per-folder must be a number from 1, not 0.",
    # Paths.
    "make ''": "A file or folder name is empty. Is a shell variable not set?",
    "make '~/My Music'": "'~/My Music' was in quotes, so the shell did not expand ~."
    " Write it without quotes: ~/'My Music'",
    "make 'C:\\Users\\me\\Music'": "'C:\\Users\\me\\Music' is a Windows path."
    " In WSL it is /mnt/c/Users/me/Music.",
    "make '\\\\nas\\music'": "'\\\\nas\\music' is a Windows path. Mount it first.",
    "make old.m3u": "'old.m3u' is a playlist. To shuffle its tracks:"
    " playshuffle make --from old.m3u -o NEW.m3u",
    "make ~/else": "Cannot read the folder ~/else: No such file or directory."
    " Check its spelling, or mount its drive.",
    "make . --no-tags -o ~/Music": "~/Music is a folder. Name the file, such as ~/Music/NAME.m3u.",
    "make . --no-tags -o /proc/x.m3u": "Cannot write /proc/x.m3u: /proc is read-only here."
    " Nothing was written. Choose another folder.",
    "make . --no-tags -o /nonexist/x.m3u": "Cannot write /nonexist/x.m3u: the folder /nonexist does"
    " not exist. Nothing was written. Make it, mount its drive, or choose another place.",
    # Values of options.
    "make . --where '!genre:jazz'": "--where: The query has an error in column 1: there is no field '!genre'."
    " To exclude, write -genre:",
    "make . --where year:1990-1999": "--where: The query has an error in column 1: 'year:1990-1999':"
    " 1990-1999 is not a number. For a range, write year:1990..1999",
    "make . --where 'not genre:christmas'": "--where: The query has an error in column 1: 'not' is a word to"
    " search for only in quotes. To exclude, write -genre:jazz. For either, write genre:jazz , genre:rock",
    'make . --where "title:\'blue train"': "--where: The query has an error in column 7: the quote ' is not"
    " closed. It opens before: blue train. The shell may have removed the other one. For a phrase, write"
    " 'title:\"blue train\"'",
    # Commands and topics.
    "tell mpv old.m3u": "mpv cannot be reached (~/.config/mpv/socket: No such file or directory)."
    " Start it with a socket: mpv --idle --input-ipc-server=~/.config/mpv/socket",
    "tags 1.mp3 2.mp3": "2.mp3 does not exist. Name a file or folder.",
    "config check": "There is no configuration yet. To create ~/.config/playshuffle/config.toml:"
    " playshuffle config init",
}


# Words that no command line can have.
USAGE = {
    "mak": "Unknown command 'mak'. Did you mean 'make'? See: playshuffle --help",
    "--order spread x": "'--order' comes after a command, as in: playshuffle make ~/Music --order",
    "make --ordr x": "Unknown option '--ordr'. Did you mean '--order'? See: playshuffle make --help",
    "make --order": "Option '--order' requires an argument. See: playshuffle make --help",
    "make -n x": "-n must be a whole number, not 'x'. See: playshuffle make --help",
    "make --limit x": "--limit must be a whole number, not 'x'. See: playshuffle make --help",
    "make /tmp -n 0": "-n must be a number from 1, not 0.",
    "check": "Missing argument 'LIST...'. See: playshuffle check --help",
    "help a b": "Unexpected argument: b. See: playshuffle help --help",
    "make genre:jazz": "'genre:jazz' is not a folder. To choose tracks by a query, write --where"
    " genre:jazz after the music folder.",
    "make . -where genre:jazz": "Unknown option '-where'. Did you mean '--where'? See: playshuffle"
    " make --help",
    "make . --peek": "Unknown option '--peek'. Write playshuffle deal --peek. See: playshuffle make --help",
    "make . --limit 1h": "--limit must be a whole number, not '1h'. For a playing time, write --time 1h."
    " See: playshuffle make --help",
    "tags --sort": "Unknown option '--sort'. Use --history, --config, --json or --quiet.",
    **{
        f"{command} {tried}": f"Unknown option '{tried}'. Write {meant}. See: playshuffle {command} --help"
        for command, tried, meant in (
            ("make", "--first", "--pin TRACK"),
            ("make", "--exclude", "--where -genre:jazz or --without LIST"),
            ("deal", "--tomorrow", "playshuffle deal --peek"),
        )
    },
    **{
        tried: f"Unknown command '{tried.split()[0]}'. Write: playshuffle {meant}"
        for tried, meant in {
            "ban 'So What'": "never 'So What'",
            "moved a 'b c'": "move a 'b c'",
        }.items()
    },
}


@pytest.mark.parametrize("typed", [*MESSAGES, *USAGE])
def test_a_mistake_in_a_command_line_gets_helpful_advice(typed: str, program: Program, home: Path) -> None:
    typed_in_shell = typed if "'~" in typed else typed.replace("~", str(home))
    done = program(*shlex.split(typed_in_shell))

    said = (MESSAGES | USAGE)[typed].replace("=~", f"={home}")  # no shell replaces this ~
    assert done.err == f"error: {said}\n"
    assert done.code == 2 or typed in MESSAGES


@pytest.mark.parametrize(
    ("alias", "topic"),
    [("queries", "where"), ("exit", "exit-codes"), ("time", "times"), ("durstenfeld", "random")],
)
def test_the_command_help_accepts_synonyms_of_topics(alias: str, topic: str, program: Program) -> None:
    pages = [program("help", name).out for name in (alias, topic)]

    assert pages[0] == pages[1] != ""


QUERIES = {
    "genre:jazzy year:1958": (
        "    genre:jazzy  0 of 3 tracks  nearest: Jazz (2)",
        "    year:1958    1 of 3 tracks",
    ),
    "jazz and rock": (
        "    jazz  2 of 3 tracks",
        "    and   0 of 3 tracks  a word to search for; all terms must match without it",
        "    rock  1 of 3 tracks",
    ),
    "genre=jazz": ("    genre=jazz  0 of 3 tracks  to search a field, write: genre:jazz",),
    "jazz|rock": ("    jazz|rock  0 of 3 tracks  for either, write: jazz , rock",),
    "genre:jazz|rock": ("    genre:jazz|rock  0 of 3 tracks  for either, write: genre:jazz , genre:rock",),
    "genre:polka,genre:ska": (
        "    genre:polka,genre:ska  0 of 3 tracks  for either, write: genre:polka , genre:ska",
    ),
    "genre:polka,-genre:ska": (
        "    genre:polka,-genre:ska  0 of 3 tracks  for either, write: genre:polka , -genre:ska",
    ),
    "artist!=x": ("    artist!=x  0 of 3 tracks  to exclude, write: -artist:x",),
    "mtime:30d": ("    mtime:30d  0 of 3 tracks  since then, write: mtime:-30d..",),
    "year>1990": ("    year>1990  0 of 3 tracks  to compare, write: year:1990..",),
    "title:blue train": (
        '    title:blue  0 of 3 tracks  for a phrase, write: title:"blue train"',
        "    train       0 of 3 tracks",
    ),
    "!jazz": ("    !jazz  0 of 3 tracks  to exclude, write: -jazz",),
    "rating:4..": ("    rating:4..  0 of 3 tracks  no track has a rating",),
    "length:3..4": ("    length:3..4  0 of 3 tracks  in seconds; in minutes, write: length:3:00..4:00",),
    "plays:0": (
        (
            "    plays:0  0 of 3 tracks  no track has it; see --history."
            " To begin one: playshuffle service install --listen"
        ),
    ),
    "path:Balads": ("    path:Balads  0 of 3 tracks  nearest: path:Ballads",),
    "path:ballads": ("    path:ballads  0 of 3 tracks  nearest: path:Ballads",),
}


@pytest.mark.process
@pytest.mark.parametrize("query", QUERIES)
def test_the_error_for_a_query_that_matches_nothing_counts_the_matches_of_each_term(
    query: str, music: Path, program: Program
) -> None:
    (music / "1.mp3").unlink()
    files = {
        "Ballads/a.mp3": {"title": "One", "genre": "Jazz", "date": "1958"},
        "b.mp3": {"title": "Two", "genre": "Jazz"},
        "c.mp3": {"title": "Three", "genre": "Rock"},
        "d.mp3": {"title": "Four", "genre": "Audiobook"},
    }
    tagged_library(music, files)

    text = message(f"make . -q --where {shlex.quote(query)}", program)

    assert text.splitlines() == [
        f"No track matches '{query}'. The playlist was not changed.",
        *QUERIES[query],
        "  Left out before: 1 file of spoken word (--spoken)",
    ]


@pytest.fixture
def files(music: Path) -> Path:
    """The music folder with a few tagged files."""
    (music / "1.mp3").unlink()
    names = ("01 Deep.mp3", "02 Deep.mp3", "03 Deep.mp3", "04 Deep.flac")
    return tagged_library(music, {name: {"title": name} for name in names})


@pytest.mark.process
def test_make_and_check_say_in_one_line_that_a_list_has_more_tracks_than_a_car_radio_reads(
    music: Path, program: Program
) -> None:
    numbered(music, 257)
    to_fix = "To fix: playshuffle export LIST FOLDER, which splits the list, or --limit 255"
    problem = f"it reads the first 255 entries. {to_fix}"

    done = program("make", ".", "--for", "car", "-o", "car.m3u")

    assert f"Problem: a car radio may not play 2 tracks: {problem}\n" in done.err
    checked = program("check", "car.m3u")
    assert f"Problem: a car radio may not play all entries: {problem}\n" in checked.out
    assert "line " not in checked.out
    program("make", ".", "--for", "car", "--limit", "255", "-o", "car.m3u")
    assert "reads the first" not in program("check", "car.m3u").out


@pytest.mark.process
def test_make_shows_skipped_files_only_when_they_are_new(files: Path, program: Program) -> None:
    def summary(options: str = "") -> list[str]:
        lines = message(f"make . --order sorted {options}", program).splitlines()
        return [line for line in lines if line.startswith(("Left out", "Skipped", "Repeats"))]

    spoken = "Left out: 1 file of spoken word; --spoken includes them"
    tagged_library(files, {"book.mp3": {"title": "1", "genre": "Audiobook"}})
    assert summary() == [spoken]
    assert summary() == []
    assert summary("-v") == [spoken]

    (files / "broken.mp3").write_bytes(b"x" * 100)
    assert summary() == [spoken, "Skipped: 1 file: not audio (1). List: -v"]
    assert summary() == []


@pytest.mark.process
def test_the_command_make_names_a_missing_folder_once_and_says_what_to_do(
    files: Path, program: Program, home: Path
) -> None:
    usb = tagged_library(home / "usb", {"5.mp3": {"title": "Five"}})
    message(f"make {files} {usb}", program)
    usb.rename(home / "elsewhere")
    (note,) = [line for line in message(f"make {files} {usb}", program).splitlines() if "Note" in line]

    assert note == (
        "Note: 1 of 5 tracks waits for ~/usb: No such file or directory; 1 track was there."
        " Mount the drive and try again. If the tracks are gone for good, add --accept-missing."
    )


def test_an_unreadable_folder_is_not_called_missing(music: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("playshuffle.library.missing.os.open", refuse)
    with pytest.raises(PlayshuffleError, match=r"Permission denied\. Change its permissions\.$"):
        check_root(os.fsencode(music), None)


def test_an_error_of_the_system_is_shown_without_its_number_and_quotes() -> None:
    assert words(PermissionError(13, "Permission denied", b"/home/u/.local")) == (
        "Permission denied (/home/u/.local)"
    )
    assert words(sqlite3.OperationalError("disk I/O error")) == "disk I/O error"
