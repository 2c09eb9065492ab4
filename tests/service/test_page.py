"""Test the status page: what it shows, that names are no markup, and that it stays small."""

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.config.load import load
from playshuffle.errors import PlayshuffleError
from playshuffle.install.writable_folders import writable_folders
from playshuffle.service.page import page, write_page
from playshuffle.service.status_json import PlaylistStatus, RootStatus, Service, Status
from tests.support.chromium import DARK, found
from tests.support.program import make, run
from tests.support.service import Service as RunningService
from tests.support.service import aged, config, wait_for
from tests.support.tagging import tagged_library

HOSTILE = [
    "<script>document.title='owned'</script>",
    '"><img src=http://127.0.0.1/x onerror="document.title=\'owned\'">',
    "'><svg onload=document.title='owned'>",
    "</style><script src=//127.0.0.1/x></script>",
    "--><link rel=stylesheet href=http://127.0.0.1/x>",
    "&lt;b&gt;\u202egnp.exe \x1b[2J \x00",
]
NOW_S = 1_700_000_000
ELEMENTS = frozenset(
    (
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "section", "p", "small"),
        *("progress", "svg", "rect", "ul", "li", "i"),
    )
)


class Elements(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, text: bytes) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def listed(top: Path, artists: list[str], name: str = "list.m3u") -> str:
    """Write a playlist with a track by each of these artists, and return its path."""
    lines = [f"#EXTINF:1,{artist} - {number}\n{number}.mp3\n" for number, artist in enumerate(artists)]
    (top / name).write_text("#EXTM3U\n" + "".join(lines), errors="replace")
    return str(top / name)


def status(top: Path, text: str = "calm") -> Status:
    """Return a status with this text in every field."""
    output = listed(top, [text.replace("\n", " ")] * 3)
    playlist = PlaylistStatus(
        text, output, text, tracks=1234, order=text, last_write=1_700_000_000, last_error=text,
        unreadable=(text,), missing_lists=(text,), left_out={text: 3}, waiting={text: 2},
        deck={"tracks": 10, "dealt": 4, "next_deal": text}, summary=text,
    )  # fmt: skip
    root = RootStatus(text, "missing", watched=text, tracks=7)
    return Status((Service(1, 1_700_000_000, text, text),), (root,), (playlist,), ())


def test_the_status_page_says_that_the_next_deal_comes_only_if_a_track_of_the_last_was_heard(
    tmp_path: Path,
) -> None:
    known = status(tmp_path)
    deck = {"next_deal": "2026-11-24", "unheard_since": "2026-11-23"}
    playlists = (known.playlists[0]._replace(deck=deck),)

    text = Elements(page(known._replace(playlists=playlists), NOW_S)).text
    assert "Next deal: 2026-11-24 00:00, if some of the last one was heard by then" in text


@given(st.one_of(st.sampled_from(HOSTILE), st.text()))
def test_no_name_or_message_on_the_page_becomes_markup(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    written = page(status(tmp_path_factory.mktemp("page"), text), NOW_S)
    found = Elements(written)

    assert found.elements <= ELEMENTS
    assert not any(name.startswith("on") or name in {"src", "href", "style"} for name in found.attributes)
    assert b"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"" in written


def test_the_status_page_shows_the_service_its_playlists_its_decks_and_its_folders(
    tmp_path: Path,
) -> None:
    text = " ".join(Elements(page(status(tmp_path), NOW_S)).text.split())

    for words in (
        "The service runs since 2023-11-1",
        "1 of 1 playlist cannot be updated.",
        "calm, 1,234 tracks, calm, written 2023-11-1",
        "Left out: 3 calm.",
        "2 of 1,234 tracks wait for calm",
        "Next deal: calm 00:00",
        "The first 3 tracks by artist",
        "calm (3)",
        "calm: missing, 7 tracks, calm",
    ):
        assert words in text
    assert "The service is stopped." in Elements(page(Status((), (), (), ()), NOW_S)).text


def test_the_status_page_shows_a_playlist_that_cannot_be_updated_before_all_others(tmp_path: Path) -> None:
    broken = PlaylistStatus("broken", "", last_error="no folder")
    known = Status((), (), (*(PlaylistStatus(name, "") for name in "ab"), broken), ())

    text = Elements(page(known, NOW_S)).text
    assert text.index("broken") < text.index("no folder") < text.index("\na\n")
    assert "Written 2023-11-1" in text


def test_the_status_page_is_not_written_again_if_the_status_is_unchanged(tmp_path: Path) -> None:
    file = os.fsencode(tmp_path / "page.html")

    assert write_page(file, status(tmp_path), NOW_S)
    before = os.stat(file)
    assert not write_page(file, status(tmp_path), NOW_S)
    after = os.stat(file)
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_status_page_does_not_replace_a_file_from_another_program(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html>\n<p>mine")

    with pytest.raises(PlayshuffleError, match="is from another program"):
        write_page(os.fsencode(tmp_path / "index.html"), status(tmp_path), NOW_S)

    assert (tmp_path / "index.html").read_text() == "<!doctype html>\n<p>mine"


def test_the_status_page_on_21_playlists_of_100_000_tracks_is_smaller_than_300_kb(tmp_path: Path) -> None:
    artists = [f"Artist with a long name {number % 97}" * 3 for number in range(100_000)]
    lists = [listed(tmp_path, artists, f"{number}.m3u") for number in range(3)] * 7
    playlists = [PlaylistStatus(path, path, "managed", 100_000, 100_000) for path in lists]

    assert len(page(Status((), (), tuple(playlists), ()), NOW_S)) < 300_000


def test_the_sandbox_of_the_service_allows_writing_to_the_folder_of_the_status_page(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'folders = ["{tmp_path}/Music"]\npage = "pages/all.html"\n[playlist.all]\n')

    folders = writable_folders(load(os.fsencode(file)), make=False)

    assert os.fsencode(tmp_path / "pages") in folders.others


@pytest.mark.process
def test_the_service_updates_the_status_page_after_a_change_and_when_the_service_stops(
    tmp_path: Path,
) -> None:
    music = aged(tagged_library(tmp_path / "Music", {"a.mp3": {"artist": "A"}, "b.ogg": {"artist": "A"}}))
    file = tmp_path / "page.html"

    with RunningService(tmp_path, 'page = "page.html"\n' + config(music)) as service:
        wait_for(lambda: file.exists() and b"managed, 2 tracks" in file.read_bytes())
        (music / "b.ogg").unlink()
        wait_for(lambda: b"managed, 1 track," in file.read_bytes())

        def is_printed() -> bool:
            pages = run("status", "--html", env=service.env).out, file.read_bytes()
            return len({re.sub(rb"Written [-0-9: ]*", b"", page) for page in pages}) == 1

        wait_for(is_printed)
        service.stop()
    assert b"The service is stopped." in file.read_bytes()


@pytest.mark.process
def test_the_command_status_with_html_prints_the_status_page_though_no_service_runs(tmp_path: Path) -> None:
    music = aged(tagged_library(tmp_path / "Music", {"a.mp3": {"artist": "A"}}))
    file = tmp_path / "config.toml"
    file.write_text(config(music) + "[playlist.other]\n")
    env = {"PLAYSHUFFLE_CONFIG": str(file)}
    make(music, "-o", music / "all.m3u")

    whole = run("status", "--html", env=env)
    one = run("status", "all", "--html", env=env)

    assert b"<h3>other</h3>" in whole.out
    assert (one.code, b"<h3>other</h3>" in one.out, b"<h3>all</h3>" in one.out) == (0, False, True)
    assert run("status", "--html", "--json", env=env).code == 2


# In Chromium


@pytest.mark.process
@pytest.mark.parametrize(
    ("theme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 22, 22)"), ("no style", None)]
)
def test_in_chromium_a_status_page_with_hostile_and_long_names_is_readable_at_every_width(
    tmp_path: Path, theme: str, paper: str | None
) -> None:
    """No text is cut, has a contrast below 4.5 or loads anything."""
    names = [*HOSTILE, "a" * 300, "שלום עולם", "名前" * 60]
    playlists = tuple(
        PlaylistStatus(
            name, listed(tmp_path, [name] * 3, f"{number}.m3u"), "managed", 40, 1234, "random", NOW_S,
            last_error=name if number % 2 else None, waiting={name: 2}, summary=name,
            deck={"tracks": 100, "dealt": 40, "next_deal": "2026-11-27"},
        )
        for number, name in enumerate(names)
    )  # fmt: skip
    roots = tuple(RootStatus(name, state, tracks=7) for name in names for state in ("ok", "missing"))
    text = page(Status((Service(1, NOW_S, None, None),), roots, playlists, ()), NOW_S)
    if theme == "no style":
        text = re.sub(rb"<style>.*?</style>", b"", text, flags=re.DOTALL)
    (tmp_path / "page.html").write_bytes(text)

    for width in (320, 768, 1280):
        facts = found(tmp_path, width, "page.html", *[DARK] * (theme == "dark"))

        assert (facts["title"], facts["loaded"], facts["width"]) == ("playshuffle", 0, width)
        assert facts["contrast"] >= 4.5
        if paper is not None:
            assert (facts["paper"], facts["wide"]) == (paper, 0)
            assert facts["scroll"] == 0
