"""The rules by which a queue of MPD is compared with the one that was seen last."""

import random
from collections import Counter
from collections.abc import Iterable

import pytest

from playshuffle.dealing.fed import Fed, Outcome
from playshuffle.listening.feed import Feeder
from playshuffle.listening.saved_windows import load_window, save_window, window_file
from playshuffle.listening.window import Decision, QueueLook, Window, decide


def entries(ids: Iterable[str]) -> dict[str, str]:
    return {id_: f"{id_}.ogg" for id_ in ids}


def queue(ids: str, song: str | None = None, state: str = "play", uris: str = "", **status: str) -> QueueLook:
    """Return a queue with these ids; the URIs have the same letters if no others are given."""
    if song is not None:
        status |= {"song": str(ids.index(song)), "songid": song}
    status = {"playlist": "1", "state": state, **status}
    uris_by_id = {id_: f"{uri}.ogg" for id_, uri in zip(ids, uris or ids, strict=True)}
    return QueueLook(uris_by_id, status)


def window(ours: str, ids: str, song: str | None = None, state: str = "play", **more: object) -> Window:
    """Return a window with the letters of `ours` ahead in a queue."""
    status = queue(ids, song, state).status
    return Window(ahead=entries(ours), status=status)._replace(**more)  # type: ignore[arg-type]


def marked(step: Decision) -> tuple[str, str]:
    """Return the ids of the tracks that were played, and of those that the person removed."""
    return uris_with(step.window, Outcome.PLAYED), uris_with(step.window, Outcome.REMOVED)


def uris_with(after: Window, outcome: Outcome) -> str:
    return names(uri for uri, other in after.outcomes.items() if other == outcome)


def names(uris: Iterable[str]) -> str:
    return "".join(uri.removesuffix(".ogg") for uri in uris)


def ids_of(step: Decision, command: str) -> str:
    return "".join(id_ for name, id_, *_ in step.commands if name == command)


def test_an_entry_is_done_when_it_was_the_current_one_and_no_longer_is() -> None:
    step = decide(window("ABC", "ABC", "A"), queue("ABC", "B"))

    assert (marked(step), step.commands, step.missing) == (("A", ""), [], 1)
    assert ([*step.window.past], [*step.window.ahead]) == (["A"], ["B", "C"])


def test_a_removed_entry_that_waited_is_given_back() -> None:
    assert marked(decide(window("ABC", "ABC", "A"), queue("AC", "A"))) == ("", "B")


def test_a_stop_and_the_next_play_do_not_end_the_current_entry() -> None:
    stopped = decide(window("ABC", "ABC", "A"), queue("ABC", "A", "stop")).window

    assert marked(decide(stopped, queue("ABC", "A"))) == ("", "")


def test_a_cleared_queue_gives_back_what_waited_and_ends_the_current_entry() -> None:
    step = decide(window("ABC", "ABC", "A"), queue("", None, "stop"))

    assert (marked(step), step.window.plays_on) == (("A", "BC"), False)


def test_a_queue_that_another_program_has_replaced_has_not_run_out() -> None:
    step = decide(window("ABC", "ABC", "A"), queue("xy", None, "stop"))

    assert (marked(step), step.window.plays_on) == (("A", "BC"), False)


def test_a_jump_to_another_entry_of_ours_skips_those_before_it() -> None:
    step = decide(window("ABCD", "ABCD", "A"), queue("ABCD", "D"))

    assert (marked(step), step.commands) == (("ABC", ""), [])


def test_a_jump_to_a_track_of_the_person_moves_ours_behind_it_instead_of_skipping_them() -> None:
    step = decide(window("ABC", "ABCx", "A"), queue("ABCx", "x"))

    assert (marked(step), ids_of(step, "moveid")) == (("A", ""), "BC")


def test_in_consume_mode_an_entry_that_vanished_before_the_new_current_one_was_played() -> None:
    before = window("ABCD", "ABCD", "A")

    assert marked(decide(before, queue("D", "D", consume="1"))) == ("ABC", "")
    assert marked(decide(before, queue("ABD", "A", consume="1"))) == ("", "C")


def test_when_the_queue_ran_out_all_was_played_but_entries_that_were_added_meanwhile() -> None:
    step = decide(
        window("AB", "AB", "A", added=entries("CD"), reserve=["E.ogg"]), queue("ABCD", None, "stop")
    )
    assert (marked(step), step.missing, step.commands) == (("AB", ""), 1, [])

    step = decide(step.window._replace(added=entries("E")), queue("ABCDE", None, "stop"))
    assert (step.missing, step.commands) == (0, [("playid", "C")])


def test_a_queue_has_run_out_even_if_mpd_was_asked_just_before_it_had_no_song_any_more() -> None:
    ending = decide(window("AB", "AB", "B"), queue("AB", "B", "stop"))
    step = decide(ending.window, queue("AB", None, "stop"))

    assert (marked(ending), marked(step), step.window.plays_on) == (("A", ""), ("AB", ""), True)


def test_in_single_mode_nothing_plays_on() -> None:
    now = queue("AB", None, "stop", single="1")

    assert not decide(window("AB", "AB", "A"), now).window.plays_on


def test_in_random_mode_positions_mean_nothing_and_played_entries_go() -> None:
    step = decide(window("ABCD", "ABCD", "A"), queue("ABCD", "D", random="1"))

    assert (marked(step), ids_of(step, "moveid"), ids_of(step, "deleteid")) == (("A", ""), "", "A")


def test_while_mpd_is_stopped_the_tracks_of_the_person_come_before_ours() -> None:
    stopped = window("ABC", "ABC", None, "stop")

    assert ids_of(decide(stopped, queue("ABCxy", None, "stop")), "moveid") == "ABC"
    assert decide(stopped, queue("xyABC", None, "stop")).commands == []


def test_fifty_played_entries_stay_in_the_queue() -> None:
    ids = "".join(map(chr, range(0x4E00, 0x4E00 + 60)))
    step = decide(window(ids[-1], ids, ids[-1], past=entries(ids[:-1])), queue(ids, ids[-1]))

    assert ids_of(step, "deleteid") == ids[:9]


@pytest.mark.parametrize("counts_plays", [False, True])
def test_a_skipped_track_comes_again_in_a_deck_that_counts_plays(counts_plays: bool) -> None:
    before = window("ABC", "ABC", "A", deal=Fed(counts_plays=counts_plays))

    skipped, played = decide(before, queue("ABC", "B")), queue("ABC", "B")._replace(plays={"A.ogg"})
    assert uris_with(skipped.window, Outcome.SKIPPED) == "A" * counts_plays
    assert marked(decide(before, played)) == ("A", "")


def test_tracks_are_given_back_while_mpd_can_play_none() -> None:
    failing = queue("ABC", "B", error="no such file")._replace(is_failing=True)

    assert marked(decide(window("ABC", "ABC", "A"), failing)) == ("", "A")


def connected(before: Window, now: QueueLook) -> tuple[str, str, str, str]:
    """Return our current entry, the removed entries, the tracks to add, and those that were played."""
    after, out = before.connected(now)
    return "".join(after.ahead), "".join(out), names(after.reserve), uris_with(after, Outcome.PLAYED)


def test_after_a_connection_entries_that_wait_are_added_again() -> None:
    before = window("ABC", "xABCy", "A", reserve=["D.ogg"])
    restarted = queue("12345", "2", uris="xABCy", playlist="0")

    assert connected(before, queue("xABCy", "A")) == ("A", "BC", "BCD", "")
    assert connected(before, restarted) == ("2", "34", "BCD", "")


def test_what_mpd_has_passed_while_nobody_looked_was_played() -> None:
    before = window("ABC", "ABCx", "A")

    assert connected(before, queue("ABCx", "x")) == ("", "", "", "ABC")
    assert connected(before, queue("ABC", None, "stop")) == ("", "ABC", "", "ABC")
    assert connected(before, queue("C", "C", consume="1")) == ("C", "", "", "AB")
    assert connected(before, queue("C", "C")) == ("C", "", "AB", "")


def test_of_the_older_queue_of_a_killed_mpd_what_was_played_or_removed_goes_and_the_current_track_stays() -> (
    None
):
    before = decide(window("ABCD", "ABCD", "A"), queue("ABD", "A")).window
    before = decide(before, queue("ABD", "B")).window

    assert connected(before, queue("1234", "1", uris="ABCx", playlist="0")) == ("", "23", "BD", "A")


def test_a_connection_does_not_remove_a_track_of_the_person_that_is_ours_too() -> None:
    before = decide(window("AB", "ABCx", "A"), queue("ABCx", "B", uris="ABCA")).window

    assert connected(before, queue("1234", "2", uris="ABCA", playlist="0")) == ("2", "", "", "A")


def test_an_entry_that_was_added_before_a_kill_and_not_saved_is_added_again() -> None:
    before = window("A", "A", "A", reserve=("B.ogg", "C.ogg"))

    assert connected(before, queue("AB", "A")) == ("A", "B", "BC", "")


def test_a_deal_without_a_waiting_track_removes_it_from_the_queue() -> None:
    fed = Fed(1, 2, paths=["A.ogg", "C.ogg", "D.ogg"])
    after, out = window("ABC", "ABC", "A").with_deal(fed)

    assert (out, names(after.reserve), after.passed.deal) == (["B"], "D", (1, 2))


def test_a_saved_window_is_loaded_again_and_a_damaged_one_is_empty() -> None:
    path, saved = window_file(b"/list.m3u"), window("AB", "AB", "A", outcomes={"\udcff.ogg": Outcome.REMOVED})
    save_window(path, saved)
    saved = saved._replace(deal=Fed(paths=[]), reserve=[], gone=[], twins=[])
    assert load_window(path) == saved

    with open(path, "ab") as file:
        file.write(b"]")
    assert load_window(path) == Window()


class Player:
    """A model of MPD's queue and of a person, who counts what becomes of the entries that are not theirs."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.ids: list[int] = []
        self.uris: dict[int, str] = {}
        self.song: int | None = None
        self.state = "stop"
        self.modes = {"consume": "0", "random": "0", "single": "0"}
        self.truth: Counter[tuple[str, str]] = Counter()
        self.ours: set[int] = set()
        self.done: set[int] = set()
        self.theirs: list[int] = []

    def add(self, uri: str, place: int, *, is_ours: bool) -> int:
        id_ = len(self.uris) + 1
        self.uris[id_] = uri
        self.ids.insert(place, id_)
        if is_ours:
            self.ours.add(id_)
        else:
            self.theirs.append(id_)
        return id_

    def _end(self, id_: int, outcome: str) -> None:
        if id_ in self.ours and id_ not in self.done:
            self.done.add(id_)
            self.truth[self.uris[id_], outcome] += 1

    def _go(self, id_: int | None, *, removes: bool) -> None:
        last, self.song = self.song, id_
        if last is not None and last != id_:
            self._end(last, Outcome.PLAYED)
            if removes and self.modes["consume"] == "1":
                self._drop(last)
        if id_ is None:
            self.state = "stop"

    def _drop(self, id_: int) -> None:
        self.ids.remove(id_)
        if id_ in self.theirs:
            self.theirs.remove(id_)

    def act(self) -> None:
        name = self.random.choice(
            [
                "finish",
                "next",
                "previous",
                "insert",
                "delete",
                "move",
                "jump",
                "stop",
                "clear",
                "play",
                "consume",
            ]
        )
        getattr(self, name)()

    def finish(self) -> None:
        if self.song is None or self.state != "play":
            return
        place = self.ids.index(self.song) + 1
        self._go(self.ids[place] if place < len(self.ids) else None, removes=True)

    next = finish

    def previous(self) -> None:
        if self.song is not None and self.state == "play" and self.ids.index(self.song):
            self._go(self.ids[self.ids.index(self.song) - 1], removes=False)

    def insert(self) -> None:
        uri = self.random.choice(["mine", "ours1", "ours2"])
        self.add(uri, self.random.randrange(len(self.ids) + 1), is_ours=False)

    def delete(self) -> None:
        if self.ids and (id_ := self.random.choice(self.ids)) != self.song:
            self._end(id_, Outcome.REMOVED)
            self._drop(id_)

    def move(self) -> None:
        if self.ids:
            id_ = self.random.choice(self.ids)
            if id_ != self.song:
                self.move_to(id_, self.random.randrange(len(self.ids)))

    def move_to(self, id_: int, place: int) -> None:
        self.ids.remove(id_)
        self.ids.insert(place, id_)

    def jump(self) -> None:
        if self.ids:
            self.state = "play"
            self._go(self.random.choice(self.ids), removes=False)

    def stop(self) -> None:
        self.state = "stop"

    def play(self) -> None:
        if self.ids:
            self.state = "play"
            self._go(self.song or self.ids[0], removes=False)

    def clear(self) -> None:
        self._go(None, removes=False)
        for id_ in [*self.ids]:
            self._end(id_, Outcome.REMOVED)
            self._drop(id_)

    def consume(self) -> None:
        self.modes["consume"] = self.random.choice("01")

    def look(self) -> QueueLook:
        status = {"state": self.state, "playlist": "1", **self.modes}
        if self.song is not None:
            status |= {"song": str(self.ids.index(self.song)), "songid": str(self.song)}
            # Ours before one of ours that was begun are skipped.
            if self.song in self.ours and self.song not in self.done:
                for id_ in self.ids[: self.ids.index(self.song)]:
                    self._end(id_, Outcome.PLAYED)
        return QueueLook({str(id_): self.uris[id_] for id_ in self.ids}, status)

    def obey(self, step: Decision, uris: Iterable[str]) -> Window:
        """Run the commands, and add tracks."""
        for name, id_, *place in step.commands:
            assert int(id_) in self.ours
            if name == "moveid":
                self.move_to(int(id_), int(place[0]))
            elif name == "deleteid":
                assert int(id_) in self.done
                self._drop(int(id_))
            else:
                self.state = "play"
                self._go(int(id_), removes=False)
        uris = iter(uris)
        added = {}
        for _ in range(step.missing):
            uri = next(uris)
            added[str(self.add(uri, len(self.ids), is_ours=True))] = uri
        return step.window._replace(added=added)


@pytest.mark.parametrize("seed", range(40))
def test_whatever_a_person_does_each_of_our_entries_is_counted_once_and_theirs_stay(seed: int) -> None:
    player, after = Player(seed), Window(reserve=["next"])
    uris = (f"ours{number}" for number in range(10_000))
    counted: Counter[tuple[str, str]] = Counter()
    for _ in range(100):
        theirs = [*player.theirs]
        for _ in range(4):
            step = decide(after, player.look())
            assert counted + Counter(step.window.outcomes.items()) == player.truth
            counted += Counter(step.window.outcomes.items())
            after = player.obey(step._replace(window=step.window._replace(outcomes={})), uris)
        assert player.theirs == theirs
        assert len(player.ids) - (player.ids.index(player.song) + 1 if player.song else 0) >= 2
        player.act()


def test_mpds_music_folder_is_found_by_a_track_whose_name_is_utf8() -> None:
    class Client:
        def lsinfo(self, uri: str) -> bool:
            return uri.encode() == b"lib/ok.ogg"

    feeder = Feeder.__new__(Feeder)
    feeder._client, feeder._music = Client(), b""

    assert feeder._found_top(["/music/lib/\udcff.ogg", "/music/lib/ok.ogg"]) == "/music/"
