"""XSPF files can be read back, and files from other programs do no harm."""

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
    """Write a playlist of these files in /m."""
    lines = XSPF.text.lines(folder_of(b"/m/", names, tags), style, here, with_extinf=True)
    comments = [("ORDER", "random"), ("SEED", "<&> 1"), ("PLAYLIST", "Calm & <1>")]
    return b"".join(XSPF.text(lines, range(len(names)), comments))


@given(
    names=st.lists(st.sampled_from([path for path in PATHS if b"/" not in path]), min_size=1, unique=True),
    style=st.sampled_from(PathStyle),
    here=st.sampled_from([b"/m", b"/", b"/lists/deep"]),
    tags=st.builds(Tags, st.just(1500), st.text(), st.text()),
)
def test_entries_of_xspf_are_read_back_as_they_were_written(
    names: list[bytes], style: PathStyle, here: bytes, tags: Tags
) -> None:
    """Every name and every tag, in every style, from every folder."""
    content = written(names, style, here, tags)

    read = XSPF.read(content, here)

    assert read.paths == [b"/m/" + name for name in names]
    assert (read.foreign, read.comments) == (0, {"ORDER": "random", "SEED": "<&> 1"})
    assert re.match(XSPF.mark, content)


TAGS = Tags(1500, "T & <t>", "A - B")


def test_xspf_follows_its_specification() -> None:
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


def test_a_playlist_from_another_program_is_read() -> None:
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
def test_broken_xml_and_document_types_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"is no XML|document type"):
        XSPF.read(content, b"/m")


def test_the_suffix_decides_the_format_in_any_case_of_letters() -> None:
    assert format_of(b"/x/a.XSPF") is XSPF
    assert format_of(b"/x.xspf/a") is FORMATS[b".m3u"]
