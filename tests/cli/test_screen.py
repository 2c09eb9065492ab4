"""Test output for terminals with colour, without, in ASCII and narrow ones, and for pipes."""

from pathlib import Path

import pytest

from playshuffle.cli.screen import Mark, Screen, as_typed, columns, home_path, shell_path, unbroken

COLOUR = Screen(80, has_colour=True, has_unicode=True)
PLAIN = Screen(80, has_unicode=True)
ASCII = Screen(80)
NARROW = Screen(30, has_unicode=True)
PIPE = Screen()

ROWS = [["today", "40", "12%"], ["albums", "7", ""]]


def test_a_verdict_begins_with_a_sign_on_a_terminal_and_with_a_word_in_a_pipe() -> None:
    assert [screen.verdict(Mark.BAD, "x.m3u") for screen in (COLOUR, PLAIN, ASCII, NARROW, PIPE)] == [
        "\x1b[31m✗\x1b[0m x.m3u",
        "✗ x.m3u",
        "error: x.m3u",
        "error: x.m3u",
        "error: x.m3u",
    ]


def test_a_table_is_aligned_on_a_terminal_and_has_one_plain_line_for_each_row_in_a_pipe() -> None:
    lines = ["DECK    TRACKS  DEALT", "today       40  12%", "albums       7"]
    assert PLAIN.table(["deck", "tracks", "dealt"], ROWS, {1}) == lines
    plain = ["deck today: tracks 40; dealt 12%", "deck albums: tracks 7"]
    assert NARROW.table(["deck", "tracks", "dealt"], ROWS, {1}) == plain
    assert PIPE.table(["deck", "tracks", "dealt"], ROWS, {1}) == plain


def test_a_bar_is_drawn_on_terminals_only() -> None:
    assert [screen.bar(1, 4, 8) for screen in (PLAIN, ASCII, PIPE)] == ["██░░░░░░", "##......", ""]


def test_details_are_wrapped_to_the_right_of_their_label() -> None:
    assert PIPE.detail("Note", "x" * 90) == ["Note: " + "x" * 90]
    assert Screen(40).detail("Note", "one two three four five six seven") == [
        "  Note      one two three four five six",
        "            seven",
    ]
    assert Screen(40).detail("Note", "one two three four five s -n 3") == [
        "  Note      one two three four five s",
        "            -n 3",
    ]


def test_a_command_to_copy_is_not_wrapped() -> None:
    command = "playshuffle make ~/Music --where 'genre:a , b' -o x.m3u."
    text = f"It was not changed. To make it: {command} Then go on."
    for width in (40, 60, 80, 100):
        assert any(command in line for line in Screen(width).wrapped(text))
        assert command in Screen(width).verdict(Mark.BAD, text)
    assert Screen(40).detail("Play", unbroken("mpv --playlist=/home/ann/Music/where.m3u")) == [
        "  Play      mpv --playlist=/home/ann/Music/where.m3u"
    ]
    assert Screen(40).detail("Undo", "playshuffle undo ~/Music/some/where.m3u") == [
        "  Undo      playshuffle undo ~/Music/some/where.m3u"
    ]


def test_text_is_wrapped_by_the_columns_that_a_terminal_draws() -> None:
    """A letter may have two columns or, as accents and joiners, none."""
    assert columns("夜\u0301e\u0301\u200d\u200e") == 3
    assert Screen(40).wrapped("夜の 東京 タワーの 夜景 タワーの 夜景 が見える") == [
        "夜の 東京 タワーの 夜景 タワーの 夜景",
        "が見える",
    ]
    accents = " ".join(["e\u0301" * 9] * 4)
    assert Screen(40).wrapped(accents) == [accents]


def test_in_a_table_that_is_too_wide_the_first_column_loses_its_start_and_the_last_one_its_end() -> None:
    row = ["~/Music/a folder/today.m3u", "dealt", "40 tracks of many", "when some of it was heard"]
    header, line = Screen(60).table(["deck", "state", "tracks", "next deal"], [row])
    assert header.split() == ["DECK", "STATE", "TRACKS", "NEXT", "DEAL"]
    assert line == "~older/today.m3u  dealt  40 tracks of many  when some of it~"


def test_paths_in_the_home_folder_begin_with_a_tilde(home: Path) -> None:
    assert home_path(f"{home}/My Music/a.m3u") == "~/My Music/a.m3u"
    assert shell_path(f"{home}/My Music/a.m3u") == "~/'My Music/a.m3u'"
    [line] = Screen(400).detail("List", f"{home}/a.m3u, not {home}.old/b.m3u, but below {home}.")
    assert line.split(maxsplit=1)[1] == f"~/a.m3u, not {home}.old/b.m3u, but below ~."
    assert home_path(f"{home}x") == f"{home}x"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("", "Undo: playshuffle undo. See ~/playshuffle x, playshuffle.m3u"),
        ("bin/playshuffle", "Undo: bin/playshuffle undo. See ~/playshuffle x, playshuffle.m3u"),
        ("/my clone/playshuffle", "Undo: '/my clone/playshuffle' undo. See ~/playshuffle x, playshuffle.m3u"),
    ],
)
def test_commands_are_printed_as_the_program_was_called(
    typed: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYSHUFFLE_TYPED", typed)

    assert as_typed("Undo: playshuffle undo. See ~/playshuffle x, playshuffle.m3u") == shown
