"""Write the man pages into a package, and make its description of README.md.

Links of the description work outside of a clone. The publisher in pyproject.toml gives the address of the
repository, such as that of a project on GitHub. With it, links become absolute and the package names its
pages. Without it, links and pictures of the repository are left out.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
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


class ManPagesHook(BuildHookInterface[Any]):
    """Called by hatchling for a wheel and an sdist; pyproject.toml names this file."""

    PLUGIN_NAME = "custom"
    _folder = ""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the man pages, which are made of the help of the program, and add them."""
        if version == "editable":
            return
        self._folder = tempfile.mkdtemp()
        subprocess.run(
            [sys.executable, "-B", "-m", "scripts.man_pages", self._folder], cwd=self.root, check=True
        )
        if self.target_name == "sdist":
            build_data["force_include"][self._folder] = "man"
        else:
            build_data["shared_data"][self._folder] = "share/man"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the temporary folder."""
        if self._folder:
            shutil.rmtree(self._folder)
