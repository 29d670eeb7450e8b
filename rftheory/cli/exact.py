"""``rftheory eval`` and ``rftheory derive``: formulas with proved digits, and derivations step by step."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from rftheory.cli.codes import MISUSE, add_time_limit, say
from rftheory.errors import InvalidInput, NotCertified


def add(verbs: Any) -> None:
    """Add the verbs to the parser."""
    evaluate = verbs.add_parser("eval", help="evaluate a formula with proved digits")
    evaluate.add_argument("name", nargs="?", help="formula, such as simrf_conformity")
    evaluate.add_argument(
        "values", nargs="*", metavar="key=value", help="decimal text and fractions are exact"
    )
    evaluate.add_argument(
        "--digits", type=int, default=30, help="significant digits, all proved (default 30)"
    )
    evaluate.add_argument("--route", help="a particular route; `all` evaluates every one and compares")
    evaluate.add_argument("--list", action="store_true", help="print every formula with domain and source")
    evaluate.add_argument("--latex", action="store_true", help="print the definition as LaTeX")
    evaluate.add_argument("--json", action="store_true", help="print JSON")
    add_time_limit(evaluate, 60, "the evaluation")
    evaluate.set_defaults(run=_eval)

    derive = verbs.add_parser("derive", help="replay a derivation and print the status of each step")
    derive.add_argument("id", nargs="?", help="claim id, such as simplex.lem4.1")
    derive.add_argument("--list", action="store_true", help="print the ids of all derivations")
    derive.add_argument("--latex", action="store_true", help="print LaTeX")
    derive.add_argument("--json", action="store_true", help="print JSON")
    add_time_limit(derive, 60, "the derivation")
    derive.set_defaults(run=_derive)


def _eval(options: argparse.Namespace) -> int:
    from rftheory.exact import find_evaluable, formulas
    from rftheory.exact.limits import time_limit

    if options.list:
        from rftheory.exact.quantities import QUANTITIES

        return _list_formulas(options.json, {**QUANTITIES, **formulas()})
    if options.name is None:
        raise InvalidInput("eval", needs="the name of a formula", got=None, hint="rftheory eval --list")
    formula = find_evaluable(options.name)
    if options.latex and not options.values:
        print(formula.latex)
        return 0
    values = _assignments(options.values)
    formula.read(values)  # before names such as `digits` can be taken for options of the call
    refused: dict[str, NotCertified] = {}
    with time_limit(options.time_limit, formula.name, f"{options.digits} digits"):
        if options.route == "all":
            found = formula.agree(options.digits, refused=refused, **values)
        else:
            route, value = formula.found(options.digits, route=options.route, **values)
            found = {route: value}
    if options.json:
        content = {
            "formula": formula.name,
            "values": values,
            "digits": options.digits,
            "value": next(iter(found.values())).text(),
            "routes": {name: {"value": e.text(), "radius": repr(e.radius)} for name, e in found.items()},
            **({"refused": {name: str(error) for name, error in refused.items()}} if refused else {}),
            "source": formula.source,
        }
        print(json.dumps(content, indent=1))
    elif options.route == "all":
        width = max(len(name) for name in [*found, *refused])
        for name, enclosure in found.items():
            print(f"{name.ljust(width)}  {enclosure}")
        for name, error in refused.items():
            say(f"{name.ljust(width)}  refused: {error.reached}")
    else:
        print(next(iter(found.values())))
    return 0


def _assignments(texts: Sequence[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in map(_assignment, texts):
        if name in values:
            raise InvalidInput("eval", needs=f"one value for {name}", got=[values[name], value])
        values[name] = value
    return values


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise InvalidInput("eval", needs="arguments of the form key=value", got=text)
    return name, value


def _list_formulas(as_json: bool, formulas: dict[str, Any]) -> int:
    if as_json:
        rows = [
            {"name": f.name, "says": f.says, "domain": f.domain, "source": f.source}
            for f in formulas.values()
        ]
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return 0
    for f in formulas.values():
        print(f"{f.name}\n    {f.says}\n    domain: {f.domain}\n    source: {f.source}")
    return 0


def _derive(options: argparse.Namespace) -> int:
    from rftheory.exact.limits import time_limit
    from rftheory.exact.proof import derivation, derivations
    from rftheory.exact.proof.steps import replay

    if options.list:
        for name, found in derivations().items():
            print(f"{name}: {found.title}")
        return 0
    if options.id is None:
        raise InvalidInput("derive", needs="the id of a claim", got=None, hint="rftheory derive --list")
    with time_limit(options.time_limit, f"derivation of {options.id}", "every step"):
        done = replay(derivation(options.id))
    print(done.to_json() if options.json else done.latex() if options.latex else done.text())
    if done.holds:
        return 0
    return MISUSE if done.undecided else 1
