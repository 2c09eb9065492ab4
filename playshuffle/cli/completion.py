"""Complete the words of a command line in bash, zsh and fish.

`completion_script` writes the scripts of the shells. They run the program with the command line in
environment variables. Nothing here imports typer, since people wait for this at every press of TAB.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from playshuffle.cli.parameters import Option, Parameter, parameters
from playshuffle.cli.streams import write_out
from playshuffle.cli.verbs import VERBS, commands_of, module_of
from playshuffle.errors import Exit, PlayshuffleError

_HELP = Parameter("help", bool, Option("--help", "-h", help="Show this message and exit."), False)
PROGRAM_OPTIONS = (
    Parameter("version", bool, Option("--version", help="Show the version"), False),
    Parameter("install_completion", str, Option(help="Complete words in bash, zsh or fish"), None),
    Parameter("show_completion", str, Option(help="Print the script for a shell"), None),
)


def complete(variables: Mapping[str, str]) -> int:
    """Write the words that fit at the cursor, in the form of the shell, and return the exit code.

    variables: the environment, as the script of the shell sets it.

    Raises:
        PlayshuffleError: it asks for something else, or for an unknown shell.
    """
    instruction, _, shell = variables["_PLAYSHUFFLE_COMPLETE"].partition("_")
    if instruction == "source":
        from playshuffle.cli import completion_script

        write_out([completion_script.script(shell).encode()])
        return Exit.DONE
    if instruction != "complete" or shell not in ("bash", "zsh", "fish"):
        raise PlayshuffleError(
            "The variable _PLAYSHUFFLE_COMPLETE does not ask for a completion. Unset it.", Exit.USAGE
        )
    if shell == "bash":
        words = _split(variables.get("COMP_WORDS", ""))
        number = variables.get("COMP_CWORD", "")
        count = int(number) if number.isdecimal() else max(0, len(words) - 1)
        incomplete = words[count] if count < len(words) else ""
        words = words[:count]
    else:
        line = variables.get("_TYPER_COMPLETE_ARGS", "")
        words = _split(line)
        incomplete = "" if line.endswith(" ") or len(words) < 2 else words.pop()
    found = list(completions(words[1:], incomplete))
    if shell == "bash":
        text = "\n".join(value for value, _ in found)
    elif shell == "zsh":
        text = _for_zsh(found)
    elif variables.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return 0 if found else 1
    else:
        text = "\n".join(f"{value}\t{help_}" if help_ else value for value, help_ in found)
    write_out([f"{text}\n".encode(errors="surrogateescape")])
    return 0


def completions(words: Sequence[str], incomplete: str) -> Iterator[tuple[str, str]]:
    """Return the words that begin with `incomplete` and can follow `words`.

    Each has a description, or an empty text.
    """
    if incomplete.startswith("-") and "=" in incomplete:
        flag, _, incomplete = incomplete.partition("=")
        words = [*words, flag]
    verb, rest = _first(words)
    if verb is None:
        return _beginning(incomplete, {name: text for name, (_, text) in VERBS.items()}, PROGRAM_OPTIONS)
    if verb not in VERBS:
        return iter(())
    module = module_of(verb)
    if (commands := commands_of(module)) is None:
        return _of_command(getattr(module, verb.replace("-", "_")), rest, incomplete)
    name, rest = _first(rest)
    if name is None:
        texts = {name: (each.__doc__ or "").partition("\n")[0] for name, each in commands.items()}
        return _beginning(incomplete, texts, ())
    return _of_command(commands[name], rest, incomplete) if name in commands else iter(())


def _first(words: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """Return the first word that is not an option, and the words after it."""
    for number, word in enumerate(words):
        if not word.startswith("-"):
            return word, words[number + 1 :]
    return None, ()


def _beginning(
    incomplete: str, commands: Mapping[str, str], options: Sequence[Parameter]
) -> Iterator[tuple[str, str]]:
    if incomplete.startswith("-"):
        yield from _flags(incomplete, options)
    yield from ((name, text) for name, text in commands.items() if name.startswith(incomplete))


def _flags(incomplete: str, options: Sequence[Parameter]) -> Iterator[tuple[str, str]]:
    for option in (*options, _HELP):
        yield from ((flag, option.facts.help) for flag in option.flags if flag.startswith(incomplete))


def _of_command(command: Any, words: Sequence[str], incomplete: str) -> Iterator[tuple[str, str]]:
    known = parameters(command)
    options = {flag: each for each in known for flag in each.flags}
    values, argument_count = _read(options, words)
    if incomplete.startswith("-") and "--" not in words:
        unused = [each for each in options.values() if each.is_list or each.name not in values]
        return _flags(incomplete, [each for each in dict.fromkeys(unused) if not each.facts.is_hidden])
    parameter = options.get(words[-1]) if words and "--" not in words else None
    if parameter is None or not parameter.takes_value:
        arguments = [each for each in known if each.facts.is_argument]
        unused = [each for number, each in enumerate(arguments) if each.is_list or number >= argument_count]
        parameter = unused[0] if unused else None
    if parameter is None or parameter.facts.completion is None:
        return iter(())
    found = parameter.facts.completion(incomplete, values.get("config"))
    return ((value, "") for value in found if value.startswith(incomplete))


def _read(options: Mapping[str, Parameter], words: Sequence[str]) -> tuple[dict[str, str], int]:
    """Return the value of each given option as text, by name, and the number of arguments."""
    values: dict[str, str] = {}
    count = 0
    remaining = iter(words)
    for word in remaining:
        flag, sign, text = word.partition("=")
        if (option := options.get(flag)) is not None:
            values[option.name] = text if sign or not option.takes_value else next(remaining, "")
        elif word == "--":
            count += len(list(remaining))
        elif not word.startswith("-") or word == "-":
            count += 1
    return values, count


def _split(line: str) -> list[str]:
    """Split a line as a shell does; quotes that are still open are closed."""
    from shlex import shlex

    lexer = shlex(line, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:
        words.append(lexer.token)
    return words


def _for_zsh(found: Sequence[tuple[str, str]]) -> str:
    if not found:
        return "_files"
    rows = (f'"{_escaped(value)}"' + (f':"{_escaped(help_)}"' if help_ else "") for value, help_ in found)
    return "_arguments '*: :((" + "\n".join(rows) + "))'"


def _escaped(text: str) -> str:
    for character, escape in (('"', '""'), ("'", "''"), ("$", "\\$"), ("`", "\\`"), (":", r"\\:")):
        text = text.replace(character, escape)
    return text
