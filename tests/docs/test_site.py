"""Build the site, with warnings as errors."""

import os
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

import pytest

from tests.docs.commands import CHECKOUT
from tests.support.chromium import DARK, found
from tests.support.processes import finished


class _Links(HTMLParser):
    """The links and anchors of a page, and the addresses that a browser loads to show it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in {"href", "src"}:
                self.links.append(value)
                if name == "src" or tag == "link":
                    self.loaded.append(value)
            elif value and name == "id":
                self.anchors.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("docs") / "site"
    done = finished(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", site],
        cwd=CHECKOUT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return site


@pytest.mark.process
def test_the_site_builds_without_warnings_and_all_its_links_have_targets(site: Path) -> None:
    pages = {page: _Links(page.read_text()) for page in site.rglob("*.html") if page.name != "404.html"}
    for page, links in pages.items():
        assert not [link for link in links.loaded if "//" in link], "loaded from elsewhere"
        assert "\\|" not in page.read_text(), f"{page.name}: a backslash of Markdown"
        for link in links.links:
            if link.startswith(("http:", "https:", "data:", "mailto:")):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target

            has_anchor = not anchor or target not in pages or anchor in pages[target].anchors
            assert target.exists(), f"{page.name}: {link}"
            assert has_anchor, f"{page.name}: {link}"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - a name of the library
        pass


@pytest.mark.process
@pytest.mark.parametrize("page", ["index.html", "make.html", "reference/commands.html"])
def test_no_page_has_cut_off_code_or_low_contrast_or_scrolls_sideways(site: Path, page: str) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for width, words in product((320, 768, 1280), ([], [DARK])):
            facts = found(site, width, page, *words, at=f"http://127.0.0.1:{server.server_port}")

            assert (facts["width"], facts["scroll"]) == (width, 0)
            assert facts["contrast"] >= 4.5
            assert facts["cut"] == 0
            assert (facts["paper"] == "rgb(255, 255, 255)") == (not words)
        server.shutdown()
