"""The site: static pages of everything, which link only to each other and work from the file system.

The verdicts come from a stored report, everything else from the catalogue, the derivations, the formulas and the
declarations. Figures, notebooks and documents are taken from folders beside the package, if they exist. Needs the
extra ``site``.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any

from rftheory import names as vocabulary
from rftheory.errors import InvalidInput, RFTheoryError
from rftheory.exact import formulas
from rftheory.exact.formula import Formula
from rftheory.exact.proof import derivations
from rftheory.exact.proof.steps import Derivation
from rftheory.exact.typeset import typeset
from rftheory.index import SOURCES, names
from rftheory.index.plain import plain
from rftheory.names import point_text
from rftheory.papers import CATALOGUE, Claim
from rftheory.report.errata import errata_heading, errata_of, ranked, stored
from rftheory.report.graph import drawn
from rftheory.report.notebook import markdown, notebook
from rftheory.report.pages import ROOM, counted, render, slug, with_evidence
from rftheory.report.proof import Line, claims_on, derivations_of, line_of
from rftheory.report.reference import entries, modules
from rftheory.statement.run import Progress

DIGITS = 50
POINTS = 4
CANDIDATES: Mapping[bool, Sequence[str]] = {
    True: ("2", "3", "4", "5", "8", "16", "1", "64", "-1", "0"),
    False: ("1", "1/2", "2", "1/3", "1/4", "3", "1/10", "-1/10", "-1/2", "0", "5"),
}
"""Values tried for a variable in a table: for integers, and for others."""
SHAPES = ("-1/10", "-1/2", "1/10", "0", "1", "2")
"""Values tried for the shape of a feature map, which must be small."""


class Site:
    """The pages of a site, written one after another.

    Parameters
    ----------
    out : the folder, created if necessary; pages of an older site are replaced.
    report : the output of ``rftheory verify --json``.
    root : the folder with ``paper_figures``, ``notebooks`` and ``docs``.
    progress : called with the name of a part, the number of finished parts, and the total.
    """

    def __init__(
        self,
        out: str | Path,
        report: Mapping[str, Any],
        root: str | Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        if not str(report.get("schema", "")).startswith("rftheory.report/"):
            raise InvalidInput(
                "report", needs="output of rftheory verify --json", got=report.get("schema"),
                hint="rftheory verify --quick --json report.json",
            )  # fmt: skip
        self.out = Path(out)
        self.report = report
        self.root = Path(root) if root is not None else None
        self.progress = progress or (lambda name, done, total: None)
        self.judged = {claim["id"]: with_evidence(claim) for claim in report["claims"]}
        self.derivations = derivations()
        self.steps: dict[str, list[Line]] = {}
        self.status = {
            label: status
            for judged in self.judged.values()
            for piece in judged["pieces"]
            for label, status in piece["details"].get("steps", {}).items()
        }
        self.entries: list[tuple[str, str, str, str]] = []
        self.written: list[Path] = []

    def build(self) -> list[Path]:
        """Write all pages and return their paths."""
        parts = (
            self._static, self._statements, self._proofs, self._sources, self._errata, self._formulas,
            self._mechanisms, self._figures, self._notebooks, self._documents, self._reference, self._graphs,
            self._home,
        )  # fmt: skip
        for number, part in enumerate(parts):
            self.progress(part.__name__.strip("_"), number, len(parts))
            part()
        return self.written

    # ---- helpers ---------------------------------------------------------------------------------

    def _page(self, path: str, template: str, **content: Any) -> None:
        depth = path.count("/")
        text = render(
            template, root="../" * depth, alone=False, known=CATALOGUE.claims, proofs_known=self.derivations, **content
        )  # fmt: skip
        target = self.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        self.written.append(target)

    def _found(self, kind: str, name: str, path: str, says: str) -> None:
        """Add an entry to the search."""
        self.entries.append((kind, name, path, " ".join(says.split())))

    def _decision(self, identifier: str) -> tuple[str, str | None]:
        judged = self.judged.get(identifier)
        if judged is None:
            return str(CATALOGUE.claims[identifier].expected), None
        return judged["verdict"]["decision"], judged["verdict"]["grade"]

    def _row(self, claim: Claim) -> dict[str, Any]:
        decision, grade = self._decision(claim.id)
        return {"id": claim.id, "source": claim.source, "statement": claim.words[0], "decision": decision,
                "grade": grade}  # fmt: skip

    def _static(self) -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        target = self.out / "static"
        target.mkdir(exist_ok=True)
        for file in (ROOM / "static").iterdir():
            shutil.copyfile(file, target / file.name)

    # ---- statements and proofs -------------------------------------------------------------------

    def _statements(self) -> None:
        corrects: dict[str, list[str]] = {}
        for claim in CATALOGUE.claims.values():
            if claim.correction:
                corrects.setdefault(claim.correction, []).append(claim.id)
        siblings: dict[str, list[Claim]] = {}
        for claim in CATALOGUE.claims.values():
            siblings.setdefault(claim.entry if claim.entry != "added" else claim.id, []).append(claim)
        for claim in CATALOGUE.claims.values():
            decision, grade = self._decision(claim.id)
            path = f"statements/{slug(claim.id)}.html"
            beside = siblings[claim.entry if claim.entry != "added" else claim.id]
            self._page(
                path, "statement.html", claim=claim, decision=decision, grade=grade, judged=self.judged.get(claim.id),
                source=SOURCES.get(claim.id.partition(".")[0], (claim.paper, claim.paper))[1],
                prefix=claim.id.partition(".")[0],
                right=CATALOGUE.claims.get(claim.correction), corrects=corrects.get(claim.id, []),
                proofs=[(name, self._lines(name)) for name in derivations_of(claim) if name in self.derivations],
                beside=[self._row(other) for other in beside if other is not claim],
            )  # fmt: skip
            self._found("statement", claim.id, path, f"{claim.source} {decision} {plain(claim.statement)}")
        groups = [
            (
                prefix,
                title,
                [self._row(c) for c in CATALOGUE.claims.values() if c.id.startswith(f"{prefix}.")],
            )
            for prefix, (_, title) in SOURCES.items()
        ]
        self._page("statements/index.html", "statements.html", groups=groups)

    def _lines(self, identifier: str) -> list[Line]:
        """The steps of a derivation, with the status in the report."""
        if identifier not in self.steps:
            found = self.derivations[identifier]
            self.steps[identifier] = [
                line_of(found, step, None, self.status.get(step.label, "")) for step in found.steps
            ]
        return self.steps[identifier]

    def _proofs(self) -> None:
        users: dict[str, list[str]] = {}
        for name, found in self.derivations.items():
            for lemma in used(found, self.derivations):
                users.setdefault(lemma, []).append(name)
        for name, found in self.derivations.items():
            path = f"proofs/{slug(name)}.html"
            self._page(
                path, "proof.html", derivation=found, lines=self._lines(name),
                rows=[self._row(claim) for claim in claims_on(name)], uses=used(found, self.derivations),
                users=users.get(name, []),
                variables=[(typeset(v.symbol), v.about, v.domain) for v in found.variables],
            )  # fmt: skip
            self._found("proof", name, path, f"{found.title} {plain(found.says)}")
        self._page("proofs/index.html", "proofs.html", derivations=self.derivations)

    # ---- sources and errata ----------------------------------------------------------------------

    def _sources(self) -> None:
        rows = []
        for prefix, (_, title) in SOURCES.items():
            claims = [c for c in CATALOGUE.claims.values() if c.id.startswith(f"{prefix}.")]
            judged = [{"verdict": {"decision": self._decision(c.id)[0]}} for c in claims]
            counts = counted(judged)
            rows.append((prefix, title, len(claims), counts))
            path = f"sources/{slug(prefix)}.html"
            self._page(
                path, "source.html", prefix=prefix, title=title, counts=counts,
                rows=[self._row(c) for c in claims],
                figures=[n for n, f in names("figures").items() if f["paper"] == prefix],
            )  # fmt: skip
            self._found("source", prefix, path, title)
        self._page("sources/index.html", "sources.html", rows=rows)

    def _errata(self) -> None:
        found = errata_of(CATALOGUE.claims.values(), stored(self.report), CATALOGUE)
        self._page("errata.html", "errata.html", errata=ranked(found), note="", heading=errata_heading(),
                   linked=CATALOGUE.claims)  # fmt: skip
        self._found(
            "page", "errata", "errata.html", "what is wrong in each source, where, why, and what is right"
        )

    # ---- formulas and mechanisms -----------------------------------------------------------------

    def _formulas(self) -> None:
        from rftheory.exact.quantities import QUANTITIES

        everything = formulas()
        known = {
            name: entry
            for name, entry in names("formulas").items()
            if name in everything or name in QUANTITIES
        }
        for name, entry in known.items():
            path = f"formulas/{slug(name)}.html"
            formula = everything.get(name)
            self._page(
                path, "formula.html", name=name, entry=entry, formula=formula,
                latex=typeset(formula.expression) if formula else QUANTITIES[name].latex,
                table=list(table(formula)) if formula else mechanism_table(name),
                statements=[c.id for c in _mentioned(entry["source"])],
            )  # fmt: skip
            self._found("formula", name, path, entry["says"])
        self._page("formulas/index.html", "formulas.html", formulas=known)

    def _mechanisms(self) -> None:
        known = names("mechanisms")
        for name, entry in known.items():
            path = f"mechanisms/{slug(name)}.html"
            self._page(
                path, "mechanism.html", name=name, entry=entry, law=law_of(name, entry), known_mechanisms=known,
                parts=vocabulary.MECHANISMS.get(vocabulary.spelled(name)) if entry["kind"] == "mechanism" else None,
                curves=curves_of(name, entry), code=code_of(name, entry),
            )  # fmt: skip
            self._found(entry["kind"], name, path, f"{entry['says']} {' '.join(entry.get('aliases', ()))}")
        self._page("mechanisms/index.html", "mechanisms.html", mechanisms=known)

    # ---- figures, notebooks, documents -----------------------------------------------------------

    def _folder(self, name: str) -> Path | None:
        folder = self.root / name if self.root is not None else None
        return folder if folder is not None and folder.is_dir() else None

    def _figures(self) -> None:
        folder = self._folder("paper_figures")
        rows = []
        for name, entry in names("figures").items():
            files = []
            for ending in ("svg", "png", "pdf", "json"):
                file = folder / f"{name}.{ending}" if folder else None
                if file is not None and file.is_file():
                    (self.out / "figures").mkdir(exist_ok=True)
                    shutil.copyfile(file, self.out / "figures" / file.name)
                    files.append(ending)
            data = (
                json.loads((folder / f"{name}.json").read_text("utf-8")) if folder and "json" in files else {}
            )
            text = folder / f"{name}.md" if folder else None
            path = f"figures/{slug(name)}.html"
            self._page(
                path, "figure.html", name=name, entry=entry, files=files, data=data,
                claims=[c for c in data.get("claims", []) if c in CATALOGUE.claims],
                text=markdown(_below_title(text), drop_links=True) if text is not None and text.is_file() else "",
            )  # fmt: skip
            self._found("figure", name, path, entry["says"])
            rows.append((name, entry, files))
        self._page("figures/index.html", "figures.html", rows=rows)

    def _notebooks(self) -> None:
        folder, rows = self._folder("notebooks"), []
        for file in sorted(folder.glob("[0-9]*.ipynb")) if folder else ():
            title, body = notebook(json.loads(file.read_text("utf-8")))
            path = f"notebooks/{slug(file.stem)}.html"
            self._page(
                path,
                "text.html",
                title=title or file.stem,
                body=body,
                crumbs=("notebooks", "notebooks/index.html"),
            )
            self._found("notebook", file.stem, path, title)
            rows.append((title or file.stem, f"{slug(file.stem)}.html"))
        self._page("notebooks/index.html", "list.html", title="Notebooks", rows=rows)

    def _documents(self) -> None:
        folder, rows = self._folder("docs"), []
        for file in sorted(folder.glob("*.md")) if folder else ():
            text = file.read_text("utf-8")
            title = text.partition("\n")[0].lstrip("# ")
            path = f"docs/{slug(file.stem)}.html"
            self._page(
                path,
                "text.html",
                title=title,
                body=markdown(text, drop_links=True),
                crumbs=("docs", "docs/index.html"),
            )
            self._found("document", file.stem, path, title)
            rows.append((title, f"{slug(file.stem)}.html"))
        self._page("docs/index.html", "list.html", title="Documents", rows=rows)

    def _reference(self) -> None:
        rows = []
        for module in modules():
            path = f"reference/{slug(module.__name__)}.html"
            found, says = entries(module), cleandoc(module.__doc__ or "")
            self._page(path, "reference.html", name=module.__name__, says=says, entries=found)
            self._found("module", module.__name__, path, says.partition("\n")[0])
            for entry in found:
                self._found(entry.kind, entry.name, f"{path}#{entry.name}", entry.first)
            rows.append((f"{module.__name__}: {says.partition(chr(10))[0]}", f"{slug(module.__name__)}.html"))
        self._page("reference/index.html", "list.html", title="API reference", rows=rows)

    # ---- graph, search, home ---------------------------------------------------------------------

    def _graphs(self) -> None:
        for prefix, (_, title) in SOURCES.items():
            claims = [c for c in CATALOGUE.claims.values() if c.id.startswith(f"{prefix}.")]
            edges: list[tuple[str, str]] = []
            for claim in claims:
                for name in derivations_of(claim):
                    if name in self.derivations:
                        edges.append((f"proof:{name}", claim.id))
                if claim.correction:
                    edges.append((claim.correction, claim.id))
            reached = {a.removeprefix("proof:") for a, _ in edges if a.startswith("proof:")}
            while True:
                more = {
                    lemma for name in reached for lemma in used(self.derivations[name], self.derivations)
                } - reached
                if not more:
                    break
                reached |= more
            for name in sorted(reached):
                edges += [
                    (f"proof:{lemma}", f"proof:{name}")
                    for lemma in used(self.derivations[name], self.derivations)
                ]
            svg = drawn(edges, link=self._link, decision=self._node_class)
            self._page(
                f"sources/{slug(prefix)}-graph.html", "graph.html", prefix=prefix, title=title, svg=svg
            )

    def _link(self, node: str) -> tuple[str, str]:
        if node.startswith("proof:"):
            name = node.removeprefix("proof:")
            return name, f"../proofs/{slug(name)}.html"
        return node, f"../statements/{slug(node)}.html"

    def _node_class(self, node: str) -> str:
        return "" if node.startswith("proof:") else self._decision(node)[0]

    def _home(self) -> None:
        decisions = [{"verdict": {"decision": self._decision(i)[0]}} for i in CATALOGUE.claims]
        worst = [c for c in CATALOGUE.claims.values() if str(c.expected) == "fails"]
        gravest = [
            self._row(c) for c in worst if re.search(r"\.(?:thm|cor|lem)[A-Z]?\.?\d[\w.]*$", c.id)
        ]  # fmt: skip
        self._page(
            "index.html", "home.html", counts=counted(decisions), total=len(decisions), report=self.report,
            sources=SOURCES, gravest=gravest,
        )  # fmt: skip
        self._page("search.html", "search.html")
        entries = json.dumps(self.entries, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        target = self.out / "static" / "entries.js"
        target.write_text(f"window.RFT_ENTRIES = {entries};\n", encoding="utf-8")
        self.written.append(target)


def build(
    out: str | Path,
    report: Mapping[str, Any],
    root: str | Path | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Write the site into a folder; see :class:`Site`.

    Examples
    --------
    >>> build("no such folder", {"schema": "something else"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: report: needs output of rftheory verify --json, got ...
    """
    return Site(out, report, root, progress).build()


def _below_title(file: Path) -> str:
    """A Markdown text without its title and without the paragraph that the caption repeats."""
    parts = file.read_text(encoding="utf-8").split("\n\n")
    return "\n\n".join(part for part in parts if not part.startswith(("# ", "Differs from the paper:")))


def used(derivation: Derivation, known: Iterable[str]) -> list[str]:
    """The derivations used by the steps of one: the ids that their checks name.

    Examples
    --------
    >>> used(derivations()["simplex.lem4.1"], derivations())
    ['lemma.gamma_integral', 'definition.exp', 'lemma.normal_mgf']
    """
    found: dict[str, None] = {}
    for step in derivation.steps:
        for word in _words(step.check):
            if word in known and word != derivation.id:
                found[word] = None
    return list(found)


def _words(thing: Any, depth: int = 4) -> Iterator[str]:
    """All texts in a check, at any depth."""
    if isinstance(thing, str):
        yield thing
    elif depth and isinstance(thing, list | tuple | set | frozenset):
        for one in thing:
            yield from _words(one, depth - 1)
    elif depth and isinstance(thing, dict):
        yield from _words(list(thing.values()), depth - 1)
    elif depth and is_dataclass(thing) and not isinstance(thing, type):
        for one in fields(thing):
            yield from _words(getattr(thing, one.name), depth - 1)


def _mentioned(source: str) -> list[Claim]:
    """The claims whose ids a text names."""
    words = set(re.findall(r"[a-z]+\d*\.[\w.+/()-]+", source))
    return [CATALOGUE.claims[word] for word in sorted(words) if word in CATALOGUE.claims]


def table(formula: Formula) -> Iterator[tuple[str, str, str]]:
    """Values of a formula at a few points of its domain: the point, fifty proved digits and the route.

    Examples
    --------
    >>> from rftheory.exact import find_formula
    >>> point, value, route = next(table(find_formula("iid_conformity")))
    >>> point, value[:12]
    ('d = 2, v = 1', '2.7182818284')
    """
    seen: list[dict[str, str]] = []
    lists = [_accepted(variable) for variable in formula.variables]
    tried = 0
    for shift in range(9):
        if len(seen) == POINTS or tried > 60:
            return
        choices = [values[shift % len(values)] if values else "" for values in lists]
        for point in _near(lists, choices):
            tried += 1
            values = {v.name: text for v, text in zip(formula.variables, point, strict=True)}
            try:
                formula.read(values)
            except RFTheoryError:
                if tried > 60:
                    break
                continue
            if values in seen:  # where preferred points are refused, several come to the same one
                break
            try:
                route, found = formula.found(DIGITS, **values)
            except RFTheoryError:
                break
            seen.append(values)
            yield point_text(values), found.text(), route
            break


def _accepted(variable: Any) -> list[str]:
    """The candidate values in the domain of a variable."""
    found = []
    shape = variable.complex or variable.name == "A"
    for text in SHAPES if shape else CANDIDATES[variable.integer]:
        try:
            variable.read(text, variable.name)
        except RFTheoryError:
            continue
        found.append(text)
    return found


def _near(lists: Sequence[Sequence[str]], choices: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The preferred point and then others, for conditions between variables."""
    yield tuple(choices)
    yield from itertools.islice(itertools.product(*lists), 40)


def mechanism_table(quantity: str) -> list[tuple[str, str, str]]:
    """Values of a quantity of mechanisms for the mechanisms of the papers.

    Examples
    --------
    >>> mechanism_table("mse")[0][0]
    'mechanism = RFF, d = 8, m = 8, z = 1'
    """
    from rftheory.exact.quantities import find_quantity

    rows = []
    for name, entry in names("mechanisms").items():
        if entry["kind"] != "mechanism":
            continue
        given = _given(name)
        if quantity == "conformity":
            given = {
                "coupling": vocabulary.MECHANISMS[vocabulary.spelled(name)][1],
                "d": "8",
                "m": "8",
                "v": "1",
            }
        if quantity == "covariance":
            given |= {"other": "positive", "v": "1"}
        try:
            route, found = find_quantity(quantity).found(DIGITS, **given)
        except RFTheoryError:
            continue
        rows.append((point_text(given), found.text(), route))
    return rows


def _given(name: str, v: str = "1") -> dict[str, str]:
    """The arguments that describe a pair of inputs: what the law of a mechanism depends on."""
    feature = vocabulary.MECHANISMS[vocabulary.spelled(name)][0]
    given = {"mechanism": name, "d": "8", "m": "8"}
    if feature == "trigonometric":
        return {**given, "z": v}
    return {**given, "v": v, "z": "1"}


LAWS = ("mean", "mse", "relative_mse", "gap")


def law_of(name: str, entry: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Exact values of the law of a mechanism of the papers, or the reason for none; empty for maps and couplings.

    Examples
    --------
    >>> law_of("SimRF", names("mechanisms")["SimRF"])[0][0]
    'mean'
    """
    if entry["kind"] != "mechanism":
        return []
    from rftheory.exact.quantities import find_quantity

    rows = []
    for quantity in LAWS:
        try:
            value = find_quantity(quantity).enclose(30, **_given(name)).text()
        except RFTheoryError as error:
            rows.append((quantity, "", str(error)))
        else:
            rows.append((quantity, value, point_text(_given(name))))
    return rows


def curves_of(name: str, entry: Mapping[str, Any]) -> str:
    """A plot of the relative error over the inputs, compared with independent rows; empty if there is none."""
    if entry["kind"] != "mechanism":
        return ""
    import numpy as np

    from rftheory.exact.fast_laws import log_relative_mse
    from rftheory.report.graph import curves

    feature, coupling = vocabulary.MECHANISMS[vocabulary.spelled(name)]
    grid = np.linspace(0.1, 4.0, 60)
    found: dict[str, list[float]] = {}
    for label, rows in ((f"{feature} x {coupling}", coupling), (f"{feature} x iid", "iid")):
        try:
            found[label] = [
                float(value) / np.log(10) for value in log_relative_mse(feature, rows, 16, 16, grid)
            ]
        except RFTheoryError:
            if rows == coupling:
                return ""
    axis = "|x - y|" if feature in ("trigonometric", "cosine") else "|x + y|"
    return (
        curves([float(x) for x in grid], found, axis, "relative mean squared error, d = m = 16")
        if found
        else ""
    )


_PARAMETERS = {
    "gerf": ", A=-0.1",
    "oprf": ", v=1.0, d=16",
    "complex-exponential": ", matrix=np.eye(16)",
    "anisotropic": ", A=(-0.1,) * 16",
}
_COUNTS = {"poisson": "Poisson(0.5)", "geometric": "GeometricCounts(0.5)"}


def code_of(name: str, entry: Mapping[str, Any]) -> str:
    """Python code that builds a mechanism and estimates a kernel with it.

    Examples
    --------
    >>> print(code_of("simplex", names("mechanisms")["simplex"]).splitlines()[-2])
    mechanism = Mechanism("positive", "simplex", 128)
    """
    kind = entry["kind"]
    feature, coupling = (name, "orthogonal") if kind == "feature map" else ("positive", name)
    if kind == "mechanism":
        feature, coupling = vocabulary.MECHANISMS[vocabulary.spelled(name)]
    rows = f'"{coupling}"'
    more = ""
    if coupling == "optimised":
        rows, more = 'coupling("optimised", v=1.0)', ", coupling"
    draw = f'mechanism = Mechanism("{feature}", {rows}, 128{_PARAMETERS.get(feature, "")})'
    if feature in _COUNTS:
        draw, more = (
            f"mechanism = DiscreteMechanism({_COUNTS[feature]}, m=128)",
            f", {_COUNTS[feature].partition('(')[0]}",
        )
    imported = ("DiscreteMechanism" if feature in _COUNTS else "Mechanism") + more
    estimate = "estimates = mechanism.estimate(Stream(1), range(10), x, y)  # ten independent estimates"
    return "\n".join(
        [
            "import numpy as np",
            f"from rftheory.sample import {imported}, Stream",
            "",
            "x, y = np.full(16, 0.1), np.full(16, 0.05)  # one pair of inputs",
            draw,
            estimate,
        ]
    )
