"""Write rftheory/index/names.json: the names of everything that can be asked for, with what is said of it.

python tools/index.py            write it
python tools/index.py --check    exit 1 if what is written is not what the code gives
"""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

from rftheory.exact import formula as formula_module

MODULES: dict[str, str] = {}
"""By formula: the module that states it. Seen when it is registered, so that nothing else is imported before."""
_register = formula_module.register


def _noted(formula: formula_module.Formula) -> formula_module.Formula:
    """Register a formula and note the module that is being imported."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    if frame is not None:
        MODULES.setdefault(formula.name, frame.f_globals["__name__"])
    return _register(formula)


formula_module.register = _noted

from rftheory import names as words  # noqa: E402
from rftheory.exact import formulas  # noqa: E402
from rftheory.exact.proof import derivations  # noqa: E402
from rftheory.exact.quantities import QUANTITIES  # noqa: E402
from rftheory.index import FILE  # noqa: E402
from rftheory.papers import CATALOGUE  # noqa: E402
from rftheory.papers.figures import FIGURES  # noqa: E402
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
    """Derivations with their titles."""
    return {
        name: {"place": found.source, "title": found.title, "says": found.says}
        for name, found in derivations().items()
    }


def document() -> str:
    """The file: an entry a line."""
    words.load_declared()
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
