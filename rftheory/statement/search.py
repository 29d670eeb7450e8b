"""The search for counterexamples at exact points, the simplest and corners first."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import inf

import sympy

from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain
from rftheory.exact.derivative import derivative
from rftheory.exact.enclosure import exact_fraction
from rftheory.exact.limits import cpu_limit
from rftheory.exact.roots import critical_in
from rftheory.exact.search import Smooth, isolate_roots, refine_root
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import d
from rftheory.exact.truth import STRICT, STRICTER, together
from rftheory.names import plural
from rftheory.statement.atoms import EntryOf, OfLaw, ProbabilityOf
from rftheory.statement.descent import nearly_false
from rftheory.statement.domain import (
    MANY,
    Domain,
    Values,
    around,
    at_ends,
    beside_ends,
    corners,
    points,
    with_given,
)
from rftheory.statement.pairs import block_size
from rftheory.statement.pointwise import decide, in_point, pointwise
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.provers.proof import DOES_NOT_APPLY, larger_minus_smaller
from rftheory.statement.provers.signs import is_elementary
from rftheory.statement.words import Direction, ForSome


@dataclass(frozen=True)
class Search:
    """The result of a search.

    Attributes
    ----------
    tried : number of points at which both sides have values.
    agreed : number of those at which the claim is certified; at the others the sides cannot be told apart.
    skipped : number of points at which a side has no value; ``why`` gives one reason.
    witness : the first point at which the claim is false.
    sides : the enclosures there, in words.
    digits : the number of digits to which the sides agree where they cannot be told apart.
    unfound : points at which a ``for_some`` found no value for which it holds, among those that were tried.
    told : the first point at which the claim is certified with a margin; of a direction, with several rows if it can.
    late : whether the time was up before all points were tried.
    left : number of points that took too long, and were left.

    Examples
    --------
    >>> Search(3, 2, 0, "", None, "").witness is None
    True
    """

    tried: int
    agreed: int
    skipped: int
    why: str
    witness: Values | None
    sides: str
    unfound: int = 0
    digits: int = 0
    told: Values | None = None
    late: bool = False
    left: int = 0

    @property
    def summary(self) -> str:
        """One line.

        Examples
        --------
        >>> Search(3, 2, 0, "", None, "").summary
        'no counterexample at 3 points (undecided at 1 of them)'
        >>> Search(3, 2, 0, "", None, "", digits=94).summary
        'no counterexample at 3 points (at 1 of them both sides agree to 94 digits)'
        >>> Search(3, 3, 0, "", None, "", late=True).summary
        'no counterexample at 3 points, when the time for the search was up'
        """
        if self.witness is not None:
            return (
                f"counterexample {in_point(self.witness) if self.witness else ''}".strip() + f": {self.sides}"
            )
        if self.unfound:
            where = f"at {self.unfound} of {self.tried} points " if self.tried > 1 else ""
            return f"{where}no value was found for which it holds{self.ended}; there may still be one"
        such = ", such as" if self.skipped > 1 else ":"
        left = f"; {plural(self.skipped, 'point')} without a value{such} {self.why}" if self.skipped else ""
        return f"no counterexample at {plural(self.tried, 'point')}{self._alike}{self.ended}{left}"

    @property
    def ended(self) -> str:
        """What the time for the search left out; empty if nothing.

        Examples
        --------
        >>> Search(3, 3, 0, "", None, "").ended, Search(3, 3, 0, "", None, "", left=1).ended
        ('', ', without 1 point that took too long')
        """
        if self.late:
            return ", when the time for the search was up"
        return f", without {plural(self.left, 'point')} that took too long" if self.left else ""

    @property
    def _alike(self) -> str:
        """What is known of the points at which the sides cannot be told apart."""
        alike = self.tried - self.agreed
        if not alike:
            return ""
        where = "" if self.tried == 1 else "at each of them" if alike == self.tried else f"at {alike} of them"
        said = (
            f"{where} both sides agree to {plural(self.digits, 'digit')}"
            if self.digits
            else f"undecided {where}"
        )
        return f" ({said.strip()})"


def search(
    parts: Sequence[sympy.Basic], domain: Domain, *, most: int = 80, seconds: float = 10.0, more: int = 0
) -> Search:
    """Look for a point at which one of the parts is false.

    Parameters
    ----------
    most : number of points, the corners first.
    seconds : computing time for all, so that what is found does not depend on what else the machine does.
    more : number of further points, beside those at which a derivative of the difference of the sides is 0: those
        that differ in one or two variables from the first point at which the claim is true with a margin. At
        ``m = 1``, for one, all couplings are the same, and most corners may lie there.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, exp, orthogonal, v
    >>> claim = conformity(orthogonal) < 1 + v**2
    >>> found = search(claim.parts, Domain.of(claim, (v > 0,)))
    >>> print(found.summary)
    counterexample d = 2, v = 1/2: conformity(orthogonal) = 1.27479 > 1.25000 = v**2 + 1
    """
    parts = [part for part in parts if pointwise(part)]
    until = time.process_time() + seconds
    told = chain(_hard(parts, domain), _critical(parts, domain) if more else ())
    where = (_cells(parts, domain) or chain(told, corners(domain, most))) if parts else ()
    found = _over(parts, domain, where, until, tell=more > 0)
    if more and found.witness is None and found.told is not None:
        far = list(_far(parts, domain))
        near = islice(around(domain, found.told, 2), more - len(far))
        ends = chain(at_ends(domain, AT_ENDS), beside_ends(domain, found.told, BESIDE_ENDS))
        found = _added(found, _over(parts, domain, chain(near, far, ends), until))
    if more and found.witness is None and found.agreed and not found.late:
        worst = _over(parts, domain, _seem_false(parts, domain, until), until)
        found = worst if worst.witness is not None else found
    if found.witness is None:
        return found
    simplest = _over(parts, domain, points(domain, 40), until)
    return replace(found if simplest.witness is None else simplest, tried=found.tried)


def _added(one: Search, two: Search) -> Search:
    """Two searches, of which the first found no witness, as one."""
    return replace(
        two, tried=one.tried + two.tried, agreed=one.agreed + two.agreed, skipped=one.skipped + two.skipped,
        why=one.why or two.why, unfound=one.unfound + two.unfound, told=one.told,
        digits=min((found.digits for found in (one, two) if found.agreed < found.tried), default=0),
        late=one.late or two.late, left=one.left + two.left,
    )  # fmt: skip


def _hard(parts: Sequence[sympy.Basic], domain: Domain) -> Iterator[Values]:
    """Points of the domain at which events are known to be likely, with the simplest values of other variables."""
    for atom in {atom for part in parts for atom in part.atoms(ProbabilityOf)}:
        for point in atom.event.hard:
            known = {s: sympy.sympify(point[s.name]) for s in domain.symbols if s.name in point}
            yield from islice(with_given(domain, known), GIVEN_POINTS)


GIVEN_POINTS = 5
"""How many points of the others: their simplest values, and those at which a condition ends."""
CRITICAL, LONGEST = 4, 80
"""At how many points of the others a variable is moved to where sides may be nearest; in how long differences."""
NEAR = sympy.Rational(1, 64), sympy.Rational(8191, 1024)
"""Between these a root of a derivative is looked for that cannot be written down."""


def _critical(parts: Sequence[sympy.Basic], domain: Domain) -> Iterator[Values]:
    """Points at which the derivative of the difference of elementary sides in one variable is 0, or nearly so."""
    for part in parts:
        with suppress(*DOES_NOT_APPLY):
            difference = larger_minus_smaller(part, domain)
            if difference is None or not is_elementary(difference) or difference.count_ops() > LONGEST:
                continue
            for symbol in (s for s in domain.symbols if not domain.spans[s].integer and difference.has(s)):
                exact = list(critical_in(difference, symbol))
                for values in corners(domain, CRITICAL):
                    others = {s: value for s, value in values.items() if s != symbol}
                    known = [with_values(place, others) for place in exact]
                    places = known or _nearly(derivative(with_values(difference, others), symbol), symbol)
                    points = ({**values, symbol: place} for place in places if place.is_real)
                    yield from (point for point in points if domain.contains(point))


def _nearly(rate: sympy.Expr, symbol: sympy.Symbol) -> Iterator[sympy.Expr]:
    """Simple numbers next to roots of a derivative."""
    function = Smooth.of(rate, symbol)
    with suppress(NotCertified):
        for root in isolate_roots(function, *NEAR, max_boxes=200):
            yield sympy.Rational(round(1024 * exact_fraction(refine_root(function, root).mid())), 1024)


DOWN, STEPPING = 40, 0.15
"""From the worst of so many corners steps are taken, in this part of the time left."""


def _seem_false(parts: Sequence[sympy.Basic], domain: Domain, until: float) -> Iterator[Values]:
    """Points at which one of the parts seems false, found by steps from the worst of the corners."""
    now = time.process_time()
    end = now + STEPPING * (until - now)
    for part in parts:
        yield from nearly_false(part, domain, list(corners(domain, DOWN)), end)


AT_ENDS = 80
"""How many points are tried at which an integer is at the end of a condition."""
BESIDE_ENDS = 24
"""At how many a real variable is at an end of its range, and another is not where it was."""
FAR = 8
"""How many points are tried in many dimensions."""
BESIDE, FAR_NUMBERS = sympy.Rational(1, 10**6), (sympy.Integer(10**3), sympy.Integer(-(10**3)))
"""How near to an end of a range of real numbers, and how far from 0, they are tried at last."""


def _far(parts: Sequence[sympy.Basic], domain: Domain) -> Iterator[Values]:
    """Simple corners with many dimensions or a number beside an end or far from it; not of coupled rows, for time.

    Terms such as c^d are large in many dimensions.
    """
    laws = {law for part in parts for law in part.atoms(OfLaw)}
    coupled = any(law.numbers[1] != 1 and block_size(law.coupling) != 1 for law in laws)
    if coupled or any(isinstance(part, Direction) for part in parts):
        return
    for values in corners(domain, FAR) if d in domain.symbols else ():
        if domain.contains(far := {**values, d: sympy.Integer(MANY)}):
            yield far
    for values in corners(domain, 1):
        for symbol, span in domain.spans.items():
            places = (span.low + BESIDE, span.high - BESIDE, *FAR_NUMBERS) if not span.integer else ()
            for place in places:
                if place.is_finite and domain.contains(far := {**values, symbol: place}):
                    yield far


def _cells(parts: Sequence[sympy.Basic], domain: Domain) -> list[dict[sympy.Symbol, sympy.Expr]] | None:
    """All points of a finite domain on which tables are read: any cell may be the one that refutes."""
    return domain.cases if any(part.has(EntryOf) for part in parts) else None


def search_at(parts: Sequence[sympy.Basic], domain: Domain, values: Values) -> Search:
    """The search of one point.

    Examples
    --------
    >>> v = sympy.Symbol("v", nonnegative=True)
    >>> search_at((v**2 < 2,), Domain({}), {v: sympy.Integer(1)}).summary
    'no counterexample at 1 point'
    """
    return _over(parts, domain, (values,), inf)


SHARE, LEAST = 0.4, 0.01
"""The part of the time left that one point may take, since sides that are equal there may take it all; from when on
there is too little left, in seconds."""


def _over(
    parts: Sequence[sympy.Basic], domain: Domain, where: Iterable[Values], until: float, tell: bool = False
) -> Search:
    """Search up to the first point at which a part is false, or until the time is up, without points that take long."""
    tried = agreed = skipped = unfound = slow = 0
    why, digits, told, late = "", list[int](), None, False
    for values in where:
        left = until - time.process_time()
        if left < LEAST:
            late = True
            break
        try:
            truths, missing = [], False
            with cpu_limit(SHARE * left if left < inf else None, "search"):
                for part in parts:
                    truth, words, alike = decide(part, values, domain)
                    truth = False if truth is None and _equal_after_all(part, values) else truth
                    truths.append(truth)
                    missing = missing or (truth is None and isinstance(part, ForSome))
                    if truth is None:
                        digits.append(alike)
                    if truth is False:
                        sides = words() or "both sides are equal"
                        return Search(tried + 1, agreed, skipped, why, values, sides)
            tried += 1
            unfound += missing
            if together(truths) is True:
                agreed += 1
                if tell and told is None and all(_strictly(part, values, domain) for part in parts):
                    told = values
        except (NotKnown, NotCertified, OutsideDomain, InvalidInput) as problem:
            if time.process_time() - until > -(1 - SHARE) * left:
                slow += 1
                continue  # the point was left, which says nothing of it
            skipped += 1
            why = why or f"{in_point(values)} ({' '.join(str(problem).split())})"
            if skipped > 40 and not tried:
                break
    return Search(tried, agreed, skipped, why, None, "", unfound, min(digits, default=0), told, late, slow)


def _strictly(part: sympy.Basic, values: Values, domain: Domain) -> bool:
    """Whether a part that is true at a point is so with a margin; a direction, with several rows if there can be."""
    if isinstance(part, Direction):
        spans = {s: domain.spans[s] for s in values if s.name == "m" and s in domain.spans}
        return all(values[s] != 1 or span.high == 1 for s, span in spans.items())
    strict = STRICTER.get(part.func)
    return strict is None or decide(strict(*part.args, evaluate=False), values, domain)[0] is True


def _equal_after_all(part: sympy.Basic, values: Values) -> bool:
    """Whether the sides of a strict inequality that no enclosure separates are the same expression at the point."""
    if part.func not in (*STRICT, sympy.Ne):
        return False
    sides = (with_values(side, values) for side in part.args)
    return by_identity(sympy.Eq(*sides, evaluate=False), Domain({})) is not None
