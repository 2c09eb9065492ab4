"""A real Syncthing synchronises an export that keeps file names, and a deck that two computers deal."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.exporting.test_kept_names import copies, expected, keep, library, states
from tests.pipeline.test_other_computers import Computer
from tests.support.library import NOON
from tests.support.program import listed
from tests.support.service import wait_for
from tests.support.syncthing import shared

pytestmark = pytest.mark.process

_LISTED, _HEARD = 60, 5


def test_syncthing_transfers_and_deletes_only_the_copies_that_an_export_replaced(tmp_path: Path) -> None:
    music, computer, phone = (tmp_path / name for name in ("Music", "computer", "phone"))
    files = library(music, 100)
    keep(files[:_LISTED], computer)
    with shared(tmp_path, computer, phone) as (sender, receiver):
        receiver.finished_items()
        for first in (_HEARD, 2 * _HEARD):
            before, list_before = states(phone), copies(phone)
            wanted = files[first : first + _LISTED]

            keep(wanted, computer)
            sender.scan()
            wait_for(lambda: sender.is_equal(receiver))

            assert copies(phone) == expected(wanted, music)
            assert len(before.items() & states(phone).items()) == _LISTED - _HEARD
            new, old = copies(phone).keys() - list_before.keys(), list_before.keys() - copies(phone).keys()
            assert len(new) == len(old) == _HEARD
            assert {item for item in receiver.finished_items() if item[0].endswith(".mp3")} == {
                *((name, "update") for name in new),
                *((name, "delete") for name in old),
            }


def test_tracks_in_a_conflict_copy_that_syncthing_made_of_a_deck_are_not_dealt_again(tmp_path: Path) -> None:
    ann, bob = Computer(tmp_path, "ann", 9), Computer(tmp_path, "bob", 0)
    with shared(tmp_path, ann.music, bob.music) as (one, two):
        one.pause(two)
        wait_for(lambda: not one.is_connected(two))
        for computer, program in ((ann, one), (bob, two)):
            computer.deal(NOON, seed=computer.name)
            program.scan()
        apart = {*listed(ann.list), *listed(bob.list)}
        one.resume(two)
        wait_for(lambda: ann.copies and bob.copies and ann.content == bob.content)

        dealt = ann.deal(NOON + timedelta(days=1))

    assert {bytes(path) for path in ann.copies} <= {note.about for note in dealt.report.notes}
    assert not apart.intersection(listed(ann.list))
    assert {f"{index:02}.mp3" for index in dealt.deck.dealt} == {*apart, *listed(ann.list)}
