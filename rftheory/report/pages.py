"""HTML pages: single ones to send, and the parts of the site. Formulas are MathML, which every browser draws.

Needs the extra ``site`` (jinja2, latex2mathml, markdown-it-py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftheory import __version__
from rftheory.exact.proof.steps import Replay
from rftheory.index import names
from rftheory.judge import Decision
from rftheory.report.errata import Erratum, errata_heading, ranked
from rftheory.report.extra import check_extra
from rftheory.report.formulas import mathml, prose, with_dollars
from rftheory.report.notebook import markdown
from rftheory.report.proof import bearings, lines

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from rftheory.report.run import Report

ROOM = Path(__file__).parent
STYLE = ROOM / "static" / "style.css"


@cache
def environment() -> Environment:
    """The template engine, with the filters that pages use.

    Raises
    ------
    BackendUnavailable : the extra ``site`` is not installed.
    """
    check_extra()
    import jinja2

    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOM / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    found.filters.update(
        prose=prose,
        tex=mathml,
        with_dollars=with_dollars,
        slug=slug,
        breakable=breakable,
        in_words=in_words,
        markdown=partial(markdown, drop_links=True),
    )
    found.globals.update(version=__version__)
    return found


def breakable(text: str) -> Markup:
    """An id or a long word, with places where it may be broken.

    Examples
    --------
    >>> print(breakable("simplex.thm3.2/(30)"))
    simplex.<wbr>thm3.<wbr>2/<wbr>(30)
    """
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([./_])", r"\1<wbr>", str(escape(text))))


def slug(identifier: str) -> str:
    """The file name for the page of an id: it never changes, and differs between ids on any file system.

    Examples
    --------
    >>> slug("simplex.thm3.2"), slug("simplex.thm3.2/(30)")
    ('simplex.thm3.2', 'simplex.thm3.2-30-fd60')
    """
    if re.fullmatch(r"[a-z0-9._-]+", identifier):
        return identifier
    import hashlib

    tail = hashlib.blake2b(identifier.encode(), digest_size=2).hexdigest()
    return f"{re.sub(r'[^a-z0-9._]+', '-', identifier.lower()).strip('-')}-{tail}"


def render(template: str, **content: Any) -> str:
    """A page from its template."""
    return environment().get_template(template).render(**content)


def single(template: str, **content: Any) -> str:
    """A self-contained page, with its style inside."""
    return render(template, root="", alone=True, style=STYLE.read_text(encoding="utf-8"), **content)


def verdicts_page(report: Report) -> str:
    """All verdicts of a run in one page.

    Examples
    --------
    >>> from rftheory.report import Report
    >>> "<title>Verdicts</title>" in verdicts_page(Report((), {}))
    True
    """
    claims = [
        with_evidence(claim)
        | {"aside": r.aside, "nearby": r.judged.proposals if r.judged else ()}
        | {"narrowing": r.judged.narrowing if r.judged else ()}
        for claim, r in zip(report.to_dict()["claims"], report.results, strict=True)
    ]
    papers: dict[str, list[dict[str, Any]]] = {}
    for claim in claims:
        papers.setdefault(claim["id"].partition(".")[0], []).append(claim)
    return single("verdicts.html", report=report, papers=papers, counts=counted(claims))


def errata_page(found: Sequence[Erratum], note: str = "") -> str:
    """All errata in one page, the most serious first; ``note`` is the title of a note, if they are those of one.

    Examples
    --------
    >>> "No false statement" in errata_page([])
    True
    """
    return single(
        "errata.html", errata=ranked(found), note=note, heading=errata_heading(note), linked=frozenset()
    )


def derivations_page(done: Sequence[Replay], *, everything: bool = False) -> str:
    """Derivations and their steps in one page.

    Examples
    --------
    >>> from rftheory.exact.proof.steps import established
    >>> from rftheory.exact.proof import lemmas
    >>> "Wallis" in derivations_page([established("lemma.wallis")])
    True
    """
    proofs = [
        {
            "derivation": one.derivation,
            "lines": [line for line in lines(one) if everything or not line.says_little],
            "hidden": 0 if everything else sum(line.says_little for line in lines(one)),
            "bearings": bearings(one),
            "holds": one.holds,
            "is_ours": one.derivation.id in names("derivations"),
            "assumes": one.assumes,
        }
        for one in done
    ]
    return single("derivations.html", proofs=proofs, known=frozenset())


OVER = {"domain": "the stated domain", "part": "a part of the statement", "points": "points, or draws, alone"}
CONTROL = {True: "the planted error was refuted", False: "the planted error was NOT refuted", None: ""}


def with_evidence(claim: Mapping[str, Any]) -> dict[str, Any]:
    """A claim of a report, with its evidence sorted and put into words."""
    pieces = []
    for piece in claim["verdict"]["evidence"]:
        word, _, over = piece["covers"].partition(": ")
        effective = "undecided" if piece["control"] is False else piece["decision"]
        pieces.append(
            {
                **piece,
                "effective": effective,
                "supports": effective == "holds" and word == "points",
                "over": over or OVER.get(word, word),
                "said": CONTROL[piece["control"]],
                "test": piece["details"].get("test"),
                "missed": [what for what, caught in piece["mutants"] if not caught],
            }
        )
    return {**claim, "pieces": pieces, "against": [p for p in pieces if p["effective"] == "fails"]}


def counted(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The number of claims by verdict.

    Examples
    --------
    >>> counted([{"verdict": {"decision": "holds"}}])
    {'holds': 1, 'fails': 0, 'undecided': 0}
    """
    found = {"holds": 0, "fails": 0, "undecided": 0}
    for claim in claims:
        found[claim["verdict"]["decision"]] += 1
    return found


def in_words(counts: Mapping[str, int]) -> str:
    """The number of claims by verdict, as a sentence has it.

    Examples
    --------
    >>> in_words({"holds": 6, "fails": 1, "undecided": 2})
    '6 hold, 1 fails, 2 undecided'
    """
    return ", ".join(Decision(word).counted(number) for word, number in counts.items())
