"""XSPF playlists of playshuffle can be read back, and XSPF files of other programs do no harm."""

import re
from array import array
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.extinf import extinf
from playshuffle.library.folder import Folder
from playshuffle.playlist.formats import FORMATS, format_of
from playshuffle.playlist.m3u import PathStyle
from playshuffle.tags.reading import Tags
from tests.support.hostile import PATHS

XSPF = FORMATS[b".xspf"]


def folder_of(path: bytes, names: list[bytes], tags: Tags) -> Folder:
    return Folder(
        path, 0, 0, 0, 0, b"", True, False, b"", b"/".join(names),
        bytes(32 * len(names)),
        array("I", [tags.duration_ms or 0] * len(names)).tobytes(),
        b"\0".join(extinf(tags, name) for name in names),
        tags.artist.encode(errors="replace").replace(b"\0", b" "),
    )  # fmt: skip


def written(names: list[bytes], style: PathStyle, here: bytes, tags: Tags) -> bytes:
    """Return the text of a playlist in the folder `here` with these files of the folder /m."""
    lines = XSPF.text.lines(folder_of(b"/m/", names, tags), style, here, with_extinf=True)
    comments = [("ORDER", "random"), ("SEED", "<&> 1"), ("PLAYLIST", "Calm & <1>")]
    return b"".join(XSPF.text(lines, range(len(names)), comments))


@given(
    names=st.lists(st.sampled_from([path for path in PATHS if b"/" not in path]), min_size=1, unique=True),
    style=st.sampled_from(PathStyle),
    here=st.sampled_from([b"/m", b"/", b"/lists/deep"]),
    tags=st.builds(Tags, st.just(1500), st.text(), st.text()),
)
def test_the_entries_read_from_an_xspf_playlist_are_those_that_were_written(
    names: list[bytes], style: PathStyle, here: bytes, tags: Tags
) -> None:
    """For every file name, tag, path style and folder of the playlist."""
    content = written(names, style, here, tags)

    read = XSPF.read(content, here)

    assert read.paths == [b"/m/" + name for name in names]
    assert (read.foreign, read.comments) == (0, {"ORDER": "random", "SEED": "<&> 1"})
    assert re.match(XSPF.mark, content)


TAGS = Tags(1500, "T & <t>", "A - B")


def test_an_xspf_playlist_has_the_elements_of_the_xspf_specification() -> None:
    content = written([b"a b.mp3", b"#1.mp3"], PathStyle.RELATIVE, b"/", TAGS)
    space = "{http://xspf.org/ns/0/}"
    root = ElementTree.fromstring(content)

    assert (root.tag, root.get("version")) == (f"{space}playlist", "1")
    assert root.findtext(f"{space}title") == "Calm & <1>"
    tracks = root.findall(f"{space}trackList/{space}track")
    assert [track.findtext(f"{space}location") for track in tracks] == ["m/a%20b.mp3", "m/%231.mp3"]
    assert [tracks[0].findtext(space + tag) for tag in ("title", "creator", "duration")] == [
        "T & <t>", "A - B", "1500",
    ]  # fmt: skip


def test_the_first_location_of_each_track_is_read_from_an_xspf_file_of_another_program() -> None:
    content = (
        b"<playlist><trackList><track><location> file:///a%20b </location><location>/z</location></track>"
        b"<track><title>x</title></track><track><location>http://h/x</location></track>"
        b"<track><location>c/d%C3%A9</location></track></trackList></playlist>"
    )
    read = XSPF.read(content, b"/m")

    assert (read.paths, read.foreign, read.comments) == ([b"/a b", b"/m/c/d\xc3\xa9"], 1, {})


@pytest.mark.parametrize(
    "content",
    [
        b"no xml",
        b"<playlist>",
        b'<?xml version="1.0" encoding="UTB-8"?><playlist/>',
        b'<!DOCTYPE p [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><playlist>&b;</playlist>',
        b'<!DOCTYPE p SYSTEM "file:///etc/passwd"><playlist/>',
    ],
)
def test_broken_xml_and_xml_with_a_document_type_are_refused_as_a_playlist(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"is no XML|document type"):
        XSPF.read(content, b"/m")


def test_the_suffix_of_a_playlist_decides_its_format_in_any_letter_case() -> None:
    assert format_of(b"/x/a.XSPF") is XSPF
    assert format_of(b"/x.xspf/a") is FORMATS[b".m3u"]
