"""What the declared mechanism promises: laws of rows, angles and estimates, from the exact layer.

All reference values of the tests come from here; nothing here has seen the code under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb
from scipy import special
from sympy import I, sympify

from rftheory.errors import InvalidInput, NotCertified, NotKnown, UnknownName, need
from rftheory.exact import exponential, find_formula
from rftheory.exact.coupled import BLOCKS
from rftheory.exact.estimates import central_moments_ball, enough
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.exact.moments import cumulants_of, moments_of
from rftheory.sample.fast_rotations import power_of_two
from rftheory.spec import COUPLINGS, Coupling, FeatureMap, find_coupling, find_map

# ---- couplings ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CouplingLaw:
    """What a coupling promises about m projections in dimension d, read from its declaration.

    Attributes
    ----------
    rows : True if every row alone has exactly the marginal law of the kernel.
    uniform : True if the direction of every row alone is uniform.
    norms : True if the norms of different rows are independent and have the norm law of the marginal.
    angle : of the rows of a block: "free" if they are independent, "fixed", "axes" if some lie on independent axes, or
        None if angles vary with the norms.
    blocks : True if blocks are independent.
    norm_law : "chi", or "fixed": all norms are sqrt(d).
    moments : name for `estimate_law`; empty if nothing is known about two rows.
    """

    name: str
    rows: bool = True
    uniform: bool = True
    norms: bool = True
    angle: str | None = None
    blocks: bool = True
    norm_law: str = "chi"
    moments: str = ""

    @property
    def hadamard(self) -> bool:
        """Whether the directions of rows, which are products of signs and Hadamard matrices, are finitely many."""
        return "hadamard" in self.name

    def cut(self, d: int) -> bool:
        """Whether rows are those of a fast rotation of 2^i > d dimensions, cut to d: norms and angles are not kept."""
        return self.fast and power_of_two(d) > d

    @property
    def fast(self) -> bool:
        """Whether rows are turned by a fast rotation, whose blocks have 2^i rows."""
        return self.hadamard or "givens" in self.name

    def few_rows(self, d: int) -> bool:
        """Whether rows are among so few that some occur twice: signs, or products of signs, in small dimensions."""
        return self.norm_law == "fixed" and (d == 1 or (self.hadamard and d < 32))

    def size(self, d: int) -> int:
        """Number of rows of a block; independent rows and points of a net count as blocks of d rows.

        Examples
        --------
        >>> [coupling_law(name).size(5) for name in ("orthogonal", "iid", "simplex", "hadamard-simplex")]
        [5, 5, 5, 8]
        """
        if self.fast:
            return power_of_two(d)
        return d if self.angle == "free" or not self.blocks else find_coupling(self.name).size(d)

    def gram(self, d: int) -> np.ndarray | None:
        """The cosines of the angles inside a block, (size, size), if they are fixed; nan for independent axes.

        Examples
        --------
        >>> coupling_law("mirrored").gram(2)[0].tolist(), coupling_law("iid").gram(2)
        ([1.0, 0.0, -1.0, 0.0], None)
        """
        fixed = self.angle in ("fixed", "axes") and not self.cut(d)
        return _gram(find_coupling(self.name), d) if fixed else None

    def second_axis(self, d: int) -> int:
        """The first row of a block on an axis that is independent of that of row 0; row 1 if there is none."""
        gram = self.gram(d)
        return 1 if gram is None or not np.isnan(gram[0]).any() else int(np.isnan(gram[0]).argmax())

    def tied(self, d: int, m: int) -> dict[str, list[tuple[int, int]]]:
        """Pairs of rows with tied norms: "shared" or "antimonotone"; a row of "fixed" norm is paired with itself."""
        if self.cut(d):
            return {}
        if self.norm_law == "fixed":
            return {"fixed": [(i, i) for i in range(m)]}
        if not self.blocks:
            return {}
        block = find_coupling(self.name).block(d)
        found: dict[str, list[tuple[int, int]]] = {}
        for start in range(0, m, len(block)):
            last: dict[int, int] = {}
            for i, row in enumerate(block[: m - start]):
                if row.norm in last:
                    j = last[row.norm]
                    kind = "shared" if block[j].reflected == row.reflected else "antimonotone"
                    found.setdefault(kind, []).append((start + j, start + i))
                last[row.norm] = i
        return found

    @property
    def blocks_of_norms(self) -> bool:
        """Whether norms of different blocks are independent, and those inside a block where they are not tied."""
        return self.rows and self.blocks

    def norm_numbers(self, d: int) -> np.ndarray:
        """The number of the norm of each row of a block: rows with one number share it, or lie at opposite quantiles.

        Examples
        --------
        >>> [coupling_law(name).norm_numbers(2).tolist() for name in ("orthogonal", "mirrored")]
        [[0, 1], [0, 1, 0, 1]]
        """
        if self.norms or not self.blocks_of_norms:
            return np.arange(self.size(d))
        return np.array([row.norm for row in find_coupling(self.name).block(d)])

    def bases(self, d: int) -> list[int]:
        """The bases of the coordinates of quasi-random points; none if rows are not such points.

        Examples
        --------
        >>> [coupling_law(name).bases(3) for name in ("sobol", "halton", "iid")]
        [[2, 2, 2], [2, 3, 5], []]
        """
        base = None if self.name == NOTHING.name else find_coupling(self.name).base
        return [base(j) for j in range(d)] if base is not None else []

    def centred(self, d: int, m: int) -> bool:
        """Whether m rows sum to 0 in every draw: those that share a norm do, and all blocks are whole.

        Examples
        --------
        >>> [coupling_law(name).centred(2, 8) for name in ("mirrored", "cross-polytope", "orthogonal")]
        [True, False, False]
        """
        gram = self.gram(d)
        if gram is None or m % len(gram):
            return False
        block = find_coupling(self.name).block(d)
        numbers = [0 if self.norm_law == "fixed" else (row.norm, row.reflected) for row in block]
        groups = [np.flatnonzero([n == number for n in numbers]) for number in set(numbers)]
        return all(abs(gram[np.ix_(one, one)].sum()) < 1e-9 for one in groups)

    def cosine(self, d: int) -> float | None:
        """The common cosine of all angles inside a block, if there is one."""
        gram = self.gram(d)
        if gram is None:
            return None
        cosines = np.unique(gram[~np.eye(len(gram), dtype=bool)])
        return float(cosines[0]) if len(cosines) == 1 and not np.isnan(cosines[0]) else None


@lru_cache(maxsize=64)
def _gram(declared: Coupling, d: int) -> np.ndarray:
    rows = declared.block(d)
    signs = np.array([row.sign for row in rows])
    numbers, axes = np.unique(np.array([row.axis for row in rows], dtype=object), return_inverse=True)
    count = len(numbers)
    if declared.equal_angles:
        between = np.full((count, count), _cosine(declared, 0, 1, d) if count > 1 else 1.0)
    else:
        between = np.array(
            [[_cosine(declared, i, j, d) if i != j else 1.0 for j in numbers] for i in numbers]
        )
    np.fill_diagonal(between, 1.0)
    found: np.ndarray = np.outer(signs, signs) * between[np.ix_(axes, axes)] + 0.0
    return found


def _cosine(declared: Coupling, one: int, other: int, d: int) -> float:
    """The cosine between two axes, nan if they are independent."""
    found = declared.cosine_of(one, other, d)
    return math.nan if found is None else float(sympify(found))


def coupling_law(name: str) -> CouplingLaw:
    """The promises of a coupling, by our name or a paper's.

    Raises
    ------
    UnknownName : no coupling with that name is declared.

    Examples
    --------
    >>> coupling_law("SimRF").cosine(5), coupling_law("mirrored").gram(2)[0].tolist()
    (-0.25, [1.0, 0.0, -1.0, 0.0])
    """
    need("coupling", name, str, "a name, such as orthogonal")
    if name == NOTHING.name:
        return NOTHING
    declared = find_coupling(name)
    sizes = declared.block(max(2, declared.min_dim))
    ordinary = declared.marginal and declared.norms == "chi"
    independent = declared.norms == "chi" and len({row.norm for row in sizes}) == len(sizes)
    angle = "free" if len(sizes) == 1 else "fixed" if declared.cosine is not None else "axes"
    return CouplingLaw(
        declared.name,
        rows=ordinary,
        uniform=declared.marginal,
        norms=declared.blocks and independent,  # points of a net are dependent
        angle=angle if declared.angles else None,
        blocks=declared.blocks,
        norm_law=declared.norms,
        moments=declared.name if ordinary and not declared.pairs_unknown else "",
    )


def sequences(d: int) -> dict[str, list[int]]:
    """The declared quasi-random sequences, with the bases of their coordinates."""
    found = {name: coupling_law(name).bases(d) for name in COUPLINGS}
    return {name: bases for name, bases in found.items() if bases}


NOTHING = CouplingLaw("none", norms=False, blocks=False)
"""Promises only marginals and means; rows may depend on each other in any way."""


# ---- kernels: the law of one row -----------------------------------------------------------------------


@dataclass(frozen=True)
class RowLaw:
    """The spectral law of a kernel in dimension d.

    Radial kernels have uniform directions and a law of norms; product kernels have independent coordinates.

    Attributes
    ----------
    kernel : a name of `KERNELS`.
    freedom : for radial kernels, degrees of freedom of the multivariate t law; infinity for the normal law.
    coordinate : for product kernels, the law of the coordinates, "cauchy" or "laplace"; empty for radial ones.
    """

    kernel: str
    d: int
    freedom: float = math.inf
    coordinate: str = ""

    @property
    def gaussian(self) -> bool:
        return self.radial and math.isinf(self.freedom)

    @property
    def radial(self) -> bool:
        return not self.coordinate

    def norm_square_cdf(self, values: np.ndarray) -> np.ndarray:
        """Distribution function of |w|^2 for radial kernels: chi squared, or d times Fisher's F."""
        if self.gaussian:
            return np.asarray(special.gammainc(self.d / 2, np.asarray(values) / 2))
        return np.asarray(special.fdtr(self.d, self.freedom, np.asarray(values) / self.d))

    def norm_square_sf(self, values: np.ndarray) -> np.ndarray:
        """Probability that |w|^2 is larger, for radial kernels."""
        if self.gaussian:
            return np.asarray(special.gammaincc(self.d / 2, np.asarray(values) / 2))
        return np.asarray(special.fdtrc(self.d, self.freedom, np.asarray(values) / self.d))

    def size_squares(self, w: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """The squared size of each row: |w|^2, or w_1^2 if the norms have no closed law."""
        return squares if self.radial else w[..., 0] ** 2

    def size_rank(self, sizes: np.ndarray) -> np.ndarray:
        """A uniform variable for each squared size: its distribution function there."""
        return self.norm_square_cdf(sizes) if self.radial else 2 * self.coordinate_cdf(np.sqrt(sizes)) - 1

    @property
    def median_square(self) -> float:
        """The median of the squared sizes.

        Examples
        --------
        >>> laws = [row_law(name, 3) for name in ("gaussian", "laplace", "laplace:1", "cauchy")]
        >>> [round(float(law.size_rank(np.array(law.median_square))), 12) for law in laws]
        [0.5, 0.5, 0.5, 0.5]
        """
        if self.gaussian:
            return 2 * float(special.gammaincinv(self.d / 2, 0.5))
        if self.radial:
            return self.d * float(special.fdtri(self.d, self.freedom, 0.5))
        return math.log(2) ** 2 if self.coordinate == "laplace" else 1.0

    def coordinate_cdf(self, values: np.ndarray) -> np.ndarray:
        """Distribution function of a coordinate: normal, Student's t, Cauchy or Laplace."""
        if self.gaussian:
            return np.asarray(special.ndtr(values))
        if self.coordinate == "laplace":
            tail = np.exp(-np.abs(values)) / 2
            return np.where(np.asarray(values) > 0, 1 - tail, tail)
        return np.asarray(special.stdtr(1.0 if self.coordinate else self.freedom, values))

    def projection_cdf(self, a: np.ndarray) -> Callable[[np.ndarray], np.ndarray] | None:
        """Distribution function of w . a for a unit vector a; None if it has no closed form."""
        if self.radial:
            return self.coordinate_cdf
        if self.coordinate == "cauchy":
            size = float(np.abs(a).sum())
            return lambda values: self.coordinate_cdf(np.asarray(values) / size)
        return self.coordinate_cdf if np.count_nonzero(a) == 1 else None

    def kernel_at(self, z: np.ndarray) -> float:
        """The kernel at x - y = z, E cos(w . z)."""
        if self.coordinate == "cauchy":
            return math.exp(-float(np.abs(z).sum()))
        if self.coordinate == "laplace":
            return float(np.prod(1 / (1 + z**2)))
        return self.characteristic(float(np.linalg.norm(z)))

    def characteristic(self, z: float) -> float:
        """A radial kernel at distance z, E cos(w . z)."""
        if self.gaussian:
            return math.exp(-z * z / 2)
        return _matern(self.freedom / 2, z)


@lru_cache(maxsize=256)
def _matern(nu: float, z: float) -> float:
    return _value("matern_kernel", nu=repr(nu), z=repr(z))


KERNELS = ("gaussian", "softmax", "matern:NU", "laplace", "laplace:1", "cauchy")
"""Kernels of unit length scale with a known spectral law.

gaussian exp(-|z|^2/2), softmax exp(x.y), matern:NU with smoothness NU, laplace (or laplace:2) exp(-|z|) in the
Euclidean norm, laplace:1 exp(-sum_j |z_j|), and cauchy prod_j 1/(1 + z_j^2), both as in Rahimi and Recht (2007).
"""


def row_law(kernel: str, d: int) -> RowLaw:
    """The law of one projection for a kernel of unit length scale.

    Examples
    --------
    >>> row_law("matern:1.5", 4).freedom
    3.0
    >>> round(row_law("laplace:1", 2).kernel_at(np.array([0.5, -0.5])), 6)  # exp(-1)
    0.367879
    """
    if kernel in ("gaussian", "softmax"):
        return RowLaw(kernel, d)
    name, _, text = kernel.partition(":")
    if kernel in ("laplace", "laplace:2"):
        return RowLaw(kernel, d, 1.0)
    if kernel in ("laplace:1", "cauchy"):
        return RowLaw(kernel, d, coordinate={"laplace:1": "cauchy", "cauchy": "laplace"}[kernel])
    if name == "matern":
        try:
            nu = float(text)
        except ValueError:
            nu = math.nan
        if not 0 < nu < math.inf:
            raise InvalidInput("kernel", needs="matern:NU with a positive number NU", got=kernel)
        return RowLaw(kernel, d, 2 * nu)
    raise UnknownName("kernel", kernel, list(KERNELS))


def cosine_cdf(d: int) -> Callable[[np.ndarray], np.ndarray]:
    """Distribution function of u . a for u uniform on the sphere: (1 + t)/2 is Beta((d-1)/2, (d-1)/2).

    Examples
    --------
    >>> [float(cosine_cdf(3)(t)) for t in (-1.0, 0.0, 0.5)]
    [0.0, 0.5, 0.75]
    """
    if d == 1:
        return lambda t: np.where(np.asarray(t) >= 1, 1.0, np.where(np.asarray(t) >= -1, 0.5, 0.0))
    half = (d - 1) / 2
    return lambda t: np.asarray(special.betainc(half, half, np.clip((1 + np.asarray(t)) / 2, 0.0, 1.0)))


# ---- kernels: moments of estimates ---------------------------------------------------------------------


@dataclass(frozen=True)
class EstimateLaw:
    """Mean and central moments 2, 3, 4 (and, if known, 6 and 8) of a kernel estimate."""

    mean: float
    second: float
    third: float
    fourth: float
    higher: tuple[float, float] | None = None

    def above(self, floor: float) -> dict[int, float]:
        """E (K^ - floor)^k, k = 2, 3, 4."""
        gap = self.mean - floor
        return {
            2: self.second + gap**2,
            3: self.third + 3 * gap * self.second + gap**3,
            4: self.fourth + 4 * gap * self.third + 6 * gap**2 * self.second + gap**4,
        }

    @property
    def square(self) -> tuple[float, dict[int, float]]:
        """The mean of the squared error Y, and the known moments E Y^k."""
        known = {2: self.fourth}
        if self.higher is not None:
            known |= {3: self.higher[0], 4: self.higher[1]}
        return self.second, known


def _law(mean: float, central: Sequence[arb]) -> EstimateLaw:
    values = [float(c) * mean**n for n, c in enumerate(central)]
    higher = (values[6], values[8]) if len(values) > 8 else None
    return EstimateLaw(mean, values[2], values[3], values[4], higher)


COSTLY = 1.5
"""Beyond this length, moments of rows at an angle take minutes if features are sums of exponentials."""


def estimate_law(
    feature: str, coupling: str, d: int, m: int, length: float, mean: float = 1.0, order: int = 4
) -> EstimateLaw | None:
    """Law of a kernel estimate; ``length`` is |x + y| for positive maps, |x - y| for trigonometric ones.

    Parameters
    ----------
    feature, coupling : declared names.
    mean : factor on the relative estimate (positive), or on the Gaussian one (trigonometric).
    order : of the highest moment, 4, or 8 for a law of squared errors, which takes fifty times as long.

    Returns
    -------
    None if the law is unknown or would take minutes: for rows at an angle and maps other than the positive one, at
    lengths beyond ``COSTLY``. Moments 6 and 8 are omitted where they would take as long.

    Examples
    --------
    >>> law = estimate_law("positive", "iid", 8, 32, 1.0)
    >>> round(law.second, 12) == round(__import__("math").expm1(1) / 32, 12)
    True
    """
    return _estimate_law(find_map(feature), find_coupling(coupling), d, m, length, mean, order)


@lru_cache(maxsize=512)
def _estimate_law(
    phi: FeatureMap, rows: Coupling, d: int, m: int, length: float, mean: float, order: int
) -> EstimateLaw | None:
    feature = phi.name
    if length == 0 and feature in ("positive", "hyperbolic", "trigonometric"):
        return EstimateLaw(mean, 0.0, 0.0, 0.0)
    stated = feature in ("positive", "trigonometric")
    at_an_angle = rows.size(d) > 1 and rows.cosine_of(0, 1, d) not in (0, None)
    if at_an_angle and feature != "positive" and length > COSTLY:
        return None
    if order > 4 and rows.name != "iid" and not (stated and rows.name == "orthogonal"):
        return _estimate_law(phi, rows, d, m, length, mean, 4)
    try:
        return _law(mean, enough(lambda: central_moments_ball(feature, rows.name, d, m, length, order)))
    except (NotKnown, NotCertified):
        return None


@dataclass(frozen=True)
class ErrorLaw:
    """The law of the squared error Y of an average over rows.

    Attributes
    ----------
    mean : E Y.
    moments : E Y^k or bounds of them, k >= 2; none if no useful ones are known.
    bound : whether they are bounds.
    """

    mean: float
    moments: dict[int, float]
    bound: bool = False


def error_law(feature: str, coupling: str, d: int, m: int, length: float, order: int = 4) -> ErrorLaw | None:
    """The law of the squared error of an average of cos w.v (trigonometric) or of exp(w.v - |v|^2/2) (positive).

    Where that of four rows is not known, as where different axes share a norm, the mean follows from the law of two
    rows. The error of cos is a sum of independent errors U of blocks, each at most B = (1 + E cos w.v) s/m for blocks
    of s rows, so that E Y^2 = sum E U^4 + 3 sum E U^2 E U'^2 <= B^2 E Y + 3 (E Y)^2; that of exp has no useful bound.

    Parameters
    ----------
    order : of the highest moment of the average, as in `estimate_law`.

    Returns
    -------
    None if not even the law of two rows is known, or there is no error.

    Examples
    --------
    >>> law = error_law("trigonometric", "antimonotone", 4, 16, 1.0)
    >>> law.mean < error_law("trigonometric", "iid", 4, 16, 1.0).mean, law.bound, sorted(law.moments)
    (True, True, [2])
    """
    law = estimate_law(feature, coupling, d, m, length, order=order)
    if law is not None:
        return ErrorLaw(*law.square) if law.second > 0 else None
    return _error_by_pairs(find_map(feature), find_coupling(coupling), d, m, length)


@lru_cache(maxsize=512)
def _error_by_pairs(phi: FeatureMap, rows: Coupling, d: int, m: int, length: float) -> ErrorLaw | None:
    """The law of the squared error from the law of two rows."""
    waves = phi.norm == "z"
    given: dict[str, Any] = {"difference_norm" if waves else "sum_norm": length}
    exact = Law(phi, rows, m, Inputs.of_norms(d, **given))
    try:
        (ball,) = enough(lambda: [exact.variance() if waves else exact.variance() / exact.target() ** 2])
    except (NotKnown, NotCertified):
        return None
    second, most = float(ball), (1 + math.exp(-(length**2) / 2)) * min(1.0, rows.size(d) / m)
    bounds = {2: most**2 * second + 3 * second**2} if waves else {}
    return ErrorLaw(second, bounds, bound=True) if second > 0 else None


@lru_cache(maxsize=512)
def gerf_law(
    A: float, coupling: str, d: int, m: int, length: float, mean: float = 1.0, order: int = 4
) -> EstimateLaw | None:
    """Law of an estimate by gerf with s = 1, as `estimate_law`; None if it is unknown or the fourth moment is infinite.

    Examples
    --------
    >>> law = gerf_law(-0.1, "iid", 2, 1, 0.0)  # E (Z/K)^2 = ((1 - 4 A)^2/(1 - 8 A))^(d/2) at x = -y
    >>> round(law.second, 12) == round(1.4**2 / 1.8 - 1, 12)
    True
    """
    if coupling not in BLOCKS or 16 * A >= 1:
        return None
    if order > 4 and (coupling == "simplex" or 32 * A >= 1):
        order = 4
    at: dict[str, Any] = {"A": arb(A), "v": arb(length)}
    try:
        return _law(mean, enough(lambda: exponential.MOMENTS.central(coupling, order, m, d, **at)))
    except (NotKnown, NotCertified):
        return None


def nonnegative(feature: str) -> bool:
    """Whether estimates by this map are never negative: sums of real exponentials with positive weights.

    Examples
    --------
    >>> nonnegative("positive"), nonnegative("hyperbolic"), nonnegative("trigonometric")
    (True, True, False)
    """
    terms = find_map(feature).terms
    real = not any(part.has(I) for term in terms for part in (term.b, term.log, term.q))
    return bool(terms) and real and all(term.weight.is_positive and not term.phase for term in terms)


@lru_cache(maxsize=256)
def spread_law(count: int) -> EstimateLaw:
    """Law of the average of ``count`` independent (Z^2 - 1)^2 / 2, Z standard normal.

    Examples
    --------
    >>> law = spread_law(1)  # of variance E (Z^2 - 1)^4 / 4 - 1 = 60/4 - 1
    >>> law.mean, law.second
    (1.0, 14.0)
    """
    central = moments_of([arb(0), arb(0), *(arb(2) ** (n - 1) * math.factorial(n - 1) for n in range(2, 9))])
    return _law(1.0, _average([central[2 * k] / arb(2) ** k for k in range(5)], count))


def _average(raw: Sequence[arb], m: int) -> list[arb]:
    """Central moments of an average of m independent values with these raw moments."""
    cumulants = cumulants_of(raw)
    scaled = [arb(0), arb(0)] + [cumulants[n] / arb(m) ** (n - 1) for n in range(2, len(raw))]
    return moments_of(scaled)


@lru_cache(maxsize=256)
def hybrid_law(x: float, y: float, theta: float, m: int, n: int, swapped: bool = False) -> EstimateLaw:
    """Law of the angular hybrid of the softmax kernel, lambda = theta/pi the weight of the hyperbolic estimate.

    ``swapped`` exchanges the weights of the two base estimators; then only mean and variance are valid.
    """
    mean = math.exp(x * y * math.cos(theta))
    point = {"x": repr(x), "y": repr(y), "theta": repr(theta), "m": m}
    if swapped:
        first = 1 - _value("angular_coefficient", theta=repr(theta), n=n)
        second = _value("angular_coefficient_complement", theta=repr(theta), n=n)
        found = _value("bipolar_mse", **point, l1=repr(first), l2=repr(second))
        return EstimateLaw(mean, found, 0.0, 3 * found**2)
    names = ("angular_mse", "angular_third_moment", "angular_fourth_moment")
    second, third, fourth = (_value(name, **point, n=n) for name in names)
    return EstimateLaw(mean, second, third, fourth)


def _value(name: str, **point: Any) -> float:
    """A formula of the exact layer at a point, to twelve proved digits, as a float."""
    return float(find_formula(name).enclose(12, **point))


# ---- closed forms of the biases that defects cause -----------------------------------------------------


def mean_first_coordinate(n: int) -> float:
    """E |u_1| for u uniform on the sphere of R^n: Gamma(n/2) / (sqrt(pi) Gamma((n+1)/2)).

    Examples
    --------
    >>> round(mean_first_coordinate(4), 6), round(mean_first_coordinate(1), 6)
    (0.424413, 1.0)
    """
    return math.exp(math.lgamma(n / 2) - math.lgamma((n + 1) / 2)) / math.sqrt(math.pi)


def unsigned_qr_mean(d: int) -> np.ndarray:
    """Diagonal of E Q for LAPACK's Q of a Gaussian matrix; the other entries of E Q vanish.

    Householder's reflections make R_jj = -sign(a) |.| for j < d and leave the last sign unchanged. With a_n = E |u_1|
    on the sphere of R^n, E Q_jj = -a_{d-j+1} prod_{k<j-1} (1 - (1 - a_{d-k})/(d-k-1)) for j < d, and just the
    product for j = d.

    Examples
    --------
    >>> unsigned_qr_mean(4).round(4)
    array([-0.4244, -0.4041, -0.3859,  0.3859])
    """
    diagonal, product = np.empty(d), 1.0
    for j in range(d):
        n = d - j
        diagonal[j] = product * (1.0 if n == 1 else -mean_first_coordinate(n))
        if n > 1:
            product *= 1 - (1 - mean_first_coordinate(n)) / (n - 1)
    return diagonal


def half_sphere_bias(v1: float) -> float:
    """Relative bias of E exp(w . v) if w is Gaussian except that w_1 = -|w_1|: -erf(v_1 / sqrt 2).

    Examples
    --------
    >>> round(half_sphere_bias(1.0), 4)
    -0.6827
    """
    return -math.erf(v1 / math.sqrt(2))


def wrong_norm_bias(d: int, dof: int, v: float) -> float:
    """Relative bias of E exp(w . v) if |w| is chi with ``dof`` degrees of freedom and its direction uniform.

    E exp(w . v) = 1F1(dof/2; d/2; v^2/2) instead of exp(v^2/2).
    """
    return float(special.hyp1f1(dof / 2, d / 2, v * v / 2)) * math.exp(-v * v / 2) - 1


def fixed_norm_mean(d: int, square: float, exponential: bool = True) -> float:
    """E exp(w . v), or E cos(w . v), with |w| fixed and w uniform: 0F1(; d/2; +- square/4), square = |w|^2 |v|^2.

    Examples
    --------
    >>> [round(fixed_norm_mean(3, 4.0, kind), 4) for kind in (True, False)]  # sinh(2)/2 and sin(2)/2
    [1.8134, 0.4546]
    """
    return float(special.hyp0f1(d / 2, square / (4 if exponential else -4)))


def fixed_norm_bias(d: int, norm: float, exponential: bool = True) -> float:
    """Relative bias of E exp(w . v), or E cos(w . v), if |v| = 1 and |w| is this norm: times exp(-+1/2), less 1.

    Examples
    --------
    >>> round(fixed_norm_bias(3, 2.0), 6) == round(__import__("math").sinh(2) / 2 * 0.60653066 - 1, 6)
    True
    """
    return fixed_norm_mean(d, norm**2, exponential) * math.exp(-0.5 if exponential else 0.5) - 1


def shared_hybrid_bias(x: float, y: float, theta: float, m: int) -> float:
    """Bias of an angular hybrid whose coefficient uses the projections of its base estimators.

    (1/m) E L_1 (P_1 - T_1), L_1 = 1 if the signs of w.x and w.y differ. In polar coordinates of the plane of x and y
    the radial integral of r exp(-r^2/2) cosh(r a) is 1 + a sqrt(pi/2) exp(a^2/2) erf(a/sqrt 2), that of cos(r b) is
    1 - sqrt 2 b D(b/sqrt 2) with Dawson's integral D; the angle is integrated over the wedges of differing signs.
    """
    from scipy import integrate  # imported here because only this needs it

    up = math.exp(-(x * x + y * y) / 2)

    def inside(phi: float) -> float:
        first, second = x * math.cos(phi), y * math.cos(phi - theta)
        a, b = first + second, first - second
        plus = 1 + a * math.sqrt(math.pi / 2) * math.exp(a * a / 2) * math.erf(a / math.sqrt(2))
        minus = 1 - math.sqrt(2) * b * float(special.dawsn(b / math.sqrt(2)))
        return up * plus - minus / up

    # signs differ if phi lies between pi/2 and pi/2 + theta, or opposite
    wedge, _ = integrate.quad(inside, math.pi / 2, math.pi / 2 + theta, epsabs=1e-13)
    return wedge / math.pi / m
