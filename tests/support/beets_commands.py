"""Import folders into a real beets library, and run its commands."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support.processes import finished

# All commands in one process: its start takes longer than the commands.
_RUN = r"""
import contextlib, io, json, sys
from beets.ui import main
found = []
for words in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape")) as out:
        main(words)
    out.flush()
    found.append(out.buffer.getvalue().decode("utf-8", "surrogateescape").splitlines())
json.dump(found, sys.stdout)
"""


def run_beets(
    home: Path, music: Path, commands: Sequence[Sequence[str]], plugins: Sequence[str] = ()
) -> list[list[str]]:
    """Import a folder as it is, then run commands; return the lines that each of them printed.

    `home` is a new folder for the library of beets.
    """
    home.mkdir()
    (home / "config.yaml").write_text(
        f"directory: {music}\nlibrary: {home}/library.db\nplugins: [{', '.join(plugins)}]\n"
        "import:\n  copy: no\n  write: no\n  autotag: no\n  duplicate_action: keep\n"
    )
    done = finished(
        [sys.executable, "-c", _RUN],
        input=json.dumps([["import", "-s", "-A", "-C", "-q", str(music)], *commands]),
        env={**os.environ, "BEETSDIR": str(home), "PYTHONWARNINGS": "ignore"},
    )
    assert done.returncode == 0, done.stderr
    lines: list[list[str]] = json.loads(done.stdout)
    return lines[1:]
