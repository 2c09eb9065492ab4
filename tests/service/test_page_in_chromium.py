"""The status page in Chromium: no text is cut or hard to read, and nothing is loaded."""

import re
from pathlib import Path

import pytest

from playshuffle.service.page import page
from playshuffle.service.status_json import PlaylistStatus, RootStatus, Service, Status
from tests.service.test_page import HOSTILE, NOW_S, listed
from tests.support.chromium import DARK, found

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("theme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 22, 22)"), ("no style", None)]
)
def test_a_page_with_hostile_and_long_names_can_be_read_at_every_width(
    tmp_path: Path, theme: str, paper: str | None
) -> None:
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
