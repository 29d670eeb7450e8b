"""Write rftheory/index/names.json: the names of everything that can be asked for, with what is said of it.

python tools/index.py            write it
python tools/index.py --check    exit 1 if what is written is not what the code gives
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from rftheory.exact import formula as formula_module
from rftheory.exact.proof import steps as proof_module

T = TypeVar("T")

MODULES: dict[str, str] = {}
"""By formula or derivation: the module that states it. Seen when it is registered, so that nothing else is imported
before."""


def _noting(register: Callable[[T], T], name: Callable[[T], str]) -> Callable[[T], T]:
    """Register a thing and note the module that is being imported."""

    def noted(thing: T) -> T:
        frame = inspect.currentframe()
        while frame is not None and frame.f_code.co_name != "<module>":
            frame = frame.f_back
        if frame is not None:
            MODULES.setdefault(name(thing), frame.f_globals["__name__"])
        return register(thing)

    return noted


formula_module.register = _noting(formula_module.register, lambda formula: formula.name)
proof_module.register_derivation = _noting(proof_module.register_derivation, lambda derivation: derivation.id)

from rftheory import names as words  # noqa: E402
from rftheory.exact import formulas  # noqa: E402
from rftheory.exact.proof import derivations  # noqa: E402
from rftheory.exact.quantities import QUANTITIES  # noqa: E402
from rftheory.index import FILE  # noqa: E402
from rftheory.papers import CATALOGUE  # noqa: E402
from rftheory.papers.figures import FIGURES  # noqa: E402
from rftheory.report.proof import uses_of  # noqa: E402
from rftheory.spec import COUPLINGS, MAPS  # noqa: E402

Entries = dict[str, dict[str, Any]]


def statements() -> Entries:
    """Every claim of the catalogue."""
    return {
        claim.id: {
            "place": claim.source,
            "paper": claim.paper,
            "verdict": str(claim.expected),
            "says": claim.statement,
            **({"tests": claim.tests} if claim.tests else {}),
        }
        for claim in CATALOGUE.claims.values()
    }


def all_formulas() -> Entries:
    """Every formula, module by module, and before them the quantities of mechanisms."""
    quantities = {
        q.name: {"module": type(q).__module__, "says": q.says, "domain": q.domain, "source": q.source}
        for q in QUANTITIES.values()
    }
    found = {
        f.name: {"module": MODULES[f.name], "says": f.says, "domain": f.domain, "source": f.source}
        for f in sorted(formulas().values(), key=lambda f: MODULES[f.name])
    }
    return {**quantities, **found}


def mechanisms() -> Entries:
    """Mechanisms by their names in the papers, feature maps and couplings."""
    papers = {"rff": "RFF", "orf": "ORF", "favor": "FAVOR", "favor+": "FAVOR+", "favor++": "FAVOR++"}
    papers |= {"simrf": "SimRF", "simrf+": "SimRF+"}
    found: Entries = {
        papers.get(name, name): {"kind": "mechanism", "says": f"{feature} x {coupling}"}
        for name, (feature, coupling) in words.MECHANISMS.items()
    }
    for kind, known in (("feature map", MAPS), ("coupling", COUPLINGS)):
        for name, thing in known.items():
            aliases = sorted(alias for alias, word in words.ALIASES[kind].items() if word == name)
            found[name] = {"kind": kind, "says": thing.says, **({"aliases": aliases} if aliases else {})}
    return found


def figures() -> Entries:
    """Figures, by the first line of what their drawing says."""
    return {
        name: {
            "paper": name.rpartition("_")[0],
            "says": (inspect.getdoc(figure.draw) or "").partition("\n")[0].removeprefix("Draw "),
        }
        for name, figure in FIGURES.items()
    }


def all_derivations() -> Entries:
    """Derivations with their titles and the statements that they support: by which step, and how much of them."""
    supports: dict[str, dict[str, list[tuple[str | None, str]]]] = {}
    for claim in CATALOGUE.claims.values():
        for name, label, covers in uses_of(claim):
            supports.setdefault(name, {}).setdefault(claim.id, []).append((label, covers))
    return {
        name: {
            "module": MODULES[name],
            "place": found.source,
            "title": found.title,
            "says": found.says,
            **({"supports": supports[name]} if name in supports else {}),
        }
        for name, found in derivations().items()
    }


def document() -> str:
    """The file: an entry a line."""
    words.load_declared()
    derivations()  # before the statements, which would look for them in the index that is written here
    content = {
        "statements": statements(),
        "formulas": all_formulas(),
        "mechanisms": mechanisms(),
        "figures": figures(),
        "derivations": all_derivations(),
    }
    lines = ["{"]
    for number, (kind, entries) in enumerate(content.items(), 1):
        rows = [f"{json.dumps(name)}: {json.dumps(e, ensure_ascii=False)}" for name, e in entries.items()]
        lines += [f"{json.dumps(kind)}: {{", ",\n".join(rows), "}" + ("," if number < len(content) else "")]
    return "\n".join([*lines, "}"]) + "\n"


if __name__ == "__main__":
    text = document()
    if "--check" in sys.argv[1:]:
        sys.exit(FILE.read_text(encoding="utf-8") != text)
    FILE.write_text(text, encoding="utf-8")
