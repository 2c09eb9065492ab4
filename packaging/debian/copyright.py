"""Print the copyright file of a Debian package that carries Python packages.

python3 copyright.py SITE_PACKAGES FOLDER LICENSE: the packages, where the Debian package has them, and the
license of playshuffle. Every other license is the one that the metadata of its package names.
"""

import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

_FORMAT = "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
# The names that Debian gives to licenses, where its base system has the text.
_COMMON = {
    "GPL-2.0-or-later": ("GPL-2+", "GPL-2"),
    "GNU Lesser General Public License v3 (LGPLv3)": ("LGPL-3", "LGPL-3"),
    "Apache-2.0": ("Apache-2.0", "Apache-2.0"),
    "Mozilla Public License 2.0 (MPL 2.0)": ("MPL-2.0", "MPL-2.0"),
}
_OTHER = {"MIT": "Expat", "MIT License": "Expat", "ISC License": "ISC"}


def license_of(package: Distribution) -> str:
    """Return the license that the metadata of a package names."""
    known = package.metadata
    classes = [name for name in known.get_all("Classifier") or [] if name.startswith("License ::")]
    found = (
        known["License-Expression"] or known["License"] or (classes[0].split(" :: ")[-1] if classes else "")
    )
    if not found:
        sys.exit(f"{known['Name']}: its metadata names no license")
    return str(found)


def texts_of(package: Distribution) -> list[str]:
    """Return the texts of its license files."""
    files = package.files or []
    names = ("LICENSE", "LICENCE", "COPYING")
    return [file.read_text() for file in files if ".dist-info" in str(file) and file.name.startswith(names)]


def copyright_of(package: Distribution, texts: list[str]) -> list[str]:
    """Return who holds the copyright: as the license files say, else the authors."""
    lines = [line.strip() for text in texts for line in text.splitlines()]
    own = [line for line in lines if line.startswith(("Copyright (c)", "Copyright 2", "Copyright ©"))]
    known = package.metadata
    return own or [known["Author"] or known["Author-email"] or f"the authors of {known['Name']}"]


def indented(text: str) -> str:
    """Return a text as lines of a field."""
    return "\n".join(f" {line}" if line.strip() else " ." for line in text.strip().splitlines())


def stanza(files: list[str], holders: list[str], name: str, text: str) -> str:
    """Return one paragraph of the file."""
    fields = {
        "Files": "\n ".join(files),
        "Copyright": "\n ".join(holders),
        "License": f"{name}\n{indented(text)}",
    }
    return "".join(f"{field}: {value}\n" for field, value in fields.items())


def stanzas(packages: Path, folder: str, own: Path) -> Iterator[str]:
    """Return the paragraphs of playshuffle and of each package that it carries."""
    _, holder, text = own.read_text().split("\n\n", 2)
    yield f"Format: {_FORMAT}\n"
    yield stanza(["*"], [holder], "Expat", text)
    for package in sorted(
        distributions(path=[str(packages)]), key=lambda each: each.metadata["Name"].lower()
    ):
        if package.metadata["Name"] == "playshuffle":
            continue
        name, texts = license_of(package), texts_of(package)
        tops = {Path(file).parts[0] for file in package.files or [] if (packages / file).exists()}
        files = [f"{folder}/{top}{'/*' if (packages / top).is_dir() else ''}" for top in sorted(tops)]
        if name in _COMMON:
            name, file = _COMMON[name]
            text = f"The text of this license is in /usr/share/common-licenses/{file}."
        else:
            text = "\n\n".join(texts)
        if not text:
            sys.exit(f"{package.metadata['Name']}: it has no text of its license")
        yield stanza(files, copyright_of(package, texts), _OTHER.get(name, name), text)


if __name__ == "__main__":
    sys.stdout.write("\n".join(stanzas(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
