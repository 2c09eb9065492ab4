"""The status page in a real browser: nothing is cut, loaded or hard to read."""

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from playshuffle.service.page import page
from playshuffle.service.status_json import PlaylistStatus, RootStatus, Service, Status
from tests.service.test_page import HOSTILE, NOW_S, listed
from tests.support.needs import need

pytestmark = pytest.mark.process

# Contrast as in WCAG 2. Chromium has no window below 500 pixels, but a frame may be narrower.
_PROBE = """<body style="margin:0">
<iframe src="page.html" style="border:0;width:WIDTHpx;height:900px"></iframe>
<script>
const light = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(value => value / 255)
  .map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4)
  .reduce((sum, value, at) => sum + value * [.2126, .7152, .0722][at], 0);
onload = () => {
  const inside = frames[0], page = inside.document, style = element => inside.getComputedStyle(element);
  const all = [...page.querySelectorAll('body *')];
  const paper = style(page.body).backgroundColor.replace('rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)');
  const contrast = element => {
    const [low, high] = [light(style(element).color), light(paper)].sort((a, b) => a - b);
    return (high + .05) / (low + .05);
  };
  document.body.dataset.found = JSON.stringify({
    paper: paper, title: page.title, width: inside.innerWidth, scroll: page.documentElement.scrollWidth,
    wide: all.filter(element => element.getBoundingClientRect().right > inside.innerWidth + 1).length,
    contrast: Math.min(...all.filter(element => element.textContent.trim()).map(contrast)),
    loaded: inside.performance.getEntriesByType('resource').length});
};
</script>"""


def found(folder: Path, width: int, *words: str) -> dict[str, Any]:
    """Return what a browser finds on the page in a folder; it must print no message of the console."""
    need("chromium")
    (folder / "frame.html").write_text(_PROBE.replace("WIDTH", str(width)))
    done = subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         f"--user-data-dir={folder}/chromium", "--allow-file-access-from-files", "--enable-logging=stderr",
         f"--window-size={max(width, 500)},900", "--dump-dom", *words, f"file://{folder}/frame.html"],
        check=True, capture_output=True, text=True, timeout=110,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr, done.stderr
    match = re.search(r'data-found="([^"]*)"', done.stdout)
    assert match, done.stdout[-500:]
    facts: dict[str, Any] = json.loads(html.unescape(match[1]))
    return facts


@pytest.mark.parametrize(
    ("theme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 22, 22)"), ("no style", None)]
)
def test_hostile_names_can_be_read_at_every_width(tmp_path: Path, theme: str, paper: str | None) -> None:
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
        dark = ["--blink-settings=preferredColorScheme=0"] if theme == "dark" else []
        facts = found(tmp_path, width, *dark)

        assert (facts["title"], facts["loaded"], facts["width"]) == ("playshuffle", 0, width)
        assert facts["contrast"] >= 4.5
        if paper is not None:
            assert (facts["paper"], facts["wide"]) == (paper, 0)
            assert facts["scroll"] <= width
