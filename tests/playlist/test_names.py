"""Playlists in other encodings, Unicode forms and letter cases are read; errors name formats that are not."""

import os
import tempfile
import unicodedata
from pathlib import Path
from typing import Literal
from unittest import mock
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from playshuffle.errors import PlayshuffleError
from playshuffle.playlist.names import Names
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.playlist.playlist_reader import read, read_file_list

Form = Literal["NFC", "NFD"]

_LETTERS = "aZ09 -éüÄñøß\u2019\u201c\u2013…€ŽÅ"
_NAMES = st.lists(st.text(_LETTERS, min_size=1, max_size=8), min_size=1, max_size=4)
_ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252", "mac_roman", "EXTENC"]
_DECLARED = "cp1250"


def _is_same(one: str, other: str) -> bool:
    return unicodedata.normalize("NFC", one).casefold() == unicodedata.normalize("NFC", other).casefold()


def _written(names: list[str], encoding: str, suffix: str, newline: str) -> bytes:
    """Return a list of these names as a program would write it in this encoding."""
    if suffix == ".xspf":
        tracks = "".join(
            f"<track><location>{quote_from_bytes(name.encode('utf-8'))}</location></track>" for name in names
        )
        return f"<playlist xmlns='http://xspf.org/ns/0/'><trackList>{tracks}</trackList></playlist>".encode()
    head = ["#EXTM3U"] if encoding != "EXTENC" else ["#EXTM3U", f"#EXTENC:{_DECLARED}"]
    return newline.join([*head, *names, ""]).encode(_DECLARED if encoding == "EXTENC" else encoding)


@given(
    _NAMES,
    st.sampled_from(_ENCODINGS),
    st.sampled_from(["NFC", "NFD"]),
    st.sampled_from(["NFC", "NFD"]),
    st.sampled_from([str, str.upper, str.swapcase]),
    st.sampled_from([".m3u", ".m3u8", ".xspf", ".txt"]),
    st.sampled_from(["\n", "\r\n"]),
)
@example(["ÄŽ"], "cp1252", "NFC", "NFC", str, ".m3u", "\n")  # two letters in it, one in UTF-8
def test_the_files_of_a_list_are_found_in_any_encoding_and_unicode_form_and_letter_case(
    names: list[str], encoding: str, on_disk: Form, in_list: Form, case: object, suffix: str, newline: str
) -> None:
    names = [f"x{name}x.mp3" for name in names]
    assume(not any(_is_same(a, b) for i, a in enumerate(names) for b in names[:i]))
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top, unicodedata.normalize(on_disk, "Müsic"))
        folder.mkdir()
        paths = [folder / unicodedata.normalize(on_disk, name) for name in names]
        for path in paths:
            path.write_bytes(path.name.encode())
        assert callable(case)
        listed = [case(unicodedata.normalize(in_list, f"{folder.name}/{name}")) for name in names]
        assume(all(_is_same(a, f"{folder.name}/{b}") for a, b in zip(listed, names, strict=True)))
        playlist = Path(top, f"list{suffix}")
        try:
            playlist.write_bytes(_written(listed, encoding, suffix, newline))
        except UnicodeEncodeError:
            assume(False)

        expected = [os.fsencode(path) for path in paths]
        assert [entry.path for entry in read(bytes(playlist)).entries] == expected
        assert list(read_file_list(str(playlist)).files) == expected
        if encoding not in ("utf-16", "EXTENC") and suffix != ".txt":
            assert PlaylistFile.find(bytes(playlist)).entries() == expected


def test_a_listed_name_that_differs_in_letter_case_from_two_files_finds_neither(tmp_path: Path) -> None:
    for name in ("Song.mp3", "song.mp3", "Noe\u0308l.mp3"):
        (tmp_path / name).touch()
    names = Names()

    assert names.find(bytes(tmp_path / "SONG.mp3")) is None
    assert names.find(bytes(tmp_path / "song.mp3")) == bytes(tmp_path / "song.mp3")
    assert names.find(bytes(tmp_path / "No\xebl.mp3")) == bytes(tmp_path / "Noe\u0308l.mp3")
    assert names.find(bytes(tmp_path / "other.mp3")) is None
    assert names.find(b"/" + b"a/" * 3000) is None


def test_names_in_a_list_separated_by_nul_find_files_in_another_encoding_or_letter_case(
    tmp_path: Path,
) -> None:
    (tmp_path / "No\xebl.mp3").touch()
    (tmp_path / "x").write_bytes(b"Noe\xcc\x88l.mp3\0No\xeb" + b"L.mp3\0other\0")

    assert read_file_list(str(tmp_path / "x")).files == (
        bytes(tmp_path / "No\xebl.mp3"),
        bytes(tmp_path / "other"),
    )


def test_an_entry_in_utf8_finds_its_file_though_the_name_on_the_disk_is_not_utf8(tmp_path: Path) -> None:
    path = bytes(tmp_path) + b"/G\xe9n\xe8ve.mp3"
    Path(os.fsdecode(path)).touch()
    (tmp_path / "x.m3u").write_text("Génève.mp3\n")

    assert [entry.path for entry in read(bytes(tmp_path / "x.m3u")).entries] == [path]


def test_a_path_with_backslashes_or_a_uri_in_a_windows_code_page_finds_its_file(tmp_path: Path) -> None:
    (tmp_path / "Mü").mkdir()
    (tmp_path / "Mü/That\u2019s it.mp3").touch()
    (tmp_path / "x.m3u").write_bytes(
        b"M\xfc\\That\x92s it.mp3\r\nC:\\M\xfc\\x.mp3\r\nfile://"
        + quote_from_bytes(bytes(tmp_path) + b"/M\xfc/That\x92s it.mp3").encode()
    )

    found = [entry.path for entry in read(bytes(tmp_path / "x.m3u")).entries]

    assert [found[0], found[2]] == [bytes(tmp_path / "Mü/That\u2019s it.mp3")] * 2


@pytest.mark.parametrize("encoding", ["rot13", "no-such-code", "utf-7", "punycode", "idna", "undefined"])
def test_an_encoding_that_a_list_declares_but_python_does_not_know_is_ignored(
    tmp_path: Path, encoding: str
) -> None:
    (tmp_path / "é.mp3").touch()
    (tmp_path / "x.m3u").write_bytes(f"#EXTENC:{encoding}\n".encode() + b"\xe9.mp3\n\xff\xfe.mp3\n")

    assert read(bytes(tmp_path / "x.m3u")).entries[0].path == bytes(tmp_path / "é.mp3")


def test_the_search_for_missing_files_of_a_list_reads_each_folder_once(tmp_path: Path) -> None:
    (tmp_path / "x.m3u").write_bytes(b"".join(b"a/%d \xe9.mp3\n" % number for number in range(1000)))
    (tmp_path / "a").mkdir()

    with mock.patch("os.listdir", wraps=os.listdir) as listdir:
        assert len(read(bytes(tmp_path / "x.m3u")).entries) == 1000

    listdir.assert_called_once_with(bytes(tmp_path / "a"))


_FORMATS: dict[str, tuple[str, str | bytes]] = {
    "x.fpl": ("a foobar2000 playlist", bytes.fromhex("e1a09c91f83c7742852c3bcc1401d3f2") + bytes(40)),
    "x.cue": ("a cue sheet", 'PERFORMER "A"\nFILE "a.wav" WAVE\n  TRACK 01 AUDIO\n'),
    "x.asx": ("an ASX file", '<asx version="3.0"><entry><ref href="a.mp3"/></entry></asx>'),
    "x.b4s": ("a B4S file", '<?xml version="1.0"?>\n<WinampXML><playlist/></WinampXML>'),
    "x.mpcpl": ("an MPC-HC playlist", "MPCPLAYLIST\n1,type,0\n1,filename,a.mp3\n"),
    "x.xml": ("an iTunes library", '<?xml version="1.0"?>\n<!DOCTYPE plist PUBLIC "x">\n<plist/>'),
    "x.wpl": ("a Windows Media playlist", '<?wpl version="1.0"?>\n<smil></smil>'),
    "x.pls": ("a PLS file", "[playlist]\nFile1=a.mp3\n"),
    "x.jspf": ("a JSPF file", '{"playlist": {"track": [{"location": "/a"}]}}'),
    "x.aimppl4": ("an AIMP playlist", "#-----SUMMARY-----#\nID={0}\n#-----CONTENT-----#\n"),
    "x.dpl": ("a PotPlayer playlist", "DAUMPLAYLIST\nplaytime=0\n1*file*a.mp3\n"),
    "x.smpl": ("a Samsung playlist", '{"members":[{"info":"/storage/a.mp3"}],"version":1}'),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("rename", [None, "list", "list.m3u", "list.txt"])
@pytest.mark.parametrize("name", _FORMATS)
def test_the_error_for_a_list_in_an_unsupported_format_has_the_name_of_the_format(
    tmp_path: Path, name: str, rename: str | None, encoding: str
) -> None:
    kind, text = _FORMATS[name]
    path = tmp_path / (rename or name)
    path.write_bytes(text if isinstance(text, bytes) else text.replace("\n", "\r\n").encode(encoding))

    for act in (lambda: read(bytes(path)), lambda: read_file_list(str(path))):
        with pytest.raises(PlayshuffleError, match=rf" is {kind}.*, not a playlist in M3U or XSPF\."):
            act()


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        *[(encoding, "Слава/Тревога.mp3") for encoding in ("cp1251", "cp866")],
        *[(encoding, "Déjà/Çà.mp3") for encoding in ("cp850", "cp437")],
        *[(encoding, "漢字/音.mp3") for encoding in ("cp932", "gbk", "cp950")],
        *[("cp949", "한국/곡.mp3"), ("cp1250", "Łódź/żółć.mp3"), ("cp1253", "Ωδή/ύμνος.mp3")],
        *[("cp1254", "Güneş/ağaç.mp3"), ("cp1257", "Ķēde/ģīt.mp3")],
    ],
)
def test_an_entry_in_the_windows_or_dos_code_page_of_any_country_finds_its_file(
    encoding: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).touch()
    (tmp_path / "x.m3u").write_bytes(f"#EXTM3U\n{name}\nother/{name}\n".encode(encoding))
    found, missing = read(bytes(tmp_path / "x.m3u")).entries

    assert (found.path, found.taken, missing.taken) == (bytes(tmp_path / name), "latin1", "")


def test_byte_order_marks_in_the_middle_of_concatenated_lists_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "x.m3u8").write_text("\ufeff#EXTM3U\na.mp3\n\ufeff#EXTM3U\nb.mp3\n\ufeffc.mp3")

    entries = read(bytes(tmp_path / "x.m3u8")).entries
    assert [entry.text for entry in entries] == [b"a.mp3", b"b.mp3", b"c.mp3"]


def test_an_m3u_playlist_whose_file_names_look_like_lines_of_other_formats_is_read_as_m3u(
    tmp_path: Path,
) -> None:
    (tmp_path / "x.m3u").write_text("[playlist] 1.mp3\n{a}.mp3\nFILE a WAVE\nTRACK 01.mp3\n<a>.mp3\n")

    assert len(read(bytes(tmp_path / "x.m3u")).entries) == 5
