"""Write every generated page of the documentation: `python -m scripts.generate`.

They are in git, since people read them on the page of the repository, without a build.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from scripts.command_tree import commands
from scripts.reference_pages import commands_page, with_tables

CHECKOUT = Path(__file__).parents[1]


def with_badge(readme: str, url: str) -> str:
    """Return the README with a badge of the tests below its title, if there is an address."""
    workflow = f"{url.rstrip('/')}/actions/workflows/ci.yml"
    badge = f"[![tests]({workflow}/badge.svg)]({workflow})\n\n" if url else ""
    return re.sub(r"\A(# .*\n\n)(\[!\[.*\n\n)?", lambda match: match[1] + badge, readme)


# What install.md says without and with a publisher.
_PUBLISHED = (
    (
        "`pipx install .` in a clone | `git pull`, then `pipx install --force .`",
        "`pipx install playshuffle` | `pipx upgrade playshuffle`",
    ),
    (
        "`uv tool install .` in a clone | `git pull`, then `uv tool install --force .`",
        "`uv tool install playshuffle` | `uv tool upgrade playshuffle`",
    ),
    ("`uvx --from . playshuffle demo` in a clone", "`uvx playshuffle demo`"),
)


def with_index(page: str, url: str) -> str:
    """Return a page that installs from the index if there is an address, and otherwise from a clone."""
    for clone, index in _PUBLISHED:
        page = page.replace(clone, index) if url else page.replace(index, clone)
    return page


def outputs() -> Iterator[tuple[Path, str]]:
    """Yield each generated file and its content."""
    yield CHECKOUT / "docs/reference/commands.md", commands_page(list(commands()))
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    url = project["tool"]["playshuffle"]["publisher"]["url"]
    readme = CHECKOUT / "README.md"
    yield readme, with_badge(readme.read_text(), url)
    for path in sorted((CHECKOUT / "docs").rglob("*.md")):
        page = path.read_text()
        if (written := with_index(with_tables(page), url)) != page or "<!-- table: " in page:
            yield path, written


def main() -> None:
    """Write the files."""
    for path, text in dict(outputs()).items():
        path.write_text(text)


if __name__ == "__main__":
    main()
