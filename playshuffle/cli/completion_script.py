"""Write and install the scripts with which bash, zsh and fish complete words."""

from collections.abc import Sequence

from typer._completion_shared import _completion_scripts, _get_shell_name, get_completion_script
from typer._completion_shared import install as install_script

from playshuffle.cli.streams import say
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.text import known

_PROGRAM = "playshuffle"
_VARIABLE = "_PLAYSHUFFLE_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")

# As in typer, except for words such as 3:artist: bash splits them at the colon, and replaces only the rest.
_completion_scripts["bash"] = """
%(complete_func)s() {
    local IFS=$'\n' word words=("${COMP_WORDS[0]}")
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ $word == :* || ( -n $word && ${words[-1]} == *: ) ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    COMPREPLY=( $( env COMP_WORDS="${words[*]}" \\
                   COMP_CWORD=$(( ${#words[@]} - 1 )) \\
                   %(autocomplete_var)s=complete_bash $1 ) )
    if [[ ${words[-1]} == *:* && $COMP_WORDBREAKS == *:* ]]; then
        COMPREPLY=( "${COMPREPLY[@]#"${words[-1]%%:*}:"}" )
    fi
}

complete -o default -F %(complete_func)s %(prog_name)s
"""


def with_shell(words: Sequence[str]) -> list[str]:
    """Add the name of the user's shell to an option without a value.

    Raises:
        PlayshuffleError: the shell is unknown.
    """
    shell = _get_shell_name()
    if shell not in _SHELLS:
        raise PlayshuffleError(
            f"Cannot find out which shell this is. Name it: playshuffle {words[0]} bash", Exit.USAGE
        )
    return [words[0], shell]


def script(shell: str) -> str:
    """Return the script that completes words in a shell.

    Raises:
        PlayshuffleError: the shell is unknown.
    """
    shell = known("shell", shell, _SHELLS)
    return get_completion_script(prog_name=_PROGRAM, complete_var=_VARIABLE, shell=shell) + "\n"


def install(shell: str) -> None:
    """Install the script for this user.

    Raises:
        PlayshuffleError: the shell is unknown, or a file cannot be written.
    """
    shell = known("shell", shell, _SHELLS)
    try:
        _, path = install_script(shell=shell, prog_name=_PROGRAM, complete_var=_VARIABLE)
    except OSError as error:
        raise PlayshuffleError(
            f"Cannot install the completion for {shell}: {error.strerror}. To print it:"
            f" playshuffle --show-completion {shell}",
            Exit.CANNOT_CREATE,
        ) from error
    say([f"Wrote {path}. Completion works in new terminals."])
