"""Sample the mechanisms that a statement names, and compare them with their laws by exact variances.

Agreement means that the sampler of a mechanism and the law from its declaration describe the same mechanism; each test
has planted errors that the same draws must refute.
"""

from __future__ import annotations

import math
import time
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice

import numpy as np
import sympy
from flint import arb, ctx

from rftheory import sample, spec
from rftheory.errors import NotKnown, OutsideDomain, RFTheoryError, SamplerFailed
from rftheory.exact.enclosure import climb
from rftheory.exact.estimates import LAW_BITS
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.substitution import with_values
from rftheory.judge import Budget, Decision, Evidence, Kind, Outcome, TestResult, betting_test
from rftheory.judge.betting import Bins
from rftheory.names import is_ours, plural, spelled
from rftheory.sample import Mechanism, Stream, array_namespace
from rftheory.sample.arrays import Array, Namespace, device_name
from rftheory.sample.features import Kernel
from rftheory.sample.from_frame import FromFrame, layout
from rftheory.sample.maps import MAKERS
from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import Values, points
from rftheory.statement.evidence.bench import blocks_for
from rftheory.statement.evidence.sampled import Law, scored
from rftheory.statement.statement import Statement
from rftheory.statement.words import atoms_of

BLOCKS = 65_536
MOST = 2
"""The most quantities of one statement to sample."""
PLACES = 8
"""The most points at which a quantity is drawn until draws can be trusted."""
DIMENSIONS = 2
"""In how many dimensions the sampler of a note is drawn: one that is wrong in one alone is a common mistake."""

WRONG = 1.5
"""The factor of the error that every test must see."""
ROUNDING = 2.0**-44
"""An estimate may be off by so much of its size, which must be less than this share of a standard error:"""
SHARE = 0.01
LEAST = 0.1
"""In a second moment that is more than ten times the mean squared error, an error of the latter is not looked for."""
BITS = (120, 240)
"""Working precisions for the moments of draws."""


@dataclass(frozen=True)
class NotDrawn:
    """A quantity of a statement that was not drawn, and why.

    Attributes
    ----------
    mechanism : its feature map and its coupling.
    why : the reason.

    Examples
    --------
    >>> NotDrawn(("positive", "cross"), "").mechanism[1]
    'cross'
    """

    mechanism: tuple[str, str]
    why: str


NO_PLACE = "no point with 2 <= d <= 8, {} <= m <= 64, 0 < v <= 2 and 0 < z <= 2 was found to draw at"
UNKNOWN = "the moments of its draws are not known, too large for a test, or no larger than rounding errors"
NO_SAMPLER = "the other part of the mechanism has no sampler"
OTHER_ROWS = "its coupling's sampler returns another number of rows than is declared"
COUNTED = (*range(1, 9), 16)
"""The dimensions in which the rows of a block that a sampler returns are counted."""
TOO_MANY = f"only {MOST} quantities of a statement are drawn"


def planned(statement: Statement) -> list[OfLaw]:
    """The means and mean squared errors that will be sampled: those whose mechanism has a sampler.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import mse, positive, simplex
    >>> claim = mse(positive(simplex)) > 0
    >>> planned(Statement("n.a", "", claim, Domain.of(claim, ())))
    [mse(positive x simplex, m = d)]
    """
    return [atom for atom, why in _moments(statement).items() if not why]


def _moments(statement: Statement) -> dict[OfLaw, str]:
    """The means and mean squared errors, each with why it is not drawn; empty if it is.

    Beside a tail, of which draws may refute what is claimed, stands the mean squared error of a mechanism not ours.
    """
    named = atoms_of(statement.parts)
    named |= {atom.as_mse for atom in named if atom.is_tail and not both_ours(mechanism_of(atom))}
    moments = (a for a in sorted(named, key=str) if a.words[0] in ("mean", "mse"))
    found = {atom: _lacks_sampler(atom) for atom in moments}
    able = [atom for atom, why in found.items() if not why]
    return found | dict.fromkeys(able[MOST:], TOO_MANY)


def _lacks_sampler(atom: OfLaw) -> str:
    """Why the mechanism of a quantity has no sampler, or none with 2 for every variable; empty if it has one."""
    if not has_sampler(atom):
        return NO_SAMPLER
    try:
        sampler_of(atom, {s: sympy.Integer(2) for s in atom.free_symbols})
    except RFTheoryError as refused:
        return f"a mechanism is drawn only if it exists where every variable is 2: {refused}"
    return ""


def has_sampler(atom: OfLaw) -> bool:
    """Whether the feature map and the coupling of a quantity have samplers.

    Examples
    --------
    >>> from rftheory.statement.words import mse, positive, simplex
    >>> has_sampler(mse(positive(simplex)).expression)
    True
    """
    return not without_sampler(mechanism_of(atom))


def without_sampler(mechanism: tuple[str, str]) -> list[str]:
    """The names of the parts of a mechanism that have no sampler.

    Examples
    --------
    >>> without_sampler(("positive", "one without"))
    ['one without']
    """
    feature, coupling = mechanism
    drawn = {feature: feature in sample.FEATURE_MAPS or feature in MAKERS}
    drawn |= {coupling: coupling in sample.COUPLINGS}
    return [name for name, known in drawn.items() if not known]


def other_rows(name: str) -> tuple[int, str] | None:
    """The first dimension in which the sampler of a coupling returns another number of rows than is declared.

    With it, what differs in words; None if there is no such dimension among `COUNTED`, or the sampler is not a function
    of a frame: an object draws as many rows as it is asked for.

    Examples
    --------
    >>> other_rows("mirrored") is None
    True
    """
    law, declared = sample.COUPLINGS.get(name), spec.COUPLINGS.get(name)
    if not isinstance(law, FromFrame) or declared is None:
        return None
    for dim in (one for one in COUNTED if one >= law.min_dim):
        try:
            promised, found = declared.size(dim), layout(law, dim).rows
        except RFTheoryError:  # what does not exist there, or a sampler that raises, which its draws say
            continue
        if found != promised:
            return dim, f"a block has {plural(found, 'row')} at d = {dim}, and {promised} as declared"
    return None


def _with_other_rows(atom: OfLaw) -> Evidence | None:
    """Evidence that a sampler differs from its declaration in the number of rows; None if it does not."""
    mechanism = mechanism_of(atom)
    found = None if is_ours("coupling", mechanism[1]) else other_rows(mechanism[1])
    if found is None:
        return None
    dim, says = found
    return Evidence(
        Kind.SAMPLED, Decision.FAILS, f"{atom}: the sampler and the declaration differ: {says}",
        details={"mechanism": mechanism, "quantity": "rows", "dimension": dim, "whole block": True},
    )  # fmt: skip


def sampler_of(atom: OfLaw, values: Values) -> Mechanism:
    """The sampler of the mechanism of a quantity, at a point.

    Raises
    ------
    OutsideDomain : a parameter is not real there.

    Examples
    --------
    >>> from rftheory.statement.words import mse, positive, simplex
    >>> (atom,) = (mse(positive(simplex)) > 0).parts[0].atoms(OfLaw)
    >>> sampler_of(atom, {s: sympy.Integer(4) for s in atom.free_symbols}).name
    'positive-simplex-4'
    """
    given = {name: _real(name, with_values(value, values)) for name, value in atom.parameters.items()}
    rows = int(atom.numbers[1].subs(values))
    return Mechanism(sample.feature_map(atom.words[1], **given), atom.words[2], rows)


def _real(name: str, value: sympy.Expr) -> float:
    if not value.is_real:
        raise OutsideDomain(name, needs="a real number: samplers take no others", got=str(value))
    return float(value)


def samples(
    statement: Statement, budget: Budget, seed: int = 0, effort: float = 1.0
) -> Iterator[Evidence | NotDrawn]:
    """Evidence from draws for each planned quantity; of every other quantity with a mechanism, why it is not drawn.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import gaussian, mean, positive, simplex
    >>> claim = mean(positive(simplex)) == gaussian
    >>> [e.decision.value for e in samples(Statement("n.a", "", claim, Domain.of(claim, ())), Budget(1e-6))]
    ['holds']
    """
    moments = _moments(statement)
    yield from (NotDrawn(mechanism_of(atom), why) for atom, why in moments.items() if why)
    for atom in (one for one, why in moments.items() if not why):
        if (differing := _with_other_rows(atom)) is not None:
            yield differing
            yield NotDrawn(mechanism_of(atom), OTHER_ROWS)
            continue
        found = False
        try:
            for evidence in _in_dimensions(statement, atom, budget, seed, blocks_for(BLOCKS, effort)):
                found = True
                yield evidence
        except (Exception, SystemExit) as error:  # of the sampler, which is the user's, or of a law
            yield failed(atom, error)
            continue
        if not found:
            somewhere = next(iter(_points(statement, atom)), None) is not None
            yield NotDrawn(mechanism_of(atom), UNKNOWN if somewhere else NO_PLACE.format(_fewest(atom)))


def count_of_tests(statement: Statement) -> int:
    """The number of tests of a statement in `samples`, at most.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import gaussian, mean, positive, simplex
    >>> claim = mean(positive(simplex)) == gaussian
    >>> count_of_tests(Statement("n.a", "", claim, Domain.of(claim, ())))
    1
    """
    return sum(map(_dimensions, planned(statement)))


def _dimensions(atom: OfLaw) -> int:
    """In how many dimensions a quantity is drawn: what comes with the package is tested in others elsewhere."""
    return 1 if both_ours(mechanism_of(atom)) else DIMENSIONS


def both_ours(mechanism: tuple[str, str]) -> bool:
    """Whether a feature map and a coupling come with the package.

    Examples
    --------
    >>> both_ours(("positive", "simplex"))
    True
    """
    return all(map(is_ours, ("feature map", "coupling"), mechanism))


def _in_dimensions(
    statement: Statement, atom: OfLaw, budget: Budget, seed: int, blocks: int
) -> Iterator[Evidence]:
    """Evidence on one quantity in each dimension in which it is drawn, until one shows a difference."""
    seen: set[sympy.Expr] = set()
    while len(seen) < _dimensions(atom):
        found = _drawn(_places(statement, atom, np, but=seen), statement.id, budget, seed, blocks)
        if found is None:
            return
        place, evidence = found
        yield evidence
        if evidence.decision is Decision.FAILS:
            return
        seen.add(place.law.numbers[0])


def mechanism_of(atom: OfLaw) -> tuple[str, str]:
    """The feature map and the coupling of a quantity, as they are spelled.

    Examples
    --------
    >>> from rftheory.statement.words import mse, positive, simplex
    >>> mechanism_of(mse(positive(simplex)).expression)
    ('positive', 'simplex')
    """
    return spelled(atom.words[1]), spelled(atom.words[2])


def failed(atom: OfLaw, error: BaseException) -> Evidence:
    """Evidence of nothing: an error ended the draws, or no law is known with which they could be compared.

    Examples
    --------
    >>> from rftheory.statement.words import mse, positive, simplex
    >>> failed(mse(positive(simplex)).expression, ZeroDivisionError("by 0")).summary
    'mse(positive x simplex, m = d): the test of draws failed: ZeroDivisionError: by 0'
    >>> failed(mse(positive(simplex)).expression, NotKnown("the law", "these rows", "it is open")).summary
    'mse(positive x simplex, m = d): draws are not compared: the law is not known for these rows, because it is open'
    """
    what, says = "the test of draws failed", f"{type(error).__name__}: {error}"
    if isinstance(error, SamplerFailed):
        what, says = "the sampler failed", error.problem
    elif isinstance(error, NotKnown):
        what, says = "draws are not compared", str(error)
    says = " ".join(says.split())
    return Evidence(
        Kind.SAMPLED, Decision.UNDECIDED, f"{atom}: {what}: {says}",
        details={"mechanism": mechanism_of(atom), "failed": says},
    )  # fmt: skip


def drawn(
    statement: Statement, atom: OfLaw, budget: Budget, seed: int, blocks: int = BLOCKS, xp: Namespace = np
) -> Evidence | None:
    """Evidence on one quantity, from ``blocks`` blocks in arrays of ``xp``; None if draws cannot decide.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import gaussian, mean, positive, simplex
    >>> claim = mean(positive(simplex)) == gaussian
    >>> statement = Statement("n.a", "", claim, Domain.of(claim, ()))
    >>> drawn(statement, planned(statement)[0], Budget(1e-6), 0).decision.value
    'holds'
    """
    found = _drawn(_places(statement, atom, xp), statement.id, budget, seed, blocks)
    return None if found is None else found[1]


def _drawn(
    places: Iterable[_Place], label: str, budget: Budget, seed: int, blocks: int
) -> tuple[_Place, Evidence] | None:
    """The first place where draws can decide, and what they show."""
    found = ((place, place.drawn(label, budget, seed, blocks)) for place in places)
    return next(((place, seen) for place, seen in found if seen is not None), None)


@dataclass(frozen=True)
class _Place:
    """A quantity at one point of the domain."""

    law: OfLaw
    mechanism: Mechanism
    x: Array
    y: Array

    @classmethod
    def at(cls, values: Values, atom: OfLaw, xp: Namespace) -> _Place:
        law = with_values(atom, values)
        inputs = map(xp.asarray, inputs_of(*(law.numbers[n] for n in (0, 2, 3))))
        return cls(law, sampler_of(atom, values), *inputs)

    @cached_property
    def name(self) -> str:
        return str(self.law)

    @property
    def has_whole_block(self) -> bool:
        """Whether each draw has all rows of a block, as it must to show how they depend on each other."""
        d, m, *_ = self.law.numbers
        try:
            return bool(m >= self.law.coupling.size(int(d)))
        except RFTheoryError:  # rows that are not declared one by one
            return False

    @cached_property
    def exact(self) -> Law | None:
        return known(self.law)

    @cached_property
    def target(self) -> float:
        return float(self.law.law().target())

    def drawn(self, label: str, budget: Budget, seed: int, blocks: int) -> Evidence | None:
        """The evidence of `drawn`, here."""
        start = time.perf_counter()
        stream, exact = Stream.named(f"{label} {self.name}", seed=seed), self.exact
        evidence: Evidence | None
        if exact is not None and self.is_shown(exact, blocks, budget):
            statistic = partial(self.statistic, stream)
            found = scored(statistic, exact, WRONG * exact.mean, blocks, budget,
                           xp=array_namespace(self.x), name=self.name)  # fmt: skip
            how = f"{blocks} draws"
            evidence = self.evidence(how, found.right, found.right, found.placed, found.caught)
        else:
            evidence = self.tilted(stream, budget, blocks)
        return None if evidence is None else replace(evidence, seconds=time.perf_counter() - start)

    def is_shown(self, exact: Law, blocks: int, budget: Budget) -> bool:
        """Whether draws show the error that they must, and rounding moves their mean by next to nothing."""
        if not exact.score(blocks, budget).detectable < (WRONG - 1) * abs(exact.mean):
            return False
        squared = self.law.words[0] == "mse"
        centre, spread = (
            (self.target, math.sqrt(exact.mean)) if squared else (exact.mean, math.sqrt(exact.variance))
        )
        moved = ROUNDING * (abs(centre) + spread)
        if squared:
            moved *= 2 * spread + moved
        return moved < SHARE * math.sqrt(exact.variance / blocks)

    def statistic(self, stream: Stream, blocks: range) -> Array:
        """The draws whose mean is the quantity."""
        kernel: Kernel = self.law.words[3]  # type: ignore[assignment]
        drawn = self.mechanism.estimate(stream, blocks, self.x, self.y, kernel)
        return drawn if self.law.words[0] == "mean" else (drawn - self.target) ** 2

    def tilted(self, stream: Stream, budget: Budget, blocks: int) -> Evidence | None:
        """The second moment under tilts, if plain draws cannot be trusted and a tilt is known."""
        from rftheory.engine.run import collect
        from rftheory.engine.tilt import TiltedMoment

        own = self.law.law()
        if self.law.words[0] != "mse" or not own.unbiased:
            return None
        with ctx.workprec(120):
            second = own.mse() + own.target() ** 2
            share = float(own.mse() / second)
        if not share >= LEAST:
            return None
        try:
            statistic = TiltedMoment(self.mechanism, stream, self.x, self.y, kernel=self.law.words[3])  # type: ignore[arg-type]
        except RFTheoryError:
            return None
        bins = collect(Bins, statistic, blocks)
        with ctx.workprec(120):
            mean = float(second * (-arb(statistic.log_scale)).exp())  # in [0, 1], as the tilted values are
        must = (WRONG - 1) * share  # an error of the mean squared error is this one of the second moment
        wrong = mean * (1 + must if mean * (1 + must) < 1 else 1 - must)
        right, far = (betting_test(bins, claimed, budget) for claimed in (mean, wrong))
        # a test with a larger detectable error cannot see the error that it must see
        shift = min(right.detectable, must)
        placed = betting_test(bins, mean * (1 + math.copysign(shift, wrong - mean)), budget)
        caught = all(test.decision is Outcome.REFUTED for test in (far, placed))
        # the detectable error of bets depends on the draws a little, and a summary should not
        sees = replace(right, detectable=_rounded_up(right.detectable / share), effect=right.effect / share)
        how = f"{bins.n} tilted draws of its second moment"
        return self.evidence(how, sees, right, placed, caught)

    def evidence(
        self, how: str, sees: TestResult, right: TestResult, placed: TestResult, caught: bool
    ) -> Evidence:
        """What the tests show of sampler and declaration; ``sees`` is the test in the unit of the quantity."""
        refuted = right.decision is Outcome.REFUTED
        whose = "built-in " if both_ours(mechanism_of(self.law)) else ""
        agree, differ = (
            f"{whose}sampler and declaration agree",
            f"the {whose}sampler and the declaration differ",
        )
        word = differ if refuted else agree
        if refuted and math.isfinite(sees.effect):
            word += f" ({1 + sees.effect:.3g} times what is declared)"
        found = Evidence.of_test(right, planted=placed)
        device = device_name(array_namespace(self.x))
        return replace(
            found,
            summary=f"{self.name}: {word}, {how}; {sees.seen}",
            details=found.details
            | {
                "drawn": {"stream": "portable", "engine": "array", "device": device},
                "mechanism": mechanism_of(self.law),
                "quantity": self.law.words[0],
                "of": self.name,
                "draws": how,
                "sees": sees.detectable,
                "dimension": int(self.law.numbers[0]),
                "whole block": self.has_whole_block,
            },
            control=None if refuted else caught,
        )


def _rounded_up(size: float) -> float:
    """The next of 0.1, 0.2, 0.5, 1, 2, 5, ...

    Examples
    --------
    >>> [float(f"{_rounded_up(size):.3g}") for size in (0.0211, 0.1, 6)]
    [0.05, 0.1, 10.0]
    """
    unit = 10.0 ** math.floor(math.log10(size))
    return next(unit * k for k in (1, 2, 5, 10) if size <= unit * k)


def _places(
    statement: Statement, atom: OfLaw, xp: Namespace, but: Container[sympy.Expr] = ()
) -> Iterable[_Place]:
    """The first points at which a quantity can be drawn, one after another, but not in these dimensions."""
    elsewhere = (point for point in _points(statement, atom) if atom.numbers[0].subs(point) not in but)
    return (_Place.at(values, atom, xp) for values in islice(elsewhere, PLACES))


def _points(statement: Statement, atom: OfLaw) -> Iterator[Values]:
    """Points of the domain with at least two dimensions, few rows and norms around 1/2."""
    fewest = _fewest(atom)
    for values in points(statement.domain, 60):
        full = {s: values.get(s, sympy.S.Half) for s in atom.free_symbols}
        d, m, v, z, _ = (n.subs(full) for n in atom.numbers)
        if d >= 2 and fewest <= m <= 64 and d <= 8 and (0 < v <= 2 or atom.is_of_difference) and 0 < z <= 2:
            yield full


def _fewest(atom: OfLaw) -> int:
    """One row only where the statement is about one."""
    return 1 if atom.numbers[1] == 1 else 2


def inputs_of(d: sympy.Expr, v: sympy.Expr, z: sympy.Expr) -> tuple[np.ndarray, np.ndarray]:
    """Vectors x and y in d dimensions with |x + y| = v and |x - y| = z.

    Examples
    --------
    >>> [vector.tolist() for vector in inputs_of(sympy.Integer(2), sympy.Integer(3), sympy.Integer(1))]
    [[2.0, 0.0], [1.0, 0.0]]
    """
    x, y = np.zeros(int(d)), np.zeros(int(d))
    x[0], y[0] = float((v + z) / 2), float((v - z) / 2)
    return x, y


def known(law: OfLaw) -> Law | None:
    """Exact mean and variance of one draw of the statistic; None if they are unknown or infinite.

    Examples
    --------
    >>> from rftheory.statement.words import mse, trigonometric
    >>> error = mse(trigonometric("iid", m=1)).at(d=4, v=1, z=1)
    >>> round(known(error.expression).mean, 6)
    0.199788
    """
    own = law.law()

    def moments() -> tuple[arb, arb]:
        if law.words[0] == "mean":
            return own.mean(), central_moments_of(own, 2)[2]
        mu = central_moments_of(own, 4)
        return mu[2], mu[4] - mu[2] ** 2

    try:
        found, _ = climb(moments, lambda both: min(x.rel_accuracy_bits() for x in both) >= LAW_BITS, BITS)
    except (NotKnown, RFTheoryError):
        return None
    biased = law.words[0] == "mse" and not own.unbiased
    if found is None or biased or not found[1] > 0:
        return None
    return Law(*map(float, found))
