"""Exact expected errors of the mechanisms: the law for each pair of inputs, averaged over the pairs.

With the mean M of one row, the mean squared error with m rows is

    (second - M^2)/m + sum_r 2 n_r(m) (cross_r - M^2)/m^2 + (M - K)^2,

where n_r(m) pairs of rows are in relation r. So a pair of inputs needs one second moment and one cross term for each
relation, whatever m is. M is the kernel K but where rows have a fixed norm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from flint import arb

from rftheory.choose.data import Pairs, exact_values
from rftheory.errors import NotCertified, NotKnown, OutsideDomain
from rftheory.exact.enclosure import exact_number
from rftheory.exact.estimates import enough
from rftheory.exact.inputs import Coordinate, Inputs
from rftheory.exact.laws import IID, Kernel, Law
from rftheory.spec import Coupling, FeatureMap, Relation
from rftheory.spec.feature_map import k as COUNT
from rftheory.spec.feature_map import x as X
from rftheory.spec.feature_map import y as Y

FIRST = 40
"""Counts that are summed for a lower bound of a second moment."""
RANGE = (1e-200, 1e200)
"""Mean squares of the kernel over which errors are divided."""
ROUNDING = 2.0**-40
"""Variances, in units of the squared kernel, that may have fewer digits: see `enough`, which squares this once more."""
TIME_UP = "the time was up"
"""The reason for leaving out what the time limit kept from being compared."""


@dataclass
class MapErrors:
    """The parts of the errors of one feature map, for each pair, times the weights of the pairs.

    Attributes
    ----------
    target : (n,), K^2.
    own : (n,), the variance of one row.
    cross : by relation (n,), the covariance of two rows.
    bias : (n,), the square of the bias.

    Examples
    --------
    >>> MapErrors(np.ones(2), np.full(2, 0.5), {}).relative(50, {})
    0.1
    """

    target: np.ndarray
    own: np.ndarray
    cross: dict[Relation, np.ndarray]
    bias: np.ndarray | float = 0.0

    def covers(self, coupling: Coupling, d: int) -> bool:
        """Whether the relations of all pairs of rows of a coupling have their cross terms."""
        return all(relation in self.cross for relation in coupling.pairs(d, coupling.size(d)))

    def squares(self, m: int, counts: Mapping[Relation, int]) -> np.ndarray:
        """The mean squared error of each pair with m rows."""
        tied = sum((2 * n * self.cross[relation] for relation, n in counts.items()), np.zeros(len(self.own)))
        return np.asarray(self.own / m + tied / m**2 + self.bias)

    def relative(self, m: int, counts: Mapping[Relation, int]) -> float:
        """The root mean squared error with m rows over the root mean square of the kernel."""
        return math.sqrt(max(float(self.squares(m, counts).mean()), 0.0) / float(self.target.mean()))

    @property
    def relative_bias(self) -> float:
        """What remains of the relative error with ever more rows."""
        return math.sqrt(float(np.mean(self.bias)) / float(self.target.mean()))


@dataclass
class Skipped:
    """A mechanism that is not in the comparison, with the reason.

    Attributes
    ----------
    name : of a mechanism, or of a feature map or a coupling with all its mechanisms.
    lawless : whether it has no law and was measured instead, where measured errors were allowed.

    Examples
    --------
    >>> Skipped("positive x sobol", "its pairs are not declared").reason
    'its pairs are not declared'
    """

    name: str
    reason: str
    lawless: bool = False


@dataclass
class Laws:
    """Laws of the pairs of a data set.

    Parameters
    ----------
    pairs : the pairs.
    kernel : gaussian or softmax.

    Examples
    --------
    >>> from rftheory.choose.data import pairs_of
    >>> from rftheory.spec import find_coupling, find_map
    >>> laws = Laws(pairs_of(np.eye(3), lengthscale=1.0), "gaussian")
    >>> found = laws.of(find_map("positive"), {}, [find_coupling("orthogonal")])
    >>> 0 < found.relative(30, find_coupling("orthogonal").pairs(3, 30)) < 0.5
    True
    """

    pairs: Pairs
    kernel: Kernel
    skipped: list[Skipped] = field(default_factory=list)
    _exact: dict[tuple[int, bool], Inputs] = field(default_factory=dict, init=False, repr=False)

    def of(
        self, feature: FeatureMap, parameters: Mapping[str, object], couplings: Sequence[Coupling]
    ) -> MapErrors:
        """Errors of a map for the relations of these couplings, whose norms have one law.

        Raises
        ------
        NotKnown, OutsideDomain, NotCertified : the law of the map itself has no value at a pair.
        """
        self.check_kernel()
        d, alone = self.pairs.d, couplings[0] if couplings[0].norms == "fixed" else IID
        relations = list(dict.fromkeys(r for c in couplings for r in c.pairs(d, c.size(d))))
        known = dict.fromkeys(relations, True)
        laws = [
            Law(feature, alone, 1, self._inputs(feature, index), parameters, self.kernel)
            for index in range(len(self.pairs.x))
        ]
        squares, own, bias = np.array([_of_one_row(law) for law in laws]).T
        _check_range(feature.name, squares, own, bias)  # before pairs of rows, whose laws take longer
        beside = np.maximum(own, squares * ROUNDING)
        cross = {r: np.array([self._cross(law, r, feature.name, known, float(one))
                              for law, one in zip(laws, beside, strict=True)]) for r in relations}  # fmt: skip
        cross = {r: found for r, found in cross.items() if known[r]}
        _check_range(feature.name, *cross.values())
        weights = self.pairs.weights
        return MapErrors(
            weights * squares, weights * own, {r: weights * one for r, one in cross.items()}, weights * bias
        )

    def check_kernel(self) -> None:
        """Raise an error if squares of the kernel leave the range of floats: nothing is relative to them then."""
        with np.errstate(over="ignore"):
            square = float(self.pairs.mean(exact_values(self.pairs, self.kernel) ** 2))
        if not RANGE[0] < square < RANGE[1]:
            raise OutsideDomain("kernel", needs=f"a mean square over the pairs from {RANGE[0]:g} to {RANGE[1]:g}",
                                got=f"{square:.3g}", hint="inputs are too long or too far apart for this kernel;"
                                " choose a larger length scale")  # fmt: skip

    def tails(self, feature: FeatureMap, parameters: Mapping[str, object], alone: Coupling) -> np.ndarray:
        """The fourth central moment of one row over its squared variance, (n,); infinite where it has no value."""
        found = []
        for index in range(len(self.pairs.x)):
            law = Law(feature, alone, 1, self._inputs(feature, index), parameters, self.kernel)
            try:
                found.append(float(enough(lambda law=law: [_kurtosis(law)])[0]))  # type: ignore[misc]
            except (NotKnown, NotCertified, OutsideDomain):
                found.append(math.inf)
        return np.array(found)

    def least(self, feature: FeatureMap, parameters: Mapping[str, Any]) -> float:
        """About the relative variance of one feature of counts over the pairs, and not more: of the first counts."""
        table, values = feature.table, {p.symbol: parameters[p.name] for p in feature.parameters}
        assert table is not None
        term = sympy.lambdify(
            (X, Y, COUNT), (table.value**2 * table.probability).subs(values), ["scipy", "numpy"]
        )
        x, y = self.pairs.x[:, None], self.pairs.y[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            second = term(x, y, np.arange(FIRST)[:, None]).sum(1).prod(1)
            if self.kernel == "gaussian":
                second = second * np.exp(-(self.pairs.x**2 + self.pairs.y**2).sum(1))
            target = exact_values(self.pairs, self.kernel) ** 2
            return float(self.pairs.mean(np.nan_to_num(second - target, nan=0.0)) / self.pairs.mean(target))

    def _cross(
        self, law: Law, relation: Relation, name: str, known: dict[Relation, bool], beside: float
    ) -> float:
        """The covariance of two rows, which counts beside such a variance."""
        if not known[relation]:
            return math.nan
        try:
            return _rounded(enough(lambda: [law.cross(relation) - (mean := law.mean()) * mean], beside)[0])
        except (NotKnown, NotCertified, OutsideDomain) as problem:
            known[relation] = False
            self.skipped.append(Skipped(f"{name}, rows {relation.name}", str(problem), lawless=True))
            return math.nan

    def _inputs(self, feature: FeatureMap, index: int) -> Inputs:
        """The pair, in its plane if the map knows no directions."""
        x, y = self.pairs.x[index], self.pairs.y[index]
        flat = feature.isotropic and len(x) > 2
        if (index, flat) not in self._exact:
            self._exact[index, flat] = in_plane(x, y) if flat else Inputs.of_vectors(x.tolist(), y.tolist())
        return self._exact[index, flat]


def _of_one_row(law: Law) -> tuple[float, float, float]:
    """The squared kernel, the variance and the squared bias; differences are taken before they are rounded."""

    def differences() -> list[arb]:
        mean = law.mean()
        bias = mean - law.target()
        return [law.second_moment() - mean * mean, bias * bias]

    (target,) = enough(lambda: [law.target()])
    variance, bias = enough(differences, target**2 * ROUNDING)
    return float(target**2), _rounded(variance), _rounded(bias)


def _rounded(ball: arb) -> float:
    """A number that counts, or 0: balls that have fewer digits than `enough` wants."""
    return 0.0 if ball.contains(0) else float(ball)


def _check_range(name: str, *parts: np.ndarray) -> None:
    if not all(np.isfinite(part).all() for part in parts):
        raise OutsideDomain(f"errors of {name}", needs="numbers in the range of floats", got="overflow",
                            hint="inputs are too long for this kernel; choose a larger length scale")  # fmt: skip


def in_plane(x: np.ndarray, y: np.ndarray) -> Inputs:
    """Two vectors turned, to rounding, so that their sum has one coordinate and all others but two are 0.

    Examples
    --------
    >>> turned = in_plane(np.array([1.0, 0.0, 2.0, 0.0]), np.array([-1.0, 0.0, 2.0, 0.0]))
    >>> [(float(x), float(y), times) for x, y, times in turned.coordinates]
    [(2.0, 2.0, 1), (1.0, -1.0, 1), (0.0, 0.0, 2)]
    """
    total = x + y
    axis = total / (np.linalg.norm(total) or 1.0)
    one, other, height = (
        exact_number(float(value), "x, y")
        for value in (x @ axis, y @ axis, np.linalg.norm(x - (x @ axis) * axis))
    )
    zero = Coordinate(sympy.S.Zero, sympy.S.Zero, len(x) - 2)
    return Inputs((Coordinate(one, other), Coordinate(height, -height), zero))


def _kurtosis(law: Law) -> arb:
    """E (f - M)^4/(E (f - M)^2)^2 of one row with the mean M; 1 where the estimate is exact."""
    mean, (second, third, fourth) = law.mean(), (law.row_power(n) for n in (2, 3, 4))
    variance = second - mean**2
    if law.constant:
        return arb(1)
    return (fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4) / variance**2
