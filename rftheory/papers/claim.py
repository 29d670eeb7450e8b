"""A claim: one statement of a source, as printed, with the evidence that judges it.

A claim is data. It names its evidence, of one of the kinds in :mod:`rftheory.statement.evidence`, and the recorded
verdict, which every run checks again from scratch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, get_args

from rftheory.errors import InvalidInput, RFTheoryError, UnknownName, items, need
from rftheory.exact.limits import time_limit
from rftheory.index import paper_of
from rftheory.judge import Cover, Decision, Evidence, Grade, Kind, Verdict, conclude
from rftheory.statement.contradictions import Said, of_checks, of_statement
from rftheory.statement.domain import NO_VARIABLES, Domain
from rftheory.statement.evidence import Bench, Check, Slow
from rftheory.statement.evidence.relation import Relation, relation_of
from rftheory.statement.evidence.stated import Drawn, FromStatement
from rftheory.statement.sampled import planned
from rftheory.statement.statement import Statement
from rftheory.statement.words import claimed

FaultKind = Literal["error", "missing condition", "ambiguous", "slip", "reading"]


@dataclass(frozen=True)
class Fault:
    """The fault of a statement that fails, as described in an erratum.

    Attributes
    ----------
    kind : ``error``; ``missing condition``: right under a condition that is not stated; ``ambiguous``: false in one of
        its readings; ``slip``: a slip of the pen, on which nothing rests; ``reading``: false only in our wording or
        through the extraction of the text, not in the source. All but the last are errata.
    severity : 3, a result is false as it is used; 2, a statement is false but what rests on it stands; 1, cosmetic.
    consequence : the consequence for the conclusions of the source, in one sentence.
    told_by : id of the claim that describes the same fault, if several claims fail for one reason.

    Examples
    --------
    >>> Fault("slip", 1, "none: (26) is used with the right sign").told_by
    ''
    >>> Fault("typo", 1)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: fault: needs a kind out of error, missing condition, ambiguous, slip, reading, got 'typo'
    """

    kind: FaultKind
    severity: int
    consequence: str = ""
    told_by: str = ""

    def __post_init__(self) -> None:
        if self.kind not in get_args(FaultKind):
            raise InvalidInput(
                "fault", needs="a kind out of " + ", ".join(get_args(FaultKind)), got=self.kind
            )
        if self.severity not in (1, 2, 3):
            raise InvalidInput("fault", needs="a severity of 1, 2 or 3", got=self.severity)


LATER = ("statement", "conditions", "object")
"""Attributes of a claim that may be given as a partial."""


@dataclass(frozen=True)
class Claim:
    """One statement, and how it is judged.

    Attributes
    ----------
    id : ``paper.label``, as in the catalogue of the sources; readings and corrections of a printed statement have
        their own suffixes.
    source : where it is printed, or ``ours``.
    statement : what is judged, with formulas in LaTeX: as printed or, if the source is not precise, our reading.
    conditions : the domain as stated.
    checks : the evidence.
    expected : the recorded verdict; a run with another verdict fails. The grade follows from the evidence.
    differs : for a statement that fails, what is wrong with it and what is right, in one sentence.
    correction : id of the claim with the correct statement.
    entry : entry of the catalogue of the sources that the claim belongs to; by default the id up to its first ``/``.
        Results that the sources lack have the entry ``added``.
    reason : for a claim that is recorded as undecided, why it cannot be decided.
    prints : the words of the source, verbatim except for what the extraction of its text garbles; ``...`` marks
        omissions. Without it the statement is our wording.
    fault : for a statement that fails, the kind of its fault.
    object : the statement as an object, if it is judged from that.
    finite : whether it is about finitely many things, such as the numbers of a table. By default the object decides;
        a claim without one, or with words that its steps only judge a part of, is about infinitely many.

    Examples
    --------
    >>> claim = Claim("simplex.thm9.9/ours", "ours", "$1 + 1 = 2$", "none", checks=())
    >>> claim.entry, claim.paper, str(claim.expected)
    ('simplex.thm9.9', 'simplex', 'holds')
    """

    id: str
    source: str
    statement: str
    conditions: str
    checks: tuple[Check, ...]
    expected: Decision = Decision.HOLDS
    differs: str = ""
    correction: str = ""
    entry: str = ""
    reason: str = ""
    prints: str = ""
    fault: Fault | None = None
    object: Statement | None = field(default_factory=lambda: None)
    finite: bool | None = None

    def __post_init__(self) -> None:
        for name in LATER:
            if isinstance(self.__dict__[name], partial):
                self.__dict__[f"_{name}"] = self.__dict__.pop(name)
        for name in ("id", "source", "statement", "conditions"):
            if f"_{name}" not in self.__dict__:
                need(f"{name} of a claim", getattr(self, name), str, "text")
        items(f"checks of {self.id}", self.checks, object, "pieces of evidence")
        if not self.entry:
            object.__setattr__(self, "entry", self.id.partition("/")[0].removesuffix(".corrected"))

    def __getattr__(self, name: str) -> Any:
        """What was given as a partial is worked out when it is first asked for: a start typesets nothing."""
        if name not in LATER or f"_{name}" not in self.__dict__:
            raise AttributeError(name)
        value = self.__dict__[name] = self.__dict__[f"_{name}"]()
        return value

    @property
    def paper(self) -> str:
        """The source: the first part of the id, and for the walk-through of Rahimi and Recht its neighbours too."""
        return paper_of(self.id)

    @property
    def words(self) -> tuple[str, str]:
        """Statement and conditions without the signs or steps that follow words of ours.

        Examples
        --------
        >>> from rftheory.author import d
        >>> stated("n.one", "ours", d < 2**d, statement="powers of two grow faster").words
        ('powers of two grow faster', 'd >= 1')
        """
        said = (self.__dict__.get(f"_{name}") for name in LATER[:2])
        texts = [later.args[0] if later is not None else "" for later in said]
        return texts[0] or self.statement, texts[1] or self.conditions

    @property
    def is_infinite(self) -> bool:
        """Whether infinitely many things are stated: unless it says whether they are `finite`, as many as its object's
        domain has points.

        Examples
        --------
        >>> from rftheory.author import d
        >>> stated("n.all", "ours", d < 2**d).is_infinite, stated("n.one", "ours", d < 5, (d <= 4,)).is_infinite
        (True, False)
        """
        if self.finite is not None:
            return not self.finite
        return self.object is None or self.object.domain.is_infinite

    @property
    def tests(self) -> int:
        """The number of its statistical tests."""
        return sum(check.tests for check in self.checks)

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations that its checks judge, typeset from the expressions themselves, each once, without programs."""
        return tuple(dict.fromkeys(filter(None, map(relation_of, self.checks))))

    @property
    def judged(self) -> list[Relation]:
        """The relations that its words do not show, which stand beside them in a report.

        Examples
        --------
        >>> from rftheory.author import d
        >>> [one.latex for one in stated("n.one", "ours", d < 2**d, statement="powers of two grow faster").judged]
        ['d < 2^{d}']
        """
        return [one for one in self.relations if one.latex not in self.words[0]]

    @property
    def said(self) -> list[Said]:
        """Its relations, and those that its evidence rests on, for comparison with others.

        Examples
        --------
        >>> Claim("n.a", "ours", "", "none", checks=()).said
        []
        """
        no = self.expected is Decision.FAILS
        judged = any(isinstance(check, FromStatement) for check in self.checks)  # steps: by their check
        own = of_statement(self.object, refuted=no) if self.object is not None and judged else []
        return own + of_checks(self.id, self.checks, refuted=no)

    def judge(self, bench: Bench, kinds: Iterable[Kind] = tuple(Kind)) -> Verdict:
        """Run the checks of the given kinds and conclude.

        A check that raises one of the package's own errors leaves the claim undecided, with the reason; any other
        exception is a bug and is not caught.
        """
        wanted = set(kinds)
        asked = [c.kind in wanted and not (bench.quick and isinstance(c, Slow)) for c in self.checks]
        run = [check for check, wish in zip(self.checks, asked, strict=True) if wish]
        found = self._of_the_object(run, [_attempt(check, bench) for check in run])
        left_out = [
            Cover.of(check.covers) for check, wish in zip(self.checks, asked, strict=True) if not wish
        ]
        return conclude(found, claim=self.id, left_out=left_out)

    def _of_the_object(self, checks: Sequence[Check], found: list[Evidence]) -> list[Evidence]:
        """The evidence; where the object itself is only supported, no other piece covers the whole claim."""
        for check, piece in zip(checks, found, strict=True):
            own = isinstance(check, FromStatement) and check.statement is self.object
            if own and check.covers == Cover.DOMAIN and piece.grade is Grade.SUPPORTED:
                return [replace(p, covers=str(Cover.PART)) if p.cover.whole else p for p in found]
        return found


def _attempt(check: Check, bench: Bench) -> Evidence:
    start = time.perf_counter()
    try:
        with time_limit(bench.seconds_for(check), "check", "a verdict"):
            found = check.run(bench)
        return replace(found, seconds=time.perf_counter() - start)
    except RFTheoryError as error:
        reason = " ".join(str(error).split())
        return Evidence(check.kind, Decision.UNDECIDED, f"{type(error).__name__}: {reason}")


def texts(
    statement: str, conditions: str, kind: str, signs: Callable[[], str], over: Callable[[], str]
) -> dict[str, Any]:
    """Statement and conditions of a claim: the words, then in signs or in steps what is judged of them, and where.

    Parameters
    ----------
    statement, conditions : the words; without any, signs and domain stand alone.
    kind : ``signs`` or ``steps``.
    signs, over : what is judged, and its domain; both are worked out when they are first read.

    Examples
    --------
    >>> made = texts("one is positive", "one number", "signs", "$1 > 0$".format, "no variables".format)
    >>> {name: text() for name, text in made.items()}
    {'statement': 'one is positive; in signs: $1 > 0$', 'conditions': 'one number'}
    """
    return {
        "statement": partial(_worded, statement, f"; in {kind}: ", signs),
        "conditions": partial(_worded, conditions, "; ", over),
    }


def _worded(words: str, between: str, signs: Callable[[], str]) -> str:
    found = signs()
    if words and found == NO_VARIABLES:
        return words
    return f"{words}{between}{found}" if words else found


def stated(
    id: str, source: str, claim: object, over: Iterable[object] = (), *, proof: Any = None, draw: bool = True,
    also: Sequence[Check] = (), statement: str = "", conditions: str = "", **more: Any,
) -> Claim:  # fmt: skip
    """A claim that is judged from the statement itself: searched, proved, and sampled from the mechanisms in it.

    Parameters
    ----------
    id, source : as in `Claim`.
    claim, over : the relations and their domain, in the vocabulary of `rftheory.author`.
    proof : id of a derivation, one of whose steps is the statement.
    draw : whether to sample the quantities in it; False if draws cannot decide.
    also : further evidence.
    statement, conditions : the statement in words and its domain, where the signs are a part or an instance of it that
        decides, or are not readable alone; what is judged follows.
    more : the other attributes of `Claim`.

    Examples
    --------
    >>> from rftheory.author import conformity, exp, orthogonal, v
    >>> claim = stated("simplex.example", "ours", conformity(orthogonal) <= exp(v**2))
    >>> print(claim.statement, "for", claim.conditions)
    $\\mathrm{conformity}(\\text{orthogonal}) \\leq e^{v^{2}}$ for d >= 2, v >= 0
    >>> from rftheory.judge import Budget
    >>> import numpy as np
    >>> print(claim.judge(Bench(Budget(1e-6), np)).decision)
    holds
    """
    said = claimed(claim)
    found = Statement(id, source, said, Domain.of(said, over), proof=proof)
    drawn = tuple(Slow(Drawn(found, number)) for number in range(len(planned(found)) if draw else 0))
    said_in = texts(
        statement, conditions, "signs", partial("${0.latex}$".format, found), partial(str, found.domain)
    )
    return Claim(id, source, checks=(FromStatement(found), *drawn, *also), object=found, **said_in, **more)


def instance(claim: object, over: Iterable[object] = (), covers: str = "part") -> FromStatement:
    """An instance of a claim, or one of several things that it says, as further evidence for it.

    Parameters
    ----------
    claim, over : as in `stated`.
    covers : what its proof covers of the claim.

    Examples
    --------
    >>> from rftheory.author import conformity, exp, orthogonal, v
    >>> instance(conformity(orthogonal) <= exp(v**2)).covers
    'part'
    """
    said = claimed(claim)
    return FromStatement(Statement("instance", "", said, Domain.of(said, over)), covers)


class Shelves(Mapping[str, Claim]):
    """Claims by id, in the order of the papers; a paper is read when one of its claims is asked for.

    Parameters
    ----------
    papers : for each paper, what reads its claims.

    Raises
    ------
    InvalidInput : two claims of a paper have one id, or one belongs to another paper; found when it is read.

    Examples
    --------
    >>> shelves = Shelves({"simplex": lambda: [Claim("simplex.a", "ours", "$1 < 2$", "none", ())], "chefs": list})
    >>> shelves["simplex.a"].statement, "hybrid.a" in shelves, len(shelves)
    ('$1 < 2$', False, 1)
    """

    def __init__(self, papers: Mapping[str, Callable[[], Iterable[Claim]]]) -> None:
        self.papers = list(papers)
        self._readers = dict(papers)
        self._read: dict[str, dict[str, Claim]] = {}

    def of(self, paper: str) -> Mapping[str, Claim]:
        """The claims of one paper."""
        if paper not in self._read:
            claims = list(self._readers[paper]())
            found = {claim.id: claim for claim in claims}
            if len(found) != len(claims):
                repeated = sorted({c.id for c in claims if sum(o.id == c.id for o in claims) > 1})
                raise InvalidInput("catalogue", needs="a different id for every claim", got=repeated)
            if astray := [
                i for i in found if paper_of(i) != paper
            ]:  # would be looked for there, and never judged
                raise InvalidInput("catalogue", needs=f"ids of {paper} among its claims", got=astray)
            self._read[paper] = found
        return self._read[paper]

    def __getitem__(self, identifier: str) -> Claim:
        paper = paper_of(identifier)
        if paper not in self._readers:
            raise KeyError(identifier)
        return self.of(paper)[identifier]

    def __iter__(self) -> Iterator[str]:
        return (identifier for paper in self.papers for identifier in self.of(paper))

    def __len__(self) -> int:
        return sum(len(self.of(paper)) for paper in self.papers)


class Catalogue:
    """The claims by id, paper by paper.

    Parameters
    ----------
    claims : the claims, or shelves from which they are read when they are asked for.
    tests : number of their statistical tests, if it is known without reading them.

    Examples
    --------
    >>> Catalogue([]).select(claim="simplex.thm3.2")
    Traceback (most recent call last):
    ...
    rftheory.errors.UnknownName: unknown claim 'simplex.thm3.2' (rftheory list statements WORDS searches)
    """

    def __init__(self, claims: Sequence[Claim] | Shelves, tests: int | None = None) -> None:
        self._tests = tests
        if isinstance(claims, Shelves):
            self.claims = claims
            return
        claims = items("claims of a catalogue", claims, Claim, "claims")
        papers = dict.fromkeys(claim.paper for claim in claims)
        self.claims = Shelves({p: partial(filter, lambda c, p=p: c.paper == p, claims) for p in papers})
        self.check()

    def check(self) -> None:
        """Read all claims.

        Raises
        ------
        InvalidInput : two claims have one id.
        UnknownName : the correction of a claim is not in the catalogue.
        """
        for claim in self.claims.values():
            if claim.correction and claim.correction not in self.claims:
                raise UnknownName("claim", claim.correction, self.claims)

    @property
    def sampled_tests(self) -> int:
        """The number of statistical tests in the whole catalogue, over which the false-alarm rate is split."""
        if self._tests is None:
            self._tests = sum(claim.tests for claim in self.claims.values())
        return max(1, self._tests)

    @property
    def papers(self) -> list[str]:
        """The sources, in the order of their first claims."""
        return self.claims.papers

    def select(self, paper: str | None = None, claim: str | None = None) -> list[Claim]:
        """All claims, those of a paper, or one claim.

        Raises
        ------
        UnknownName : there is no such paper or claim, or no such claim in that paper.
        """
        if paper is not None and paper not in self.papers:
            raise UnknownName("paper", paper, self.papers)
        if claim is None:
            return list((self.claims if paper is None else self.claims.of(paper)).values())
        if claim not in self.claims:
            raise UnknownName("claim", claim, self.claims, hint="rftheory list statements WORDS searches")
        if paper not in (None, self.claims[claim].paper):
            raise UnknownName(f"claim of {paper}", claim)
        return [self.claims[claim]]
