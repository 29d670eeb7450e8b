"""Exact expected errors of the mechanisms: the law for each pair of inputs, averaged over the pairs.

The mean squared error with m rows is (second - K^2)/m + sum_r 2 n_r(m) (cross_r - K^2)/m^2, where n_r(m) pairs of rows
have relation r. So a pair of inputs needs one second moment and one cross term for each relation, for all m.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from rftheory.choose.data import Pairs
from rftheory.errors import NotCertified, NotKnown, OutsideDomain
from rftheory.exact.estimates import enough
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import IID, Kernel, Law
from rftheory.spec import Coupling, FeatureMap, Relation


@dataclass
class MapErrors:
    """The parts of the errors of one feature map, for each pair.

    Attributes
    ----------
    target : (n,), K^2.
    own : (n,), E f^2 - K^2 for one row.
    cross : by relation (n,), E f_i f_j - K^2 for two rows.

    Examples
    --------
    >>> MapErrors(np.ones(2), np.full(2, 0.5), {}).relative(50, {})
    0.1
    """

    target: np.ndarray
    own: np.ndarray
    cross: dict[Relation, np.ndarray]

    def squares(self, m: int, counts: Mapping[Relation, int]) -> np.ndarray:
        """The mean squared error of each pair with m rows."""
        tied = sum((2 * n * self.cross[relation] for relation, n in counts.items()), 0.0 * self.own)
        return np.asarray(self.own / m + tied / m**2)

    def relative(self, m: int, counts: Mapping[Relation, int]) -> float:
        """The root mean squared error with m rows over the root mean square of the kernel."""
        return math.sqrt(max(float(self.squares(m, counts).mean()), 0.0) / float(self.target.mean()))

    def error_of_sample(self, m: int, counts: Mapping[Relation, int]) -> float:
        """The relative standard error of that error due to the choice of pairs: of a root of a ratio of means."""
        squares = self.squares(m, counts)
        ratio = squares.mean() / self.target.mean()
        spread = float((squares - ratio * self.target).std()) / math.sqrt(max(len(squares) - 1, 1))
        return spread / max(abs(float(squares.mean())), 1e-300) / 2


@dataclass
class Skipped:
    """A mechanism that is not in the comparison, with the reason.

    Examples
    --------
    >>> Skipped("positive x sobol", "its pairs are not declared").reason
    'its pairs are not declared'
    """

    name: str
    reason: str


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

    def of(
        self, feature: FeatureMap, parameters: Mapping[str, object], couplings: Iterable[Coupling]
    ) -> MapErrors:
        """Errors of a map for the relations of these couplings.

        Raises
        ------
        NotKnown, OutsideDomain, NotCertified : the law of the map itself has no value at a pair.
        """
        d = self.pairs.d
        relations = list(dict.fromkeys(r for c in couplings for r in c.pairs(d, c.size(d))))
        rows, known = [], dict.fromkeys(relations, True)
        for index in range(len(self.pairs.x)):
            law = Law(feature, IID, 1, self._inputs(feature, index), parameters, self.kernel)
            target, second = map(float, enough(lambda law=law: [law.target(), law.second_moment()]))  # type: ignore[misc]
            crosses = []
            for relation in relations:
                crosses.append(self._cross(law, relation, feature.name, known))
            rows.append([target, second, *crosses])
        table = np.array(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = table[:, 0] ** 2
            excess = table[:, 1:] - squares[:, None]
        kept = [k for k, r in enumerate(relations, 1) if known[r]]
        if not (np.isfinite(squares).all() and np.isfinite(excess[:, [0, *kept]]).all()):
            raise OutsideDomain(f"errors of {feature.name}", needs="numbers in the range of floats", got="overflow",
                                hint="inputs are too long for this kernel; choose a larger length scale")  # fmt: skip
        return MapErrors(squares, excess[:, 0], {relations[k - 1]: excess[:, k] for k in kept})

    def _cross(self, law: Law, relation: Relation, name: str, known: dict[Relation, bool]) -> float:
        if not known[relation]:
            return math.nan
        try:
            return float(enough(lambda: [law.cross(relation)])[0])
        except (NotKnown, NotCertified, OutsideDomain) as problem:
            known[relation] = False
            self.skipped.append(Skipped(f"{name}, rows {relation.name}", str(problem)))
            return math.nan

    def _inputs(self, feature: FeatureMap, index: int) -> Inputs:
        x, y = self.pairs.x[index], self.pairs.y[index]
        if not feature.isotropic:
            return Inputs.of_vectors(x.tolist(), y.tolist())
        if len(x) == 1:
            return Inputs.of_vectors(x.tolist(), y.tolist())
        norms = (float(np.linalg.norm(v)) for v in (x, y, x + y))
        return Inputs.of_norms(len(x), **dict(zip(("x", "y", "sum_norm"), norms, strict=True)))
