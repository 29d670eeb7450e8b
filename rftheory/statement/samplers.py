"""What the draws for a note say of its samplers, and why some were not tested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rftheory import sample
from rftheory.judge.verdict import Decision, Kind
from rftheory.names import DECLARED_BY, spelled
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
    tested_by : ids of the statements whose draws agree with the declaration.
    differs_in : ids of those whose draws do not.
    reason : why there are none of either; empty if there are some.

    Examples
    --------
    >>> print(Sampler("coupling", "cross", ("mine.a", "mine.b"), ()))
    sampler of cross: tested by the draws for mine.a, mine.b
    >>> print(Sampler("coupling", "cross", ("mine.a",), ("mine.b",)))
    sampler of cross: differs from its declaration in the draws for mine.b
    >>> print(Sampler("coupling", "cross", (), (), "no draws were asked for"))
    sampler of cross: not tested (no draws were asked for); `rftheory check` tests it, see docs/extending.md
    """

    kind: str
    name: str
    tested_by: tuple[str, ...]
    differs_in: tuple[str, ...]
    reason: str = ""

    def __str__(self) -> str:
        if self.differs_in:
            return f"sampler of {self.name}: differs from its declaration in the draws for {', '.join(self.differs_in)}"
        if self.tested_by:
            return f"sampler of {self.name}: tested by the draws for {', '.join(self.tested_by)}"
        how = "`rftheory check` tests it, see docs/extending.md"
        return f"sampler of {self.name}: not tested ({self.reason}); {how}"


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
    return tuple(
        _sampler(*key, about.get(key, ()), kinds)
        for key, home in DECLARED_BY.items()
        if _has_sampler(*key) and (home == module or (key in about and not home.startswith("rftheory.")))
    )


def _named(words: Sequence[str]) -> Iterable[tuple[str, str, bool]]:
    """The feature map and the coupling of a quantity, and whether it is one that is drawn."""
    moment = words[0] in ("mean", "mse")
    return ((kind, spelled(words[1 + place]), moment) for kind, place in PLACE.items())


def _has_sampler(kind: str, name: str) -> bool:
    return name in sample.COUPLINGS if kind == "coupling" else name in sample.FEATURE_MAPS or name in MAKERS


def _sampler(kind: str, name: str, about: Sequence[Judged], kinds: Sequence[str]) -> Sampler:
    drawn = [
        (result.id, piece.effective)
        for result in about
        for piece in result.verdict.evidence
        if piece.kind is Kind.SAMPLED and piece.details.get("mechanism", ("", ""))[PLACE[kind]] == name
    ]
    agree, differ = (
        tuple(dict.fromkeys(one for one, found in drawn if found is decision))
        for decision in (Decision.HOLDS, Decision.FAILS)
    )
    if agree or differ:
        reason = ""
    elif not about:
        reason = "no judged statement is about its mean or mse"
    elif "sampled" not in kinds:
        reason = "no draws were asked for"
    elif drawn:
        reason = "its draws decide nothing"
    elif all(result.verdict.decision is Decision.FAILS for result in about):
        reason = "every statement about its mean or mse is refuted without draws"
    elif any("stopped after" in piece.details for result in about for piece in result.verdict.evidence):
        reason = "the time for a statement about its mean or mse was up"
    else:
        reason = "the moments of its draws are not known, or too large for a test"
    return Sampler(kind, name, agree, differ, reason)
