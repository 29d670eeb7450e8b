"""``rftheory list``: find statements, formulas, mechanisms, figures and derivations without loading them."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rftheory.cli.codes import complain, say_json, show, width_of_terminal
from rftheory.index import KINDS, search, similar_words

NOTHING = 1
"""Exit code if nothing matches the words."""

LIST = """\
examples:
  rftheory list statements conformity increasing   all words, in any order, in names and texts
  rftheory list "Theorem 3.5"                      by number as printed, in all sources
  rftheory list statements hybrid fails            the false statements of one source
  rftheory list formulas mse                       then: rftheory eval NAME key=value
  rftheory list mechanisms
  rftheory list figures --json

exit codes: 0 found, 1 nothing found, 2 misused
"""


def add_list(verb: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    verb.epilog = LIST
    verb.add_argument(
        "words", nargs="*", metavar="KIND|WORDS",
        help=f"{', '.join(KINDS)}: list only these (may be shortened); other words are searched for",
    )  # fmt: skip
    verb.add_argument("--json", action="store_true", help="print JSON, with the whole texts")
    verb.add_argument("--names", action="store_true", help="print only the names, one per line")
    verb.set_defaults(run=_list)


def _list(options: argparse.Namespace) -> int:
    words = list(options.words)
    kinds: tuple[str, ...] = KINDS
    if words:
        chosen = [kind for kind in KINDS if len(words[0]) > 3 and kind.startswith(words[0].lower())]
        if chosen:
            kinds, words = tuple(chosen), words[1:]
    found = search(words, kinds)
    if options.json:
        rows = [{"kind": kind.removesuffix("s"), "name": name, **_of(entry)} for kind, name, entry in found]
        say_json(json.dumps(rows, indent=1, ensure_ascii=False))
    elif options.names:
        for _, name, _ in found:
            show(name)
    else:
        _table(found)
        if not found:
            hint = similar_words(words) or "try fewer words"
            complain(f"nothing matches {' '.join(words)!r}; {hint} (rftheory list {kinds[0]} shows all)")
    return 0 if found else NOTHING


def _of(entry: dict[str, Any]) -> dict[str, Any]:
    """The description of an entry; a mechanism also has a kind of its own."""
    return {("role" if key == "kind" else key): value for key, value in entry.items()}


def _table(found: list[tuple[str, str, dict[str, Any]]]) -> None:
    width = width_of_terminal()
    before = None
    for kind, name, entry in found:
        if kind != before:
            count = sum(other == kind for other, _, _ in found)
            show(("\n" if before else "") + f"{kind} ({count})")
            before = kind
        for line in _lines(kind, name, entry):
            show(line if not width or len(line) <= width else line[: width - 1] + "…")


def _lines(kind: str, name: str, entry: dict[str, Any]) -> list[str]:
    from rftheory.index.plain import plain

    says = " ".join(plain(str(entry.get("says", ""))).split())
    if kind == "statements":
        return [f"  {name}  {entry['verdict']}  {plain(entry['place'])}", f"      {says}"]
    if kind == "formulas":
        return [f"  {name}  {says}", f"      {entry['domain']}"]
    if kind == "mechanisms":
        also = ", ".join(entry.get("aliases", ()))
        return [f"  {name}  {entry['kind']}: {says}" + (f" (also {also})" if also else "")]
    if kind == "derivations":
        return [f"  {name}  {plain(entry['title'])}"]
    return [f"  {name}  {says}"]
