"""The mechanisms that a statement names, drawn by their samplers and held against their laws with exact variances.

Agreement says that the sampler that is declared for a mechanism and the law that follows from its declaration are of
one mechanism; each test has a planted error that the same draws must refute.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import sympy
from flint import arb, ctx

from rftheory import sample
from rftheory.engine import run
from rftheory.errors import NotKnown, RFTheoryError
from rftheory.exact.frame_moments import central_moments_of
from rftheory.judge import Budget, Decision, Evidence, Kind, Outcome, betting_test, z_test
from rftheory.judge.betting import Bins
from rftheory.sample import Mechanism, Stream
from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import points
from rftheory.statement.search import in_point
from rftheory.statement.statement import Statement
from rftheory.statement.words import atoms_of

BLOCKS = 65_536
MOST = 2
"""Quantities of one statement that are sampled."""
PLACES = 8
"""Points at which a quantity is drawn until draws can be trusted."""


@dataclass(frozen=True)
class Moments:
    """What is known exactly of one draw of a statistic.

    Examples
    --------
    >>> Moments(1.0, 2.0, 0.0, 3.0).variance
    2.0
    """

    mean: float
    variance: float
    skewness: float | None
    kurtosis: float | None


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
    found = []
    for atom in sorted(atoms_of(statement.parts), key=str):
        name, _, coupling, _ = atom.words
        if name in ("mean", "mse") and coupling in sample.COUPLINGS and not _lacks_sampler(atom):
            found.append(atom)
    return found[:MOST]


def _lacks_sampler(atom: OfLaw) -> bool:
    try:
        _mechanism(atom, {s: sympy.Integer(2) for s in atom.free_symbols})
    except RFTheoryError:
        return True
    return False


def _mechanism(atom: OfLaw, values: dict[sympy.Symbol, sympy.Expr]) -> Mechanism:
    given = {name: float(value.subs(values)) for name, value in atom.parameters.items()}
    rows = int(atom.numbers[1].subs(values))
    return Mechanism(sample.feature_map(atom.words[1], **given), atom.words[2], rows)


def samples(statement: Statement, budget: Budget, seed: int = 0) -> Iterator[Evidence]:
    """Evidence from draws, for each quantity that is planned; what draws cannot decide is left out.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import gaussian, mean, positive, simplex
    >>> claim = mean(positive(simplex)) == gaussian
    >>> [e.decision.value for e in samples(Statement("n.a", "", claim, Domain.of(claim, ())), Budget(1e-6))]
    ['holds']
    """
    for atom in planned(statement):
        start = time.perf_counter()
        found = drawn(statement, atom, budget, seed)
        if found is None:
            continue
        decision, says, control = found
        yield Evidence(
            Kind.SAMPLED,
            decision,
            says,
            {"drawn": {"stream": "portable", "engine": "array", "device": "CPU"}},
            control=control,
            seconds=time.perf_counter() - start,
            covers="points",
        )


def drawn(
    statement: Statement, atom: OfLaw, budget: Budget, seed: int
) -> tuple[Decision, str, bool | None] | None:
    """Decision, summary and control of one quantity; None where draws cannot decide.

    Examples
    --------
    >>> from rftheory.statement.domain import Domain
    >>> from rftheory.statement.words import gaussian, mean, positive, simplex
    >>> claim = mean(positive(simplex)) == gaussian
    >>> statement = Statement("n.a", "", claim, Domain.of(claim, ()))
    >>> drawn(statement, planned(statement)[0], Budget(1e-6), 0)[0].value
    'holds'
    """
    found = (_drawn_at(values, statement, atom, budget, seed) for values in _points(statement, atom))
    return next((one for one in found if one is not None), None)


def _drawn_at(
    values: dict[sympy.Symbol, sympy.Expr], statement: Statement, atom: OfLaw, budget: Budget, seed: int
) -> tuple[Decision, str, bool | None] | None:
    """The same at one point."""
    law = atom.subs(values, simultaneous=True)
    name, stream = str(law), Stream.named(f"{statement.id} {law}", seed=seed)
    x, y = _inputs(*(law.numbers[n] for n in (0, 2, 3)))
    mechanism = _mechanism(atom, values)
    exact = _moments(law)
    if exact is not None:
        target = float(law.law().target())

        def statistic(blocks: range) -> np.ndarray:
            drawn = np.asarray(mechanism.estimate(stream, blocks, x, y, law.words[3]))
            return drawn if law.words[0] == "mean" else (drawn - target) ** 2

        moments = run(statistic, BLOCKS, name=name)
        results = [
            z_test(
                float(moments.mean[0]), moments.n, exact.mean * factor, exact.variance, budget,
                skewness=exact.skewness, kurtosis=exact.kurtosis,
            )
            for factor in (1, 1.5)
        ]  # fmt: skip
        if results[0].decision is not Outcome.UNDECIDED:
            return _decided(name, f"{moments.n} draws", *results)
    return _tilted(law, mechanism, stream, x, y, budget)


def _decided(name: str, how: str, right: object, wrong: object) -> tuple[Decision, str, bool | None]:
    refuted = right.decision is Outcome.REFUTED  # type: ignore[attr-defined]
    control = None if refuted else wrong.decision is Outcome.REFUTED  # type: ignore[attr-defined]
    word = "the sampler and the declaration differ" if refuted else "the sampler agrees"
    return Decision.FAILS if refuted else Decision.HOLDS, f"{name}: {word}, {how}", control


def _tilted(
    law: OfLaw, mechanism: Mechanism, stream: Stream, x: np.ndarray, y: np.ndarray, budget: Budget
) -> tuple[Decision, str, bool | None] | None:
    """The second moment under tilts, where plain draws cannot be trusted and a tilt is known."""
    from rftheory.engine.run import collect
    from rftheory.engine.tilt import TiltedMoment

    if law.words[0] != "mse" or not law.law().unbiased:
        return None
    try:
        statistic = TiltedMoment(mechanism, stream, x, y, kernel=law.words[3])  # type: ignore[arg-type]
    except RFTheoryError:
        return None
    bins = collect(Bins, statistic, BLOCKS)
    with ctx.workprec(120):
        exact = law.law()
        second = (exact.mse() + exact.target() ** 2) * (-arb(statistic.log_scale)).exp()
    right = float(second)  # in [0, 1], as the tilted values are
    wrong = 1.5 * right if 1.5 * right < 1 else right / 1.5
    results = [betting_test(bins, claimed, budget) for claimed in (right, wrong)]
    return _decided(str(law), f"{bins.n} tilted draws of its second moment", *results)


def _points(statement: Statement, atom: OfLaw) -> Iterator[dict[sympy.Symbol, sympy.Expr]]:
    """Points of the domain of two dimensions at least, few rows and norms around 1/2, one after the other."""
    count = 0
    fewest = 1 if atom.numbers[1] == 1 else 2  # one row only where the statement is about one
    for values in points(statement.domain, 60):
        full = {s: values.get(s, sympy.S.Half) for s in atom.free_symbols}
        d, m, v, z, _ = (n.subs(full) for n in atom.numbers)
        if d >= 2 and fewest <= m <= 64 and d <= 8 and 0 < v <= 2 and 0 < z <= 2:
            yield full
            count += 1
            if count == PLACES:
                return


def _inputs(d: sympy.Expr, v: sympy.Expr, z: sympy.Expr) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.zeros(int(d)), np.zeros(int(d))
    x[0], y[0] = float((v + z) / 2), float((v - z) / 2)
    return x, y


def _moments(law: OfLaw) -> Moments | None:
    """Exact moments of one draw of the statistic; None where they are not known or not finite."""
    own = law.law()
    try:
        with ctx.workprec(120):
            if law.words[0] == "mean":
                mu = central_moments_of(own, 4)
                return _standard(float(own.mean()), mu[2], mu[3], mu[4])
            mu = central_moments_of(own, 8)
            if not own.unbiased:
                return None
            raw = [mu[0], mu[2], mu[4], mu[6], mu[8]]
            mean, second = raw[1], raw[2] - raw[1] ** 2
            third = raw[3] - 3 * mean * raw[2] + 2 * mean**3
            fourth = raw[4] - 4 * mean * raw[3] + 6 * mean**2 * raw[2] - 3 * mean**4
            return _standard(float(mean), second, third, fourth)
    except (NotKnown, RFTheoryError):
        return None


def _standard(mean: float, second: arb, third: arb, fourth: arb) -> Moments | None:
    if not second > 0:
        return None
    variance = float(second)
    return Moments(mean, variance, float(third) / variance**1.5, float(fourth) / variance**2)


__all__ = ["Moments", "in_point", "planned", "samples"]
