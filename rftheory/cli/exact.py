"""``rftheory eval`` and ``rftheory derive``: formulas with proved digits, and derivations step by step."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rftheory.cli.codes import (
    MISUSE,
    add_time_limit,
    assigned,
    check_outputs,
    check_page,
    loading,
    say,
    say_json,
    show,
    write_whole,
)
from rftheory.errors import InvalidInput, NotCertified, UnknownName

if TYPE_CHECKING:
    from rftheory.exact.enclosure import Enclosure
    from rftheory.exact.formula import Formula
    from rftheory.exact.proof import Derivation
    from rftheory.exact.quantities import Quantity

EVAL = """\
examples:
  rftheory eval simrf_conformity d=64 v=1/10 --digits 50
  rftheory eval mse mechanism=SimRF d=64 m=128 v=1
  rftheory eval mse feature=positive coupling=simplex d=64 m=128 v=1 --route all
  rftheory eval orf_conformity --latex
  rftheory list formulas conformity                   which formulas are there?

exit codes: 0 every digit printed is proved, 2 not certified, outside the domain, misused or broken
"""
DERIVE = """\
examples:
  rftheory derive simplex.lem4.1                      formulas, reasons, and the verdict on the statement
  rftheory derive "simplex Theorem 4.3"               by the number in the paper
  rftheory derive hybrid.thm3.5 --html proof.html     all derivations below it, as a page to send
  rftheory derive hybrid.lem3.2 --all                 including steps that only rewrite
  rftheory derive square --with mine.py               a derivation of a note, by its id or by a statement with it

exit codes: 0 every step holds, 1 a step is refuted and not corrected, 2 undecided, misused or broken
"""


def add_eval(evaluate: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    evaluate.epilog = EVAL
    evaluate.add_argument("name", nargs="?", help="a formula, such as simrf_conformity")
    evaluate.add_argument(
        "values", nargs="*", metavar="key=value", help="decimal numbers and fractions are exact"
    )
    evaluate.add_argument(
        "--digits", type=int, default=30, help="significant digits, all proved (default 30)"
    )
    evaluate.add_argument("--route", help="a particular route; `all` evaluates and compares all of them")
    evaluate.add_argument("--list", action="store_true", help="print every formula with domain and source")
    evaluate.add_argument("--latex", action="store_true", help="print the definition as LaTeX")
    evaluate.add_argument("--json", action="store_true", help="print JSON")
    add_time_limit(evaluate, 60, "the evaluation")
    evaluate.set_defaults(run=_eval)


def add_derive(derive: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    derive.epilog = DERIVE
    derive.add_argument(
        "id", nargs="*", metavar="ID", help="such as simplex.lem4.1, hybrid.thm3.5 or 'simplex Theorem 4.3'"
    )
    derive.add_argument("--list", action="store_true", help="print the ids of all derivations")
    derive.add_argument(
        "--all", action="store_true", help="also print steps that only rewrite, and how each step was checked"
    )
    derive.add_argument("--latex", action="store_true", help="print LaTeX")
    derive.add_argument("--json", action="store_true", help="print JSON")
    derive.add_argument("--html", metavar="F", help="write to F as one page of HTML")
    add_time_limit(derive, 60, "the derivation")
    derive.set_defaults(run=_derive)


def _eval(options: argparse.Namespace) -> int:
    if options.list:
        return _list_formulas(options.json)
    if options.name is None:
        raise InvalidInput("eval", needs="the name of a formula", got=None, hint="rftheory list formulas")
    from rftheory.index import find_formula

    find_formula(options.name)  # an unknown name is answered before anything is loaded
    with loading():
        from rftheory.exact import find_evaluable
        from rftheory.exact.limits import time_limit

        formula = find_evaluable(options.name)
    if options.latex:
        if options.values:
            needs, hint = "no values: it prints the definition", "leave out --latex for the value"
            raise InvalidInput("--latex", needs=needs, got=" ".join(options.values), hint=hint)
        if options.json:
            content = {"formula": formula.name, "latex": formula.latex, "source": formula.source}
            say_json(json.dumps(content, indent=1))
        else:
            say(formula.latex)
        return 0
    values = assigned("eval", _assignment, options.values)
    formula.read(values)  # before names such as `digits` can be mistaken for options of the call
    refused: dict[str, NotCertified] = {}
    with time_limit(options.time_limit, formula.name, f"{options.digits} digits"):
        if options.route == "all":
            found = formula.agree(options.digits, refused=refused, **values)
        else:
            route, value = formula.found(options.digits, route=options.route, **values)
            found = {route: value}
    _print_values(options, formula, values, found, refused)
    return 0


def _print_values(
    options: argparse.Namespace, formula: Formula | Quantity, values: dict[str, str], found: dict[str, Enclosure],
    refused: dict[str, NotCertified],
) -> None:  # fmt: skip
    if options.json:
        content = {
            "formula": formula.name,
            "values": values,
            "digits": options.digits,
            "value": _value(found).text(),
            "routes": {name: {"value": e.shown(), "radius": e.radius_text} for name, e in found.items()},
            **({"refused": {name: str(error) for name, error in refused.items()}} if refused else {}),
            "source": formula.source,
        }
        say_json(json.dumps(content, indent=1))
    elif options.route == "all":
        width = max(len(name) for name in [*found, *refused])
        for name, enclosure in found.items():
            say(f"{name.ljust(width)}  {enclosure.shown()}")
        for name, error in refused.items():
            say(f"{name.ljust(width)}  refused: {error.reached}")
    else:
        say(_value(found).text())


def _value(found: dict[str, Enclosure]) -> Enclosure:
    """The value by the first route that proves its digits, which one beside an exact 0 does not."""
    return next((one for one in found.values() if one.ball == 0), next(iter(found.values())))


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise InvalidInput("eval", needs="arguments of the form key=value", got=text)
    return name, value


def _list_formulas(as_json: bool) -> int:
    from rftheory.index import names

    known = names("formulas")
    if as_json:
        rows = [
            {"name": name, **{k: f[k] for k in ("says", "domain", "source")}} for name, f in known.items()
        ]
        say_json(json.dumps(rows, indent=1, ensure_ascii=False))
        return 0
    for name, f in known.items():
        say(f"{name}\n    {f['says']}\n    domain: {f['domain']}\n    source: {f['source']}")
    return 0


def _derive(options: argparse.Namespace) -> int:
    from rftheory.index import find_derivations, names

    labelled = _of_statements(options.declarations)
    own = _of_notes(options.declarations, labelled.values())
    if options.list:
        titles = {name: found["title"] for name, found in names("derivations").items()}
        titles |= {name: one.title for name, one in own.items()}
        if options.json:
            rows = [{"id": name, "title": title} for name, title in titles.items()]
            say_json(json.dumps(rows, indent=1, ensure_ascii=False))
            return 0
        for name, title in titles.items():
            say(f"{name}: {title}")
        return 0
    if not options.id:
        hint = f"such as {', '.join(own)}" if own else "rftheory list derivations"
        raise InvalidInput("derive", needs="the id of a statement", got=None, hint=hint)
    asked = " ".join(options.id)
    wanted = own.get(asked) or labelled.get(asked)
    try:
        ids = [] if wanted else find_derivations(asked)
    except UnknownName:
        if not own:
            raise
        known = [*own, *labelled, *names("derivations")]
        raise UnknownName("derivation", asked, known, hint="rftheory list derivations shows ours") from None
    check_outputs({"--html": options.html}, options.declarations)
    check_page(options.html)
    with loading():
        from rftheory.exact.limits import time_limit
        from rftheory.exact.proof import derivation
        from rftheory.exact.proof.steps import replay
        from rftheory.report.proof import as_data, as_text
    done = []
    for identifier in [wanted.id] if wanted else ids:
        with time_limit(options.time_limit, f"derivation of {identifier}", "every step"):
            done.append(replay(wanted or derivation(identifier)))
    if options.html:
        from rftheory.report.pages import derivations_page

        write_whole(options.html, derivations_page(done, everything=options.all))
    if options.json:
        content = [as_data(one) for one in done]
        say_json(json.dumps(content[0] if len(content) == 1 else content, indent=1, ensure_ascii=False))
    elif options.latex:
        say("\n".join(one.latex() for one in done))
    elif not options.html:
        show("\n\n".join(as_text(one, options.all) for one in done))
    if all(one.holds for one in done):
        return 0
    return MISUSE if any(one.undecided for one in done) else 1


def _of_statements(notes: Sequence[str]) -> dict[str, Derivation]:
    """The derivations that statements of these files name as their proofs, by label and by id of the statement."""
    if not notes:
        return {}
    from rftheory.exact.proof import Derivation
    from rftheory.statement.load import load
    from rftheory.statement.statement import is_note, note_of

    found: dict[str, Derivation] = {}
    for module in filter(is_note, map(load, notes)):
        note = note_of(module)
        for one in note.statements:
            if isinstance(one.proof, Derivation):
                found |= dict.fromkeys((one.id, one.id.removeprefix(f"{note.name}.")), one.proof)
    return found


def _of_notes(notes: Sequence[str], proofs: Iterable[Derivation]) -> dict[str, Derivation]:
    """The derivations in these files, by id: the values of names, and the proofs of statements."""
    if not notes:
        return {}
    from rftheory.exact.proof import Derivation
    from rftheory.statement.load import load

    named = [one for path in notes for one in vars(load(path)).values() if isinstance(one, Derivation)]
    found: dict[str, Derivation] = {}
    for one in (*named, *proofs):
        if found.setdefault(one.id, one) is not one:
            raise InvalidInput("--with", needs="an id for each derivation", got=f"two named {one.id}")
    return found
