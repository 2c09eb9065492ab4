"""What is typed by mistake, and the exact message that helps."""

import shlex
import sys
from pathlib import Path

import pytest

from playshuffle import cli
from tests.support.tagging import tagged_library


@pytest.fixture
def music(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The music folder of the home, as current folder."""
    folder = home / "Music"
    folder.mkdir()
    (folder / "old.m3u").write_text("1.mp3\n")
    (folder / "1.mp3").touch()
    monkeypatch.chdir(folder)
    return folder


def message(typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the program in this process, without a terminal; return what it writes to standard error."""
    monkeypatch.setattr(sys, "argv", ["playshuffle", *shlex.split(typed)])
    cli.main()
    return capsys.readouterr().err.removeprefix("error: ").rstrip("\n")


NO_PLAYER = "Name no player: the list works in nearly all of them."

MESSAGES = {
    # Paths.
    "make '~/Music'": "'~/Music' was in quotes, so the shell did not expand ~."
    " Write it without quotes: ~/Music",
    "make '~/My Music'": "'~/My Music' was in quotes, so the shell did not expand ~."
    " Write it without quotes: ~/'My Music'",
    "make . -o '~/q.m3u'": "'~/q.m3u' was in quotes, so the shell did not expand ~."
    " Write it without quotes: ~/q.m3u",
    "make 'C:\\Users\\me\\Music'": "'C:\\Users\\me\\Music' is a Windows path."
    " In WSL it is /mnt/c/Users/me/Music.",
    "make '\\\\nas\\music'": "'\\\\nas\\music' is a Windows path. Mount it first.",
    "make old.m3u": "'old.m3u' is a playlist. To shuffle its tracks:"
    " playshuffle make --from old.m3u -o NEW.m3u",
    "make ~/Musik": "Cannot read the folder ~/Musik: No such file or directory. Did you mean ~/Music?",
    "make ~/else": "Cannot read the folder ~/else: No such file or directory."
    " Check its spelling, or mount its drive.",
    "make . --no-tags -o ~/Music": "~/Music is a folder. Name the file, such as ~/Music/NAME.m3u.",
    "make . --no-tags -o /proc/x.m3u": "Cannot write /proc/x.m3u: /proc is read-only here."
    " Nothing was written. Choose another folder.",
    "make . --no-tags -o /nonexist/x.m3u": "Cannot write /nonexist/x.m3u: the folder /nonexist does"
    " not exist. Nothing was written. Make it first or choose another place.",
    # Values of options.
    "make . --where '!genre:jazz'": "--where: The query has an error in column 1: there is no field '!genre'."
    " To exclude, write -genre:",
    "make . --time 90": "--time: '90' has no unit. Write 90m (minutes) or 90h (hours).",
    "make . --gap 150%": "--gap '150%' is not a gap. Write 50 (plays) or 25% (of the tracks, at most 100%).",
    "make . --for iphone": f"Unknown player 'iphone'. {NO_PLAYER}",
    "make . --for sonos": f"Unknown player 'sonos'. {NO_PLAYER}",
    "audit --order albums": "Unknown order to audit 'albums'. It is not random inside, so it is not measured."
    " To measure a list: playshuffle audit FILE",
    "audit --order x": "Unknown order to audit 'x'. Use random, forward, fisher-yates, inside-out, by-keys,"
    " insertion, top-in, table, sparse-deal, running or 14 others.",
    # Commands and topics.
    "play": "Unknown command 'play'. To play a list: mpv --playlist=FILE.m3u",
    "search": "Unknown command 'search'. To find values of tags: playshuffle tags."
    " To ask about a file: playshuffle why FILE",
    "config edit": "Unknown command 'edit'. To edit it: ${EDITOR:-nano} ~/.config/playshuffle/config.toml",
    "service start": "Unknown command 'start'. To start it: systemctl --user start playshuffle",
    "service stop": "Unknown command 'stop'. To stop it: systemctl --user stop playshuffle",
    "service log": "Unknown command 'log'. To read it: journalctl --user -u playshuffle",
    "config check": "There is no configuration yet. To create ~/.config/playshuffle/config.toml:"
    " playshuffle config init",
    "config check --config mine.toml": "~/Music/mine.toml does not exist. To create ~/Music/mine.toml:"
    " playshuffle config init --config mine.toml",
}


@pytest.mark.usefixtures("music")
@pytest.mark.parametrize("typed", MESSAGES)
def test_a_mistake_gets_a_message_that_helps(
    typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    typed_in_shell = typed if "'~" in typed else typed.replace("~", str(home))

    assert message(typed_in_shell, monkeypatch, capsys) == MESSAGES[typed]


@pytest.mark.usefixtures("music")
@pytest.mark.parametrize(
    ("alias", "topic"), [("queries", "where"), ("exit", "exit-codes"), ("time", "times")]
)
def test_topics_have_other_names(
    alias: str, topic: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = []
    for name in (alias, topic):
        monkeypatch.setattr(sys, "argv", ["playshuffle", "help", name])
        cli.main()
        pages.append(capsys.readouterr().out)

    assert pages[0] == pages[1] != ""


QUERIES = {
    "not genre:christmas": (
        "    not              0 of 3 tracks  a word to search for; to exclude, write: -genre:christmas",
        "    genre:christmas  0 of 3 tracks  see: playshuffle tags genre",
    ),
    "genre:jazzy year:1958": (
        "    genre:jazzy  0 of 3 tracks  nearest: Jazz (2)",
        "    year:1958    1 of 3 tracks",
    ),
    "genre:jazz and title:x": (
        "    genre:jazz  2 of 3 tracks",
        "    and         0 of 3 tracks  a word to search for; all terms must match without it",
        "    title:x     0 of 3 tracks  see: playshuffle tags title",
    ),
    "genre=jazz": ("    genre=jazz  0 of 3 tracks  to search a field, write: genre:jazz",),
    "jazz|rock": ("    jazz|rock  0 of 3 tracks  for either, write: jazz , rock",),
    "genre:jazz|rock": ("    genre:jazz|rock  0 of 3 tracks  for either, write: genre:jazz , genre:rock",),
    "!jazz": ("    !jazz  0 of 3 tracks  to exclude, write: -jazz",),
    "rating:4..": ("    rating:4..  0 of 3 tracks  no track has a rating",),
    "length:3..4": ("    length:3..4  0 of 3 tracks  in seconds; in minutes, write: length:3:00..4:00",),
    "path:Balads": ("    path:Balads  0 of 3 tracks  nearest: path:Ballads",),
}


@pytest.mark.process
@pytest.mark.parametrize("query", QUERIES)
def test_a_query_without_a_match_shows_what_each_term_matches(
    query: str, music: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (music / "1.mp3").unlink()
    files = {
        "Ballads/a.mp3": {"title": "One", "genre": "Jazz", "date": "1958"},
        "b.mp3": {"title": "Two", "genre": "Jazz"},
        "c.mp3": {"title": "Three", "genre": "Rock"},
        "d.mp3": {"title": "Four", "genre": "Audiobook"},
    }
    tagged_library(music, files)

    text = message(f"make . -q --where {shlex.quote(query)}", monkeypatch, capsys)

    assert text.splitlines() == [
        f"No track matches {query}. The playlist was not changed.",
        *QUERIES[query],
        "  Left out before: 1 file of spoken word (--spoken)",
    ]
