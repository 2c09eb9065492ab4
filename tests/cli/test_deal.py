"""Run `playshuffle deal` as a user does: real files, output and exit codes."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support.clock import at
from tests.support.program import configured, library, listed, numbered, ran, refused, report, run
from tests.support.tagging import tagged_library
from tests.support.terminal import on_terminal

pytestmark = pytest.mark.process


MUSIC = 10


def deal(*words: str | Path, day: str | None = None) -> str:
    """Deal, optionally on a given day, and return the output."""
    return ran("deal", *words, before=at(f"{day} 12:00:00") if day else ()).err


def status(*words: str | Path) -> str:
    return ran("status", *words).out.decode()


def undo(*words: str | Path) -> str:
    return ran("undo", *words).err


# Once in each period


def test_a_day_has_one_deal_and_the_next_day_deals_other_tracks(music: Path) -> None:
    """Another run on that day leaves the file unchanged, also if the clock was set back since."""
    today = music / "today.m3u"

    deal(music, "-n", "4", day="2026-03-28")
    first = today.read_bytes()
    assert "Already dealt today (4 tracks)\n" in deal(music, "-n", "4", day="2026-03-28")
    assert today.read_bytes() == first
    deal(music, "-n", "4", day="2026-03-29")
    second = today.read_bytes()
    said = deal(music, day="2026-03-28")
    assert "The clock shows 2026-03-28 12:00, but a run was at 2026-03-29 12:00" in said
    assert today.read_bytes() == second
    first_names = set(first.splitlines()[4::2])
    assert not first_names.intersection(second.splitlines()[4::2])


def test_the_file_of_a_deal_is_restored_if_it_was_lost_or_edited(music: Path) -> None:
    today = music / "today.m3u"
    deal(music, "-n", "4")
    before = today.read_bytes()

    today.unlink()
    assert "Restored the last deal (4 tracks)" in deal(music, "-n", "4")
    assert today.read_bytes() == before

    today.write_bytes(before + b"000.mp3\n")
    deal(music, "-n", "4")
    assert today.read_bytes() == before


def test_todays_deal_that_is_written_again_for_another_player_has_the_path_style_of_that_player(
    music: Path,
) -> None:
    deal(music, "-n", "3")
    names = listed(music / "today.m3u")

    deal(music, "-n", "3", "--for", "vlc", "-o", music / "today.m3u")

    assert listed(music / "today.m3u") == [f"file://{music}/{name}" for name in names]


def test_an_edited_skip_list_leaves_todays_deal_unchanged_and_counts_for_the_next_deal(
    music: Path, tmp_path: Path
) -> None:
    skip_list = tmp_path / "skip.m3u"
    skip_list.touch()
    deal(music, "-n", "3", "--without", skip_list)
    dealt = listed(music / "today.m3u")
    other = next(name for name in ("000.mp3", "001.mp3", "002.mp3", "003.mp3") if name not in dealt)
    skip_list.write_text(f"{music}/{other}\n")

    deal(music, "-n", "3", "--without", skip_list)
    assert listed(music / "today.m3u") == dealt

    deal(music, "-n", "9", "--every", "run", "--without", skip_list)
    assert other not in listed(music / "today.m3u")


def test_the_next_deal_has_the_tracks_that_peek_showed_and_undo_restores_the_former_deal(
    music: Path,
) -> None:
    """In between, the option --again deals nothing, and its report does not advise this option."""
    deal(music, "-n", "4", day="2026-03-28")
    first = listed(music / "today.m3u")
    again = deal(music, "--again", day="2026-03-29")
    assert "Unchanged: the last deal (4 tracks)" in again
    assert "; --now deals the next" in again

    shown = json.loads(run("deal", "--peek", "--json").out)["entries"]
    deal(day="2026-03-29")
    second = listed(music / "today.m3u")
    assert [os.path.basename(path) for path in shown] == second

    said = f"ok: {music}/today.m3u is as before: 4 tracks, -n 4\nReturn: playshuffle undo {music}/today.m3u\n"
    for content, dealt in ((first, "4 of 10 (40%)"), (second, "8 of 10 (80%)"), (first, "4 of 10 (40%)")):
        assert ran("undo", before=at("2026-03-29 12:00:00")).err == said
        assert listed(music / "today.m3u") == content
        assert f": dealt {dealt}" in status("today")
    deal("today", day="2026-03-29")
    assert listed(music / "today.m3u") == first
    deal("today", "--now", day="2026-03-29")
    assert listed(music / "today.m3u") == second


def test_all_options_of_a_deck_are_remembered(music: Path) -> None:
    options = ("--where", "path::00[0-7]", "--every", "week", "--order", "sorted")
    deal(music, "-n", "2", *options, day="2026-03-23")

    for words, day in (([], "2026-03-30"), (["today"], "2026-04-06"), ([music], "2026-04-13")):
        assert run("deal", *words, "--peek").out.count(b"\n") == 2
        assert "Dealt 2 tracks" in deal(*words, day=day)
    assert listed(music / "today.m3u") == ["006.mp3", "007.mp3"]
    options_shown = f"Options: {music} --order sorted --where 'path::00[0-7]' -n 2 --every week"
    assert options_shown in status("today")


def test_options_given_to_the_command_deal_change_the_remembered_options_of_the_deck(music: Path) -> None:
    deal(music, "-n", "2", "--order", "sorted")

    assert "Dealt 3 tracks" in deal("-n", "3", "--now", "--order", "random")
    assert "Dealt 3 tracks" in deal("--now")
    assert f"Options: {music} -n 3\n" in status("today")
    deal("--time", "1s", "--again")

    assert f"Options: {music} --time 1s\n" in status("today")


def test_a_deal_by_the_option_now_does_not_change_the_day_on_which_the_next_deal_is_due(music: Path) -> None:
    assert "Next: Monday 00:00" in deal(music, "-n", "2", "--every", "week", day="2026-03-24")
    assert "--now deals the next" in deal(day="2026-03-25")

    assert "Dealt 2 tracks" in deal("--now", day="2026-03-25")
    assert "Already dealt this week" in deal(day="2026-03-29")


def test_undo_after_a_deal_with_the_option_new_round_restores_the_earlier_round(
    music: Path, home: Path
) -> None:
    """A dealt track of the earlier round was deleted."""
    deal(music, "-n", "4")
    (music / listed(music / "today.m3u")[0]).unlink()
    deal("-n", "3", "--now")
    before = status("today").splitlines()[0]

    assert "deal 1 of 3 in round 2" in deal("--new-round")
    undo("today")

    assert status("today").splitlines()[0] == before
    assert not [*home.rglob("*damaged*")]


def test_the_command_deal_refuses_a_list_that_make_wrote(music: Path) -> None:
    ran("make", music)

    said = refused(2, "deal", music / "playshuffle.m3u")
    assert "is made, not dealt. To make it again: playshuffle make Music" in said
    assert "Nothing was dealt yet. Name a music folder" in refused(2, "deal")


def test_a_make_that_replaces_the_file_of_a_deck_says_that_undo_brings_the_deck_back(music: Path) -> None:
    deal(music, "-n", "4")
    words = ("make", music, "-o", music / "today.m3u")

    assert "undo brings its deals back" in run(*words).err
    assert "its deck" not in run(*words).err


def test_if_the_first_deal_is_undone_its_file_stays_and_new_options_count_for_the_next_deal(
    music: Path,
) -> None:
    today = music / "today.m3u"
    deal(music, "-n", "4")
    first = listed(today)

    assert f"{today}: no deal today. The file keeps its tracks until the next deal" in undo()
    assert f"{today}: nothing dealt yet" in status("today")
    assert "dealt list today: state nothing dealt; next deal tomorrow 00:00" in status()

    said = deal("today", "-n", "6", "--order", "sorted")
    assert said.startswith("ok: The deal was taken back")
    assert said.endswith(
        "Next: tomorrow 00:00; --now deals the next\nFrom tomorrow: 6 tracks --order sorted\n"
    )
    assert "-n 6" in status("today")
    assert f"{today} is as before: 4 tracks" in undo()
    assert "dealt 4 of 10 (40%)" in status("today")
    assert listed(today) == first
    undo()
    deal("today", "--now")
    assert len(listed(today)) == 6


# Other options on a day that is dealt


def test_options_given_after_todays_deal_count_from_tomorrow_and_leave_that_deal_unchanged(
    music: Path,
) -> None:
    assert deal(music, "-n", "6").startswith("ok: Dealt 6 tracks\n")
    first = listed(music / "today.m3u")
    for words, change in {
        ("-n", "5"): "5 tracks",
        ("-n", "5", "--where", "path::00[1-9]"): "--where 'path::00[1-9]'",
        ("--where", "path::00[0-7]", "-n", "3"): "3 tracks --where 'path::00[0-7]'",
    }.items():
        said = deal(music, *words).splitlines()
        assert (said[0], said[-1]) == ("ok: Already dealt today (6 tracks)", f"From tomorrow: {change}")
    assert "\nNext: tomorrow 00:00; --again rewrites this deal" in deal()
    assert listed(music / "today.m3u") == first

    assert undo().startswith(f"ok: {music}/today.m3u is as before: 6 tracks, ")
    assert "--where 'path::00[1-9]' -n 5" in status("today")
    assert listed(music / "today.m3u") == first


def test_the_option_again_removes_tracks_that_new_options_exclude_and_undo_restores_them(music: Path) -> None:
    deal(music, "-n", "10")
    first = listed(music / "today.m3u")

    said = deal("today", "--again", "--where", "path::00[0-2]")
    assert said.startswith("ok: Wrote the last deal again (3 tracks)\n")
    back = f"To get them back: playshuffle undo {music}/today.m3u"
    assert f"Removed: 7 tracks of this deal, by other options. {back}\n" in said
    assert deal().startswith("ok: Already dealt today (3 tracks)")
    for names in (first, [name for name in first if name < "003"], first):
        undo()
        assert listed(music / "today.m3u") == names
    deal("-n", "3", "--now")
    none = refused(3, "deal", "--again", "--where", "-path::" + "|".join(listed(music / "today.m3u")))
    assert "The options exclude all tracks of the last deal" in none


def test_the_command_forget_removes_a_saved_deck_or_order_but_not_the_file_of_the_playlist(
    music: Path,
) -> None:
    files = music / "today.m3u", music / "playshuffle.m3u"
    deal(music, "-n", "2")
    ran("make", music)

    assert ran("forget", "today", files[1]).err.count("The file was not changed.") == 2

    assert all(file.exists() for file in files)
    assert str(music) not in status("--json")
    assert f"There is no list {files[0]}." in refused(66, "forget", files[0])


def test_the_command_forget_says_that_a_saved_list_stays_in_the_configuration(music: Path) -> None:
    ran("make", music, "--save", "all")

    assert "The file was not changed. all stays in the configuration." in ran("forget", "all").err


def test_the_commands_forget_undo_and_deal_fail_if_the_state_cannot_be_written(
    music: Path, home: Path
) -> None:
    deal(music, "-n", "2")
    journal = home / ".local/state/playshuffle/state.db-journal"
    journal.unlink(missing_ok=True)
    journal.mkdir()

    for words in (("forget", "today"), ("undo", "today"), ("deal", "--new-round")):
        refused(73, *words)


def test_the_option_peek_lists_drawn_tracks_of_the_next_deal_and_counts_those_not_drawn_yet(
    music: Path,
) -> None:
    peek = ("deal", music, "-n", "7", "--peek")
    assert ran(*peek).out.decode() == "… and 7 more, chosen when they are dealt\n"
    deal(music, "-n", "7")

    *names, last = ran(*peek).out.decode().splitlines()

    assert (len(names), last) == (3, "… and 4 more, chosen when they are dealt")


# How much


def test_a_deck_of_artists_deals_all_tracks_of_one_artist_in_each_deal(tmp_path: Path) -> None:
    files = {f"{at}.mp3": {"artist": artist, "title": str(at)} for at, artist in enumerate("abcabcabc")}
    music = tagged_library(tmp_path / "Music", files)
    deal(music, "--groups", "1", "--group-by", "artist")
    days = [listed(music / "today.m3u")]
    assert "-n" not in status("today")
    for _ in range(2):
        deal("today", "--now")
        days.append(listed(music / "today.m3u"))

    assert sorted(days) == [[f"{first + step}.mp3" for step in (0, 3, 6)] for first in range(3)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--groups", "1", "--order", "spread"], "--groups 1 does not work with --order spread"),
        (["--albums", "0"], "--albums must be a number from 1, not 0."),
        (["--peek", "--now"], "do not work together"),
        (["--again"], "Nothing was dealt"),
        (["-o", "-"], "Name a file with -o, or use --peek."),
        (["--save", "a/b"], "cannot be the name"),
        (["--save", ""], "cannot be the name"),
        (["--due"], "--due uses the configuration."),
    ],
)
def test_the_command_deal_refuses_wrong_options(music: Path, words: list[str], said: str) -> None:
    assert said in refused(2, "deal", music, *words)
    assert not (music / "today.m3u").exists()


# Few tracks, none, and drives


@pytest.fixture
def two(music: Path, tmp_path: Path) -> list[str | Path]:
    """Return the words for a deck that deals at each run, over ten tracks and four on a drive."""
    return [music, numbered(tmp_path / "usb", 4), "-o", tmp_path / "today.m3u", "--every", "run"]


def test_a_deal_fails_if_all_undealt_tracks_of_its_round_are_on_a_missing_drive(
    two: list[str | Path], tmp_path: Path
) -> None:
    usb = Path(two[1])
    deal(*two, "-n", "2")
    usb.rename(tmp_path / "drawer")

    assert f"4 of 14 tracks wait for {usb}: " in deal(*two, "-n", "12", "--peek")
    assert "Deals skip these tracks until it is back. Mount the drive" in deal(*two, "-n", "12")
    assert "all remaining tracks of this round" in refused(75, "deal", *two, "-n", "2")


def test_the_report_on_todays_deal_counts_the_dealt_tracks_that_are_on_a_missing_drive(
    two: list[str | Path], tmp_path: Path
) -> None:
    words = (*two[:4], "-n", "14")
    deal(*words)
    Path(two[1]).rename(tmp_path / "drawer")

    said = deal(*words)

    assert len(listed(tmp_path / "today.m3u")) == 14
    assert "Already dealt today (14 tracks)" in said
    assert f"File: {tmp_path}/today.m3u: 14 tracks, 7 s, deal 1 of 1 in round 1\n" in said
    assert f"4 of 14 tracks wait for {two[1]}: " in said
    facts = report(*words, command="deal")
    assert (facts["tracks"], len(facts["entries"])) == (14, 14)


def test_undo_restores_the_tracks_of_the_former_deal_even_on_a_missing_drive(
    two: list[str | Path], tmp_path: Path
) -> None:
    usb, out = Path(two[1]), tmp_path / "today.m3u"
    deal(*two, "-n", "14")
    first, progress = listed(out), status("today").splitlines()[0]
    deal(*two, "-n", "14")
    assert status("today").splitlines()[0] != progress
    usb.rename(tmp_path / "drawer")

    said = undo()

    assert f"{out} is as before: 14 tracks" in said
    assert f"4 of 14 tracks wait for {usb}: " in said
    assert (listed(out), status("today").splitlines()[0]) == (first, progress)

    (tmp_path / "drawer").rename(usb)
    deal(*two, "-n", "14")
    assert sorted(listed(out)) == sorted(first)


def test_the_option_accept_missing_gives_up_the_tracks_of_a_lost_drive(two: list[str | Path]) -> None:
    deal(*two, "-n", "13")
    shutil.rmtree(two[1])

    assert "10 tracks" in deal(*two, "-n", "12", "--accept-missing")
    assert "of 10 (" in status("today")


# Decks


def test_two_decks_with_tracks_of_the_same_folder_deal_independently(music: Path) -> None:
    deal(music, "-n", "10", "-o", music / "morning.m3u")
    deal(music, "-n", "4")

    assert ": dealt 4 of 10 (40%), 2 deals left, round 1, since " in status("today")
    assert json.loads(status("morning", "--json"))["deck"]["dealt"] == 10
    first, *_, last = status("morning").splitlines()
    assert first.startswith(f"ok: {music}/morning.m3u: dealt 10 of 10 (100%), 0 deals left, round 1, since ")
    assert last == "  10  Björk; 椎名林檎 - Title v24.mp3 (0:01)"
    assert "There is no list 'evening'. Lists: morning, today." in refused(66, "status", "evening")
    several, name_one = "There are several dealt lists: morning, today.", "Name one: playshuffle deal morning"
    due = "To deal all configured ones that are due, use --due."
    assert refused(2, "deal").endswith(f"{several} {due} {name_one}\n")
    assert refused(2, "deal", "--peek").endswith(f"{several} {name_one} --peek\n")


def test_the_option_due_deals_the_other_configured_lists_if_one_of_them_fails(music: Path) -> None:
    dealt = f'folders = ["{music}"]\nlimit = 4\nevery'
    configured(
        f'[playlist.gone]\nfolders = ["{music}/none"]\nlimit = 2\nevery = "day"\n'
        f'[playlist.today]\n{dealt} = "day"\n[playlist.byhand]\n{dealt} = "run"\n'
        f'[playlist.all]\nfolders = ["{music}"]\n'
    )

    said = refused(66, "deal", "--due")
    assert "deal 1 of 3 in round 1" in said
    assert "error: gone: " in said
    assert [path.name for path in music.glob("*.m3u")] == ["today.m3u"]
    assert "Already dealt today (4 tracks)" in run("deal", "--due").err


def test_deals_from_one_folder_for_two_players_are_two_decks_in_two_files(music: Path) -> None:
    for words in ((), ("--for", "car")):
        assert "Dealt 4 tracks" in deal(music, "-n", "4", *words)

    assert sorted(path.stem for path in music.glob("today*")) == ["today", "today-car"]


def test_the_json_report_of_a_deal_has_the_round_and_the_deck(music: Path) -> None:
    said = report(music, "-n", "4", command="deal")

    assert (said["deal"], said["of"], said["round"], said["tracks"], said["dealt"]) == (1, 3, 1, 4, True)
    assert (said["deck"]["dealt"], len(said["entries"])) == (4, 4)


def test_undo_restores_a_deal_of_a_configured_list_even_if_the_configuration_is_broken(music: Path) -> None:
    """The file is in the path style of the list again."""
    file = configured(f'folders = ["{music}"]\n[playlist.some]\nlimit = 4\nevery = "day"\nfor = "vlc"\n')
    ran("deal", "--due")
    first = (music / "some.m3u").read_bytes()
    deal(music, "-n", "2", "--now", "--for", "generic", "-o", music / "some.m3u")
    file.write_text("folders = [")

    undo()

    assert (music / "some.m3u").read_bytes() == first


def test_the_option_peek_prints_a_table_on_a_terminal(tmp_path: Path) -> None:
    music = library(tmp_path, ["1.ogg", "2.ogg", "3.ogg"])
    deal(music, "-n", "1")
    lines = on_terminal("deal", music, "-n", "2", "--peek").text.splitlines()

    assert [line.split()[0] for line in lines] == ["1", "2"]
    assert all(line.endswith("0:01") and len(line) <= 80 for line in lines)


def test_a_round_does_not_wait_for_a_deleted_track_while_another_drive_is_missing(tmp_path: Path) -> None:
    a, b = numbered(tmp_path / "a", 2), numbered(tmp_path / "b", 2)
    out = tmp_path / "today.m3u"
    words: list[str | Path] = [a, b, "-o", out, "-n", "3", "--every", "run"]
    deal(*words)
    [left] = {f"{folder.name}/{path.name}" for folder in (a, b) for path in folder.iterdir()} - {*listed(out)}
    (tmp_path / left).unlink()
    other = b if left.startswith("a/") else a
    other.rename(tmp_path / "drawer")

    deal(*words)

    assert [name[0] for name in listed(out)] == [left[0]]


def test_a_round_waits_for_a_missing_drive_whose_tags_are_lost(tmp_path: Path, home: Path) -> None:
    jazz = {f"{name}.mp3": {"genre": "jazz"} for name in ("1", "2", "3")}
    a, b = tagged_library(tmp_path / "a", jazz), tagged_library(tmp_path / "b", jazz)
    out = tmp_path / "today.m3u"
    deal(a, b, "-o", out, "--where", "genre:jazz", "-n", "1", "--every", "run")
    b.rename(tmp_path / "drawer")
    shutil.rmtree(home / ".cache")

    for _ in range(6):
        said = run("deal", out).err

    assert "remaining tracks of this round" in said
    assert f"{b} seems to be missing" in said
    (tmp_path / "drawer").rename(b)
    assert "of 6 in round 1" in deal(out)


def test_the_error_of_a_round_that_waits_names_the_drive_with_its_tracks(tmp_path: Path) -> None:
    folders = [numbered(tmp_path / name, 1) for name in "abc"]
    out = tmp_path / "today.m3u"
    words: list[str | Path] = [*folders, "-o", out, "--order", "sorted", "-n", "2", "--every", "run"]
    deal(*words)
    for folder in folders[1:]:
        folder.rename(tmp_path / f"drawer-{folder.name}")

    assert f"{folders[2]} seems to be missing" in refused(75, "deal", *words)
