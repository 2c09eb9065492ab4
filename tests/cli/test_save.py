"""Test that `make --save` and `deal --save` write lists into the configuration."""

import os
import shlex
import shutil
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.program import configured, listed, make, numbered, refused, run

pytestmark = pytest.mark.process

COMMENTED = """\
# My lists.
folders = ["~/Music"]   # everything

# The whole library.
[playlist.everything]
order = "spread"  # no two by the same artist
"""


@pytest.fixture
def music(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(home)
    return numbered(home / "Music", 12)


@pytest.fixture
def file(home: Path) -> Path:
    return home / ".config/playshuffle/config.toml"


def test_undo_of_a_saved_list_says_that_the_list_stays_in_the_configuration(music: Path, file: Path) -> None:
    make(music, "-o", music / "few.m3u")
    assert "stays in the configuration" not in run("undo", "few").err
    make("few", "--where", "path::/00", "--save", "few")

    for words in ((), ("few",)):
        said = run("undo", *words).err
        assert "Note: few stays in the configuration as it is: ~/.config/playshuffle/config.toml\n" in said


def test_the_option_save_writes_a_list_into_the_configuration_where_make_finds_it(
    music: Path, file: Path
) -> None:
    said = make(
        music, "--where", "path::/00", "--paths", "absolute", "-o", music / "few.m3u", "--save", "few"
    )

    assert "Saved: [playlist.few] in ~/.config/playshuffle/config.toml\n" in said
    assert "Keep it: " in said
    saved = {"folders": ["~/Music"], "output": "~/Music/few.m3u", "where": ["path::/00"], "paths": "absolute"}
    assert tomllib.loads(file.read_text()) == {"playlist": {"few": saved}}
    assert run("config", "check").code == 0
    before = listed(music / "few.m3u")
    make()
    assert sorted(listed(music / "few.m3u")) == sorted(before)


def test_saving_a_list_keeps_comments_and_other_text_of_the_configuration(music: Path, file: Path) -> None:
    configured(COMMENTED)
    make(music, "--spoken", "-o", music / "plain.m3u", "--save", "plain")

    assert file.read_text().startswith(COMMENTED)
    assert file.read_text()[len(COMMENTED) :].strip() == (
        '[playlist.plain]\noutput = "~/Music/plain.m3u"\nspoken = true'
    )


@pytest.mark.parametrize(
    "before",
    [
        'playlist = {one = {folders = ["~/Music"], output = "~/one.m3u"}}',
        'playlist.one = {folders = ["~/Music"], output = "~/one.m3u"}\nsettle = "3s"',
        'playlist.one.output = "~/one.m3u"\nplaylist.one.folders = ["~/Music"]',
        'playlist.one = {folders = ["~/Music"], output = "~/one.m3u"}\n[playlist.two]\nfolders = ["~/Music"]',
        '[playlist]\none = {folders = ["~/Music"], output = "~/one.m3u"}  # mine',
        '[playlist]\none.output = "~/one.m3u"\none.folders = ["~/Music"]',
        '["playlist".one]\nfolders = ["~/Music"]\noutput = "~/one.m3u"',
    ],
)
def test_a_list_is_saved_whatever_spelling_of_toml_other_lists_have(
    music: Path, file: Path, before: str
) -> None:
    configured(before)
    expected = tomllib.loads(before)
    make(music, "-n", "3", "-o", music / "new.m3u", "--save", "new list")
    expected["playlist"]["new list"] = {"folders": ["~/Music"], "output": "~/Music/new.m3u", "limit": 3}
    assert tomllib.loads(file.read_text()) == expected

    make("one", "-n", "2", "--save", "one")
    expected["playlist"]["one"] |= {"limit": 2}
    assert tomllib.loads(file.read_text()) == expected
    assert run("config", "check").code == 0


def test_saving_a_list_again_changes_only_the_given_options(music: Path, file: Path) -> None:
    configured(COMMENTED + 'limit = 3\nreshuffle = "daily"  # at midnight\nforce = true\n')

    done = run("make", "everything", "--order", "sorted")
    assert (done.code, "To change them there, add --save everything." in done.err) == (2, True)
    make("everything", "--order", "sorted", "-n", "5", "--save", "everything")

    text = file.read_text()
    assert 'order = "sorted"  # no two by the same artist\n' in text
    assert 'limit = 5\nreshuffle = "daily"  # at midnight\nforce = true\n' in text
    assert text.startswith(COMMENTED[:60])
    assert listed(music / "everything.m3u") == [f"{number:03}.mp3" for number in range(5)]


def test_options_for_all_lists_are_not_repeated_in_a_saved_list(music: Path, file: Path) -> None:
    make(music, "-n", "3", "-o", music / "skip.m3u", "--order", "sorted")
    for_all = 'folders = ["~/Music"]\nwhere = "path::/00"\nwithout = "../../Music/skip.m3u"\n'
    configured(for_all + '[playlist.x]\nwhere = "path::/005"\n')

    for order in ("sorted", "spread"):
        make("x", "--order", order, "--save", "x")

    assert file.read_text().startswith(for_all)
    table = tomllib.loads(file.read_text())["playlist"]["x"]
    assert (table["where"], "without" in table) in ((["path::/005"], False), ("path::/005", False))
    assert sorted(listed(music / "x.m3u")) == ["005.mp3"]


def test_a_list_saved_under_a_name_is_written_to_a_playlist_file_with_that_name(
    music: Path, file: Path
) -> None:
    make(music)
    before = (music / "playshuffle.m3u").read_bytes()

    make(music, "-n", "2", "--save", "few")
    run("deal", music, "-n", "3", "--save", "dealt")

    assert (music / "playshuffle.m3u").read_bytes() == before
    assert (len(listed(music / "few.m3u")), len(listed(music / "dealt.m3u"))) == (2, 3)
    assert run("make", music, "--save", "a/b").code == 2


def test_the_option_save_writes_the_size_and_the_period_of_a_deck(music: Path, file: Path) -> None:
    run("deal", music, "-n", "4", "--every", "week")
    assert run("deal", "--save", "today").code == 0
    run("deal", music, "--time", "1s", "--save", "short")

    tables = tomllib.loads(file.read_text())["playlist"]
    assert (tables["today"]["limit"], tables["today"]["every"]) == (4, "week")
    assert (tables["short"]["time"], tables["short"]["every"]) == ("1s", "day")
    assert run("config", "check").code == 0
    assert "Already dealt this week (4 tracks)" in run("deal", "--due").err


def test_the_option_force_replaces_another_list_of_the_configuration(music: Path, file: Path) -> None:
    configured(COMMENTED)

    make(music, "-n", "2", "-o", music / "few.m3u", "--save", "everything", "--force")

    assert tomllib.loads(file.read_text())["playlist"] == {
        "everything": {"output": "~/Music/few.m3u", "limit": 2}
    }


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("make Music -o other.m3u --save everything", "has another list 'everything'"),
        ("make Music -o Music/everything.m3u --save x", "is 'everything' in the "),
        ("make Music -o x.m3u --save Everything", "differ only in upper and lower case"),
        ("make Music -o x.m3u --save ' x'", "begins or ends with a space"),
        (f"make Music -o x.m3u --save {'x' * 201}", "at most 200 bytes"),
        ("make Music --save x --dry-run", "--save needs a playlist file"),
        ("make --from list -o x.m3u --save x", "--from works only on the command line"),
        ("deal Music --peek --save x", "--save needs a playlist file"),
    ],
)
def test_a_list_that_the_option_save_cannot_save_is_not_written_to_its_playlist_file(
    music: Path, file: Path, words: str, says: str
) -> None:
    configured(COMMENTED)
    (music.parent / "list").write_text("Music/001.mp3\n")

    assert says in refused(2, *shlex.split(words))
    assert file.read_text() == COMMENTED
    assert not list(music.parent.rglob("*.m3u"))


def test_saving_a_list_does_not_change_a_broken_configuration(music: Path, file: Path) -> None:
    configured("folders = [")

    refused(78, "make", music, "--save", "x")

    assert file.read_text() == "folders = ["


@pytest.mark.parametrize("name", ['a "b"', "x.y", "[z]", "ж", "-n", "$(id)", "a#b"])
def test_names_of_saved_lists_are_quoted_as_toml_needs_it(music: Path, file: Path, name: str) -> None:
    make(music, "-o", music / "x.m3u", f"--save={name}")

    assert list(tomllib.loads(file.read_text())["playlist"]) == [name]
    assert run("config", "check").code == 0


def test_a_list_whose_folder_has_a_name_that_is_not_utf_8_cannot_be_saved(music: Path, file: Path) -> None:
    odd = Path(os.fsdecode(os.path.join(os.fsencode(music.parent), b"\xff")))
    shutil.move(music, odd)

    assert "cannot be in a configuration, which is UTF-8" in refused(2, "make", odd, "--save", "x")
    assert not file.exists()


def test_lists_saved_by_concurrent_runs_are_all_in_the_configuration(music: Path, file: Path) -> None:
    names = [f"l{number}" for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        done = pool.map(lambda name: run("make", music, "-o", f"{name}.m3u", "--save", name), names)
        assert {one.code for one in done} == {0}

    assert sorted(tomllib.loads(file.read_text())["playlist"]) == names
