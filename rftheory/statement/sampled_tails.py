"""Test a bound of a tail P(|K^ - K| >= eps) by draws: no law of several rows is known, but each draw errs or not.

A test that refutes is one at the family-wise level. It has draws of its own: where it is made is chosen by a few
others, which test nothing. A declared sampler refutes only in dimensions in which its draws agree with its declaration
in the mean squared error.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import sympy

from rftheory.engine import collect
from rftheory.errors import RFTheoryError
from rftheory.exact.row_tails import error_of
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import d, v, z
from rftheory.judge import Bins, Budget, Decision, Evidence, Outcome, betting_test
from rftheory.judge.betting import detectable_effect
from rftheory.sample import Stream
from rftheory.sample.arrays import device_name
from rftheory.sample.stream import Kind
from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import MANY, Domain, Point, Span, around, points
from rftheory.statement.evidence.bench import blocks_for
from rftheory.statement.pointwise import in_point
from rftheory.statement.provers.reduce import law_reduced, reduced
from rftheory.statement.sampled import (
    BLOCKS,
    NO_SAMPLER,
    NotDrawn,
    both_ours,
    failed,
    has_sampler,
    inputs_of,
    mechanism_of,
    sampler_of,
)
from rftheory.statement.statement import Statement
from rftheory.statement.tail_bounds import Bounded, Side
from rftheory.statement.words import in_words

STREAM: Kind = "native"
"""On arrays of NumPy, which all of these draws are, it takes half of the time of the portable one, or less."""
FEW, BEST, MORE = 1024, 4, 8192
"""Draws by which the place of a test is chosen; so many best places are compared by so many draws more."""
MOST_NUMBERS = 2**25
"""Of a large estimate fewer draws are tested, with so many coordinates of rows in all."""
PLACES, TRIED, ALIKE = 60, 600, 6
"""Places among which it is chosen, of how many points, and how many have one number of rows or one pair of inputs."""
DIMENSIONS = range(1, 9)
"""Those in which is drawn, if the sampler is known to be right in them."""
SIZES = tuple(sympy.Rational(n, 16) for n in (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64))
"""Sizes of an error that is a variable."""
LEAST, LARGEST = 0.001, 0.9
"""A probability of less is not told from this one; one of more has nothing above it that could be told from it."""
ROUNDING = 1e-9
"""An estimate may be off by so much of its size: an error that is that close to eps counts for the claim."""


@dataclass(frozen=True)
class _Place:
    """A bound at one point.

    Attributes
    ----------
    values : the point.
    tail : the tail there.
    side : on which side of the bound draws refute it.
    bound : the bound, or one that is easier to hold and to refute.
    eps, target : the size of the error, and the kernel.
    """

    values: Point
    tail: OfLaw
    side: Side
    bound: float
    eps: float
    target: float

    def events(self, estimates: Any) -> Any:
        """Whether each draw errs; where rounding leaves it open, as the claim has it."""
        errors = error_of(estimates - self.target, self.tail.sides)
        slack = ROUNDING * (self.eps + self.target + np.abs(estimates))
        return errors >= self.eps + (slack if self.side == "greater" else -slack)

    def beyond(self, error: float) -> float:
        """A probability that is off the bound by so much, on the side of a refutation."""
        return self.bound + (error if self.side == "greater" else -error)

    def excess(self, estimates: Any) -> float:
        """How strongly a few draws speak against the bound, and if they do not, how far it is from what they show."""
        share, bound = float(self.events(estimates).mean()), self.bound
        if (share > bound) == (self.side == "greater"):  # the divergence of the laws of one draw
            return sum(p * math.log(p / q) for p, q in ((share, bound), (1 - share, 1 - bound)) if p > 0)
        return -abs(math.log(share / bound)) if share else -math.inf


def count_of_bounds(statement: Statement) -> int:
    """The number of tests of a statement in `bounds_tested`, at most.

    Examples
    --------
    >>> from rftheory.statement.words import exp, iid, m, tail, trigonometric
    >>> claim = tail(trigonometric(iid, m=m), sympy.S.Half) <= exp(-m)
    >>> count_of_bounds(Statement("n.a", "", claim, Domain.of(claim, ())))
    1
    """
    return sum(has_sampler(one.tail) for one in _bounds(statement))


def _bounds(statement: Statement) -> list[Bounded]:
    """The relations of a statement that draws may refute; the law of one row is known."""
    found = filter(None, map(Bounded.of, statement.parts))
    return [one for one in found if one.tail.numbers[1] != 1]


def bounds_tested(
    statement: Statement, budget: Budget, seed: int = 0, effort: float = 1.0, before: Sequence[Evidence] = ()
) -> Iterator[Evidence | NotDrawn]:
    """Evidence on each bound of a tail, from draws of its mechanism; or why it is not drawn.

    Parameters
    ----------
    before : evidence from draws that compare samplers with their declarations.

    Examples
    --------
    >>> from rftheory.statement.words import exp, iid, m, tail, trigonometric
    >>> eps = sympy.Symbol("eps", positive=True)
    >>> claims = [tail(trigonometric(iid, m=m), eps) <= 2 * exp(-rate * m * eps**2) for rate in (sympy.S.Half, 2)]
    >>> statements = [Statement("n.a", "", claim, Domain.of(claim, ())) for claim in claims]
    >>> [piece.decision.value for one in statements for piece in bounds_tested(one, Budget(1e-6))]
    ['holds', 'fails']
    """
    for bounded in _bounds(statement):
        mechanism = mechanism_of(bounded.tail)
        if not has_sampler(bounded.tail):
            yield NotDrawn(mechanism, NO_SAMPLER)
            continue
        known = DIMENSIONS if both_ours(mechanism) else _compared_in(mechanism, before)
        try:
            found = _tested(statement, bounded, budget, seed, blocks_for(BLOCKS, effort), known or DIMENSIONS)
        except (Exception, SystemExit) as error:  # of the sampler, which is the user's, or of a law
            yield failed(bounded.tail, error)
            continue
        if found is None:
            yield NotDrawn(mechanism, "no point was found at which draws could refute the bound")
            continue
        yield found if known else _of_no_weight(found)


def _compared_in(mechanism: tuple[str, str], before: Sequence[Evidence]) -> frozenset[int]:
    """The dimensions in which a sampler agrees with its declaration in what its rows have in common."""
    agree = (
        p.details for p in before if p.effective is Decision.HOLDS and p.details.get("quantity") == "mse"
    )
    return frozenset(
        one["dimension"] for one in agree if tuple(one["mechanism"]) == mechanism and one["whole block"]
    )


def _of_no_weight(found: Evidence) -> Evidence:
    if found.decision is not Decision.FAILS:
        return found
    why = "the draws of this sampler were not compared with its declaration, and refute nothing"
    return replace(found, decision=Decision.UNDECIDED, summary=f"{found.summary}; {why}")


def _tested(
    statement: Statement,
    bounded: Bounded,
    budget: Budget,
    seed: int,
    blocks: int,
    dimensions: Container[int],
) -> Evidence | None:
    start = time.perf_counter()
    label = f"{statement.id} {in_words(bounded.part)}"
    place = _weakest(statement.domain, bounded, Stream.named(f"{label}: where", seed, STREAM), dimensions)
    if place is None:
        return None
    stream = Stream.named(f"{label} at {in_point(place.values)}", seed, STREAM)
    blocks = min(blocks, MOST_NUMBERS // int(place.tail.numbers[0] * place.tail.numbers[1]))
    bins = collect(Bins, lambda some: 1.0 * place.events(_estimates(place, stream, some)), blocks)
    error = _told(place, budget, blocks)
    coins = stream.child("coins").uniforms(range(bins.n), 1)[:, 0] < place.beyond(error)
    errors, more = round(bins.mean * bins.n), place.side == "greater"
    # an error is planted: a coin makes each draw err that does not, or not err that does
    wrong = errors + int(coins[errors:].sum()) if more else int(coins[:errors].sum())
    given, planted = (
        betting_test(data, place.bound, budget, side=place.side) for data in (bins, _bins(wrong, bins.n))
    )
    given, planted = (replace(test, detectable=error / place.bound) for test in (given, planted))
    found = Evidence.of_test(given, planted=planted)
    details = {
        "claim": "tail",
        "drawn": {"stream": stream.kind, "engine": "array", "device": device_name(np)},
    }
    return replace(
        found, summary=f"{_in_words(place)} {_seen(given, place.side)}", details=found.details | details,
        control=planted.decision is Outcome.REFUTED, seconds=time.perf_counter() - start,
    )  # fmt: skip


def _in_words(place: _Place) -> str:
    return f"{place.tail} {'<=' if place.side == 'greater' else '>='} {place.bound:.3g}"


def _seen(test: Any, side: Side) -> str:
    if test.decision is Outcome.REFUTED:
        end = f"at least {test.interval[0]:.2g}" if side == "greater" else f"at most {test.interval[1]:.2g}"
        return f"is refuted by {test.n} draws: it is {end}"
    return f"is not refuted by {test.n} draws; {test.seen}"


def _told(place: _Place, budget: Budget, blocks: int) -> float:
    """The difference of a share from the bound that so many draws tell."""
    error = 0.0
    for _ in range(6):  # the variance is that at the share
        share = min(max(place.beyond(error), 0.0), 1.0)
        error = detectable_effect(_bins(round(blocks * share), blocks), place.bound, budget, place.side)
    return error


def _bins(ones: int, n: int) -> Bins:
    """So many ones among n values, the others 0."""
    return Bins.of(np.repeat((1.0, 0.0), (ones, n - ones)))


# ---- where to draw ---------------------------------------------------------------------------------------


def _weakest(domain: Domain, bounded: Bounded, stream: Stream, dimensions: Container[int]) -> _Place | None:
    """The place at which a few draws speak most against the bound; where they do, more draws choose among the best."""
    places = islice(_places(domain, bounded, dimensions), PLACES)
    found = [_weakest_of(here, stream.child(str(number)), FEW) for number, here in enumerate(places)]
    best = sorted(found, key=lambda one: one[0], reverse=True)[:BEST]
    if best and best[0][0] > 0:
        again = ((stream.child(f"again {number}"), place) for number, (_, place) in enumerate(best))
        best = [_weakest_of([place], more, MORE) for more, place in again]
    return max(best, key=lambda one: one[0])[1] if best else None


def _weakest_of(places: Sequence[_Place], stream: Stream, draws: int) -> tuple[float, _Place]:
    """The first of some places with one law at which draws speak most against the bound, and how strongly."""
    estimates = _estimates(places[0], stream, range(draws))
    return max(((place.excess(estimates), place) for place in places), key=lambda one: one[0])


def _estimates(place: _Place, stream: Stream, blocks: range) -> Any:
    d, _, v, z, _ = place.tail.numbers
    kernel: Any = place.tail.words[3]
    return sampler_of(place.tail, {}).estimate(stream, blocks, *inputs_of(d, v, z), kernel)


def _places(domain: Domain, bounded: Bounded, dimensions: Container[int]) -> Iterator[list[_Place]]:
    """The bound for several sizes of the error, at different numbers of rows and pairs of inputs."""
    tail, seen, kernel_of = bounded.tail, Counter[Any](), cache(_kernel_of)
    _, rows, _, _, eps = tail.numbers
    there = domain
    if free := eps in domain.spans:  # its values are tried at each point of the others
        middle = next(
            (size for size in (*SIZES[5:], *SIZES[4::-1]) if domain.spans[eps].contains(size)), None
        )
        if middle is None:
            return
        there = there.with_span(eps, Span(middle, middle))
    if rows in domain.spans and domain.spans[rows].contains(sympy.Integer(2)):
        there = there.with_span(rows, replace(domain.spans[rows], low=sympy.Integer(2)))
    for values in islice(_spread(_where_it_moves(bounded, there)), TRIED):
        own = with_values(tail, values)
        d, m, v, z, _ = own.numbers
        alike = (m, (v, z, own.args[9]))
        small = int(d) in dimensions and m >= 2 and (m <= 64 or m * d <= MANY) and v <= 4 and z <= 4
        if max(seen[one] for one in alike) >= ALIKE or not small:
            continue
        each = ({**values, eps: size} for size in SIZES) if free else iter((values,))
        found = [_place(bounded, point, kernel_of) for point in each if domain.contains(point)]
        if known := [place for place in found if place is not None]:
            seen.update(alike)
            yield known


def _where_it_moves(bounded: Bounded, domain: Domain) -> Domain:
    """The domain with one value of each variable on which neither the mean squared error nor the bound depends."""
    try:
        moving = law_reduced(bounded.tail.as_mse, domain).free_symbols
    except RFTheoryError:
        return domain
    said = reduced(bounded.part.xreplace({bounded.tail: sympy.S.Zero}), domain)
    for simplest in points(domain, 1):
        for symbol in {d, v, z} & set(domain.spans) - moving - said.free_symbols:
            domain = domain.with_span(symbol, Span(simplest[symbol], simplest[symbol]))
    return domain


def _spread(domain: Domain) -> Iterator[Point]:
    """The simplest point, and those that differ from it in one or two variables."""
    for simplest in points(domain, 1):
        yield simplest
        yield from around(domain, simplest, 2)


def _kernel_of(quantity: OfLaw) -> float | None:
    """The kernel that a mechanism estimates at a point, whatever the size of an error; None if it has no sampler."""
    try:
        sampler_of(quantity, {})  # it may not exist for such parameters
        return float(quantity.law().target())
    except RFTheoryError:
        return None


def _place(bounded: Bounded, values: Point, kernel_of: Callable[[OfLaw], float | None]) -> _Place | None:
    """The bound at a point, if it can be told from others there."""
    try:
        claimed = bounded.claimed(values)
        tail = with_values(bounded.tail, values)
    except RFTheoryError:
        return None
    target = kernel_of(tail.as_mse)
    if claimed is None or target is None:
        return None
    side, bound = claimed
    bound = max(bound, LEAST) if side == "greater" else min(bound, 1 - LEAST)
    if not (1 - bound if side == "greater" else bound) >= 1 - LARGEST:
        return None
    return _Place(values, tail, side, bound, float(tail.numbers[4]), target)
