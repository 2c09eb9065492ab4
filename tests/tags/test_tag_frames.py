"""The table of frames, against what mutagen knows about the versions of ID3."""

from mutagen.id3 import Frames_2_2

from playshuffle.tags.tag_frames import ID3_FRAMES, ID3V22_OTHERS, ID3V22_TEXTS

LATER_NAMES = {name: frame.__bases__[0].__name__ for name, frame in Frames_2_2.items()}


def test_every_frame_that_holds_a_field_is_listed_by_its_name_in_version_22() -> None:
    holding_a_field = {name.encode() for name, later in LATER_NAMES.items() if later in ID3_FRAMES}

    assert {*ID3V22_TEXTS, *ID3V22_OTHERS} == holding_a_field


def test_the_names_of_version_22_stand_for_those_of_version_23() -> None:
    assert {name.decode(): later for name, later in ID3V22_TEXTS.items()}.items() <= LATER_NAMES.items()
