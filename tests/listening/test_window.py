"""The rules by which a queue of MPD is compared with the one that was seen last."""

from collections.abc import Sequence

import pytest

from playshuffle.listening.saved_windows import load_window, save_window, window_file
from playshuffle.listening.window import MpdState, Phase, QueueEntry, Window


def window(ours: str, ids: str, song: str | None = None, state: str = "play", **more: object) -> Window:
    """Return a window whose entries are the letters of `ours` in a queue: upper case waits, `song` plays."""
    phases = {song: Phase.CURRENT}
    entries = tuple(QueueEntry(f"{id_}.ogg", id_, phases.get(id_, Phase.WAITING)) for id_ in ours)
    return Window(entries=entries, ids=tuple(ids), song=song, state=state)._replace(**more)  # type: ignore[arg-type]


def looked(
    before: Window, ids: str, song: str | None, state: str = "play", *, is_late: bool = False, **modes: bool
) -> tuple[Window, str]:
    after, moved = before.compared(MpdState(tuple(ids), song, state, **modes), is_late=is_late)
    return after, "".join(entry.id for entry in moved)


def passed(after: Window) -> tuple[str, str]:
    """Return the ids of the tracks that were played, and of those that the person removed."""
    return names(after.played), names(after.removed)


def names(uris: Sequence[str]) -> str:
    return "".join(uri.removesuffix(".ogg") for uri in uris)


def test_an_entry_is_done_when_it_was_the_current_one_and_no_longer_is() -> None:
    after, moved = looked(window("ABC", "ABC", "A"), "ABC", "B")

    assert (passed(after), moved) == (("A", ""), "")
    assert [entry.phase for entry in after.entries] == [Phase.DONE, Phase.CURRENT, Phase.WAITING]


def test_a_removed_entry_that_waited_is_given_back() -> None:
    assert passed(looked(window("ABC", "ABC", "A"), "AC", "A")[0]) == ("", "B")


def test_a_stop_and_the_next_play_do_not_end_the_current_entry() -> None:
    stopped, _ = looked(window("ABC", "ABC", "A"), "ABC", "A", "stop")

    assert passed(looked(stopped, "ABC", "A")[0]) == ("", "")


def test_a_cleared_queue_gives_back_what_waited_and_ends_the_current_entry() -> None:
    assert passed(looked(window("ABC", "ABC", "A"), "", None, "stop")[0]) == ("A", "BC")


@pytest.mark.parametrize("is_late", [False, True])
def test_a_jump_to_another_entry_of_ours_skips_those_before_it(is_late: bool) -> None:
    after, moved = looked(window("ABCD", "ABCD", "A"), "ABCD", "D", is_late=is_late)

    assert (passed(after), moved) == (("ABC", ""), "")


def test_a_jump_to_a_track_of_the_persons_moves_ours_behind_it_instead_of_skipping_them() -> None:
    after, moved = looked(window("ABC", "ABCx", "A"), "ABCx", "x")

    assert (passed(after), moved) == (("A", ""), "BC")


def test_what_stands_before_the_current_track_at_the_first_look_was_played() -> None:
    assert passed(looked(window("ABC", "ABCx", "A"), "ABCx", "x", is_late=True)[0]) == ("ABC", "")


def test_in_consume_mode_an_entry_that_vanished_before_the_new_current_one_was_played() -> None:
    after, _ = looked(window("ABCD", "ABCD", "A"), "D", "D", consumes=True)
    removed, _ = looked(window("ABCD", "ABCD", "A"), "ABD", "A", consumes=True)

    assert (passed(after), passed(removed)) == (("ABC", ""), ("", "C"))


def test_when_the_queue_ran_out_all_was_played_but_entries_that_were_added_meanwhile() -> None:
    after, _ = looked(window("ABC", "AB", "A"), "ABC", None, "stop")

    assert passed(after) == ("AB", "")
    assert names([entry.uri for entry in after.waiting]) == "C"


def test_in_random_mode_positions_mean_nothing() -> None:
    after, moved = looked(window("ABCD", "ABCD", "A"), "ABCD", "D", is_random=True)

    assert (passed(after), moved) == (("A", ""), "")


def test_while_mpd_is_stopped_the_tracks_of_the_person_come_before_ours() -> None:
    stopped = window("ABC", "ABC", None, "stop")

    assert looked(stopped, "ABCxy", None, "stop")[1] == "ABC"
    assert looked(stopped, "xyABC", None, "stop")[1] == ""


def queue(ids: str, names_: str) -> list[tuple[str, str]]:
    return [(id_, f"{name}.ogg") for id_, name in zip(ids, names_, strict=True)]


def test_after_a_restart_of_mpd_entries_are_found_by_uri_at_the_nearest_position() -> None:
    found, over = window("ABC", "xABCy", "A").found_again(queue("12345", "xABCB"), 1, 99)

    assert ([entry.id for entry in found.entries], over) == (["2", "3", "4"], [])


def test_with_the_older_queue_of_a_killed_mpd_what_was_played_or_removed_goes_and_what_is_lost_returns() -> (
    None
):
    before, _ = looked(window("ABCD", "ABCD", "A"), "ABD", "A")
    before, _ = looked(before, "ABD", "B")
    found, over = before.found_again(queue("1234", "ABCx"), 0, 99)

    assert over == ["3", "1"]
    assert names([entry.uri for entry in found.entries if entry.id not in over]) == "B"
    assert names(found.reserve) == "D"


def test_an_entry_that_was_added_before_a_kill_and_not_saved_is_found() -> None:
    found, _ = window("A", "A", "A", reserve=("B.ogg", "C.ogg")).found_again(queue("AB", "AB"), 0, 0)

    assert ([entry.id for entry in found.entries], names(found.reserve)) == (["A", "B"], "C")


def test_a_deal_without_a_waiting_track_removes_it_from_the_queue() -> None:
    after, out = window("ABC", "ABC", "A").with_deal((1, 2), ["A.ogg", "C.ogg", "D.ogg"])

    assert (out, names(after.reserve), after.deal) == (["B"], "D", (1, 2))


def test_a_played_track_is_in_the_reserve_again_if_the_next_round_has_dealt_it() -> None:
    after, _ = looked(window("AB", "AB", "A"), "AB", "B")

    assert names(after.with_deal((2, 1), ["B.ogg", "A.ogg"])[0].reserve) == "A"


def test_a_saved_window_is_loaded_again_and_a_damaged_one_is_empty() -> None:
    path, saved = window_file(b"/list.m3u"), window("AB", "AB", "A", removed=("\udcff.ogg",))
    save_window(path, saved)
    assert load_window(path) == saved

    with open(path, "ab") as file:
        file.write(b"]")
    assert load_window(path) == Window()
