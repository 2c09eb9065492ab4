"""`make NAME`, `undo NAME` and `status NAME` as a user runs them: for lists that were made before."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.support.program import configured, listed, make, numbered, ran, refused, run

pytestmark = pytest.mark.process


def undo(*words: str | Path) -> str:
    return ran("undo", *words).err


@pytest.fixture
def music(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of 20 tracks; it is in the current folder."""
    monkeypatch.chdir(tmp_path)
    return numbered(tmp_path / "Music", 20)


# Make a list again


def test_a_list_is_made_again_with_its_options_in_a_new_order(music: Path) -> None:
    make(music, "--where", "path::0[01]", "--spoken", "-o", music / "few.m3u")
    first = listed(music / "few.m3u")

    for word in ("few", "few.m3u", music / "few.m3u"):
        said = make(word)
        assert said.startswith(f"ok: Wrote {music}/few.m3u again: 20 tracks, "), said
        assert "random order, --where 'path::0[01]' --spoken (as on " in said
    again = listed(music / "few.m3u")
    assert sorted(again) == sorted(first)
    assert again != first


def test_a_list_with_a_seed_is_made_again_in_the_same_order(music: Path) -> None:
    make(music, "--seed", "day", "-o", music / "seeded.m3u")
    first = listed(music / "seeded.m3u")

    make("seeded")
    assert listed(music / "seeded.m3u") == first
    assert f"Options: {music} --seed day" in ran("status", "seeded").out.decode()


def test_options_given_to_the_command_make_change_the_list_and_are_remembered(music: Path) -> None:
    make(music, "--order", "sorted")

    make("playshuffle", "--where", "path::/00")
    assert listed(music / "playshuffle.m3u") == [f"{number:03}.mp3" for number in range(10)]
    make("playshuffle", "--order", "random", "-n", "5")
    make("playshuffle")
    names = listed(music / "playshuffle.m3u")
    assert (len(names), max(names) < "010.mp3") == (5, True)
    assert b"#PLAYSHUFFLE-ORDER:random\n" in (music / "playshuffle.m3u").read_bytes()
    facts = json.loads(run("status", "playshuffle", "--json").out)
    assert (facts["tracks"], facts["options"]["where"], "order" in facts["options"]) == (
        5,
        ["path::/00"],
        False,
    )


def test_make_of_a_list_into_another_file_copies_the_options_of_the_list(music: Path) -> None:
    make(music, "--order", "sorted", "--where", "path::/00")
    before = (music / "playshuffle.m3u").read_bytes()

    make("playshuffle", "-n", "3", "-o", music / "short.m3u")

    assert listed(music / "short.m3u") == ["000.mp3", "001.mp3", "002.mp3"]
    assert (music / "playshuffle.m3u").read_bytes() == before
    assert run("make", "short", "-o", "-", "-q").out.count(b"#EXTINF") == 3
    assert run("make", "short", "--print0", "-q").out.count(b"\0") == 3


def test_make_without_options_for_a_music_folder_forgets_the_saved_options_of_the_list_there(
    music: Path,
) -> None:
    make(music, "--where", "path::/00", "--order", "sorted")

    make(music)

    assert ran("status", "playshuffle").out.decode().splitlines()[-1] == f"Options: {music}"


def test_make_without_arguments_makes_all_lists_of_the_configuration_that_are_not_dealt(music: Path) -> None:
    configured(
        f'folders = ["{music}"]\n[playlist.all]\n[playlist.today]\nlimit = 3\nevery = "day"\n'
        '[playlist.bad]\norder = 3\n[playlist.few]\nlimit = 2\norder = "sorted"\n'
    )

    assert "config.toml, line 7: order must be a text" in refused(78, "make")
    assert [len(listed(music / f"{name}.m3u")) for name in ("all", "few")] == [20, 2]
    assert not (music / "today.m3u").exists()
    before = listed(music / "all.m3u")
    assert "all.m3u: 20 tracks" in run("make", "--dry-run").err
    assert listed(music / "all.m3u") == before

    assert f"Wrote {music}/all.m3u again: 20 tracks" in make("all")
    assert listed(music / "all.m3u") != before
    assert run("make", "bad").code == 78
    assert "is dealt, not made. Its next deal: playshuffle deal today" in run("make", "today").err
    assert "The options of 'all' are in the configuration." in refused(2, "make", "all", "--order", "spread")
    make("few", "-n", "3", "-o", music / "other.m3u")
    assert listed(music / "other.m3u") == ["000.mp3", "001.mp3", "002.mp3"]


def test_make_without_arguments_is_refused_if_all_configured_lists_are_dealt(music: Path) -> None:
    configured(f'folders = ["{music}"]\n[playlist.today]\nevery = "day"\n')

    assert "All lists of the configuration are dealt." in refused(2, "make")
    assert not [*music.glob("*.m3u")]


def test_the_reports_on_several_lists_are_one_json_document(music: Path) -> None:
    for name in ("a", "b"):
        make(music, "-o", music / f"{name}.m3u")
    deck = 'every = "day"\nlimit = 2\n'
    configured(f'folders = ["{music}"]\n[playlist.one]\n{deck}[playlist.two]\n{deck}')

    made = json.loads(run("make", "a", "b", "--json", "-q").out)
    assert [report["output"] for report in made] == [f"{music}/a.m3u", f"{music}/b.m3u"]
    dealt = json.loads(run("deal", "--due", "--json", "-q").out)
    assert [report["tracks"] for report in dealt] == [2, 2]


def test_make_with_options_but_without_arguments_shuffles_the_configured_folders(music: Path) -> None:
    configured(f'folders = ["{music}"]\n[playlist.all]\n')

    assert f"Folders: {music} (from " in make("--order", "sorted", "-o", "sorted.m3u")
    assert not (music / "all.m3u").exists()


def test_a_list_made_from_a_list_of_files_can_be_made_again_by_name(music: Path, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("Music/000.mp3\nMusic/001.mp3\n")
    make("--from", "list", "-o", "two.m3u")
    make("two", cwd=music)
    assert len(listed(tmp_path / "two.m3u")) == 2


# Names


def test_a_word_means_a_list_rather_than_a_folder_and_is_refused_if_it_means_two_lists(
    music: Path, tmp_path: Path
) -> None:
    make(music, "-o", music / "jazz.m3u")
    (tmp_path / "jazz").mkdir()

    assert f"Wrote {music}/jazz.m3u again" in make("jazz")
    assert "contains no audio files" in refused(3, "make", "./jazz")
    assert "not both. A folder is ./NAME" in refused(2, "make", "jazz", music)
    other = tmp_path / "more" / "jazz.m3u"
    other.parent.mkdir()
    make(music, "-o", other)
    said = refused(2, "make", "jazz")
    assert "There are several lists 'jazz'. Name one: Music/jazz, more/jazz" in said
    said = make("Music/jazz", other)
    assert re.findall("Wrote (.*) again: 20 tracks", said) == [f"{music}/jazz.m3u", str(other)]
    other.unlink()
    assert f"Wrote {music}/jazz.m3u again" in make("jazz")
    assert not other.exists()


@pytest.mark.parametrize("name", [b"a b", b"-n", b"\xff\xfe", b"\x1b[31m", "ж\u202e".encode(), b"x;$(id)'\""])
def test_lists_with_control_characters_or_other_oddities_in_the_name_can_be_made_again_and_undone(
    music: Path, name: bytes
) -> None:
    file = Path(os.fsdecode(os.path.join(os.fsencode(music), name + b".m3u")))
    make(music, "-o", file)
    first = listed(file)

    words = ("--", os.fsdecode(name))
    assert "\x1b" not in make(*words)
    run("undo", *words)
    assert listed(file) == first
    assert b"\x1b" not in run("status", *words).out


# Undo


def test_undo_restores_the_file_the_order_and_the_options_and_a_second_undo_reverses_the_first(
    music: Path,
) -> None:
    playlist = music / "playshuffle.m3u"
    make(music)
    first = playlist.read_bytes()
    make(music, "--where", "path::/00", "--order", "sorted", "--paths", "absolute")
    second = playlist.read_bytes()

    options = "--order sorted --where path::/00 --paths"
    for content, said in ((first, "20 tracks"), (second, f"10 tracks, {options}")):
        assert undo().startswith(f"ok: {playlist} is as before: {said}")
        assert playlist.read_bytes() == content
    playlist.write_bytes(second + b"000.mp3\n")
    undo(playlist)
    assert playlist.read_bytes() == first
    make("playshuffle")

    assert len(listed(playlist)) == 20
    assert b"#PLAYSHUFFLE-ORDER:random" in playlist.read_bytes()


def test_undo_without_a_name_is_refused_if_the_list_that_was_made_last_has_no_former_order(
    music: Path,
) -> None:
    assert "nothing to undo" in refused(2, "undo")
    make(music, "-o", music / "a.m3u")
    make(music, "-o", music / "b.m3u", "--order", "sorted")
    make("a")
    make("b")
    before = (music / "a.m3u").read_bytes()

    said = refused(2, "undo")

    assert f"{music}/b.m3u was made or dealt only once, so there is nothing to go back to." in said
    assert (music / "a.m3u").read_bytes() == before


def test_undo_without_a_name_ignores_a_list_whose_last_deal_was_only_written_again(music: Path) -> None:
    run("deal", music, "-n", "2")
    make(music, "-o", music / "a.m3u")
    make("a")
    before = listed(music / "today.m3u")[0]
    (music / before).rename(music / "renamed.mp3")
    run("deal")
    assert listed(music / "today.m3u")[0] == "renamed.mp3"

    assert undo().startswith(f"ok: {music}/a.m3u is as before")


def test_undo_restores_a_list_that_was_made_from_standard_input_and_cannot_be_made_again(
    music: Path, tmp_path: Path
) -> None:
    (tmp_path / "names").write_text("".join(f"{music}/{number:03}.mp3\n" for number in range(20)))
    words = ("make", "--from", "-", "-o", "piped.m3u")
    ran(*words, stdin=tmp_path / "names")
    before = listed(tmp_path / "piped.m3u")
    ran(*words, stdin=tmp_path / "names")
    assert "The options of" in refused(2, "make", "piped")

    undo("piped")

    assert listed(tmp_path / "piped.m3u") == before


def test_undo_restores_a_list_even_if_it_was_made_from_a_list_of_files_that_has_changed_since(
    music: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source.m3u"
    source.write_text("".join(f"{music}/{number:03}.mp3\n" for number in range(20)))
    words = ("--from", source, "-o", "all.m3u")
    make(*words)
    before = listed(tmp_path / "all.m3u")
    make(*words)
    source.write_text(f"{music}/009.mp3\n")
    (music / "003.mp3").unlink()

    assert "is as before: 19 tracks, 1 more no longer exists, --from " in undo("all")
    assert listed(tmp_path / "all.m3u") == [name for name in before if "003" not in name]
    source.unlink()
    undo("all")


# Lists that get shorter


def test_make_reports_that_a_list_got_shorter_and_how_to_keep_the_old_list_too(music: Path) -> None:
    make(music, "--seed", "a", "--spoken")
    said = make(music, "--where", "path::/00")

    assert f"{music}/playshuffle.m3u: 10 tracks of 20 (was 20: --where path::/00), " in said
    assert "Keep both: playshuffle undo, and then the same with -o OTHER.m3u\n" in said
    assert "was" not in make(music)
    for number in range(5):
        (music / f"{number:03}.mp3").unlink()
    said = make(music)
    assert "15 tracks (was 20), " in said
    assert "Keep both" not in said
