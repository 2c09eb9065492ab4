"""Measure a page in headless Chromium."""

import html
import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.needs import need

DARK = "--blink-settings=preferredColorScheme=0"

# The letters of a picture must have this size where it is shown: 10 points, in pixels.
LETTERS = 13.3

# Contrast as in WCAG 2. Chromium has no window below 500 pixels, but a frame may be narrower.
_PROBE = """<body style="margin:0;color-scheme:light dark">
FRAMES
<script>
const light = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(value => value / 255)
  .map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4)
  .reduce((sum, value, at) => sum + value * [.2126, .7152, .0722][at], 0);
const contrast = (front, back) => {
  const [low, high] = [front, back].map(light).sort((a, b) => a - b);
  return (high + .05) / (low + .05);
};
const ofPage = (inside, page) => {
  const style = element => inside.getComputedStyle(element), whole = page.documentElement;
  const all = [...page.querySelectorAll('body *')];
  const paper = style(page.body).backgroundColor.replace('rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)');
  const isClear = element => style(element).backgroundColor === 'rgba(0, 0, 0, 0)';
  const behind = element => element === page.body ? paper
    : isClear(element) ? behind(element.parentElement) : style(element).backgroundColor;
  const isRead = element => [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())
    && element.checkVisibility({visibilityProperty: true, opacityProperty: true})
    && element.getBoundingClientRect().right > 0;  // a menu that is closed lies left of the window
  const scrolls = element => style(element).overflowX === 'auto' ? element : scrolls(element.parentElement);
  const isCut = element => element.scrollWidth > element.clientWidth + 1;
  const cutTables = [...page.querySelectorAll('.md-content table')].map(scrolls).filter(isCut);
  return {
    paper: paper, title: page.title, width: inside.innerWidth, scroll: whole.scrollWidth - whole.clientWidth,
    height: whole.scrollHeight,
    wide: all.filter(element => element.getBoundingClientRect().right > inside.innerWidth + 1).length,
    contrast: Math.min(...all.filter(isRead).map(element => contrast(style(element).color, behind(element)))),
    cut: [...page.querySelectorAll('pre code')].filter(code => code.scrollWidth > code.clientWidth).length,
    cut_tables: cutTables.length,
    without_sign: cutTables.filter(box => !style(box).backgroundAttachment.includes('local')).length,
    pictures: [...page.querySelectorAll('.md-content img')].map(image =>
      [image.src.split('/').pop(), image.getBoundingClientRect().width / image.naturalWidth]),
    loaded: inside.performance.getEntriesByType('resource').length};
};
// Letters are text, or in pictures of Matplotlib shapes that are drawn for a size of 100.
const ofPicture = (inside, page) => {
  const style = element => inside.getComputedStyle(element);
  const paper = matchMedia('(prefers-color-scheme:dark)').matches ? 'rgb(30, 33, 41)' : 'rgb(255, 255, 255)';
  const letters = [...page.querySelectorAll('text, tspan, g[id^=text_] use')];
  const size = letter => Math.abs(letter.getScreenCTM().a || letter.getScreenCTM().b)
    * (letter.tagName === 'use' ? 100 : parseFloat(style(letter).fontSize));
  const ground = letter => {
    const box = letter.getBoundingClientRect();
    const below = page.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2)
      .filter(element => !element.closest('text, g[id^=text_]') && element !== page.documentElement);
    const filled = below.find(element => style(element).fill.startsWith('rgb'));
    return filled ? style(filled).fill : paper;
  };
  return {
    letters: Math.min(...letters.map(size)),
    contrast: Math.min(...letters.map(letter => contrast(style(letter).fill, ground(letter))))};
};
onload = () => {
  const found = [...document.querySelectorAll('iframe')].map(frame =>
    (frame.src.endsWith('.svg') ? ofPicture : ofPage)(frame.contentWindow, frame.contentDocument));
  document.body.dataset.found = JSON.stringify(found);
};
</script>"""


def found(folder: Path, width: int, page: str, *words: str, at: str | None = None) -> dict[str, Any]:
    """Return a browser's measurements of a page, which must log nothing to the console.

    `at` is the address of the folder on a server; None for the files.
    """
    return found_in_all(folder, width, [page], *words, at=at)[page]


def found_in_all(
    folder: Path, width: int, pages: Sequence[str], *words: str, at: str | None = None
) -> dict[str, dict[str, Any]]:
    """Return the measurements of pages and SVG pictures, by their names, from one start of the browser."""
    need("chromium")
    widths = {page: 1280 if page.endswith(".svg") else width for page in pages}
    frames = "\n".join(
        f'<iframe src="{page}" style="border:0;width:{widths[page]}px;height:900px"></iframe>'
        for page in pages
    )
    (folder / "frame.html").write_text(_PROBE.replace("FRAMES", frames))
    address = folder.as_uri() if at is None else at
    profile = tempfile.mkdtemp(dir=folder)  # a page may remember light or dark
    done = subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         f"--user-data-dir={profile}", "--allow-file-access-from-files", "--enable-logging=stderr",
         f"--window-size={max(width, 500)},900", "--dump-dom", *words, f"{address}/frame.html"],
        check=True, capture_output=True, text=True, timeout=500,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr, done.stderr
    match = re.search(r'data-found="([^"]*)"', done.stdout)
    assert match, done.stdout[-500:]
    facts: list[dict[str, Any]] = json.loads(html.unescape(match[1]))
    return dict(zip(pages, facts, strict=True))
