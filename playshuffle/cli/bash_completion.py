"""Complete words such as 3:artist in bash, which splits them at the colon and replaces only the rest."""

from typer._completion_shared import _completion_scripts

# As in typer, except that the parts of a word are joined again.
_SCRIPT = """
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


def use_script() -> None:
    """Let typer install and show this script for bash."""
    _completion_scripts["bash"] = _SCRIPT
