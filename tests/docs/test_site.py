"""Build the site, with warnings as errors."""

import os
import re
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.docs.commands import CHECKOUT
from tests.support.chromium import DARK, LETTERS, found_in_all
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


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.process
@pytest.mark.parametrize(
    ("width", "words"),
    [(320, []), (390, []), (390, [DARK]), (1280, [])],
    ids=["320", "390", "390-dark", "1280"],
)
def test_no_page_scrolls_sideways_or_hides_columns_or_code_and_every_letter_can_be_read(
    site: Path, address: str, width: int, words: list[str]
) -> None:
    docs = CHECKOUT / "docs"
    pages = [path.relative_to(docs).with_suffix(".html").as_posix() for path in sorted(docs.rglob("*.md"))]
    pictures = [path.relative_to(docs).as_posix() for path in sorted(docs.glob("pictures/*.svg"))]
    found = found_in_all(site, width, [*pages, *pictures], *words, at=address)

    assert re.fullmatch(r"playshuffle: [A-Z].* exactly once", found["index.html"]["title"])
    for page in pages:
        facts = found[page]
        assert (facts["width"], facts["scroll"], facts["cut"]) == (width, 0, 0), page
        assert facts["contrast"] >= 4.5, page
        assert facts["without_sign"] == 0, page
        assert facts["cut_tables"] == 0 or width != 390, page
        assert facts["height"] < 20_000 or width < 390, page
        assert (facts["paper"] == "rgb(255, 255, 255)") == (not words)
        for picture, scale in facts["pictures"]:
            letters = found[f"pictures/{picture}"]["letters"] * scale
            assert letters >= LETTERS or width < 390, f"{page}, {picture}"
    for picture in pictures:
        assert found[picture]["contrast"] >= 4.5, picture
