"""Complex exponential (CE) estimators of the softmax kernel, for any invertible A: laws and the best A for a pair.

With zeta = A x + (A^T)^{-1} y the estimator is the mean of m draws of SM exp(w.zeta - zeta^2/2), where zeta^2 = sum
zeta_k^2, with plain transposes. So its law, relative to SM, depends on A, x, y through zeta alone: real = |Re zeta|,
imag = |Im zeta| and mixed = (Re zeta).(Im zeta). The relative MSE is (exp(|zeta|^2) - 1)/m; |zeta|^2
is the loss (21).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import sympy
from flint import acb, arb, ctx
from sympy import Abs, Sum, cos, cosh, exp, factorial, oo, sin, sinh, sqrt

from rftheory.errors import InvalidInput
from rftheory.exact.enclosure import Enclosure, certified_integral, exact_number, widen
from rftheory.exact.formula import Condition, Formula, Route, Variable, register
from rftheory.exact.symbols import FEATURES, k, m
from rftheory.exact.truth import is_positive

inner = sympy.Symbol("inner", real=True)
real = sympy.Symbol("real", nonnegative=True)
imag = sympy.Symbol("imag", nonnegative=True)
mixed = sympy.Symbol("mixed", real=True)
point = sympy.Symbol("point")
first = sympy.Symbol("first", real=True)
second = sympy.Symbol("second", real=True)
spread = sympy.Symbol("spread", nonnegative=True)
loss = sympy.Symbol("loss", nonnegative=True)
tau = sympy.Symbol("tau", positive=True)
n = sympy.Symbol("n", integer=True, positive=True)

INNER = Variable(inner, "x.y")
REAL = Variable(real, "|Re(A x + (A^T)^-1 y)|", low=0)
IMAG = Variable(imag, "|Im(A x + (A^T)^-1 y)|", low=0, default=0)
MIXED = Variable(mixed, "Re.Im of A x + (A^T)^-1 y", default=0)
COEFFICIENT_FEATURES = Variable(n, "number of projections of the lambda-coefficient", integer=True, low=1)
CAUCHY_SCHWARZ = Condition("|mixed| <= real imag", Abs(mixed) <= real * imag)


# ---- Gaussian means ----------------------------------------------------------------------------------


def _complex_gaussian_mean(f: Callable[[acb], acb], growth: arb, scale: arb | int = 1) -> acb:
    """E f(g) for g ~ N(0, 1) and an entire f with |f(g)| <= scale exp(growth |g|) on the real line.

    The integral runs over [-L, L]; the rest is at most scale exp(growth^2/2) erfc((L - growth)/sqrt(2)).
    """
    end = growth.upper() + (2 * arb(2).log() * (ctx.prec + 8)).sqrt()

    def integrand(g: acb, _: bool) -> acb:
        return f(g) * (-g * g / 2).exp()

    left = certified_integral(integrand, -end, arb(0), real=False)
    right = certified_integral(integrand, 0, end, real=False)
    tail = (arb(scale) * (growth * growth / 2).exp() * ((end - growth) / arb(2).sqrt()).erfc()).upper()
    return (left + right) / (2 * arb.pi()).sqrt() + acb(widen(tail, complex_=True))


def gaussian_mean(f: Callable[[acb], acb], growth: arb) -> arb:
    """The same for an f that is real on the real line.

    Examples
    --------
    >>> bool(gaussian_mean(lambda g: g.cos(), arb(0)).overlaps(arb("-0.5").exp()))
    True
    """
    return _complex_gaussian_mean(f, growth).real


complex_gaussian_moment = register(Formula(name="complex_gaussian_moment",
    says="E exp(g z) for g ~ N(0, 1) and complex z; in d dimensions z^2 becomes z_1^2 + ... + z_d^2",
    source="hybrid.lem2.4 (13), (29)", variables=(Variable(point, "complex number z", complex=True),),
    expression=exp(point**2 / 2),
    routes=(
        Route("moments", Sum(point ** (2 * k) / (2**k * factorial(k)), (k, 0, oo)),
            "E g^(2k) = (2k)!/(2^k k!), summed termwise", lambda values: bool(Abs(values["point"]) <= 12)),
        Route("integral",
            lambda point: _complex_gaussian_mean(_exponential(acb(point), acb(0)), abs(acb(point).real)),
            "the Gaussian integral", lambda values: bool(Abs(values["point"]) <= 6)))))  # fmt: skip


# ---- laws of the CE estimator --------------------------------------------------------------------------
#
# One draw, relative to SM, is X = exp(omega.zeta - zeta^2/2), E X = 1. All laws below are polynomials of the mixed
# moments E X^a conj(X)^b; they are computed in three ways: as closed forms, from `mixed_moment`, and by integrals.


def mixed_moment(a: int, b: int, real: arb, imag: arb, mixed: arb) -> acb:
    """E X^a conj(X)^b of one relative draw X, by Lemma 2.4 with a zeta + b conj(zeta).

    Examples
    --------
    >>> mixed_moment(1, 1, arb(1), arb(0), arb(0)).real.overlaps(arb(1).exp())
    True
    """
    h, w = real * real + imag * imag, acb(real * real - imag * imag, 2 * mixed)
    return (a * (a - 1) * w / 2 + b * (b - 1) * w.conjugate() / 2 + a * b * h).exp()


def _exponential(slope: acb, centre: acb) -> Callable[[acb], acb]:
    return lambda g: (slope * g - centre).exp()


def _entries(real: arb, imag: arb, mixed: arb) -> tuple[arb, arb]:
    """Im zeta along Re zeta, and across it."""
    along = mixed / real if is_positive(real, "the real part") else arb(0)
    rest = imag * imag - along * along
    # either is right: the root of a number in the ball, which is at least 0
    return along, rest.sqrt() if rest > 0 else arb(0).union(rest.upper().max(arb(0)).sqrt())


def _integrated_moment(a: int, b: int, real: arb, imag: arb, mixed: arb) -> acb:
    """The same by two one-dimensional integrals: along Re zeta, zeta has the entry real + i mixed/real, across it the
    rest of Im zeta."""
    along, across = _entries(real, imag, mixed)
    entries = (acb(real, along), acb(0, across))
    value = acb(1)
    for z in entries:
        slope, centre = a * z + b * z.conjugate(), (a * z * z + b * (z * z).conjugate()) / 2
        value *= _complex_gaussian_mean(_exponential(slope, centre), abs(slope.real), (-centre.real).exp())
    return value


Moments = Callable[[int, int, arb, arb, arb], acb]
Mixed = Callable[[int, int], acb]


def _law(combine: Callable[[Mixed, int], acb], moments: Moments, power: int) -> Callable[..., arb]:
    """A route: SM^power times the real part of ``combine(E X^a conj(X)^b, m)``."""

    def ball(inner: arb, real: arb, m: int, imag: arb | None = None, mixed: arb | None = None) -> arb:
        imag, mixed = (arb(0) if part is None else part for part in (imag, mixed))
        return (power * inner).exp() * acb(combine(lambda a, b: moments(a, b, real, imag, mixed), m)).real

    return ball


def _small_zeta(values: Mapping[str, sympy.Expr]) -> bool:
    sizes = (values["real"], values.get("imag", sympy.S.Zero))
    return all(size <= 4 for size in sizes) and any(size >= sympy.Rational(1, 1000) for size in sizes)


def _law_routes(combine: Callable[[Mixed, int], acb], power: int = 2) -> tuple[Route, Route]:
    return (
        Route("mixed moments", _law(combine, mixed_moment, power), "from E X^a conj(X)^b"),
        Route(
            "integrals",
            _law(combine, _integrated_moment, power),
            "the same moments by Gaussian integrals",
            _small_zeta,
        ),
    )


def _square_deviation(e: Mixed) -> acb:
    """E |X - 1|^2."""
    return e(1, 1) - e(1, 0) - e(0, 1) + 1


def _plain_square_deviation(e: Mixed) -> acb:
    """E (X - 1)^2, without a conjugate."""
    return e(2, 0) - 2 * e(1, 0) + 1


def _cube_deviation(e: Mixed) -> acb:
    """E (X - 1)^3."""
    return e(3, 0) - 3 * e(2, 0) + 3 * e(1, 0) - 1


def _fourth_deviation(e: Mixed) -> acb:
    """E |X - 1|^4."""
    weights = (1, -2, 1)
    return sum((weights[a] * weights[b] * e(a, b) for a in range(3) for b in range(3)), start=acb(0))


def _fourth_of_mean(e: Mixed, m: int) -> acb:
    """E|(D_1 + ... + D_m)/m|^4 for iid centred complex D = X - 1."""
    pairs = 2 * _square_deviation(e) ** 2 + acb(abs(_plain_square_deviation(e)) ** 2)
    return (_fourth_deviation(e) + (m - 1) * pairs) / arb(m) ** 3


_size = real**2 + imag**2
_difference = real**2 - imag**2
_turn = cos(2 * mixed)

cexp_mse = register(Formula(name="cexp_mse",
    says="E|S - SM|^2 of the CE estimator: SM^2 (exp(|A x + (A^T)^-1 y|^2) - 1)/m",
    source="hybrid.eq15, hybrid.eq17, hybrid.eq21", variables=(INNER, REAL, IMAG, FEATURES),
    expression=exp(2 * inner) * (exp(_size) - 1) / m,
    routes=_law_routes(lambda e, m: _square_deviation(e) / m)))  # fmt: skip

cexp_real_mse = register(Formula(name="cexp_real_mse", says="MSE of the real part of the CE estimator",
    source="hybrid.eq15 reading (b), hybrid.txt.A-is-iI", variables=(INNER, REAL, IMAG, MIXED, FEATURES),
    expression=exp(2 * inner) * (exp(_size) + exp(_difference) * _turn - 2) / (2 * m),
    routes=_law_routes(lambda e, m: (_square_deviation(e) + _plain_square_deviation(e)) / (2 * m)),
    conditions=(CAUCHY_SCHWARZ,)))  # fmt: skip


def _symmetric_by_integrals(inner: arb, real: arb, imag: arb, m: int) -> arb:
    """|(X + X')/2 - 1|^2 for X and its mirror image X' = exp(-omega.zeta - zeta^2/2)."""
    same = _integrated_moment(1, 1, real, imag, arb(0)).real
    crossed = gaussian_mean(lambda g: (2 * imag * g).cos(), arb(0)) * (imag * imag - real * real).exp()
    return (2 * inner).exp() * ((same + crossed) / 2 - 1) / m


cexp_symmetric_mse = register(Formula(name="cexp_symmetric_mse",
    says="E|S - SM|^2 of the symmetrised CE estimator, the mean of cosh(w.zeta): P for A = I, T for A = iI",
    source="hybrid.txt.A-is-I, hybrid.txt.A-is-iI (corrected)", variables=(INNER, REAL, IMAG, FEATURES),
    expression=exp(2 * inner) * (cosh(_size) - 1) / m,
    routes=(
        Route("sinh", lambda inner, real, imag, m: 2 * (inner.exp() * ((real**2 + imag**2) / 2).sinh()) ** 2 / m,
            "half-angle form"),
        Route("integrals", _symmetric_by_integrals, "a draw and its mirror image, by Gaussian integrals",
            _small_zeta))))  # fmt: skip


def _symmetric_real(mean: Callable[[acb, acb], acb]) -> Callable[..., arb]:
    """E (Re C)^2 - 1, C = (X + X')/2: Re C is a mean of four exponentials, of slopes +-zeta and their conjugates.

    ``mean(z, q)`` is E exp(g z - q) for one coordinate; zeta has the entries real + i mixed/real and i (the rest).
    """

    def ball(inner: arb, real: arb, imag: arb, mixed: arb, m: int) -> arb:
        along, across = _entries(real, imag, mixed)
        total = acb(0)
        for first, second in product(product((1, -1), (False, True)), repeat=2):
            value = acb(1)
            for entry in (acb(real, along), acb(0, across)):
                one, two = (sign * (entry.conjugate() if bar else entry) for sign, bar in (first, second))
                value *= mean(one + two, (one * one + two * two) / 2)
            total += value
        return (2 * inner).exp() * (total.real / 16 - 1) / m

    return ball


def _by_integral(slope: acb, centre: acb) -> acb:
    return _complex_gaussian_mean(_exponential(slope, centre), abs(slope.real), (-centre.real).exp())


cexp_symmetric_real_mse = register(Formula(name="cexp_symmetric_real_mse",
    says="MSE of the real part of the symmetrised CE estimator, the mean of Re cosh(w.zeta)",
    source="ours: E C conj(C) = cosh(|zeta|^2), E C^2 = cosh(zeta^2); hybrid.txt.A-is-iI for T",
    variables=(INNER, REAL, IMAG, MIXED, FEATURES),
    expression=exp(2 * inner) * (cosh(_size) + cosh(_difference) * _turn - 2) / (2 * m),
    routes=(
        Route("half angles", exp(2 * inner) / m
            * (sinh(_size / 2) ** 2 + sinh(_difference / 2) ** 2 * _turn - sin(mixed) ** 2),
            "cosh p - 1 = 2 sinh(p/2)^2, 1 - cos q = 2 sin(q/2)^2"),
        Route("four exponentials", _symmetric_real(lambda slope, centre: (slope * slope / 2 - centre).exp()),
            "E (Re C)^2 term by term, by Lemma 2.4", lambda values: values["real"] > 0 or values["mixed"] == 0),
        Route("integrals", _symmetric_real(_by_integral), "the same terms by Gaussian integrals",
            lambda values: _small_zeta(values) and values["real"] > 0)),
    conditions=(CAUCHY_SCHWARZ,)))  # fmt: skip

cexp_third_moment = register(Formula(name="cexp_third_moment", says="E(S - SM)^3 of the CE estimator with real A",
    source="hybrid.eq15", variables=(INNER, REAL, FEATURES),
    expression=exp(3 * inner) * (exp(3 * real**2) - 3 * exp(real**2) + 2) / m**2,
    routes=_law_routes(lambda e, m: _cube_deviation(e) / arb(m) ** 2, 3)))  # fmt: skip

cexp_fourth_moment = register(Formula(name="cexp_fourth_moment", says="E|S - SM|^4 of the CE estimator",
    source="hybrid.eq15", variables=(INNER, REAL, IMAG, MIXED, FEATURES),
    expression=exp(4 * inner) / m**3
        * (exp(6 * real**2 + 2 * imag**2) - 4 * exp(3 * real**2 + imag**2) * _turn + 4 * exp(_size) + 2
            * exp(_difference) * _turn - 3 + (m - 1)
            * (2 * (exp(_size) - 1) ** 2 + exp(2 * _difference) - 2 * exp(_difference) * _turn + 1)),
    routes=_law_routes(_fourth_of_mean, 4), conditions=(CAUCHY_SCHWARZ,)))  # fmt: skip


# ---- the best A for a pair of centres --------------------------------------------------------------------

_entry_loss = 2 * (Abs(first * second) + first * second)

diagonal_entry = register(Formula(name="diagonal_entry",
    says="entry a of the real diagonal A that minimises the loss (21), for non-zero entries of the centres",
    source="hybrid.eq88",
    variables=(Variable(first, "entry of the x-centre"), Variable(second, "entry of the y-centre")),
    expression=sqrt(Abs(second / first)),
    conditions=(Condition("first != 0 and second != 0", sympy.And(sympy.Ne(first, 0), sympy.Ne(second, 0))),),
    routes=(
        Route("stationary point", lambda first, second: (abs(second) / abs(first)).root(2),
            "zero of 2 a f^2 - 2 s^2/a^3"),
        Route("logarithms", lambda first, second: ((abs(second).log() - abs(first).log()) / 2).exp(),
            "exp of half the log ratio"))))  # fmt: skip

diagonal_entry_loss = register(Formula(name="diagonal_entry_loss",
    says="least (a first + second/a)^2 over real a (infimum, not attained, if just one entry is 0)",
    source="hybrid.eq88, hybrid.txt.H3-sign",
    variables=(Variable(first, "entry of the x-centre"), Variable(second, "entry of the y-centre")),
    expression=_entry_loss, zero=first * second <= 0,
    routes=(
        Route("at the best entry", lambda first, second: _loss_at_best_entry(first, second),
            "the loss at a = sqrt(|s/f|)", lambda values: values["first"] != 0 and values["second"] != 0),
        Route("sign", sympy.Piecewise((4 * first * second, first * second > 0), (0, True)),
            "4 first second for equal signs, else 0"))))  # fmt: skip


def _loss_at_best_entry(first: arb, second: arb) -> arb:
    """a f + s/a at a^2 = |s/f| is sqrt(|f s|) (sgn f + sgn s)."""
    root = (abs(first) * abs(second)).sqrt()
    return (root * (first.sgn() + second.sgn())) ** 2


real_pair_loss = register(Formula(name="real_pair_loss",
    says="least |A x + (A^T)^-1 y|^2 over all real invertible A, by the inner product of the centres (x, y not 0)",
    source="hybrid.txt.small-l (ours)", variables=(INNER,), expression=sympy.Max(4 * inner, 0),
    routes=(
        Route("absolute value", 2 * (Abs(inner) + inner),
            "2 |A x| |(A^T)^-1 y| + 2 x.y with (A x).((A^T)^-1 y) = x.y"),
        Route("sign", sympy.Piecewise((4 * inner, inner > 0), (0, True)), "case by case"))))  # fmt: skip

Entry: TypeAlias = int | str | float | sympy.Expr


@dataclass(frozen=True)
class Zeta:
    """zeta = A x + (A^T)^{-1} y of a pair, exact; all that the law of the CE estimator depends on, besides x.y.

    Attributes
    ----------
    entries : the components of zeta.
    inner : x.y

    Examples
    --------
    >>> Zeta((1 + sympy.I, sympy.Integer(2)), sympy.Integer(3)).loss
    6
    """

    entries: tuple[sympy.Expr, ...]
    inner: sympy.Expr

    @property
    def loss(self) -> sympy.Expr:
        """|zeta|^2, the loss (21)."""
        return sympy.expand(sum(sympy.re(z) ** 2 + sympy.im(z) ** 2 for z in self.entries))

    def invariants(self) -> dict[str, sympy.Expr]:
        """Values of inner, real, imag and mixed for the CE formulas."""
        parts = [(sympy.re(z), sympy.im(z)) for z in self.entries]
        return {
            "inner": self.inner,
            "real": sqrt(sympy.expand(sum(a**2 for a, _ in parts))),
            "imag": sqrt(sympy.expand(sum(b**2 for _, b in parts))),
            "mixed": sympy.expand(sum(a * b for a, b in parts)),
        }

    def enclose(self, formula: Formula, digits: int = 30, **values: Any) -> Enclosure:
        """A CE formula at this zeta; ``values`` are the remaining variables, such as m."""
        named = {v.name for v in formula.variables}
        known: dict[str, Any] = {name: x for name, x in self.invariants().items() if name in named}
        return formula.enclose(digits, **known, **values)


def zeta(a: Sequence[Sequence[Entry]] | Sequence[Entry], x: Sequence[Entry], y: Sequence[Entry]) -> Zeta:
    """A x + (A^T)^{-1} y, exactly; ``a`` is a square matrix or the diagonal of one, entries may be complex.

    Raises
    ------
    InvalidInput : sizes that do not fit, or a singular A.

    Examples
    --------
    >>> pair = zeta([["2", "0"], ["0", "I"]], ["1", "1/2"], ["-4", "1"])
    >>> pair.entries, pair.loss
    ((0, -I/2), 1/4)
    >>> print(pair.enclose(cexp_mse, 10, m=4))
    0.00006474941381
    """
    xs = sympy.Matrix([exact_number(e, "x") for e in x])
    ys = sympy.Matrix([exact_number(e, "y") for e in y])
    matrix = _matrix(a)
    if matrix.shape != (len(xs), len(xs)) or len(xs) != len(ys) or not len(xs):
        raise InvalidInput(
            "zeta",
            needs="A of size d x d and x, y of length d >= 1",
            got=f"A {matrix.shape}, x {len(xs)}, y {len(ys)}",
        )
    if sympy.expand(matrix.det()).equals(0):
        raise InvalidInput("zeta", needs="an invertible A", got="a singular matrix")
    entries = matrix * xs + matrix.T.inv() * ys
    return Zeta(tuple(sympy.simplify(e) for e in entries), sympy.expand((xs.T * ys)[0]))


def _matrix(a: Sequence[Sequence[Entry]] | Sequence[Entry]) -> sympy.Matrix:
    rows = list(a)
    if rows and all(isinstance(row, list | tuple) for row in rows):
        if len({len(row) for row in rows}) != 1:  # type: ignore[arg-type]
            raise InvalidInput("A", needs="rows of one length", got=len(rows))
        return sympy.Matrix([[exact_number(e, "A") for e in row] for row in rows])  # type: ignore[union-attr]
    return sympy.diag(*[exact_number(e, "A") for e in rows])


def real_diagonal(x: Sequence[Entry], y: Sequence[Entry]) -> tuple[sympy.Expr, ...]:
    """Diagonal of the real diagonal A that minimises the loss (21): a_k = sqrt(|y_k/x_k|), 1 where both vanish.

    Raises
    ------
    InvalidInput : just one of x_k, y_k is zero: the infimum 0 of that entry's loss is not attained.

    Examples
    --------
    >>> real_diagonal([1, 2, 0], [-4, 8, 0])
    (2, 2, 1)
    """
    return tuple(
        _entry(exact_number(f, "x"), exact_number(s, "y"), is_complex=False)
        for f, s in zip(x, y, strict=True)
    )


def complex_diagonal(x: Sequence[Entry], y: Sequence[Entry]) -> tuple[sympy.Expr, ...]:
    """Diagonal of a complex diagonal A with loss 0: sqrt(-y_k/x_k), so i sqrt(y_k/x_k) for equal signs; (86), (87).

    Raises
    ------
    InvalidInput : just one of x_k, y_k is zero: the loss cannot vanish.

    Examples
    --------
    >>> complex_diagonal([1, 2], [-4, 8])
    (2, 2*I)
    >>> zeta(complex_diagonal([1, 2], [-4, 8]), [1, 2], [-4, 8]).loss
    0
    """
    return tuple(
        _entry(exact_number(f, "x"), exact_number(s, "y"), is_complex=True) for f, s in zip(x, y, strict=True)
    )


def _entry(f: sympy.Expr, s: sympy.Expr, *, is_complex: bool) -> sympy.Expr:
    if f == 0 and s == 0:
        return sympy.S.One
    if f == 0 or s == 0:
        raise InvalidInput(
            "centre entries",
            needs="both zero or both non-zero",
            got=(str(f), str(s)),
            hint="the loss tends to 0 as |a| grows (x_k = 0) or vanishes (y_k = 0), but no A attains it",
        )
    return sqrt(-s / f) if is_complex else sqrt(sympy.Abs(s / f))


# ---- Gaussian lambda-coefficients built with A ---------------------------------------------------------

_centre = exp(-loss / (2 * tau**2))

cluster_coefficient = register(Formula(name="cluster_coefficient",
    says="lambda = exp(-|A x + A^-1 y|^2/(2 tau^2)) of (93), real A", source="hybrid.eq93 reading (a)",
    variables=(Variable(loss, "|A x + A^-1 y|^2", low=0), Variable(tau, "bandwidth", above=0)), expression=_centre,
    routes=(Route("series", Sum((-loss / (2 * tau**2)) ** k / factorial(k), (k, 0, oo)), "power series"),
        Route("mean cosine", lambda loss, tau: gaussian_mean(lambda g: (loss.sqrt() / tau * g).cos(), arb(0)),
            "characteristic function of g along A x + A^-1 y",
            lambda values: bool(values["loss"] <= 100 * values["tau"] ** 2)))))  # fmt: skip

cluster_coefficient_second = register(Formula(name="cluster_coefficient_second",
    says="E lambda^2 of the estimator (94) with real A and n projections; spread = |A x - A^-1 y|",
    source="hybrid.eq94 reading (b)",
    variables=(Variable(loss, "|A x + A^-1 y|^2", low=0), Variable(spread, "|A x - A^-1 y|", low=0),
        Variable(tau, "bandwidth", above=0), COEFFICIENT_FEATURES),
    expression=_centre**2 * (1 + (exp(spread**2 / tau**2) - 1) / n),
    routes=(
        Route("CE law", lambda loss, spread, tau, n: _coefficient_second(loss, spread, tau, n, mixed_moment),
            "mixed moments of (95), (96)"),
        Route("integrals", lambda loss, spread, tau, n: _coefficient_second(loss, spread, tau, n, _integrated_moment),
            "by Gaussian integrals", lambda values: bool(values["spread"] <= 4 * values["tau"])))))  # fmt: skip


def _coefficient_second(loss: arb, spread: arb, tau: arb, n: int, moments: Moments) -> arb:
    draw = moments(1, 1, spread / tau, arb(0), arb(0)).real
    return (-loss / tau**2).exp() * (draw / n + arb(n - 1) / n)


# ---- expressions as printed ------------------------------------------------------------------------------

PRINTED_A_IS_I = exp(2 * inner) * exp(real**2) * (1 - exp(-(real**2))) ** 2 / (2 * m)
"""MSE of P, which the CE estimator with A = I is said to have; its own is cexp_mse (hybrid.txt.A-is-I)."""

PRINTED_A_IS_II = exp(2 * inner) * exp(imag**2) * (1 - exp(-(imag**2))) ** 2 / (2 * m)
"""MSE of T, which the CE estimator with A = iI is said to have; that of its real part (hybrid.txt.A-is-iI)."""
