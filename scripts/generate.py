"""Write every generated page and man page: `python -m scripts.generate`."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from scripts.command_tree import commands
from scripts.man_pages import man_pages
from scripts.reference_pages import commands_page, with_tables

CHECKOUT = Path(__file__).parents[1]


def with_badge(readme: str, url: str) -> str:
    """Return the README with a badge of the tests below its title; none without an address."""
    workflow = f"{url.rstrip('/')}/actions/workflows/ci.yml"
    badge = f"[![tests]({workflow}/badge.svg)]({workflow})\n\n" if url else ""
    return re.sub(r"\A(# .*\n\n)(\[!\[.*\n\n)?", lambda match: match[1] + badge, readme)


def outputs() -> Iterator[tuple[Path, str]]:
    """Return each generated file and what it must contain."""
    known = list(commands())
    yield CHECKOUT / "docs/reference/commands.md", commands_page(known)
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    readme = CHECKOUT / "README.md"
    yield readme, with_badge(readme.read_text(), project["tool"]["playshuffle"]["publisher"]["url"])
    for path in sorted((CHECKOUT / "docs").rglob("*.md")):
        page = path.read_text()
        if "<!-- table: " in page:
            yield path, with_tables(page)
    for name, text in man_pages(known):
        yield CHECKOUT / "man" / name, text


def main() -> None:
    """Write the files, and remove man pages of commands that no longer exist."""
    written = dict(outputs())
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for path in (CHECKOUT / "man").rglob("*.[15]"):
        if path not in written:
            path.unlink()


if __name__ == "__main__":
    main()
