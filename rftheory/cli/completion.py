"""``rftheory completion``: scripts with which bash, zsh and fish complete verbs, options and names of the catalogue.

The scripts call the command itself (``rftheory completion --last=WORD --words ...``), so they are never out of date.
It only reads the index of names, and answers in a fraction of a second.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from rftheory.cli.codes import say
from rftheory.errors import InvalidInput, meant
from rftheory.index import KINDS, SOURCES, names

COMPLETION = """\
examples:
  eval "$(rftheory completion bash)"               in ~/.bashrc
  eval "$(rftheory completion zsh)"                in ~/.zshrc, after compinit
  rftheory completion fish > ~/.config/fish/completions/rftheory.fish

exit codes: 0, 2 an unknown shell
"""

BASH = """\
_rftheory() {
    local IFS=$'\\n'
    local last="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=($(rftheory completion --last="$last" --words "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null))
    if [ ${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$last")); fi
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=$(printf '%q' "${COMPREPLY[i]}"); done
    case "${COMPREPLY[0]}" in *=) compopt -o nospace ;; esac
}
complete -F _rftheory rftheory
"""
ZSH = """\
_rftheory() {
    local -a found
    found=("${(@f)$(rftheory completion --last="$words[CURRENT]" --words "${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then compadd -Q -- "${(@q)found}"; else _files; fi
}
compdef _rftheory rftheory
"""
FISH = """\
function __rftheory_complete
    set -l words (commandline -opc)
    rftheory completion --last=(commandline -ct) --words $words[2..-1] 2>/dev/null
end
complete -c rftheory -a '(__rftheory_complete)'
"""
SHELLS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def add_completion(verb: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    verb.epilog = COMPLETION
    verb.add_argument("shell", nargs="?", help=", ".join(SHELLS))
    verb.add_argument("--last", default="", help=argparse.SUPPRESS)
    verb.add_argument("--words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    verb.set_defaults(run=_completion)


def _completion(options: argparse.Namespace) -> int:
    if options.words is not None:
        last = options.last if isinstance(options.last, str) else "--"  # which argparse removes
        say("\n".join(candidates([*options.words, last])))
        return 0
    if options.shell not in SHELLS:
        raise InvalidInput("completion", needs="one of " + ", ".join(SHELLS), got=options.shell,
                           hint=meant(options.shell, SHELLS))  # fmt: skip
    print(SHELLS[options.shell], end="")
    return 0


def candidates(words: Sequence[str]) -> list[str]:
    """The possible completions of the last word after ``rftheory``.

    Examples
    --------
    >>> candidates(["ver"]), candidates(["eval", "simrf_conformity_p"]), candidates(["verify", "--pap"])
    (['verify'], ['simrf_conformity_plane'], ['--paper'])
    >>> candidates(["verify", "simplex.thm3"])[:2]
    ['simplex.thm3.2', 'simplex.thm3.2/isotropy']
    """
    from rftheory.cli import VERBS

    *before, last = [*words] or [""]
    if not before:
        return [verb for verb in (*VERBS, "--help", "--version") if verb.startswith(last)]
    verb, option = before[0], before[-1]
    if verb not in VERBS:
        return []
    if last.startswith("-"):
        return [one for one in _options(verb) if one.startswith(last)]
    return _ids(_known(verb, option, before), last)


def _options(verb: str) -> list[str]:
    """The long options of a verb."""
    from rftheory.cli import parser

    for action in parser([verb])._subparsers._group_actions:  # type: ignore[union-attr]
        chosen = action.choices[verb]  # type: ignore[index]
        return re.findall(r"(?<![\w-])--[a-z][\w-]*", chosen.format_usage())
    return []


def _known(verb: str, option: str, before: Sequence[str]) -> list[str]:
    if option == "--paper":
        return list(dict.fromkeys([*(paper for paper, _ in SOURCES.values()), *SOURCES]))
    if option == "--claim" or (verb in ("verify", "errata") and not option.startswith("--")):
        return list(names("statements"))
    if verb == "derive" and not option.startswith("--"):
        return list(names("derivations"))
    if verb == "eval":
        return list(names("formulas")) if len(before) == 1 else _arguments(before[1])
    if verb == "figure" and not option.startswith("--"):
        return list(names("figures"))
    if verb == "list" and len(before) == 1:
        return list(KINDS)
    if verb == "completion":
        return list(SHELLS)
    return []


def _arguments(formula: str) -> list[str]:
    """The arguments of a formula, read off its domain."""
    entry = names("formulas").get(formula, {"domain": ""})
    words = re.split(r",|\band\b", entry["domain"])
    found = [re.match(r"\s*(?:integer |complex )?([A-Za-z]\w*)\b(?!\()", word) for word in words]
    return [f"{name}=" for name in dict.fromkeys(m[1] for m in found if m)]


def _ids(known: Sequence[str], last: str) -> list[str]:
    """The names that begin with the last word; if there are too many, their common beginnings."""
    found = [one for one in known if one.startswith(last)]
    if len(found) <= 100:
        return found
    cut = len(last)
    stems = [re.match(r"[^./]*[./]?", one[cut:]) for one in found]
    return list(dict.fromkeys(last + m[0] for m in stems if m))
