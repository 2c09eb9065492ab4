"""Run `playshuffle deal` as a user does: real files, output and exit codes."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support.in_process import Program
from tests.support.needs import need
from tests.support.program import (
    configured,
    library,
    listed,
    numbered,
    ran,
    refused,
    report,
    run,
)
from tests.support.tagging import tagged_library
from tests.support.terminal import on_terminal

pytestmark = pytest.mark.process


MUSIC = 10


def deal(*words: str | Path, day: str | None = None) -> str:
    """Deal, optionally on a given day, and return the output."""
    if day is None:
        return ran("deal", *words).err
    need("faketime")
    return ran("deal", *words, before=["faketime", "-f", f"@{day} 12:00:00"]).err


def status(*words: str | Path) -> str:
    return ran("status", *words).out.decode()


def undo(*words: str | Path) -> str:
    return ran("undo", *words).err


# Once in each period


def test_a_day_has_one_deal_and_the_next_day_deals_other_tracks(music: Path) -> None:
    """The same bytes however often it runs; a clock that is set back deals nothing and loses nothing."""
    today = music / "today.m3u"

    deal(music, "-n", "4", day="2026-03-28")
    first = today.read_bytes()
    assert "Already dealt today (4 tracks)\n" in deal(music, "-n", "4", day="2026-03-28")
    assert today.read_bytes() == first
    deal(music, "-n", "4", day="2026-03-29")
    second = today.read_bytes()
    assert "The last deal is dated 2026-03-29, but today is 2026-03-28" in deal(music, day="2026-03-28")
    assert today.read_bytes() == second
    first_names = set(first.splitlines()[4::2])
    assert not first_names.intersection(second.splitlines()[4::2])


def test_a_file_that_was_lost_or_edited_is_written_again(music: Path) -> None:
    deal(music, "-n", "4")
    before = (music / "today.m3u").read_bytes()
    (music / "today.m3u").unlink()
    assert "Restored the last deal (4 tracks)" in deal(music, "-n", "4")
    assert (music / "today.m3u").read_bytes() == before

    (music / "today.m3u").write_bytes(before + b"000.mp3\n")
    deal(music, "-n", "4")

    assert (music / "today.m3u").read_bytes() == before


def test_a_deal_is_written_again_in_another_format_if_the_option_for_names_another_player(
    music: Path,
) -> None:
    deal(music, "-n", "3")
    names = listed(music / "today.m3u")

    deal(music, "-n", "3", "--for", "vlc", "-o", music / "today.m3u")

    entries = [line for line in (music / "today.m3u").read_text().splitlines() if line[0] != "#"]
    assert entries == [f"file://{music}/{name}" for name in names]


def test_an_edited_skip_list_leaves_the_last_deal_unchanged_and_counts_from_the_next_deal(
    tmp_path: Path,
) -> None:
    music, never = numbered(tmp_path / "Music", 9), tmp_path / "never.m3u"
    never.write_text(f"{music}/000.mp3\n")
    deal(music, "-n", "3", "--without", never)
    dealt = listed(music / "today.m3u")
    other = next(f"00{number}.mp3" for number in range(1, 5) if f"00{number}.mp3" not in dealt)
    never.write_text(f"{music}/000.mp3\n{music}/{other}\n")

    deal(music, "-n", "3", "--without", never)
    assert listed(music / "today.m3u") == dealt

    deal(music, "-n", "9", "--every", "run", "--without", never)
    assert other not in listed(music / "today.m3u")


def test_deal_again_keeps_the_last_deal_peek_shows_the_next_and_undo_restores_the_one_before(
    music: Path,
) -> None:
    """Again deals nothing; what peek shows is what comes; undo takes it back, and a second one returns."""
    deal(music, "-n", "4", day="2026-03-28")
    first = listed(music / "today.m3u")
    assert "Unchanged: the last deal (4 tracks)" in deal(music, "--again", day="2026-03-29")

    shown = run("deal", "--peek").out.decode().splitlines()
    deal(day="2026-03-29")
    second = listed(music / "today.m3u")
    assert [os.path.basename(path) for path in shown] == second

    for content, dealt in ((first, "4 of 10 (40%)"), (second, "8 of 10 (80%)"), (first, "4 of 10 (40%)")):
        said = undo()
        assert said.splitlines() == [
            f"ok: {music}/today.m3u is as before: 4 tracks, -n 4",
            f"Return: playshuffle undo {music}/today.m3u",
        ]
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
    assert f"Options: {music} --order sorted --where path::00[0-7] -n 2 --every week" in status(
        "today"
    ).replace("'", "")


def test_options_given_to_the_command_deal_change_the_remembered_options_of_the_deck(music: Path) -> None:
    deal(music, "-n", "2", "--order", "sorted")

    assert "Dealt 3 tracks" in deal("-n", "3", "--now", "--order", "random")
    assert "Dealt 3 tracks" in deal("--now")
    assert f"Options: {music} -n 3\n" in status("today")
    deal("--time", "1s", "--again")

    assert f"Options: {music} --time 1s\n" in status("today")


def test_a_deal_by_the_option_now_does_not_change_when_the_next_deal_is_due(music: Path) -> None:
    first = deal(music, "-n", "2", "--every", "week", day="2026-03-24")
    assert "--now deals the next" in deal(day="2026-03-25")

    assert "Dealt 2 tracks" in deal("--now", day="2026-03-25")
    assert "Already dealt this week" in deal(day="2026-03-29")
    assert "Next: Monday 00:00" in first


def test_a_deal_by_the_option_again_does_not_advise_the_option_again(music: Path) -> None:
    deal(music, "-n", "4")

    assert "--again rewrites this deal" in deal()
    assert "; --now deals the next" in deal("--again")


def test_the_option_new_round_begins_a_round_at_once_and_undo_takes_it_back(music: Path, home: Path) -> None:
    """With a dealt track that was deleted, too."""
    deal(music, "-n", "4")
    (music / listed(music / "today.m3u")[0]).unlink()
    deal("-n", "3", "--now")
    before = status("today").splitlines()[0]

    assert "deal 1 of 3 in round 2" in deal("--new-round")
    undo("today")

    assert status("today").splitlines()[0] == before
    assert not [*home.rglob("*damaged*")]


def test_a_list_that_make_wrote_is_refused_by_the_command_deal(music: Path) -> None:
    assert run("make", music).code == 0

    said = refused(2, "deal", music / "playshuffle.m3u")
    assert "is made, not dealt. To make it again: playshuffle make playshuffle" in said
    assert "Nothing was dealt yet. Name a music folder" in refused(2, "deal")


def test_make_over_the_file_of_a_deck_says_that_undo_brings_the_deck_back(music: Path) -> None:
    deal(music, "-n", "4")
    options = music, "-o", music / "today.m3u"

    assert "undo brings its deck back" in run("make", *options).err
    assert "its deck" not in run("make", *options).err


def test_after_undo_of_its_first_deal_a_deck_has_dealt_nothing(music: Path) -> None:
    deal(music, "-n", "4")
    first = listed(music / "today.m3u")

    assert f"{music}/today.m3u: no deal today. The file keeps its tracks until the next deal" in undo()
    assert f"{music}/today.m3u: nothing dealt yet" in status("today")
    assert f"deck {music}/today.m3u: state nothing dealt; next deal tomorrow 00:00" in status()
    assert listed(music / "today.m3u") == first
    assert f"{music}/today.m3u is as before: 4 tracks" in undo()
    assert "dealt 4 of 10 (40%)" in status("today")


def test_options_given_after_the_first_deal_was_undone_apply_to_the_next_deal(music: Path) -> None:
    deal(music, "-n", "4")
    first = listed(music / "today.m3u")
    undo()

    said = deal("today", "-n", "6", "--order", "sorted").splitlines()

    assert said[0].startswith("ok: The deal was taken back")
    assert said[1:] == [
        "Next: tomorrow 00:00; --now deals the next",
        "From tomorrow: 6 tracks --order sorted",
    ]
    assert "-n 6" in status("today")
    assert listed(music / "today.m3u") == first
    undo()
    assert "dealt 4 of 10 (40%)" in status("today")
    undo()
    deal("today", "--now")
    assert len(listed(music / "today.m3u")) == 6


# Other options on a day that is dealt


def test_other_options_count_from_tomorrow_and_leave_todays_deal_unchanged(
    music: Path, program: Program
) -> None:
    def deal(*words: str) -> list[str]:
        done = program("deal", *words)
        assert (done.code, len(listed(music / "today.m3u"))) == (0, 6), done.err
        return done.err.splitlines()

    assert deal(str(music), "-n", "6")[0] == "ok: Dealt 6 tracks"
    first = listed(music / "today.m3u")
    for words, change in {
        ("-n", "5"): "5 tracks",
        ("-n", "5", "--where", "path::00[1-9]"): "--where 'path::00[1-9]'",
        ("--where", "path::00[0-7]", "-n", "3"): "3 tracks --where 'path::00[0-7]'",
    }.items():
        said = deal(str(music), *words)
        assert (said[0], said[-1]) == ("ok: Already dealt today (6 tracks)", f"From tomorrow: {change}")
    assert deal()[-1].startswith("Next: tomorrow 00:00; --again rewrites this deal")
    assert listed(music / "today.m3u") == first

    assert program("undo").err.startswith(f"ok: {music}/today.m3u is as before: 6 tracks, ")
    assert "--where path::00[1-9] -n 5" in program("status", "today").out.replace("'", "")
    assert listed(music / "today.m3u") == first


def test_the_option_again_removes_tracks_that_new_options_exclude_and_undo_restores_them(
    music: Path, program: Program
) -> None:
    program("deal", str(music), "-n", "10")
    first = listed(music / "today.m3u")

    said = program("deal", "today", "--again", "--where", "path::00[0-2]").err.splitlines()
    assert said[0] == "ok: Wrote the last deal again (3 tracks)"
    back = f"To get them back: playshuffle undo {music}/today.m3u"
    assert f"Removed: 7 tracks of this deal, by other options. {back}" in said
    assert program("deal").err.startswith("ok: Already dealt today (3 tracks)")
    for names in (first, [name for name in first if name < "003"], first):
        program("undo")
        assert listed(music / "today.m3u") == names
    program("deal", "-n", "3", "--now")
    none = program.refused(3, "deal", "--again", "--where", "-path::" + "|".join(listed(music / "today.m3u")))
    assert "The options exclude all tracks of the last deal" in none


def test_the_command_forget_removes_a_saved_deck_and_a_saved_order_but_not_the_files(tmp_path: Path) -> None:
    music = numbered(tmp_path / "Music", 6)
    today, every = music / "today.m3u", music / "playshuffle.m3u"
    deal(music, "-n", "2")
    assert run("make", music).code == 0

    done = run("forget", "today", every)

    assert (done.code, done.err.count("The file was not changed.")) == (0, 2)
    assert today.exists()
    assert every.exists()
    assert str(music) not in run("status", "--json").out.decode()
    assert f"There is no list {today}." in refused(66, "forget", today)


def test_the_command_forget_says_that_a_saved_list_stays_in_the_configuration(tmp_path: Path) -> None:
    assert run("make", numbered(tmp_path / "Music", 6), "--save", "all").code == 0

    assert "The file was not changed. all stays in the configuration." in run("forget", "all").err


def test_a_deck_is_not_forgotten_if_the_state_cannot_be_written(tmp_path: Path, home: Path) -> None:
    music = numbered(tmp_path, 6)
    deal(music, "-n", "2")
    (home / ".local/state/playshuffle/state.db-journal").unlink(missing_ok=True)
    (home / ".local/state/playshuffle/state.db-journal").mkdir()

    for words in (("forget", "today"), ("undo", "today"), ("deal", "--new-round")):
        refused(73, *words)


def test_the_option_peek_counts_the_tracks_that_are_not_drawn_yet(tmp_path: Path) -> None:
    music = numbered(tmp_path, 6)
    assert (
        run("deal", music, "-n", "4", "--peek").out
        == b"\xe2\x80\xa6 and 4 more, chosen when they are dealt\n"
    )
    deal(music, "-n", "4")

    shown = run("deal", music, "-n", "4", "--peek").out.decode().splitlines()

    assert len(shown) == 3
    assert shown[2].startswith("… and 2 more")


# How much


def test_a_deck_of_artists_deals_all_tracks_of_one_artist_in_each_deal(tmp_path: Path) -> None:
    files = {f"{at}.mp3": {"artist": artist, "title": str(at)} for at, artist in enumerate("abcabcabc")}
    music = tagged_library(tmp_path / "Music", files)
    deal(music, "--groups", "1", "--group-by", "artist")
    days = [listed(music / "today.m3u")]
    assert b"-n" not in run("status", "today").out
    for _ in range(2):
        deal("today", "--now")
        days.append(listed(music / "today.m3u"))

    assert sorted(days) == [[f"{first + step}.mp3" for step in (0, 3, 6)] for first in range(3)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--groups", "1", "--group-by", "artist", "-n", "3"], "-n does not work with --groups"),
        (["--groups", "1", "--order", "spread"], "--groups does not work with --order spread"),
        (["--albums", "0"], "--albums must be a number from 1, not 0."),
        (["--peek", "--now"], "do not work together"),
        (["--again"], "Nothing was dealt"),
        (["-o", "-"], "Name a file with -o, or use --peek."),
        (["--save", "a/b"], "cannot be the name"),
        (["--due"], "--due uses the configuration."),
    ],
)
def test_deal_refuses_wrong_options(tmp_path: Path, words: list[str], said: str, program: Program) -> None:
    music = numbered(tmp_path, 3)

    done = program("deal", str(music), *words)

    assert (done.code, said in done.err) == (2, True), done.err
    assert not (music / "today.m3u").exists()


# Few tracks, none, and drives


def test_a_deal_waits_for_a_missing_drive_if_all_tracks_elsewhere_are_dealt(tmp_path: Path) -> None:
    here, usb = numbered(tmp_path / "here", 4), numbered(tmp_path / "usb", 4)
    words: list[str | Path] = [here, usb, "-o", tmp_path / "today.m3u", "--every", "run"]
    deal(*words, "-n", "2")
    usb.rename(tmp_path / "drawer")

    assert f"4 of 8 tracks wait for {usb}: " in deal(*words, "-n", "6", "--peek")
    assert "Deals skip these tracks until it is back. Mount the drive" in deal(*words, "-n", "6")
    assert "all remaining tracks of this round" in refused(75, "deal", *words, "-n", "2")


def test_a_deal_that_is_kept_while_a_drive_is_missing_is_reported_with_all_its_tracks(
    tmp_path: Path,
) -> None:
    here, usb = numbered(tmp_path / "here", 1), numbered(tmp_path / "usb", 7)
    out = tmp_path / "today.m3u"
    words: list[str | Path] = [here, usb, "-o", out, "-n", "8"]
    deal(*words)
    usb.rename(tmp_path / "drawer")

    said = deal(*words)

    assert len(listed(out)) == 8
    assert "Already dealt today (8 tracks)" in said
    assert f"File: {out}: 8 tracks, 4 s, deal 1 of 1 in round 1\n" in said
    assert f"7 of 8 tracks wait for {usb}: " in said
    facts = report(*words, command="deal")
    assert (facts["tracks"], len(facts["entries"])) == (8, 8)


def test_undo_of_a_deal_also_brings_back_tracks_of_a_missing_drive(tmp_path: Path) -> None:
    here, usb = numbered(tmp_path / "here", 3), numbered(tmp_path / "usb", 3)
    out = tmp_path / "today.m3u"
    words: list[str | Path] = [here, usb, "-o", out]
    deal(*words, "-n", "6", "--every", "run")
    first, progress = listed(out), status("today").splitlines()[:1]
    deal(*words, "-n", "6", "--every", "run")
    assert status("today").splitlines()[:1] != progress
    usb.rename(tmp_path / "drawer")

    said = undo()

    assert f"{out} is as before: 6 tracks" in said
    assert f"3 of 6 tracks wait for {usb}: " in said
    assert (listed(out), status("today").splitlines()[:1]) == (first, progress)

    (tmp_path / "drawer").rename(usb)
    deal(*words, "-n", "6", "--every", "run")
    assert sorted(listed(out)) == sorted(first)


def test_the_option_accept_missing_gives_up_the_tracks_of_a_lost_drive(tmp_path: Path) -> None:
    here, usb = numbered(tmp_path / "here", 4), numbered(tmp_path / "usb", 4)
    words: list[str | Path] = [here, usb, "-o", tmp_path / "today.m3u", "--every", "run"]
    deal(*words, "-n", "7")
    shutil.rmtree(usb)

    assert "4 tracks" in deal(*words, "-n", "6", "--accept-missing")
    assert "of 4 (" in status("today")


def test_if_the_state_was_lost_the_tracks_in_the_file_of_a_deck_count_as_dealt(
    music: Path, home: Path
) -> None:
    deal(music, "-n", "4")
    first = listed(music / "today.m3u")
    shutil.rmtree(home / ".local")

    said = deal(music, "-n", "6")
    assert "Already dealt today (4 tracks)" in said
    assert "Another computer, or this one before its state was lost, dealt this list on" in said
    assert listed(music / "today.m3u") == first
    assert "6 tracks, 3 s, deal 2 of 2 in round 1" in deal("today", "--now")
    assert not set(first).intersection(listed(music / "today.m3u"))


# Decks


def test_decks_over_one_folder_are_independent(tmp_path: Path) -> None:
    music = numbered(tmp_path, 6)
    deal(music, "-n", "6", "-o", music / "morning.m3u")
    deal(music, "-n", "2")

    assert ": dealt 6 of 6 (100%), 0 deals left, round 1, since " in status("morning")
    assert ": dealt 2 of 6 (33%), 2 deals left, round 1, since " in status("today")
    assert json.loads(status("morning", "--json"))["deck"]["dealt"] == 6
    shown = status("morning").splitlines()
    assert shown[0].startswith(f"ok: {music}/morning.m3u: dealt 6 of 6 (100%), 0 deals left, round 1, since ")
    assert [line.split()[0] for line in shown[-6:]] == ["1", "2", "3", "4", "5", "6"]
    assert all("Björk; 椎名林檎 - Title v24.mp3 (0:01)" in line for line in shown[-6:])
    assert "There is no list 'evening'. Lists: morning, today." in refused(66, "status", "evening")
    several = "There are several decks: morning, today. Name one: playshuffle deal morning"
    assert f"{several}. To deal all configured ones" in refused(2, "deal")
    assert refused(2, "deal", "--peek").endswith(f"{several} --peek\n")


def test_lists_of_the_configuration_are_dealt_when_due(tmp_path: Path) -> None:
    """One that fails does not stop the others."""
    music = numbered(tmp_path / "Music", 6)
    configured(
        f'[playlist.gone]\nfolders = ["{tmp_path}/none"]\nlimit = 2\nevery = "day"\n'
        f'[playlist.today]\nfolders = ["{music}"]\nlimit = 2\nevery = "day"\n'
        f'[playlist.byhand]\nfolders = ["{music}"]\nlimit = 2\nevery = "run"\n'
        f'[playlist.all]\nfolders = ["{music}"]\n'
    )

    said = refused(66, "deal", "--due")
    assert "deal 1 of 3 in round 1" in said
    assert "error: gone: " in said
    assert len(listed(music / "today.m3u")) == 2
    assert not (music / "all.m3u").exists()
    assert not (music / "byhand.m3u").exists()
    assert "Already dealt today" in run("deal", "--due").err


def test_json_has_the_whole_report(tmp_path: Path) -> None:
    said = report(numbered(tmp_path, 5), "-n", "2", command="deal")

    assert (said["deal"], said["of"], said["round"], said["tracks"], said["dealt"]) == (1, 3, 1, 2, True)
    assert said["deck"]["dealt"] == 2
    assert len(said["entries"]) == 2


def test_each_player_has_a_deck_of_its_own(tmp_path: Path) -> None:
    """The deal for the car neither replaces nor continues the deal for everybody."""
    music = library(tmp_path / "Music", ("a.mp3", "b.mp3", "c.mp3", "d.mp3"))
    for words in ((), ("--for", "car"), ("--for", "car", "-o", music / "drive.m3u8")):
        ran("deal", music, "-n", "2", *words)

    names = [path.stem for path in music.iterdir() if "m3u" in path.name]
    assert sorted(names) == ["drive", "today", "today-car"]


def test_undo_restores_a_deal_of_a_configured_list_with_the_options_of_this_list(music: Path) -> None:
    """It does so beside a configuration that is wrong by now."""
    file = configured(f'folders = ["{music}"]\n[playlist.some]\nlimit = 4\nevery = "day"\nfor = "vlc"\n')
    assert run("deal", "--due").code == 0
    first = (music / "some.m3u").read_bytes()
    deal(music, "-n", "2", "--now", "--for", "generic", "-o", music / "some.m3u")
    file.write_text("folders = [")
    done = run("undo")

    assert (done.code, (music / "some.m3u").read_bytes()) == (0, first), done.err


def test_the_option_peek_prints_a_table_on_a_terminal(tmp_path: Path) -> None:
    music = library(tmp_path, ["1.ogg", "2.ogg", "3.ogg"])
    deal(music, "-n", "1")
    lines = on_terminal("deal", music, "-n", "2", "--peek").text.splitlines()

    assert [line.split()[0] for line in lines] == ["1", "2"]
    assert all(line.endswith("0:01") and len(line) <= 80 for line in lines)
