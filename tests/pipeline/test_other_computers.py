"""Test computers that deal the same list, in a folder that a synchroniser copies between them."""

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.deck import Deal
from playshuffle.dealing.other_deals import deal_comment, dealt_comments, read_comment, read_dealt
from playshuffle.dealing.period import Every, is_new_period
from playshuffle.errors import PlayshuffleError
from playshuffle.pipeline import deal as dealing
from playshuffle.pipeline.deal import Dealt
from playshuffle.pipeline.keep import update
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.request import Request
from playshuffle.store import records
from tests.support.library import NO_TAGS, NOON, put, tools, undo_deal
from tests.support.program import listed

CONFLICT = "today.sync-conflict-20260328-1200{:02}-ABCDEFG.m3u"


class KilledError(Exception):
    """Stands for a kill."""


class Computer:
    """A computer with a copy of the shared folder; `versions` counts the changes of each computer."""

    def __init__(self, top: Path, name: str, tracks: int) -> None:
        self.name, self.home, self.music = name, top / name, top / name / f"at {name}/Music"
        put(self.music, *(f"{number:02}.mp3" for number in range(tracks)))
        self.list = self.music / "today.m3u"
        self.versions = Counter[str]()

    @property
    def content(self) -> bytes:
        return self.list.read_bytes() if self.list.exists() else b""

    @property
    def copies(self) -> set[Path]:
        return set(self.music.glob("today.sync-conflict-*"))

    @contextmanager
    def state(self) -> Iterator[None]:
        places = {f"XDG_{kind}_HOME": str(self.home / kind) for kind in ("STATE", "CACHE")}
        with mock.patch.dict(os.environ, places):
            yield

    def deal(
        self,
        now: datetime,
        count: int = 3,
        *,
        every: Every = Every.DAY,
        seed: str = "seed",
        act: Callable[..., Any] = dealing.deal,
        **how: bool,
    ) -> Dealt:
        request = Request((bytes(self.music),), bytes(self.list), deal=DealSettings(Amount(count), every))
        made = tools(NO_TAGS, seed, now.timestamp())
        with self.state(), open_run(request, made, must_remember=True) as run:
            dealt = act(run, **how)
            assert isinstance(dealt, Dealt)
            return dealt

    def undo(self) -> None:
        with self.state():
            undo_deal(Request((bytes(self.music),), bytes(self.list)), tools(NO_TAGS))

    def take(self, other: "Computer") -> None:
        shutil.copyfile(other.list, self.list)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Computer, Computer]:
    return Computer(tmp_path, "ann", 9), Computer(tmp_path, "bob", 9)


def codes(dealt: Dealt) -> list[str]:
    return [note.code for note in dealt.report.notes]


@pytest.mark.parametrize("act", [dealing.deal, update])  # a command, and the service
@pytest.mark.parametrize("knows_the_list", [False, True])
def test_a_computer_keeps_todays_deal_of_another_one_and_deals_none_of_its_tracks_tomorrow(
    pair: tuple[Computer, Computer], knows_the_list: bool, act: Callable[..., Any]
) -> None:
    ann, bob = pair
    if knows_the_list:
        bob.deal(NOON - timedelta(days=1), seed="bob")
    ann.deal(NOON)
    before = [*listed(bob.list)] if knows_the_list else []
    bob.take(ann)
    todays, content = listed(ann.list), ann.content

    for hours in range(3):
        dealt = bob.deal(NOON + timedelta(hours=hours), act=act)
        assert (dealt.is_new, codes(dealt), bob.content) == (False, ["other_deal"], content)
    assert dealt.report.playlist_length == 3
    dealt = bob.deal(NOON + timedelta(days=1), act=act)

    assert (dealt.is_new, codes(dealt)) == (True, ["other_deal"])
    assert not {*todays, *before}.intersection(listed(bob.list))
    assert codes(bob.deal(NOON + timedelta(days=1))) == []


def test_another_computers_deal_that_arrives_late_counts_and_todays_own_deal_is_written_again(
    pair: tuple[Computer, Computer],
) -> None:
    ann, bob = pair
    ann.deal(NOON - timedelta(days=1), seed="ann")
    bob.deal(NOON)
    todays = listed(bob.list)
    bob.take(ann)

    dealt = bob.deal(NOON)
    assert (codes(dealt), listed(bob.list)) == (["other_deal"], todays)
    assert {f"{index:02}.mp3" for index in dealt.deck.dealt} == {*listed(ann.list), *listed(bob.list)}


def test_another_computers_deal_whose_files_are_missing_here_is_replaced_and_a_note_says_so(
    pair: tuple[Computer, Computer],
) -> None:
    ann, bob = pair
    ann.deal(NOON)
    bob.take(ann)
    for name in listed(ann.list):
        (bob.music / name).unlink()

    dealt = bob.deal(NOON)

    assert (dealt.is_new, codes(dealt)) == (True, ["other_deal"])
    assert len([*listed(bob.list)]) == 3


def test_a_deal_dated_ten_years_ahead_is_replaced_by_the_deal_of_another_computer(
    pair: tuple[Computer, Computer],
) -> None:
    ann, bob = pair
    ann.deal(NOON + timedelta(days=3650), seed="ann")
    bob.deal(NOON)
    ann.take(bob)

    assert (ann.deal(NOON).is_new, ann.content) == (False, bob.content)
    assert ann.deal(NOON + timedelta(days=1)).is_new
    assert not {*listed(ann.list)}.intersection(listed(bob.list))


def test_a_list_that_was_edited_by_hand_is_written_again_and_a_note_says_so(
    pair: tuple[Computer, Computer],
) -> None:
    ann, _ = pair
    ann.deal(NOON)
    content = ann.content
    ann.list.write_bytes(content + b"08.mp3\n")

    dealt = ann.deal(NOON)

    assert (codes(dealt), ann.content, len(dealt.deck.dealt)) == (["changed_by_another"], content, 3)


@pytest.mark.parametrize(
    "name",
    [
        "today.sync-conflict-20261126-081500-ABCDEFG.m3u",
        "today (conflicted copy 2026-11-26 081500).m3u",
        "today (Ann's conflicted copy 2026-11-26).m3u",
        "today (SFConflict ann 2026-11-26-08-15-00).m3u",
        "today_conflict-20261126-081500.m3u",
    ],
)
def test_the_tracks_in_a_conflict_copy_count_as_dealt_and_the_copy_is_kept_and_named_in_a_note(
    pair: tuple[Computer, Computer], name: str
) -> None:
    ann, bob = pair
    ann.deal(NOON, seed="ann")
    bob.deal(NOON, seed="bob")
    shutil.copyfile(ann.list, bob.music / name)

    dealt = bob.deal(NOON + timedelta(days=1), 9)

    assert [note.about for note in dealt.report.notes] == [bytes(bob.music / name)]
    assert not {*listed(ann.list)}.intersection(listed(bob.list)[: 9 - len({*listed(ann.list)})])
    assert (bob.music / name).read_bytes() == ann.content


def test_an_unreadable_or_edited_conflict_copy_does_not_stop_a_deal(pair: tuple[Computer, Computer]) -> None:
    ann, bob = pair
    ann.deal(NOON)
    edited, folder = (bob.music / CONFLICT.format(number) for number in range(2))
    edited.write_bytes(ann.content + b"08.mp3\n")
    folder.mkdir()

    dealt = bob.deal(NOON)

    assert (dealt.is_new, [note.about for note in dealt.report.notes]) == (True, [bytes(edited)])
    assert "It names no deal, or was edited" in dealt.report.notes[0].text


def test_a_comment_with_a_number_of_too_many_digits_names_no_deal() -> None:
    comment = deal_comment(Deal(NOON.date(), (), 1, 1, 1), [b"a.mp3"])[1]
    assert read_comment(comment, [b"a.mp3"]) is not None
    assert read_comment(comment.replace("round=1", f"round={'1' * 5000}"), [b"a.mp3"]) is None


def test_undo_refuses_a_deal_of_another_computer_and_its_tracks_still_count_as_dealt(
    pair: tuple[Computer, Computer],
) -> None:
    ann, bob = pair
    for day in range(2):
        ann.deal(NOON + timedelta(days=day))
    bob.take(ann)
    bob.deal(NOON + timedelta(days=2))
    ann.take(bob)
    todays = ann.content

    with pytest.raises(PlayshuffleError, match="Another computer has dealt"):
        ann.undo()

    assert ann.content == todays
    dealt = {f"{index:02}.mp3" for index in ann.deal(NOON + timedelta(days=2)).deck.dealt}
    assert dealt.issuperset(listed(bob.list))


@pytest.mark.parametrize("is_killed", [False, True])
def test_the_list_after_an_undone_deal_is_not_taken_for_a_list_of_another_computer(
    pair: tuple[Computer, Computer], is_killed: bool
) -> None:
    ann, _ = pair
    ann.deal(NOON)
    before = listed(ann.list)
    ann.undo()
    assert ann.deal(NOON, 2, has_options=True).report.output
    if is_killed:
        with killed("before replace"), pytest.raises(KilledError):
            ann.deal(NOON + timedelta(days=1), 2)
    assert listed(ann.list) == before

    dealt = ann.deal(NOON + timedelta(days=1), 2)

    assert codes(dealt) == []
    assert listed(ann.list) == [f"{index:02}.mp3" for index in dealt.deck.dealt]


def test_three_computers_that_were_off_hear_of_all_deals_of_the_round_from_one_list(tmp_path: Path) -> None:
    """Each deals for some days alone; the last one joins on the seventh day, and knows no earlier list."""
    computers = [Computer(tmp_path, name, 60) for name in ("ann", "bob", "cat")]
    dealt: list[str] = []
    last, day = None, NOON
    for computer, days in zip(computers * 2, (3, 3, 2, 1, 2, 1), strict=True):
        for _ in range(days):
            if last is not None and last is not computer:
                computer.take(last)
            made = computer.deal(day, 5, seed=str(day))
            dealt += listed(computer.list)
            last, day = computer, day + timedelta(days=1)
            facts = made.deck.round, made.deck.number, len(made.deck.dealt), made.deck.since
            assert facts == (1, len(dealt) // 5, len(dealt), NOON.date())
    assert len(dealt) == len(set(dealt)) == 60


@pytest.mark.parametrize("count", [1, 2, 60, 5000])
def test_comments_name_the_dealt_tracks_in_three_bytes_each_and_in_short_lines(count: int) -> None:
    names = [b"Artist/Album/%05d.mp3" % number for number in range(2 * count)]
    chance = random.Random(count)
    dealt = sorted(chance.sample(range(2 * count), count))
    others = [name for index, name in enumerate(names) if index not in set(dealt)]

    comments = dealt_comments(3, NOON.date(), [names[index] for index in dealt], others)

    assert read_dealt(dict(comments), names) == (3, NOON.date(), dealt)
    assert sum(len(text) for _, text in comments[1:]) <= 3 * count + 4
    assert max(len(text) for _, text in comments) < 950
    for key, text in comments:
        for broken in ("", text[:-1], text + "A", "é" + text[1:], "9" * 40):
            assert read_dealt({**dict(comments), key: broken}, names) is None


# A model


class Listed(NamedTuple):
    """A deal in the list of a computer.

    Attributes:
        pairs: each track with the round in which it was dealt.
        told: pairs of its last round that the computer knew when it wrote the list.
    """

    computer: str
    day: datetime
    number: tuple[int, int]
    pairs: frozenset[tuple[str, int]]
    told: frozenset[tuple[str, int]] = frozenset()


class Shared:
    """Three computers. The synchroniser copies in any order, and keeps a conflict copy or does not."""

    def __init__(self, top: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.tracks = 14
        self.computers = [Computer(top, name, self.tracks) for name in ("ann", "bob", "cat")]
        self.now, self.made, self.copies = NOON, 0, 0
        self.deals: dict[bytes, Listed] = {}  # by the content of the list
        self.writers: dict[bytes, set[str]] = {b"": set()}  # several may write the same
        self.seen: dict[str, list[Listed]] = {each.name: [] for each in self.computers}
        self.glimpsed: dict[str, list[Listed]] = {each.name: [] for each in self.computers}
        self.off_until = {each.name: NOON for each in self.computers}
        self.found = Counter[str]()  # how often each thing happened

    def step(self) -> None:
        acts = [self.run] * 4 + [self.synchronise] * 4 + [self.wait] * 2 + [self.remove_copies]
        on = [computer for computer in self.computers if self.off_until[computer.name] <= self.now]
        if len(on) < 2:
            self.wait()
            return
        if self.chance.random() < 0.02:
            days = self.chance.choice((2, 4, 9))  # a round is about 6 deals
            self.off_until[self.chance.choice(on).name] = self.now + timedelta(days=days)
            self.found["off"] += 1
        one, other = self.chance.sample(on, 2)
        self.chance.choice(acts)(one, other)

    def wait(self, *_: Computer) -> None:
        self.now += timedelta(hours=self.chance.choice((1, 6, 24, 24)))

    def remove_copies(self, *_: Computer) -> None:
        """The user removes conflict copies that each computer has seen."""
        for copy in {path.name for each in self.computers for path in each.copies}:
            lists = [each.music / copy for each in self.computers]
            contents = {path.read_bytes() for path in lists if path.exists()}
            if all(self.deals[text] in seen for text in contents for seen in self.seen.values()):
                for path in lists:
                    path.unlink(missing_ok=True)

    def synchronise(self, source: Computer, target: Computer) -> None:
        for copy in source.copies - target.copies:
            shutil.copyfile(copy, target.music / copy.name)
        newer, older = source.versions - target.versions, target.versions - source.versions
        if not newer or (older and self.chance.random() < 0.5):
            return
        if older and self.chance.random() < 0.7:
            self.copies += 1
            self.found["conflict"] += 1
            target.list.rename(target.music / CONFLICT.format(self.copies))
        target.take(source)
        target.versions |= source.versions

    def run(self, computer: Computer, _: Computer) -> None:
        is_now, kill = self.chance.random() < 0.15, self.chance.choice(("", "", "", *KILLS))
        before, copies = computer.content, computer.copies
        visible = [self.deals[text] for text in {before, *(path.read_bytes() for path in copies)} if text]
        self.glimpsed[computer.name] += visible
        self.made += 1
        dealt, count = None, self.chance.randrange(1, 5)
        with killed(kill):
            try:
                dealt = computer.deal(self.now, count, seed=str(self.made), is_now=is_now)
            except KilledError:
                self.found["killed"] += 1
        assert computer.copies == copies
        # A killed run may have saved nothing.
        if dealt is not None or computer.content != before:
            self.seen[computer.name] += [each for each in visible if each not in self.seen[computer.name]]
        if dealt is not None:
            self.check_words(computer, dealt, before)
        if computer.content != before:
            self.check_deal(computer, before, is_now=is_now)

    def check_words(self, computer: Computer, dealt: Dealt, before: bytes) -> None:
        about = {note.about for note in dealt.report.notes if note.code == "conflict_copy"}
        assert about == {bytes(path) for path in computer.copies}
        if before and computer.name not in self.writers[before] and computer.content != before:
            assert "other_deal" in codes(dealt), "it was replaced without a word"
            self.found["replaced"] += 1

    def check_deal(self, computer: Computer, before: bytes, *, is_now: bool) -> None:
        """Check a list that was written: no track was dealt twice, and none is lost."""
        computer.versions[computer.name] += 1
        self.writers.setdefault(computer.content, set()).add(computer.name)
        if before and computer.name not in self.writers[before] and not is_now:
            assert is_new_period(Every.DAY, self.now, self.deals[before].day.date()), "it did not stand"
        new, seen = self.read(computer), self.seen[computer.name]
        others = [each for each in seen if (each.computer, each.number) != (computer.name, new.number)]
        known = frozenset[tuple[str, int]]().union(*(each.pairs | each.told for each in others))
        last = max(number for _, number in new.pairs)
        told = frozenset(pair for pair in known | new.pairs if pair[1] == last)
        for each in seen:  # its own deal or one of another computer, with more that was dealt
            if each[1:4] == new[1:4]:
                self.found["written again"] += 1
                self.deals[computer.content] = each._replace(told=told | each.told)
                return
        new = new._replace(told=told)
        assert new.pairs.isdisjoint(known), "a track was dealt twice in a round"
        rounds = {number for _, number in new.pairs}
        for number in rounds - {number for _, number in known} - {1}:
            self.found["rounds"] += 1
            of_round = {track for each in self.deals.values() for track, at in each.pairs if at == number - 1}
            of_round |= {track for track, at in new.pairs if at == number - 1}
            glimpsed = self.glimpsed[computer.name]
            late = {
                track for each in (*seen, *glimpsed) for track, at in each.pairs | each.told if at < number
            }
            assert len(of_round | late) == self.tracks, "a track was lost"
        self.found["dealt"] += 1
        self.deals[computer.content] = new
        seen.append(new)

    def read(self, computer: Computer) -> Listed:
        comment = next(line for line in computer.list.read_text().splitlines() if "-DEAL:" in line)
        facts = dict(fact.split("=") for fact in comment.split()[1:])
        names = listed(computer.list)
        cut = len(names) - int(facts["next"])
        number = int(facts["round"]), int(facts["deal"].split("/")[0])
        pairs = frozenset((name, number[0] + (at >= cut)) for at, name in enumerate(names))
        day = datetime.fromisoformat(comment.split()[0].partition(":")[2])
        return Listed(computer.name, day, number, pairs)


KILLS = ("before commit", "before replace", "before confirm")


@contextmanager
def killed(where: str) -> Iterator[None]:
    """Kill a run when it comes to this place; empty for no kill."""
    save = records.save
    saved: list[object] = []

    def saving(*given: Any, **options: Any) -> None:
        if where == "before commit" or (where == "before confirm" and saved):
            raise KilledError
        save(*given, **options)
        saved.append(given)
        if where == "before replace":
            raise KilledError

    with mock.patch.object(records, "save", saving if where else save):
        yield


@pytest.mark.parametrize("steps", [400, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(3600)
def test_three_synchronised_computers_deal_no_track_twice_and_lose_none(tmp_path: Path, steps: int) -> None:
    shared = Shared(tmp_path, seed=steps)
    for _ in range(steps):
        shared.step()
    assert shared.found.keys() == {
        "killed", "conflict", "replaced", "written again", "rounds", "dealt", "off"
    }  # fmt: skip
