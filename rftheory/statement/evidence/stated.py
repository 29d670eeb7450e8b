"""Evidence from the statement as an object: it is searched, proved and sampled, with nothing chosen by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import sympy

from rftheory.errors import InvalidInput
from rftheory.judge import Cover, Decision, Evidence, Kind
from rftheory.statement.domain import Values
from rftheory.statement.evidence.bench import Bench
from rftheory.statement.mutate import judged_mutants, mutants, put_right
from rftheory.statement.nearby import found_contrary, found_for_some, found_limit, found_order
from rftheory.statement.pointwise import Words
from rftheory.statement.sampled import BLOCKS, drawn, planned
from rftheory.statement.search import search_at
from rftheory.statement.settle import alone, settled
from rftheory.statement.statement import Statement
from rftheory.statement.words import in_words

TRIED = 6
"""How many changes of the statement an ordinary run tries until one is refuted."""


@dataclass(frozen=True)
class FromStatement:
    """Search the statement for a counterexample and prove it; its changes are the planted errors.

    Attributes
    ----------
    covers : what its proof covers of the claim; an instance of one that says more is ``part``.

    Examples
    --------
    >>> from rftheory.author import conformity, exp, orthogonal, v
    >>> from rftheory.judge import Budget
    >>> from rftheory.statement.domain import Domain
    >>> claim = conformity(orthogonal) < exp(v**2)
    >>> strict = Statement("n.strict", "", claim, Domain.of(claim, (v > 0,)))
    >>> found = FromStatement(strict).run(Bench(Budget(1e-6), None))
    >>> found.decision.value, found.control
    ('holds', True)
    """

    statement: Statement
    covers: str = str(Cover.DOMAIN)
    kind: ClassVar[Kind] = Kind.DERIVED
    tests: ClassVar[int] = 0

    def run(self, bench: Bench) -> Evidence:
        """Search, then prove."""
        found, witness = self._found()
        control: bool | None = None
        changes: tuple[tuple[str, bool], ...] = ()
        still_true: tuple[str, ...] = ()
        if found.decision is Decision.HOLDS:
            if Cover.of(self.covers) is not Cover.DOMAIN:
                found = replace(found, covers=self.covers)
            control = self._notices()
            if bench.thorough:
                fates = judged_mutants(self.statement)
                changes = tuple((what, True) for what, fate in fates if fate != "true")
                still_true = tuple(what for what, fate in fates if fate == "true")
        elif found.decision is Decision.FAILS:
            right = self._put_right(witness)
            control = all(caught for _, caught in right) if right else None
            changes = tuple((what(), caught) for what, caught in right) if bench.thorough else ()
        return replace(found, control=control, mutants=changes, still_true=still_true)

    def _found(self) -> tuple[Evidence, Values | None]:
        """What is found, and the point that refutes."""
        found = settled(self.statement)
        refuted = [piece for piece in found.pieces if piece.decision is Decision.FAILS]
        if refuted:
            return refuted[0], found.search.witness
        if found.decision is Decision.HOLDS:
            certified = any(piece.kind is Kind.CERTIFIED for piece in found.proofs)
            cases = [piece for piece in found.proofs if piece.cover is Cover.CASES]
            return replace(
                (*cases, *found.proofs)[0],  # the weakest part decides the grade
                kind=Kind.CERTIFIED if certified else Kind.DERIVED,
                summary="; ".join(dict.fromkeys(piece.summary for piece in found.proofs)),
                assumes=tuple(dict.fromkeys(name for piece in found.proofs for name in piece.assumes)),
            ), None
        if found.seen is not None:
            return found.seen, None
        return Evidence(
            Kind.CERTIFIED, Decision.UNDECIDED, "neither refuted nor proved", covers="points"
        ), None

    def _put_right(self, found: Values | None) -> tuple[tuple[Words, bool], ...]:
        """True statements in the place of a false one: at the point that refutes it, they must not be refuted.

        Where a limit refutes it and no point does, the limit that was found, or a larger order, which must be
        proved; where no value serves at a point, that some value has the relation that all have there.
        """
        statement = self.statement
        if found is None:
            known = (
                instead(part, statement.domain)
                for part in statement.parts
                for instead in (found_limit, found_for_some, found_order, found_contrary)
            )
            right = [true for true in known if true is not None]
            return tuple(
                (partial(in_words, true), alone(statement.says(true)) is Decision.HOLDS) for true in right
            )
        wrong = [p for p in statement.parts if search_at((p,), statement.domain, found).witness is not None]
        right = [true for part in wrong for true in put_right(part, found, statement.domain)]
        return tuple((partial(_there, true), self._stands(true, found)) for true in right)

    def _stands(self, true: sympy.Basic, found: Values) -> bool:
        """Whether the search of a point certifies a true relation; an equation it can only leave alone."""
        search = search_at((true,), self.statement.domain, found)
        return search.witness is None and (isinstance(true, sympy.Eq) or search.agreed == 1)

    def _notices(self) -> bool:
        """Whether one of the first changes of the statement is refuted."""
        for number, (_, wrong) in enumerate(mutants(self.statement)):
            if alone(wrong) is Decision.FAILS:
                return True
            if number == TRIED:
                break
        return False


def _there(true: sympy.Basic) -> str:
    return f"at that point {in_words(true)}"


@dataclass(frozen=True)
class Drawn:
    """One quantity named in the statement, sampled from its mechanism and compared with its law.

    Attributes
    ----------
    number : index of the quantity in `planned`.

    Examples
    --------
    >>> from rftheory.author import gaussian, mean, positive, simplex
    >>> import numpy as np
    >>> from rftheory.judge import Budget
    >>> from rftheory.statement.domain import Domain
    >>> claim = mean(positive(simplex)) == gaussian
    >>> Drawn(Statement("n.mean", "", claim, Domain.of(claim, ())), 0).run(Bench(Budget(1e-6), np)).decision.value
    'holds'
    """

    statement: Statement
    number: int
    kind: ClassVar[Kind] = Kind.SAMPLED
    tests: ClassVar[int] = 1
    covers: ClassVar[str] = "points"

    def run(self, bench: Bench) -> Evidence:
        """Draw and test."""
        quantities = planned(self.statement)
        if self.number >= len(quantities):
            raise InvalidInput(
                self.statement.id, needs=f"one of {len(quantities)} quantities", got=self.number
            )
        blocks = bench.blocks(BLOCKS)
        found = drawn(self.statement, quantities[self.number], bench.budget, bench.seed, blocks, bench.xp)
        if found is None:
            says = f"{quantities[self.number]}: draws cannot be trusted here"
            return Evidence(Kind.SAMPLED, Decision.UNDECIDED, says)
        thorough = bench.thorough and found.control is not None
        return replace(found, mutants=(("the planted law", found.control is True),) if thorough else ())
