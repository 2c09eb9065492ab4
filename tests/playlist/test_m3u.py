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
    ("tags", "name", "line"),
    [
        (Tags(12340, "Title", "Artist"), b"x", "#EXTINF:12,Artist - Title\n"),
        (Tags(12500, "Title"), b"x", "#EXTINF:13,Title\n"),
        (Tags(0, "Short"), b"x", "#EXTINF:1,Short\n"),
        (Tags(None, "Title", "Artist"), b"x", ""),
        (Tags(1000, "", "Artist"), b"02 a.b.mp3", "#EXTINF:1,02 a.b\n"),
        (Tags(1000, " \x00\u2028 ", "Artist"), b"Bj\xf6rk.mp3", "#EXTINF:1,Bj\ufffdrk\n"),
        (Tags(1000, "Title", "\t"), b"x", "#EXTINF:1,Title\n"),
        (Tags(1000, "a\r\n/b\x0b \x1b[2J", "x\x85y\u2029z  w"), b"x", "#EXTINF:1,x y z w - a /b [2J\n"),
        (Tags(1000, "Gr\xfc\xdfe, - \U0001f3b5"), b"x", "#EXTINF:1,Grüße, - 🎵\n"),
        (Tags(1000, "raw \udce9"), b"x", "#EXTINF:1,raw ?\n"),
    ],
)
def test_an_extinf_line_has_the_length_and_artist_and_title_or_without_a_title_the_file_name(
    tags: Tags, name: bytes, line: str
) -> None:
    assert extinf(tags, name) == line.encode()


@given(st.text(st.characters()), st.text(st.characters()), st.binary())
def test_no_tag_and_no_file_name_adds_a_line_to_a_playlist(title: str, artist: str, name: bytes) -> None:
    """With any characters in them, the text is UTF-8 and one line for every reader."""
    line = extinf(Tags(1000, title, artist), name).decode()

    assert line.startswith("#EXTINF:1,")
    assert line.splitlines() == [line[:-1]]


@pytest.mark.parametrize(
    ("path", "relative", "uri"),
    [
        (b"/m/a/b.mp3", b"a/b.mp3", b"file:///m/a/b.mp3"),
        (b"/m/#1.mp3", b"./#1.mp3", b"file:///m/%231.mp3"),
        (b"/m/ x.mp3", b"./ x.mp3", b"file:///m/%20x.mp3"),
        (b"/m/~/x.mp3", b"./~/x.mp3", b"file:///m/~/x.mp3"),
        (b"/m/-x.mp3", b"./-x.mp3", b"file:///m/-x.mp3"),
        (b"/m/\xc3\xa9.mp3", b"./\xc3\xa9.mp3", b"file:///m/%C3%A9.mp3"),
        (b"/m/..x.mp3", b"./..x.mp3", b"file:///m/..x.mp3"),
        (b"/m/co:lon/x.mp3", b"./co:lon/x.mp3", b"file:///m/co%3Alon/x.mp3"),
        (b"/m/a/co:lon.mp3", b"a/co:lon.mp3", b"file:///m/a/co%3Alon.mp3"),
        (b"/m/a%20b\xe9.mp3", b"a%20b\xe9.mp3", b"file:///m/a%2520b%E9.mp3"),
        (b"/m/new\nline.mp3", b"new\nline.mp3", b"file:///m/new%0Aline.mp3"),
        (b"/n/x.mp3", b"../n/x.mp3", b"file:///n/x.mp3"),
        (b"/mm/x.mp3", b"../mm/x.mp3", b"file:///mm/x.mp3"),
    ],
)
def test_an_entry_names_its_file_in_each_path_style(path: bytes, relative: bytes, uri: bytes) -> None:
    assert entries([path], PathStyle.RELATIVE, b"/m") == [relative]
    assert entries([path], PathStyle.ABSOLUTE, b"/m") == [path]
    assert entries([path], PathStyle.URI, b"/m") == [uri]


def test_a_relative_entry_has_one_dot_dot_for_each_folder_that_it_climbs() -> None:
    paths = [b"/m/a/x", b"/m/lists/deep/y", b"/m/lists/z", b"/w"]
    relative = [b"../../a/x", b"y", b"../z", b"../../../w"]

    assert entries(paths, PathStyle.RELATIVE, b"/m/lists/deep") == relative
    assert entries([b"/m/x", b"/#"], PathStyle.RELATIVE, b"/") == [b"m/x", b"./#"]
    assert entries([], PathStyle.RELATIVE, b"/") == []


def test_an_entry_that_would_become_two_lines_of_the_playlist_cannot_be_written() -> None:
    assert unwritable([b"a", b"b\n/etc/passwd", b"c", b"d\r"]) == [1, 3]
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


def test_an_m3u_playlist_is_a_header_then_comments_of_playshuffle_then_the_entries_in_order() -> None:
    written = [b"a", b"b", b"c"]
    extinfs = [b"#EXTINF:1,A\n", b"", b"#EXTINF:3,C\n"]

    assert content_of(written, extinfs, [2, 1, 0], [("ORDER", "random"), ("SEED", "new\nline \udce9")]) == (
        b"#EXTM3U\n#PLAYSHUFFLE-ORDER:random\n#PLAYSHUFFLE-SEED:new line ?\n"
        b"#EXTINF:3,C\nc\nb\n#EXTINF:1,A\na\n"
    )
    assert content_of([], [], [], []) == b"#EXTM3U\n"


@given(st.data(), some_paths, folders, st.sampled_from(PathStyle))
def test_the_entries_read_from_an_m3u_playlist_are_those_that_were_written(
    data: st.DataObject, paths: list[bytes], folder: bytes, style: PathStyle
) -> None:
    """For every file name, order and folder of the playlist, except line breaks outside of URIs."""
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
        (b"\xef\xbb\xbf#EXTM3U\r\na.mp3\r\n\r\nb.mp3", [b"/m/a.mp3", b"/m/b.mp3"]),
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
def test_local_paths_and_file_uris_are_read_from_a_playlist_of_another_program(
    content: bytes, paths: list[bytes]
) -> None:
    assert parse(content, b"/m") == (paths, {}, 0)


def test_streams_files_on_other_hosts_and_names_that_no_file_can_have_count_as_foreign_entries() -> None:
    lines = b"a\nhttp://host/x.mp3\nfile://host/x.mp3\nfile://localhostx/y\nfile:///nul%00.mp3\nnul\0\nrtsp+x://y\nb"

    assert parse(lines, b"/m")[0::2] == ([b"/m/a", b"/m/b"], 6)


def test_comments_of_playshuffle_are_read_only_before_the_first_entry_of_a_playlist() -> None:
    """After an entry, they were copied from another playlist."""
    content = b"#EXTM3U\n#PLAYSHUFFLE-ORDER:random\n#PLAYSHUFFLE-SEED:a:b\na\n#PLAYSHUFFLE-ORDER:other\nb\n"

    assert parse(content, b"/").comments == {"ORDER": "random", "SEED": "a:b"}
    assert not parse(b"a\n#PLAYSHUFFLE-ORDER:random\n", b"/").comments
