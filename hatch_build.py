"""Make the description for a package index of README.md: links that work outside of a clone.

The publisher in pyproject.toml gives the address of the repository, such as that of a project on GitHub.
With it, links become absolute and the package names its pages. Without it, links and pictures of the
repository are left out.
"""

import os
import re
import tomllib
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^!\[[^\]]*\]\((?!https?:)([^)]+)\)\n\n?", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)]+)\)")


def publisher(root: str) -> dict[str, str]:
    """Return name, email and url of whoever publishes playshuffle; each is empty while nobody does."""
    with open(os.path.join(root, "pyproject.toml"), "rb") as file:
        line: dict[str, str] = tomllib.load(file)["tool"]["playshuffle"]["publisher"]
    return {**line, "url": line["url"].rstrip("/")}


def description(readme: str, url: str, version: str) -> str:
    """Return a README with absolute links; without an address, links become their texts."""
    if not url:
        return _LINK.sub(r"\1", _PICTURE.sub("", readme))
    readme = _PICTURE.sub(
        lambda match: match[0].replace(match[1], f"{url}/raw/v{version}/{match[1]}"), readme
    )
    return _LINK.sub(lambda match: f"[{match[1]}]({url}/blob/v{version}/{match[2]})", readme)


def urls(url: str, version: str) -> dict[str, str]:
    """Return the addresses of a project; none without that of its repository."""
    if not url:
        return {}
    return {
        "Source": url,
        "Documentation": f"{url}/blob/v{version}/docs/index.md",
        "Changelog": f"{url}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }


class ReadmeHook(MetadataHookInterface):
    """Called by hatchling; pyproject.toml names this file."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the author, the description and the addresses."""
        known = publisher(self.root)
        url = known["url"]
        with open(os.path.join(self.root, "README.md"), encoding="utf-8") as file:
            readme = file.read()
        text = description(readme, url, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        author = {name: known[name] for name in ("name", "email") if known[name]}
        if author:
            metadata["authors"] = [author]
        if url:
            metadata["urls"] = urls(url, metadata["version"])
