"""Laws of declared mechanisms: everything that follows from a feature map, a coupling and a number of projections.

The estimate of one projection is the real part of a sum of terms a exp(w.Qw + b.w). The mean, the second moment and
the products of two rows are sums of Gaussian integrals over pairs of terms, E Re(S) Re(T) = Re(E S T + E S conj(T))/2;
the variance of the average of m rows adds the classes of pairs of rows that the coupling declares.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, product
from typing import Literal, NamedTuple

import sympy
from flint import acb, arb, ctx

from rftheory.errors import InvalidInput, NotKnown, OutsideDomain, UnknownName
from rftheory.exact.evaluate import evaluate, evaluate_real
from rftheory.exact.inputs import Coordinate, Inputs, read_parameters, real_part_is_positive
from rftheory.exact.pair_law import PairForm, require_convergence, single_mean
from rftheory.exact.random_counts import is_series_of_kernel, moment_of_one, require_law
from rftheory.spec import COUPLINGS, Coupling, FeatureMap, Relation, Term
from rftheory.spec.feature_map import k as COUNT
from rftheory.spec.feature_map import x as X
from rftheory.spec.feature_map import y as Y

Kernel = Literal["gaussian", "softmax"]
IID = COUPLINGS["iid"]


# ---- terms at a pair of inputs -----------------------------------------------------------------------


class Exponential(NamedTuple):
    """exp(log + w.Qw + b.w) with a multiple of the row's random phase; Q is diagonal.

    ``counts`` says how many coordinates are equal to each; ``line`` names the vector of which b is a multiple, if there
    is one; ``scalar`` says whether Q is a multiple of the identity.

    Examples
    --------
    >>> wave = Exponential(acb(0), (acb(0, 1),), (acb(0),), (1,), 0, None, True)
    >>> wave.mean(1, "chi").real.overlaps((-arb(1) / 2).exp())
    True
    """

    log: acb
    b: tuple[acb, ...]
    q: tuple[acb, ...]
    counts: tuple[int, ...]
    phase: int
    line: object
    scalar: bool

    def conjugate(self) -> Exponential:
        """The complex conjugate."""
        b, q = (tuple(_conjugate(part) for part in parts) for parts in (self.b, self.q))
        return self._replace(log=_conjugate(self.log), b=b, q=q, phase=-self.phase)

    def times(self, other: Exponential, sign: int = 1) -> Exponential:
        """The product as a function of one row; ``sign`` is -1 if the other is a function of its negative."""
        return self._replace(
            log=self.log + other.log,
            b=tuple(p + sign * r for p, r in zip(self.b, other.b, strict=True)),
            q=tuple(p + r for p, r in zip(self.q, other.q, strict=True)),
            phase=self.phase + other.phase,
            scalar=self.scalar and other.scalar,
        )

    def dot(self, other: Exponential) -> acb:
        """b.b' without conjugation."""
        return sum((n * p * r for n, p, r in zip(self.counts, self.b, other.b, strict=True)), acb(0))

    @property
    def is_wave(self) -> bool:
        """Whether b is imaginary."""
        return all(part.real.is_zero() for part in self.b)

    def size(self) -> arb:
        """|b|^2."""
        return sum((n * abs(p) ** 2 for n, p in zip(self.counts, self.b, strict=True)), arb(0))

    def mean(self, d: int, norms: str) -> acb:
        """The mean over one row and its phase."""
        if self.phase:
            return acb(0)
        if self.scalar:
            return self.log.exp() * single_mean(d, self.dot(self), self.q[0], norms)
        if norms == "fixed":
            raise NotKnown("mean of a map with a diagonal Q", "rows of fixed norm", "there is no route for the average"
                           " of exp(u.Qu + b.u) over the sphere")  # fmt: skip
        exponent = self.log
        for n, b, q in zip(self.counts, self.b, self.q, strict=True):
            s = 1 - 2 * q
            require_convergence(s, "mean of a product of features")
            exponent += n * (b * b / s - s.log()) / 2
        return exponent.exp()


def _conjugate(value: acb) -> acb:
    return acb(value.real, -value.imag)


def pair_mean(one: Exponential, other: Exponential, d: int, relation: Relation) -> acb:
    """The mean of a product of terms of two rows in this relation.

    Raises
    ------
    NotKnown : for diagonal Q, unless the rows are independent or share a norm and an axis.

    Examples
    --------
    >>> term = Exponential(acb(0), (acb(1), acb(0)), (acb(0), acb(0)), (1, 4), 0, "u", True)
    >>> pair_mean(term, term, 5, Relation(None)).real.overlaps(arb(1).exp())
    True
    """
    if one.phase or other.phase:  # each row has its own phase
        return acb(0)
    if one.scalar and other.scalar:
        square = one.dot(one)
        form = PairForm(
            d, square, square if other is one else other.dot(other), one.dot(other), one.q[0], other.q[0],
            one.line is not None and one.line == other.line, one.size(), other.size(),
        )  # fmt: skip
        return (one.log + other.log).exp() * form.mean(relation)
    if relation.cosine is None and relation.norms == "independent":
        return one.mean(d, "chi") * other.mean(d, "chi")
    if relation.norms == "shared" and relation.cosine in (1, -1):
        return one.times(other, int(relation.cosine)).mean(d, "chi")
    raise NotKnown("product of two rows with a diagonal Q", f"rows that are {relation.name}",
                   "it is a threefold integral without a route here")  # fmt: skip


# ---- the law of a mechanism --------------------------------------------------------------------------


@dataclass(frozen=True)
class Law:
    """The exact law of a mechanism at a pair of inputs. All values are balls at the working precision.

    Attributes
    ----------
    feature, coupling : declarations.
    m : number of rows, in whole blocks and a partial last one.
    inputs : the pair.
    parameters : exact parameters of the feature map, by name.
    kernel : gaussian or softmax.

    Examples
    --------
    >>> from rftheory.spec import find_coupling, find_map
    >>> law = Law(find_map("positive"), find_coupling("iid"), 10, Inputs.of_norms(64, sum_norm="1"))
    >>> law.variance().overlaps((arb(1) * 2).exp() / 10 * (-arb(1)).exp() - (arb(1)).exp() / 10 * (-arb(1)).exp())
    True
    """

    feature: FeatureMap
    coupling: Coupling
    m: int
    inputs: Inputs
    parameters: Mapping[str, object] = field(default_factory=dict)
    kernel: Kernel = "gaussian"

    def __post_init__(self) -> None:
        if self.kernel not in ("gaussian", "softmax"):
            raise UnknownName("kernel", self.kernel, ("gaussian", "softmax"))
        self.coupling.block(self.inputs.d)  # the coupling exists in this dimension
        object.__setattr__(self, "parameters", read_parameters(self.feature, self.inputs, self.parameters))

    @property
    def name(self) -> str:
        """Feature map, coupling and number of rows."""
        return f"{self.feature.name} x {self.coupling.name}, m = {self.m}"

    # ---- quantities

    def target(self) -> arb:
        """The kernel at the pair."""
        exponent = self.inputs.product
        if self.kernel == "gaussian":
            exponent = exponent - self.inputs.squares / 2
        return evaluate_real(sympy.exp(sympy.expand(exponent)))

    def mean(self) -> arb:
        """The mean of the estimate."""
        self.require_moment(1)
        if self.unbiased:
            return self.target()
        self._require("marginal", "the mean")
        if self.feature.table is not None:
            return self._table_moment(1)
        return sum((t.mean(self.inputs.d, self.coupling.norms) for t in self.terms()), acb(0)).real

    @property
    def unbiased(self) -> bool:
        """Whether the mean is proved to be the kernel."""
        if not is_unbiased(self.feature):
            return False
        return (self.coupling.marginal and self.coupling.norms == "chi") or self.without_rows

    def second_moment(self) -> arb:
        """The second moment of the estimate from one row."""
        self._require("marginal", "the second moment")
        self._require_variance()
        if self.feature.table is not None:
            return self._table_moment(2)
        return self.row_product(self)

    def row_power(self, order: int) -> arb:
        """E of a power of the estimate of one row."""
        self._require("marginal", "a moment of one row")
        if self.feature.table is not None:
            return self._table_moment(order)
        d, norms = self.inputs.d, self.coupling.norms
        halves = [half for term in self.terms() for half in _halves(term)]
        total = acb(0)
        for chosen in combinations_with_replacement(range(len(halves)), order):
            weight, whole = arb(math.factorial(order)), halves[chosen[0]]
            for times in Counter(chosen).values():
                weight /= math.factorial(times)
            for index in chosen[1:]:
                whole = whole.times(halves[index])
            total += weight * whole.mean(d, norms)
        return total.real

    def row_product(self, other: Law) -> arb:
        """The mean product of the estimates from one row by this map and by another."""
        d, norms = self.inputs.d, self.coupling.norms
        return self._products(other, lambda s, t: s.times(t).mean(d, norms))

    def cross(self, relation: Relation, other: Law | None = None) -> arb:
        """The mean product of the estimates from two rows with this relation, the second by another map if given."""
        if self.coupling.pairs_unknown:
            raise NotKnown(f"law of two rows of {self.coupling.name}", self.name, self.coupling.pairs_unknown)
        return self._products(other or self, lambda s, t: pair_mean(s, t, self.inputs.d, relation))

    def _products(self, other: Law, mean: Callable[[Exponential, Exponential], acb]) -> arb:
        total = acb(0)
        for one, second in product(self.terms(), other.terms()):
            both = mean(one, second)
            total += both if one.phase == second.phase == 0 and _is_real(second) else (
                both + mean(one, second.conjugate())
            ) / 2  # fmt: skip
        return total.real

    def excess(self, other: Law | None = None) -> arb:
        """The contribution of the coupling: the sum over ordered pairs of rows of E f_i g_j - E f E g, over m^2."""
        second = other or self
        if self.m == 1 or self.constant or self.without_rows or second.without_rows:
            return arb(0)
        if self.coupling.pairs_unknown:
            self.cross(Relation(None))
        total = arb(0)
        for relation, count in self.coupling.pairs(self.inputs.d, self.m).items():
            if relation.norms == "independent" and (self.flat or second.flat):
                continue  # such a feature does not depend on the direction
            total += 2 * count * (self.cross(relation, second) - self.mean() * second.mean())
        return total / arb(self.m) ** 2

    def variance(self) -> arb:
        """The variance of the estimate."""
        if self.constant:
            return arb(0)
        mean = self.mean()
        return (self.second_moment() - mean * mean) / self.m + self.excess()

    def covariance(self, other: Law) -> arb:
        """The covariance with the estimate by another map, or of another pair in the same axes, from the same rows."""
        counts, theirs = ([c.times for c in law.inputs.coordinates] for law in (self, other))
        if other.coupling is not self.coupling or other.m != self.m or counts != theirs:
            raise InvalidInput("covariance", needs="two maps of the same rows, or pairs in the same axes",
                               got=other.name)  # fmt: skip
        for law in (self, other):
            law._require_variance()
            law._require("marginal", "the covariance")
            if law.feature.table is not None:
                raise NotKnown("covariance on the same rows", law.name, "random counts have no rows")
        if self.constant or other.constant:
            return arb(0)
        own = self.row_product(other) - self.mean() * other.mean()
        return own / self.m + self.excess(other)

    def mse(self) -> arb:
        """E (estimate - kernel)^2."""
        if self.unbiased:
            return self.variance()
        bias = self.mean() - self.target()
        return self.variance() + bias * bias

    def log_mse(self) -> arb:
        """The logarithm of the mean squared error."""
        found = self.mse()
        if found.is_zero():
            raise OutsideDomain(f"log_mse of {self.name}", needs="an error that is not 0", got=0)
        return found.log()

    def relative_mse(self) -> arb:
        """The mean squared error over the square of the kernel."""
        return self.mse() / self.target() ** 2

    def gap(self) -> arb:
        """The mean squared error with iid rows, each N(0, I) whatever the norms are here, minus this one."""
        if self.unbiased:
            self._require_variance()
            self.require_moment(2)
            return -self.excess()
        given = {word: value for word, value in self.parameters.items() if word not in self.feature.chosen}
        return Law(self.feature, IID, self.m, self.inputs, given, self.kernel).mse() - self.mse()

    def conformity(self) -> arb:
        """The mean over ordered pairs of different rows of E exp((w_i + w_j).(x + y)); Reid et al. 2023, eq. (10)."""
        if self.m < 2:
            raise OutsideDomain("conformity", needs="at least two rows", got=self.m)
        d, length = self.inputs.d, evaluate(self.inputs.total(lambda x, y: (x + y) ** 2))
        form = PairForm(d, acb(length), acb(length), acb(length))
        if self.coupling.pairs_unknown:
            self.cross(Relation(None))
        pairs = self.coupling.pairs(d, self.m)
        total = sum((2 * n * form.mean(relation).real for relation, n in pairs.items()), arb(0))
        apart = self.m * (self.m - 1) - 2 * sum(pairs.values())
        alone = single_mean(d, acb(length), acb(0), self.coupling.norms).real
        return (total + apart * alone * alone) / (self.m * (self.m - 1))

    # ---- their parts

    def terms(self) -> list[Exponential]:
        """The terms at the pair."""
        if self.feature.table is not None:
            raise NotKnown(
                "a list of terms",
                self.feature.name,
                "features of random counts have a table instead of terms",
            )
        known = self.__dict__.setdefault("_terms", {})  # a variance needs them once for each class of pairs
        if ctx.prec not in known:
            values, inputs = self._values(), self._mapped()
            known[ctx.prec] = [self._exponential(term, values, inputs) for term in self.declared_terms]
        return list(known[ctx.prec])

    @cached_property
    def declared_terms(self) -> list[Term]:
        """The terms of the map, less those whose weight is 0 for these parameters."""
        return with_weight(self.feature, _at(self._values(), 0))

    def _exponential(self, term: Term, values: Mapping[sympy.Symbol, object], inputs: Inputs) -> Exponential:
        log = acb(evaluate(sympy.log(term.weight), _at(values, 0))) if term.weight != 1 else acb(0)
        b, q = [], []
        for j, coordinate in enumerate(inputs.coordinates):
            here = {**_at(values, j), X: coordinate.x, Y: coordinate.y}
            log += coordinate.times * acb(evaluate(term.log, here))
            slope = acb(evaluate(term.b, here))
            unsure = slope.contains(0) and not slope.is_zero()
            b.append(acb(0) if unsure and _vanishes(term.b.xreplace(here)) else slope)
            q.append(acb(evaluate(term.q, here)))
        if self.kernel == "gaussian":
            log -= acb(evaluate(self.inputs.squares / 2))
        counts = tuple(c.times for c in inputs.coordinates)
        entries = self._by_coordinate()
        scalar = not term.q.free_symbols & {X, Y, *entries}
        return Exponential(log, tuple(b), tuple(q), counts, term.phase, self._line(term), scalar)

    def _line(self, term: Term) -> object:
        """A name for the real vector of which b is a multiple, None if there is none."""
        kinds = {p.kind for p in self.feature.parameters}
        if term.b.free_symbols & self._by_coordinate():
            return None
        if "matrix" in kinds and not self._matrix_is_real():
            return None
        ratio = slope_ratio(term)
        if ratio is None:
            return None
        values = {p.symbol: self.parameters[p.name] for p in self.feature.parameters if p.kind == "sign"}
        ratio = ratio.subs(values)
        return (self.inputs, "matrix" in kinds and self.feature, ratio) if ratio.is_real else None

    @property
    def constant(self) -> bool:
        """Whether the estimate is the same for all draws."""
        if self.feature.table is not None:
            return self.coupling.name == "iid" and self._counts_alike
        if any(term.phase for term in self.declared_terms):
            return False
        fixed = self.coupling.norms == "fixed"
        return self.without_rows or (fixed and (self.flat or (self.inputs.d == 1 and self._even)))

    @property
    def without_rows(self) -> bool:
        """Whether the law of the estimate is the same for all rows: its terms have none, or a phase that hides them.

        A uniform phase hides the phase b.w of a wave, if no other term shares it.
        """
        if self.feature.table is not None:
            return False
        still = [_all_zero(t.q) and (_all_zero(t.b) or (t.phase != 0 and t.is_wave)) for t in self.terms()]
        return all(still) and sum(t.phase != 0 for t in self.terms()) <= 1

    @cached_property
    def _even(self) -> bool:
        """Whether the estimate of one row on the line is the same for w and -w: its exponentials are, two by two."""
        only = self._mapped().coordinates[0]
        at = {**_at(self._values(), 0), X: only.x, Y: only.y}
        parts = [[part.xreplace(at) for part in (t.weight, t.log, t.q, t.b)] for t in self.declared_terms]
        left = [*parts, *([sympy.conjugate(part) for part in one] for one in parts)]
        for *same, slope in list(left):
            twin = next(
                (two for two in left if _all_vanish([slope + two[3], *map(operator.sub, same, two)])), None
            )
            if twin is None:
                return False
            left.remove(twin)
        return True

    @cached_property
    def _counts_alike(self) -> bool:
        """Whether a table has the same value for all counts: the count k + 1 multiplies it by 1 in each coordinate."""
        table, values = self.feature.table, self._values()
        assert table is not None
        step = sympy.powsimp(sympy.expand_power_base(table.value.subs(COUNT, COUNT + 1) / table.value))
        for j, coordinate in enumerate(self.inputs.coordinates):
            here = {**_at(values, j), X: coordinate.x, Y: coordinate.y}
            if coordinate.x == 0 or coordinate.y == 0 or not _vanishes(step.xreplace(here) - 1):
                return False
        return True

    @property
    def by_coordinate(self) -> bool:
        """Whether the law changes where both inputs are rotated together."""
        own = self.feature.table is not None or not all(term.isotropic for term in self.feature.terms)
        return own or bool(self._by_coordinate()) or self._matrix() is not None

    @property
    def flat(self) -> bool:
        """Whether the estimate of one row does not depend on its direction."""
        return all(_all_zero(t.b) and t.scalar for t in self.terms())

    def _by_coordinate(self) -> set[sympy.Symbol]:
        """The parameters with different values at different coordinates."""
        return {p.symbol for p in self.feature.parameters if isinstance(self.parameters[p.name], tuple)}

    def _values(self) -> dict[sympy.Symbol, object]:
        return {p.symbol: self.parameters[p.name] for p in self.feature.parameters if p.kind != "matrix"}

    def _matrix_is_real(self) -> bool:
        return all(sympy.im(entry) == 0 for entry in self._matrix() or ())

    def _matrix(self) -> sympy.Matrix | None:
        found = [self.parameters[p.name] for p in self.feature.parameters if p.kind == "matrix"]
        return found[0] if found else None

    def _mapped(self) -> Inputs:
        """The inputs after the matrix of the map, if it has one."""
        matrix = self._matrix()
        if matrix is None:
            return self.inputs
        x, y = (sympy.Matrix([getattr(c, side) for c in self.inputs.coordinates]) for side in "xy")
        return Inputs(tuple(map(Coordinate, matrix * x, matrix.inv().T * y)))

    def _require(self, what: str, quantity: str) -> None:
        if not (getattr(self.coupling, what) or self.without_rows):
            raise NotKnown(quantity, self.name, self.coupling.pairs_unknown)

    def require_moment(self, order: int) -> None:
        """Refuse parameters for which a moment of the estimate of one row does not exist.

        Raises
        ------
        OutsideDomain : E exp(order w.Qw) is infinite for a term of the map, or counts have no such probabilities.
        """
        if self.feature.table is not None:
            for j in range(len(self.inputs.coordinates)):
                probability = self.feature.table.probability.xreplace(_at(self._values(), j))
                require_law(self.feature.name, probability)
            return
        if self.coupling.norms == "chi":
            moment = {1: "mean", 2: "variance"}.get(order, f"moment of order {order}")
            for term in self.declared_terms:
                if term.q != 0:
                    self._require_positive(1 - 2 * order * term.q, f"{moment} of {self.feature.name}")

    def _require_variance(self) -> None:
        for parameter in self.feature.parameters:
            self._require_positive(parameter.variance, f"variance of {self.feature.name}")

    def _require_positive(self, condition: sympy.Expr | None, subject: str) -> None:
        if condition is None:
            return
        for j, coordinate in enumerate(self.inputs.coordinates):
            here = {**_at(self._values(), j), X: coordinate.x, Y: coordinate.y}
            if not real_part_is_positive(condition, here):
                got = ", ".join(
                    f"{symbol} = {here[symbol]}" for symbol in sorted(condition.free_symbols, key=str)
                )
                raise OutsideDomain(subject, needs=f"Re({condition}) > 0, else it is infinite", got=got)

    def _table_moment(self, order: int) -> arb:
        """The mean of a power of one feature of random counts: a product over coordinates of sums over the count."""
        self.require_moment(order)
        table, values = self.feature.table, self._values()
        assert table is not None
        if self.coupling.name != "iid":
            raise NotKnown("a moment", self.name, "random counts have no rows to couple")
        total = acb(1)
        for j, coordinate in enumerate(self.inputs.coordinates):
            here = {**_at(values, j), X: coordinate.x, Y: coordinate.y}
            at_zero = coordinate.x == 0 or coordinate.y == 0
            value = evaluate(moment_of_one(table, order, at_zero), here)
            total *= acb(value) ** coordinate.times
        if self.kernel == "gaussian":
            total *= (-order * acb(evaluate(self.inputs.squares)) / 2).exp()
        return total.real


def _all_zero(balls: Sequence[acb]) -> bool:
    return all(ball.is_zero() for ball in balls)


def _all_vanish(values: Iterable[sympy.Expr]) -> bool:
    return all(map(_vanishes, values))


def _is_real(term: Exponential) -> bool:
    return all(part.imag.is_zero() for part in (term.log, *term.b, *term.q))


def _halves(term: Exponential) -> list[Exponential]:
    """Exponentials whose sum is the real part of the term."""
    if not term.phase and _is_real(term):
        return [term]
    half = term._replace(log=term.log - arb(2).log())
    return [half, half.conjugate()]


@lru_cache(maxsize=1024)
def _vanishes(value: sympy.Expr) -> bool:
    """Whether a number is exactly 0, which balls cannot show."""
    return bool(sympy.expand(value).is_zero)


def _at(values: Mapping[sympy.Symbol, object], j: int) -> dict[sympy.Symbol, object]:
    """The values of the parameters at one coordinate."""
    return {symbol: value[j] if isinstance(value, tuple) else value for symbol, value in values.items()}


def with_weight(feature: FeatureMap, values: Mapping[sympy.Symbol, object]) -> list[Term]:
    """The terms of a map whose weight is not 0 at these values of its parameters; the others add nothing.

    Examples
    --------
    >>> from rftheory.spec import find_map
    >>> len(with_weight(find_map("hyperbolic"), {}))
    2
    """
    return [term for term in feature.terms if not _vanishes(term.weight.subs(values))]


@lru_cache(maxsize=128)
def slope_ratio(term: Term) -> sympy.Expr | None:
    """q/p for a slope b = p x + q y; None if it is of another form, or p = 0.

    Examples
    --------
    >>> from rftheory.spec import find_map
    >>> slope_ratio(find_map("trigonometric").terms[0])
    -1
    """
    poly = sympy.Poly(sympy.expand(term.b), X, Y)
    p, q = poly.coeff_monomial(X), poly.coeff_monomial(Y)
    return None if poly.total_degree() > 1 or p == 0 else sympy.simplify(q / p)


@lru_cache(maxsize=128)
def is_unbiased(feature: FeatureMap) -> bool:
    """Whether the mean over w ~ N(0, I) and the phase is the kernel, proved coordinate by coordinate.

    Examples
    --------
    >>> from rftheory.spec import find_map
    >>> all(is_unbiased(find_map(name)) for name in ("positive", "cosine", "gerf", "complex-exponential", "poisson"))
    True
    """
    if feature.table is not None:
        return is_series_of_kernel(feature.table)
    signs = [p.symbol for p in feature.parameters if p.kind == "sign"]
    terms = [term for term in feature.terms if not term.phase]
    for values in product((1, -1), repeat=len(signs)):
        at = dict(zip(signs, values, strict=True))
        weights = sympy.simplify(sympy.Add(*(term.weight for term in terms)).subs(at))
        if weights != 1 or not all(_coordinate_is_kernel(term, at) for term in terms):
            return False
    return bool(feature.terms)


def _coordinate_is_kernel(term: Term, at: Mapping[sympy.Symbol, int]) -> bool:
    """log + b^2/(2 (1 - 2q)) - log(1 - 2q)/2 = x y."""
    s = sympy.factor(1 - 2 * term.q)
    exponent = term.log + term.b**2 / (2 * s) - sympy.log(s) / 2 - X * Y
    return bool(sympy.simplify(sympy.expand(exponent.subs(at))) == 0)
