"""Find the commands in the pages of the documentation, and list those that a test cannot run."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).parents[2]
PAGES = sorted([CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *(CHECKOUT / "docs").rglob("*.md")])
TUTORIAL = CHECKOUT / "docs/tutorial.md"
GENERATED = {CHECKOUT / "docs/reference/commands.md"}

# Patterns of commands that a test does not run, with the reason.
NOT_RUN = {
    r"sudo |systemctl |loginctl |journalctl |systemd-analyze ": "they act on the machine",
    r"apt-get |pipx |pip |python3? |git |docker |podman |tests/run|\.ci/run|\.venv/|PLAYSHUFFLE_": (
        "they install programs or run the tests"
    ),
    r"mpv |vlc |cmus-remote |strawberry |audacious |gdbus |mpc |rsync |beet |operon |find ": (
        "the player or its music is not there; tests/players runs the players"
    ),
    r"sqlite3 |crontab |ls |cat |cd |nano |man |mkdir |cp |mv |sed |touch |echo |ln ": "they are not ours",
}
# Commands of playshuffle that a test runs only with --help, with the reason.
ONLY_PARSED = {
    r"playshuffle watch": "it runs until it is stopped; tests/service runs it",
    r"playshuffle export (~/calm.m3u|car) /media": "it needs a stick; tests/cli runs it",
    r"playshuffle make ~/Music --for car --where format:mp3": "the demo has no MP3; tests/cli runs it",
    r"playshuffle service (install|uninstall)": "it acts on the systemd of the user; tests/install runs it",
    r"playshuffle --install-completion": "it changes the start file of the shell",
    r"playshuffle (tags|why) (song|--all|~/Music/Live)": "it needs that file; tests/cli runs it",
    r"playshuffle (help|make .*--for) van": "it needs that player; tests/config runs it",
    r"playshuffle make ~/Music --where 'length:": "the demo has short tracks; tests/selection runs it",
    r"playshuffle make ~/Music --where '-mtime:": "all files of the demo are new; tests/selection runs it",
    r"playshuffle .*--(history (?!listen|/srv/navidrome)|heard)": (
        "it needs the data of a player; tests/history reads them"
    ),
    r"playshuffle move": "it needs music in another folder; tests/cli runs it",
    r"playshuffle tell": "it needs a player; tests/telling runs it",
    r"playshuffle listen": "it runs until it is stopped; tests/listening runs it",
    r"playshuffle plugin": "it needs Quod Libet; tests/install runs it",
    r"playshuffle audit --order": "it takes some seconds; tests/audit runs it",
}


class Command(NamedTuple):
    """A command line in a page: its documented exit code, and why no test runs it, empty if one does."""

    page: Path
    line: int
    text: str
    exit_code: int
    reason: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(CHECKOUT)}:{self.line}: {self.text}"


def commands(page: Path) -> Iterator[Command]:
    """Yield the commands in the ```sh and ```console blocks of a page."""
    content = page.read_text()
    for match in re.finditer(r"(?ms)^( *)```(sh|console)\n(.*?)^ *```$", content):
        line = content[: match.start(3)].count("\n") + 1
        for text in _lines(match[3], is_console=match[2] == "console"):
            plain = re.sub(r"\s+# .*$", "", text)
            code = re.search(r"# .*exit code (\d+)", text)
            for part in plain.split(" && "):
                yield Command(page, line, part, int(code[1]) if code else 0, _reason(part))


def without_blocks(text: str) -> str:
    """Return the text of a page without its blocks of code."""
    return re.sub(r"(?ms)^```.*?^```$", "", text)


def _lines(block: str, *, is_console: bool) -> Iterator[str]:
    joined = re.sub(r" *\\\n\s*", " ", block)
    for line in (line.strip() for line in joined.splitlines()):
        if is_console and line.startswith("$ "):
            yield line[2:]
        elif not is_console and line and not line.startswith("#"):
            yield line


def _reason(text: str) -> str:
    reasons = (why for pattern, why in (NOT_RUN | ONLY_PARSED).items() if re.match(pattern, f"{text} "))
    return next(reasons, "")
