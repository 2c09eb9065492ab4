from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.extinf import extinf
from playshuffle.playlist.m3u import PathStyle, Text, entries, parse, unwritable
from playshuffle.tags.reading import Tags
from tests.support.hostile import PATHS

_BITS = [
    *(bytes((byte,)) for byte in b"aZ09#%~<.:?&+- \t\n\r\\\x0b\x1b\x7f\x80\xff"),
    *(b"..", b"./", b"%41", b"%2f", b"%00", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"#EXTM3U"),
    *(b"file:", b"http:", b"localhost", b"#PLAYSHUFFLE-X:y"),
]


def _is_name(name: bytes) -> bool:
    return name not in (b"", b".", b"..") and b"/" not in name and b"\0" not in name


segments = (
    st.lists(st.sampled_from(_BITS), min_size=1, max_size=5).map(b"".join) | st.binary(max_size=8)
).filter(_is_name)
folders = st.lists(segments, max_size=3).map(lambda names: b"/" + b"/".join(names))
some_paths = st.lists(
    st.tuples(folders, segments | st.sampled_from(sorted(PATHS))).map(
        lambda both: both[0].rstrip(b"/") + b"/" + both[1]
    ),
    max_size=6,
    unique=True,
)


@pytest.mark.parametrize(
    ("tags", "line"),
    [
        (Tags(12340, "Title", "Artist"), b"#EXTINF:12,Artist - Title\n"),
        (Tags(12500, "Title"), b"#EXTINF:13,Title\n"),
        (Tags(0, "Short"), b"#EXTINF:1,Short\n"),
        (Tags(499, "Short"), b"#EXTINF:1,Short\n"),
        (Tags(None, "Title", "Artist"), b""),
        (Tags(1000, "", "Artist"), b"#EXTINF:1,02 Song\n"),
        (Tags(1000, " \x00\u2028 ", "Artist"), b"#EXTINF:1,02 Song\n"),
        (Tags(1000, "Title", "\t"), b"#EXTINF:1,Title\n"),
        (
            Tags(1000, "a\r\n/etc/passwd\x0b \x1b[2J", "x\x85y\u2029z  w"),
            b"#EXTINF:1,x y z w - a /etc/passwd [2J\n",
        ),
        (Tags(1000, "Gr\xfc\xdfe, - \U0001f3b5"), "#EXTINF:1,Grüße, - 🎵\n".encode()),
        (Tags(1000, "raw \udce9"), b"#EXTINF:1,raw ?\n"),
    ],
)
def test_an_extinf_line_has_exactly_its_format(tags: Tags, line: bytes) -> None:
    assert extinf(tags, b"02 Song.mp3") == line


@pytest.mark.parametrize(
    ("name", "text"),
    [(b"a.b.mp3", "a.b"), (b"Bj\xf6rk.mp3", "Bj\ufffdrk"), (b"a\n/etc/passwd.mp3", "a /etc/passwd")],
)
def test_a_file_without_a_title_is_shown_by_its_name(name: bytes, text: str) -> None:
    assert extinf(Tags(2000), name) == f"#EXTINF:2,{text}\n".encode()


@given(st.text(st.characters()), st.text(st.characters()), st.binary())
def test_no_tag_or_file_name_adds_a_line_to_a_playlist(title: str, artist: str, name: bytes) -> None:
    """Whatever a title or a name holds, its line is UTF-8, one line for every reader, and nobody's entry."""
    line = extinf(Tags(1000, title, artist), name).decode()

    assert line.startswith("#EXTINF:1,")
    assert line.splitlines() == [line[:-1]]


@pytest.mark.parametrize(
    ("path", "relative", "uri"),
    [
        (b"/m/a/b.mp3", b"a/b.mp3", b"file:///m/a/b.mp3"),
        (b"/m/7 up.mp3", b"7 up.mp3", b"file:///m/7%20up.mp3"),
        (b"/m/#1.mp3", b"./#1.mp3", b"file:///m/%231.mp3"),
        (b"/m/ x.mp3", b"./ x.mp3", b"file:///m/%20x.mp3"),
        (b"/m/~/x.mp3", b"./~/x.mp3", b"file:///m/~/x.mp3"),
        (b"/m/-x.mp3", b"./-x.mp3", b"file:///m/-x.mp3"),
        (b"/m/\xc3\xa9.mp3", b"./\xc3\xa9.mp3", b"file:///m/%C3%A9.mp3"),
        (b"/m/.x.mp3", b"./.x.mp3", b"file:///m/.x.mp3"),
        (b"/m/..x.mp3", b"./..x.mp3", b"file:///m/..x.mp3"),
        (b"/m/co:lon/x.mp3", b"./co:lon/x.mp3", b"file:///m/co%3Alon/x.mp3"),
        (b"/m/a/co:lon.mp3", b"a/co:lon.mp3", b"file:///m/a/co%3Alon.mp3"),
        (b"/m/a%20b\xe9.mp3", b"a%20b\xe9.mp3", b"file:///m/a%2520b%E9.mp3"),
        (b"/m/new\nline.mp3", b"new\nline.mp3", b"file:///m/new%0Aline.mp3"),
        (b"/n/x.mp3", b"../n/x.mp3", b"file:///n/x.mp3"),
        (b"/mm/x.mp3", b"../mm/x.mp3", b"file:///mm/x.mp3"),
    ],
)
def test_an_entry_is_written_so_that_players_read_the_path(path: bytes, relative: bytes, uri: bytes) -> None:
    assert entries([path], PathStyle.RELATIVE, b"/m") == [relative]
    assert entries([path], PathStyle.ABSOLUTE, b"/m") == [path]
    assert entries([path], PathStyle.URI, b"/m") == [uri]


def test_relative_entries_have_as_many_dot_dots_as_needed() -> None:
    paths = [b"/m/a/x", b"/m/lists/deep/y", b"/m/lists/z", b"/w"]

    assert entries(paths, PathStyle.RELATIVE, b"/m/lists/deep") == [
        b"../../a/x",
        b"y",
        b"../z",
        b"../../../w",
    ]
    assert entries([b"/m/x", b"/#"], PathStyle.RELATIVE, b"/") == [b"m/x", b"./#"]
    assert entries([], PathStyle.RELATIVE, b"/") == []


def test_entries_that_would_become_two_lines_are_found() -> None:
    assert unwritable([b"a", b"b\n/etc/passwd", b"c", b"d\r"]) == [1, 3]
    assert unwritable([b"a", b"b"]) == []
    assert unwritable(entries([b"/a\nb\r"], PathStyle.URI, b"/")) == []
    assert unwritable(entries([b"/a\nb/c"], PathStyle.RELATIVE, b"/a\nb")) == []


def content_of(
    written: Sequence[bytes],
    extinfs: Sequence[bytes],
    order: Sequence[int],
    comments: Sequence[tuple[str, str]],
) -> bytes:
    lines = [extinf + entry + b"\n" for extinf, entry in zip(extinfs, written, strict=True)]
    return b"".join(Text(lines, order, comments))


def test_a_playlist_has_a_header_then_comments_of_playshuffle_then_its_entries_in_order() -> None:
    written = [b"a", b"b", b"c"]
    extinfs = [b"#EXTINF:1,A\n", b"", b"#EXTINF:3,C\n"]

    assert content_of(written, extinfs, [2, 1, 0], [("ORDER", "random"), ("SEED", "new\nline \udce9")]) == (
        b"#EXTM3U\n#PLAYSHUFFLE-ORDER:random\n#PLAYSHUFFLE-SEED:new line ?\n"
        b"#EXTINF:3,C\nc\nb\n#EXTINF:1,A\na\n"
    )
    assert content_of([], [], [], []) == b"#EXTM3U\n"


@given(st.data(), some_paths, folders, st.sampled_from(PathStyle))
def test_entries_of_m3u_are_read_back_as_they_were_written(
    data: st.DataObject, paths: list[bytes], folder: bytes, style: PathStyle
) -> None:
    """Every name there can be, in any order, from any folder; but for line breaks outside of URIs."""
    written = entries(paths, style, folder)
    order = data.draw(st.permutations(sorted(set(range(len(paths))).difference(unwritable(written)))))
    value = data.draw(st.text())

    content = content_of(written, [extinf(Tags(1000, value), b"x.mp3")] * len(paths), order, [("KEY", value)])

    read = parse(content, folder)
    assert read.paths == [paths[index] for index in order]
    assert read.foreign == 0
    assert read.comments
    assert list(read.comments) == ["KEY"]


@pytest.mark.parametrize(
    ("content", "paths"),
    [
        (b"", []),
        (b"\xef\xbb\xbf#EXTM3U\r\na.mp3\r\n\r\nb.mp3", [b"/m/a.mp3", b"/m/b.mp3"]),
        (b"\xef\xbb\xbfa.mp3\n", [b"/m/a.mp3"]),
        (b"#EXTM3U\n#EXTINF:1,A - B\n./a.mp3\n  \t\n# note\n/b.mp3\n", [b"/m/a.mp3", b"/b.mp3"]),
        (b"../a/../b//c/./d.mp3\n", [b"/b/c/d.mp3"]),
        (b"../../../x.mp3\n//y.mp3\n", [b"/x.mp3", b"/y.mp3"]),
        (b"caf\xe9.mp3\ntrail \n", [b"/m/caf\xe9.mp3", b"/m/trail "]),
        (b"file:///a%20b%c3%A9%.mp3\n", [b"/a b\xc3\xa9%.mp3"]),
        (b"FILE://localhost/a\\x41\nfile:/b%5Cx41\n", [b"/a\\x41", b"/b\\x41"]),
        (b"file:///a/%2E%2E/b\n", [b"/b"]),
        (b"co:lon.mp3\nfile:x.mp3\nC:/x.mp3\n", [b"/m/co:lon.mp3", b"/m/file:x.mp3", b"/m/C:/x.mp3"]),
    ],
)
def test_playlists_from_other_programs_are_read(content: bytes, paths: list[bytes]) -> None:
    read = parse(content, b"/m")

    assert read.paths == paths
    assert read.foreign == 0
    assert not read.comments


def test_streams_other_hosts_and_impossible_names_are_counted_as_entries_without_a_track() -> None:
    lines = b"a\nhttp://host/x.mp3\nfile://host/x.mp3\nfile://localhostx/y\nfile:///nul%00.mp3\nnul\0\nrtsp+x://y\nb"

    assert parse(lines, b"/m")[0::2] == ([b"/m/a", b"/m/b"], 6)


def test_comments_of_playshuffle_are_read_only_at_the_head_of_a_playlist() -> None:
    """Further down they were copied from another playlist, and say nothing about this one."""
    content = b"#EXTM3U\n#PLAYSHUFFLE-ORDER:random\n#PLAYSHUFFLE-SEED:a:b\na\n#PLAYSHUFFLE-ORDER:other\nb\n"

    assert parse(content, b"/").comments == {"ORDER": "random", "SEED": "a:b"}
    assert not parse(b"a\n#PLAYSHUFFLE-ORDER:random\n", b"/").comments
