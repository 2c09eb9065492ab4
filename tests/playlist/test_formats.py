"""XSPF, JSPF and PLS files can be read back, and files from other programs do no harm."""

import json
import re
from array import array
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.extinf import extinf
from playshuffle.library.folder import Folder
from playshuffle.playlist.formats import FORMATS, format_of
from playshuffle.playlist.m3u import PathStyle, entries, unwritable
from playshuffle.tags.reading import Tags
from tests.support.hostile import PATHS

KINDS = (b".xspf", b".jspf", b".pls")


def folder_of(path: bytes, names: list[bytes], tags: Tags) -> Folder:
    return Folder(
        path, 0, 0, 0, 0, b"", True, False, b"", b"/".join(names),
        bytes(32 * len(names)),
        array("I", [tags.duration_ms or 0] * len(names)).tobytes(),
        b"\0".join(extinf(tags, name) for name in names),
        tags.artist.encode(errors="replace").replace(b"\0", b" "),
    )  # fmt: skip


def written(
    kind: bytes, names: list[bytes], style: PathStyle, here: bytes, tags: Tags
) -> tuple[bytes, list[int]]:
    """A playlist of these files in /m, and the numbers of those that are in it."""
    made = FORMATS[kind]
    folder = folder_of(b"/m/", names, tags)
    plain = entries([b"/m/" + name for name in names], style, here)
    out = set() if made.is_uri else set(unwritable(plain))
    kept = [index for index in range(len(names)) if index not in out]
    lines = made.text.lines(folder, style, here, with_extinf=True)
    return b"".join(
        made.text(lines, kept, [("ORDER", "random"), ("SEED", "<&> 1"), ("PLAYLIST", "Calm & <1>")])
    ), kept


@pytest.mark.parametrize("kind", KINDS)
@given(
    names=st.lists(st.sampled_from([path for path in PATHS if b"/" not in path]), min_size=1, unique=True),
    style=st.sampled_from(PathStyle),
    here=st.sampled_from([b"/m", b"/", b"/lists/deep"]),
    tags=st.builds(Tags, st.just(1500), st.text(), st.text()),
)
def test_what_is_written_is_read_back(
    kind: bytes, names: list[bytes], style: PathStyle, here: bytes, tags: Tags
) -> None:
    """Every name and every tag, in every style, from every folder."""
    content, kept = written(kind, names, style, here, tags)

    read = FORMATS[kind].read(content, here)

    assert read.paths == [b"/m/" + names[index] for index in kept]
    assert (read.foreign, read.comments) == (0, {"ORDER": "random", "SEED": "<&> 1"})
    assert re.match(FORMATS[kind].mark, content)


TAGS = Tags(1500, "T & <t>", "A - B")


def test_xspf_is_what_its_specification_says() -> None:
    content, _ = written(b".xspf", [b"a b.mp3", b"#1.mp3"], PathStyle.RELATIVE, b"/", TAGS)
    space = "{http://xspf.org/ns/0/}"
    root = ElementTree.fromstring(content)

    assert (root.tag, root.get("version")) == (f"{space}playlist", "1")
    assert root.findtext(f"{space}title") == "Calm & <1>"
    tracks = root.findall(f"{space}trackList/{space}track")
    assert [track.findtext(f"{space}location") for track in tracks] == ["m/a%20b.mp3", "m/%231.mp3"]
    assert [tracks[0].findtext(space + tag) for tag in ("title", "creator", "duration")] == [
        "T & <t>", "A - B", "1500",
    ]  # fmt: skip


def test_jspf_is_json_and_pls_is_numbered() -> None:
    jspf, _ = written(b".jspf", [b"a.mp3"] * 2, PathStyle.URI, b"/", TAGS)
    pls, _ = written(b".pls", [b"a.mp3", b"b.mp3"], PathStyle.RELATIVE, b"/m", TAGS)

    assert [track["location"] for track in json.loads(jspf)["playlist"]["track"]] == [["file:///m/a.mp3"]] * 2
    assert json.loads(jspf)["playlist"]["title"] == "Calm & <1>"
    assert pls == (
        b"[playlist]\n#PLAYSHUFFLE-ORDER:random\n#PLAYSHUFFLE-SEED:<&> 1\n#PLAYLIST:Calm & <1>\n"
        b"File1=a.mp3\nTitle1=A - B - T & <t>\nLength1=2\nFile2=b.mp3\nTitle2=A - B - T & <t>\nLength2=2\n"
        b"NumberOfEntries=2\nVersion=2\n"
    )


@pytest.mark.parametrize(
    ("kind", "content", "paths", "foreign"),
    [
        (
            b".xspf",
            (
                b"<playlist><trackList><track><location> file:///a%20b </location>"
                b"<location>/z</location></track>"
                b"<track><title>x</title></track><track><location>http://h/x</location></track>"
                b"<track><location>c/d%C3%A9</location></track></trackList></playlist>"
            ),
            [b"/a b", b"/m/c/d\xc3\xa9"],
            1,
        ),
        (
            b".jspf",
            b'{"playlist": {"track": [{"location": "/a"}, {"location": ["b", 1]}, 3, {"location": 4}]}}',
            [b"/a", b"/m/b"],
            0,
        ),
        (b".jspf", b"[]", [], 0),
        (b".jspf", b'{"playlist": 1}', [], 0),
        (
            b".pls",
            b"[Playlist]\r\nfile2=b.mp3\r\nFile1 = /a.mp3\r\nTitle1=x\r\nFile10=http://h/\r\nFile3=file:///c%20d\r\n",
            [b"/a.mp3", b"/m/b.mp3", b"/c d"],
            1,
        ),
        (b".pls", b"", [], 0),
    ],
)
def test_playlists_from_other_programs_are_read(
    kind: bytes, content: bytes, paths: list[bytes], foreign: int
) -> None:
    read = FORMATS[kind].read(content, b"/m")

    assert (read.paths, read.foreign, read.comments) == (paths, foreign, {})


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (b".xspf", b"no xml"),
        (b".xspf", b"<playlist>"),
        (b".xspf", b'<!DOCTYPE p [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><playlist>&b;</playlist>'),
        (b".xspf", b'<!DOCTYPE p SYSTEM "file:///etc/passwd"><playlist/>'),
        (b".jspf", b"no json"),
        (b".jspf", b"[" * 100_000),
        (b".jspf", b"\xff"),
    ],
)
def test_what_is_none_is_refused_and_nothing_grows(kind: bytes, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"is no|document type"):
        FORMATS[kind].read(content, b"/m")


def test_the_suffix_tells_the_format_in_any_case_of_letters() -> None:
    assert format_of(b"/x/a.XSPF") is FORMATS[b".xspf"]
    assert format_of(b"/x.pls/a") is FORMATS[b".m3u"]
