"""Test that help fits the terminal, and that it leads to everything that the program mentions."""

import os
import re
import shlex
from pathlib import Path

import pytest

from playshuffle.cli.help import _fitted
from playshuffle.cli.help_topics import TOPICS
from playshuffle.cli.screen import Screen, columns
from playshuffle.options.help_groups import EXPERT
from playshuffle.ordering.orders import ORDERS
from playshuffle.players.profiles import PLAYERS
from scripts import man_pages
from scripts.command_tree import Command, commands
from scripts.man_pages import page_name
from tests.support.processes import finished
from tests.support.program import CHECKOUT, configured, environment, numbered, program_in, ran, refused, run
from tests.support.tagging import tagged_library

COMMANDS = list(commands())
_HELP, _USAGE = 50, 26  # characters


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_each_option_takes_one_line_of_help_at_80_columns(command: Command) -> None:
    of_typer = [("--install-completion",), ("--show-completion",), ("--help", "-h")]  # with its own texts
    for option in command.options:
        if option.spellings in of_typer:
            continue
        usage = option.usage or option.metavar
        default = f"  [default: {option.default}]" if option.default else ""

        assert len(usage) <= _USAGE, usage
        assert len(option.help + default) <= _HELP, option.help
        assert not option.help.endswith("."), option.help


@pytest.mark.process
@pytest.mark.parametrize(
    "words", [*((*each.words, "--help") for each in COMMANDS), *(("help", topic) for topic in TOPICS)]
)
def test_no_line_of_help_is_cut_or_wider_than_80_columns(words: tuple[str, ...]) -> None:
    done = run(*words, env={"COLUMNS": "80"})

    assert (done.code, done.err) == (0, "")
    lines = done.out.decode().splitlines()
    assert len(lines) > 3
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if re.search(r"[a-z]\.\.\.$", line) and "Usage:" not in line]


@pytest.mark.process
@pytest.mark.parametrize("words", ["make", "deal", "watch"])
def test_the_option_h_shows_the_most_used_options_of_a_command_on_one_screen(words: str) -> None:
    lines = run(words, "-h", env={"COLUMNS": "80"}).out.decode().splitlines()
    options = [option for option in map(option_of, lines) if option]

    assert max(map(len, lines)) <= 80
    assert 20 <= len(lines) <= 40
    assert any(lines[2].strip().rstrip(".") == each.help.split(". ")[0].rstrip(".") for each in COMMANDS)
    assert options == [option for option in options_of(words) if option in options]
    assert options[-1] == "--help"
    assert EXPERT not in "\n".join(lines)
    assert EXPERT in run(words, "--help").out.decode()


def option_of(line: str) -> str:
    """Return the longest spelling of the option that a line of help explains, or "" for other lines."""
    match = re.match(r"  (-[-\w]+(?:, --[-\w]+)?)(?= )", line)
    return max(match[1].split(", "), key=len) if match else ""


def options_of(*words: str) -> list[str]:
    """Return the options of a command in the order of its help."""
    lines = run(*words, "--help", env={"COLUMNS": "80"}).out.decode().splitlines()
    return [option for option in map(option_of, lines) if option]


@pytest.fixture(scope="module")
def man(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the man pages into a folder, and return the folder."""
    folder = tmp_path_factory.mktemp("man")
    man_pages.main(folder)
    return folder


@pytest.mark.process
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_man_page_has_the_same_options_as_the_help_in_the_same_order(command: Command, man: Path) -> None:
    page = (man / "man1" / f"{page_name(command)}.1").read_text().replace("\\-", "-")
    heads = [line for line in page.splitlines() if line.startswith("\\fB-")]
    in_man = [re.findall(r"\\fB(--?[-\w]+)", head) for head in heads]

    assert options_of(*command.words) == [max(spellings, key=len) for spellings in in_man]


@pytest.mark.process
def test_playshuffle_without_arguments_shows_common_commands_and_with_the_option_help_all() -> None:
    first, whole = (run(*words).out.decode() for words in ((), ("--help",)))

    def listed(text: str) -> list[str]:
        lines = text.partition("\nOptions:")[0].partition("\nOutput:")[0].splitlines()
        return [line.split()[0] for line in lines[3:] if line.startswith("  ")]

    assert len(listed(first)) == 15
    assert listed(whole) == [*COMMANDS[0].children]
    assert set(listed(first)) < set(listed(whole))
    assert run("-h").out.decode() == first
    assert EXPERT not in first


@pytest.mark.process
def test_the_command_help_lists_topics_explains_commands_and_players_and_suggests_similar_topics() -> None:
    assert all(topic in run("help").out.decode() for topic in TOPICS)
    assert run("help", "make").out == run("make", "--help").out
    assert run("help", "car").out.startswith(b"a car radio\n")
    suggestion = "error: Unknown topic 'oders'. Did you mean 'orders'? See: playshuffle help\n"
    assert refused(2, "help", "oders") == suggestion


@pytest.mark.parametrize("topic", TOPICS)
def test_help_topics_fit_into_a_narrow_terminal_except_commands_and_keys_to_copy(topic: str) -> None:
    texts = [*TOPICS[topic][1]()]
    wide = [line for line in _fitted(texts, Screen(60)) if columns(line) > 60]

    assert all("# " in line or line.lstrip().startswith("playshuffle ") for line in wide), wide
    assert [*_fitted(texts, Screen())] == [*_fitted(texts, Screen(80))]


def test_all_help_topics_that_messages_of_the_program_refer_to_exist() -> None:
    """No message refers to a file of the documentation, which is not installed."""
    words = {" ".join(command.words) for command in COMMANDS}
    for path in sorted((CHECKOUT / "playshuffle").rglob("*.py")):
        text = path.read_text()

        assert not re.search(r"docs/\w+\.md", text), path
        for topic in re.findall(r"playshuffle help ([a-z-]+)", text):
            assert topic in {*TOPICS, *ORDERS, *PLAYERS, *words}, (path, topic)


@pytest.mark.process
@pytest.mark.parametrize("order", ["albums", "folders", "groups"])
def test_help_about_an_order_of_groups_shows_how_to_shuffle_inside_them(order: str) -> None:
    assert 'inside = "all"' in run("help", order).out.decode()


@pytest.mark.process
def test_the_error_for_a_path_without_a_command_suggests_a_command_for_that_path(tmp_path: Path) -> None:
    (tmp_path / "My Music").mkdir()
    (tmp_path / "a.m3u").touch()
    (tmp_path / "a.mp3").touch()
    for name, command in {"My Music": "make", "a.m3u": "check", "a.mp3": "why"}.items():
        hint = f"playshuffle {command} {shlex.quote(str(tmp_path / name))}\n"
        assert refused(2, tmp_path / name).endswith(hint)
    assert "playshuffle make 'My Music'" in run("My Music", cwd=tmp_path).err
    assert "Unknown command" in run(tmp_path / "none").err


@pytest.mark.process
@pytest.mark.parametrize("words", [("make", "-h"), ("make", "--help"), ("help", "where")])
def test_help_names_the_program_as_it_was_called(words: tuple[str, str]) -> None:
    text = ran(*words, env={"PLAYSHUFFLE_TYPED": "bin/playshuffle"}).out.decode()

    assert "bin/playshuffle " in text
    assert not re.search(r"(?<!bin/)\bplayshuffle [a-z-]", text)


# Completion


def completed(line: str) -> list[str]:
    """Return the completions that bash gets for the last word of a command line."""
    words = line.split(" ")
    position = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = run(env={"_PLAYSHUFFLE_COMPLETE": "complete_bash", **position})
    assert (done.code, done.err) == (0, "")
    return done.out.decode().split()


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "values"),
    [
        # Values of options and arguments.
        ("make --order s", ["spread", "sattolo", "sorted"]),
        ("make --for vl", ["vlc"]),
        ("make --group-by gen", ["genre"]),
        ("deal --every w", ["week"]),
        ("check --for al", ["all"]),
        ("tags alb", ["album", "albumartist"]),
        ("trace --order f", ["forward", "fisher-yates"]),
        ("audit --order satt", ["sattolo"]),
        ("help ex", ["exit-codes"]),
        ("help spr", ["spread"]),
        ("tell mp", ["mpd", "mpv"]),
        # A player of the configuration.
        *((f"{words} va", ["van"]) for words in ("make --for", "deal --for", "watch --for", "help")),
        # Words that depend on what is before them.
        ("de", ["demo", "deal"]),
        ("config ", ["init", "check"]),
        ("config -", ["--help", "-h"]),
        ("--v", ["--version"]),
        ("make --order=sp", ["spread"]),
        ("make --quiet --q", []),
        ("make --where x --wh", ["--where"]),
        ("tell --socket x mp", ["mpd", "mpv"]),
        ("tell mpd mp", []),
    ],
)
def test_the_shell_completes_commands_options_and_values(words: str, values: list[str]) -> None:
    configured("[player.van]\n")

    assert sorted(completed(f"playshuffle {words}")) == sorted(values)


@pytest.mark.process
def test_the_shell_completes_the_names_of_configured_lists_and_of_decks(home: Path) -> None:
    numbered(home / "Music", 1)
    configured('folders = ["~/Music"]\n[playlist.calm]\n[playlist.all]\n[playlist.today]\nevery = "day"\n')
    ran("deal", home / "Music", "-o", home / "Music/morning.m3u")

    expected = {"make a": {"all"}, "deal t": {"today"}, "forget m": {"morning"}, "check c": {"calm"}}
    expected |= {"why c": {"calm"}, "make --without to": {"today"}, "make --from al": {"all"}}
    for words, names in {**expected, "undo ": {"calm", "all", "today", "morning"}}.items():
        assert set(completed(f"playshuffle {words}")) == names


@pytest.mark.process
@pytest.mark.parametrize(
    ("word", "completion"),
    [("my", r"my\ jazz\ \(live\)"), (r"my\ j", r"my\ jazz\ \(live\)"), ('"my', "my jazz (live)")],
)
def test_bash_gets_the_name_of_a_list_as_one_word(home: Path, word: str, completion: str) -> None:
    ran("make", numbered(home / "Music", 1), "-o", home / "my jazz (live).m3u")
    position = {"COMP_WORDS": f"playshuffle\nmake\n{word}", "COMP_CWORD": "2"}

    done = run(env={"_PLAYSHUFFLE_COMPLETE": "complete_bash", **position})

    assert done.out.decode() == f"{completion}\n"


@pytest.mark.process
def test_bash_completes_words_after_an_argument_with_a_colon(tmp_path: Path) -> None:
    words = ["playshuffle", "make", "--where", "genre", ":", "jazz", "--order", "spr"]
    # With this variable typer takes the name of a shell; otherwise it asks the system in which shell it runs.
    named = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    code = ran("--show-completion", "bash", env=named).out.decode() + (
        f"\nCOMP_WORDBREAKS=:; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}"
        '\n_playshuffle_completion playshuffle; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    path = f"{program_in(tmp_path / 'bin')}:{os.environ['PATH']}"

    done = finished(["bash", "--norc", "-c", code], env=environment(PATH=path))

    assert (done.stdout, done.stderr) == ("spread\n", "")


@pytest.mark.process
def test_bash_completes_the_values_of_a_field_and_titles(home: Path) -> None:
    files = {"1.mp3": {"title": "So What", "artist": "Miles Davis", "genre": "Jazz; Cool Jazz"}}
    ran("make", tagged_library(home / "Music", files))

    expected = {
        ("make", "--where", "gen"): ["genre:"],
        ("make", "--where", "genre", ":", "j"): ["Jazz"],
        ("make", "--where", "genre", ":"): [r"\"Cool\ Jazz\"", "Jazz"],
        ("make", "--where", "artist", ":", "m"): [r"\"Miles\ Davis\""],
        ("make", "--where", "genre", ":", "j", "--order", "spr"): ["spread"],
        ("make", "--where", "nosuch", ":", "a"): [],
        ("never", "so"): [r"So\ What"],
    }
    for words, values in expected.items():
        position = {"COMP_WORDS": "\n".join(("playshuffle", *words)), "COMP_CWORD": str(len(words))}
        done = run(env={"_PLAYSHUFFLE_COMPLETE": "complete_bash", **position})
        assert done.out.decode().split("\n")[:-1] == (values or [""]), words


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "completion"),
    [
        # The colon of the value is not yet typed; then it is.
        (["title", ":", "fo"], r"\"Foo:\ Bar\""),
        (["title", ":", r"\"Foo", ":", r"\ B"], r"\ Bar\""),
        (["title", ":", "it"], r"\"It\'s\""),
        (["title", ":", "sa"], r"\"Say\ \\\"hi\\\"\""),
        # What was typed in quotes ends in quotes of the same kind.
        (["'title:it"], "title:\"It'\\''s\""),
        (['"title:sa'], r"title:\"Say \\\"hi\\\"\""),
        # Not the methods of our own objects.
        (["count", ":"], ""),
    ],
)
def test_bash_gets_a_value_with_colons_or_quotes_as_one_term(
    home: Path, words: list[str], completion: str
) -> None:
    titles = ("Foo: Bar", "It's", 'Say "hi"')
    ran("make", tagged_library(home / "Music", {f"{title}.mp3": {"title": title} for title in titles}))
    typed = ["playshuffle", "make", "--where", *words]

    done = run(
        env={
            "_PLAYSHUFFLE_COMPLETE": "complete_bash",
            "COMP_WORDS": "\n".join(typed),
            "COMP_CWORD": str(len(typed) - 1),
        }
    )

    assert done.out.decode() == f"{completion}\n"
