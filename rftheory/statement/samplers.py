"""What the draws for a note say of its samplers, and why some were not tested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rftheory import sample
from rftheory.exact.row_tails import SIDES
from rftheory.judge.verdict import Decision, Kind
from rftheory.names import DECLARED_BY, is_ours, spelled
from rftheory.sample.maps import MAKERS
from rftheory.statement.judging import Judged
from rftheory.statement.statement import Statement
from rftheory.statement.words import atoms_of

PLACE = {"feature map": 0, "coupling": 1}
"""Where each kind of thing stands in the name of a mechanism."""


@dataclass(frozen=True)
class Sampler:
    """The sampler of a declared coupling or feature map.

    Attributes
    ----------
    kind, name : what it samples.
    tested_by : ids of the statements whose draws agree with the declaration, if they can see the sampler.
    differs_in : ids of those whose draws do not, by this sampler alone.
    together : pairs of a sampler and the id of a statement whose draws differ by one of the two, or by both.
    failed : pairs of the id of a statement and the error that ended its draws.
    rows : that a block has another number of rows than is declared; empty if it has not.
    reason : why there are none of these; empty if there are some.

    Examples
    --------
    >>> print(Sampler("coupling", "cross", ("mine.a", "mine.b"), ()))
    sampler of cross: tested by the draws for mine.a, mine.b
    >>> print(Sampler("coupling", "cross", ("mine.a",), ("mine.b",)))
    sampler of cross: differs from its declaration in the draws for mine.b
    >>> print(Sampler("coupling", "cross", (), (), together=(("own-map", "mine.b"),)))
    sampler of cross: it and the sampler of own-map together differ from their declarations in the draws for mine.b
    >>> print(Sampler("coupling", "cross", (), (), rows="a block has 4 rows at d = 3, and 3 as declared"))
    sampler of cross: differs from its declaration: a block has 4 rows at d = 3, and 3 as declared
    >>> print(Sampler("coupling", "cross", (), (), "no draws were asked for"))
    sampler of cross: not tested (no draws were asked for); `rftheory check FILE.py:FUNCTION` tests it
    """

    kind: str
    name: str
    tested_by: tuple[str, ...]
    differs_in: tuple[str, ...]
    reason: str = ""
    together: tuple[tuple[str, str], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    rows: str = ""

    def __str__(self) -> str:
        says = [f"differs from its declaration: {self.rows}"] if self.rows else []
        if self.differs_in:
            says.append(f"differs from its declaration in the draws for {', '.join(self.differs_in)}")
        for other in dict.fromkeys(name for name, _ in self.together):
            where = ", ".join(place for name, place in self.together if name == other)
            both = f"it and the sampler of {other} together differ from their declarations"
            says.append(f"{both} in the draws for {where}")
        if not says and self.tested_by:
            says.append(f"tested by the draws for {', '.join(self.tested_by)}")
        says += [f"the draws for {where} failed ({error})" for where, error in self.failed]
        if not says:
            says = [f"not tested ({self.reason})", "`rftheory check FILE.py:FUNCTION` tests it"]
        return f"sampler of {self.name}: {'; '.join(says)}"


@dataclass(frozen=True)
class _Draws:
    """The draws of one quantity for a statement.

    Attributes
    ----------
    id : of the statement.
    mechanism : the feature map and the coupling.
    quantity : ``mean`` or ``mse``; ``rows`` if their number differs; empty if the draws failed.
    dimension : of the inputs; 0 if the draws failed.
    whole : whether a draw has all rows of a block.
    decision : what they show.
    failed : the error with which they ended.
    """

    id: str
    mechanism: tuple[str, str]
    quantity: str
    dimension: int
    whole: bool
    decision: Decision
    failed: str

    def see(self, kind: str) -> bool:
        """Whether they can show an error of a sampler: means do not show how rows depend on each other."""
        return kind == "feature map" or (self.quantity == "mse" and self.whole)

    def other(self, kind: str) -> tuple[str, str]:
        """The kind and the name of the other part of the mechanism."""
        return next((one, self.mechanism[place]) for one, place in PLACE.items() if one != kind)


def samplers_of(
    module: str, statements: Iterable[Statement], results: Sequence[Judged], kinds: Sequence[str]
) -> tuple[Sampler, ...]:
    """The samplers that a note declares, and those of others' that its statements name, with what tested them.

    Parameters
    ----------
    module : the name of the note's module.
    statements, results : the statements of the note, and the verdicts on those that were judged.
    kinds : the kinds of evidence that were asked for.

    Examples
    --------
    >>> samplers_of("no_such_note", (), (), ("sampled",))
    ()
    """
    judged = {result.id: result for result in results}
    about: dict[tuple[str, str], list[Judged]] = {}
    for statement in statements:
        for kind, name, moment in {one for atom in atoms_of(statement.parts) for one in _named(atom.words)}:
            found = about.setdefault((kind, name), [])
            if moment and statement.id in judged:
                found.append(judged[statement.id])
    draws = [
        _Draws(
            result.id, tuple(piece.details["mechanism"]), piece.details.get("quantity", ""),
            piece.details.get("dimension", 0), piece.details.get("whole block", False), piece.effective,
            piece.details.get("failed", ""),
        )
        for result in results for piece in result.verdict.evidence
        if piece.kind is Kind.SAMPLED and "mechanism" in piece.details
    ]  # fmt: skip
    return tuple(
        _sampler(*key, about.get(key, ()), draws, kinds)
        for key, home in DECLARED_BY.items()
        if _has_sampler(*key) and (home == module or (key in about and not is_ours(*key)))
    )


def _named(words: Sequence[str]) -> Iterable[tuple[str, str, bool]]:
    """The feature map and the coupling of a quantity, and whether it is one that is drawn."""
    moment = words[0] in ("mean", "mse", *SIDES)
    return ((kind, spelled(words[1 + place]), moment) for kind, place in PLACE.items())


def _has_sampler(kind: str, name: str) -> bool:
    return name in sample.COUPLINGS if kind == "coupling" else name in sample.FEATURE_MAPS or name in MAKERS


def _is_cleared(part: tuple[str, str], differing: _Draws, draws: Iterable[_Draws]) -> bool:
    """Whether a part of what differs is right: it is ours, or agrees beside one of ours in the same quantity there."""
    kind, name = part
    return is_ours(*part) or any(
        one.decision is Decision.HOLDS and one.mechanism[PLACE[kind]] == name and is_ours(*one.other(kind))
        and (one.quantity, one.dimension) == (differing.quantity, differing.dimension)
        and (one.quantity == "mean" or one.see(kind))
        for one in draws
    )  # fmt: skip


def _sampler(
    kind: str, name: str, about: Sequence[Judged], draws: Sequence[_Draws], kinds: Sequence[str]
) -> Sampler:
    own = [one for one in draws if one.mechanism[PLACE[kind]] == name and one.quantity != "rows"]
    rows = _other_rows(name) if kind == "coupling" else ""
    agree = dict.fromkeys(one.id for one in own if one.decision is Decision.HOLDS and one.see(kind))
    differ = dict[str, None]()
    together = dict[tuple[str, str], None]()
    for one in own:
        other = one.other(kind)
        if one.decision is not Decision.FAILS:
            continue
        right, other_right = (_is_cleared(part, one, draws) for part in ((kind, name), other))
        if is_ours(*other) or (other_right and not right):
            differ[one.id] = None
        elif other_right or not right:
            together[other[1], one.id] = None
    failed = {one.id: one.failed for one in own if one.failed}
    seen = agree or differ or together or failed or rows
    reason = "" if seen else _why_not(kind, name, about, own, kinds)
    return Sampler(
        kind, name, tuple(agree), tuple(differ), reason, tuple(together), tuple(failed.items()), rows
    )


def _other_rows(name: str) -> str:
    """In which dimension a block has another number of rows than is declared; empty if in none."""
    from rftheory.statement.sampled import other_rows  # imported here because it is slow to import

    _, says = other_rows(name) or (0, "")
    return says


def _why_not(
    kind: str, name: str, about: Sequence[Judged], own: Sequence[_Draws], kinds: Sequence[str]
) -> str:
    """Why a sampler was not tested."""
    not_drawn = [
        why for result in about for *mechanism, why in result.not_drawn if mechanism[PLACE[kind]] == name
    ]
    if not about:
        return "no judged statement is about its mean or mse"
    if "sampled" not in kinds:
        return "no draws were asked for"
    if any(one.decision is Decision.HOLDS for one in own):
        return "only means, or part of a block, were drawn"
    if own:
        return "its draws decide nothing"
    if not_drawn:
        return "; ".join(dict.fromkeys(not_drawn))
    if any("stopped after" in piece.details for result in about for piece in result.verdict.evidence):
        return "the time for a statement about its mean or mse was up"
    if all(result.verdict.decision is Decision.FAILS for result in about):
        return "every statement about its mean or mse is refuted without draws"
    return "no statement about its mean or mse was judged to the end"
