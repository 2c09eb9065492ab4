"""Measure a page in headless Chromium."""

import html
import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.support.needs import need

DARK = "--blink-settings=preferredColorScheme=0"

# Contrast as in WCAG 2. Chromium has no window below 500 pixels, but a frame may be narrower.
_PROBE = """<body style="margin:0">
<iframe src="PAGE" style="border:0;width:WIDTHpx;height:900px"></iframe>
<script>
const light = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(value => value / 255)
  .map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4)
  .reduce((sum, value, at) => sum + value * [.2126, .7152, .0722][at], 0);
onload = () => {
  const inside = frames[0], page = inside.document, style = element => inside.getComputedStyle(element);
  const all = [...page.querySelectorAll('body *')];
  const paper = style(page.body).backgroundColor.replace('rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)');
  const isClear = element => style(element).backgroundColor === 'rgba(0, 0, 0, 0)';
  const behind = element => element === page.body ? paper
    : isClear(element) ? behind(element.parentElement) : style(element).backgroundColor;
  const contrast = element => {
    const [low, high] = [style(element).color, behind(element)].map(light).sort((a, b) => a - b);
    return (high + .05) / (low + .05);
  };
  const isRead = element => [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())
    && element.checkVisibility({visibilityProperty: true, opacityProperty: true})
    && element.getBoundingClientRect().right > 0;  // a menu that is closed lies left of the window
  const whole = page.documentElement;
  document.body.dataset.found = JSON.stringify({
    paper: paper, title: page.title, width: inside.innerWidth, scroll: whole.scrollWidth - whole.clientWidth,
    wide: all.filter(element => element.getBoundingClientRect().right > inside.innerWidth + 1).length,
    contrast: Math.min(...all.filter(isRead).map(contrast)),
    cut: [...page.querySelectorAll('pre code')].filter(code => code.scrollWidth > code.clientWidth).length,
    loaded: inside.performance.getEntriesByType('resource').length});
};
</script>"""


def found(folder: Path, width: int, page: str, *words: str, at: str | None = None) -> dict[str, Any]:
    """Return a browser's measurements of a page, which must log nothing to the console.

    `at` is the address of the folder on a server; None for the files.
    """
    need("chromium")
    (folder / "frame.html").write_text(_PROBE.replace("WIDTH", str(width)).replace("PAGE", page))
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
    facts: dict[str, Any] = json.loads(html.unescape(match[1]))
    return facts
