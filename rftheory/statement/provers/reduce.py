"""Expand quantities of laws to expressions: Gaussian integrals for one row, classes of pairs for two.

With b = p (x + y) or p (x - y) and Q = q I the mean of a exp(w.Qw + b.w) is a (1 - 2q)^(-d/2) exp(b.b/(2 (1 - 2q))),
and that of two rows is a `PairMean`. For sums S and T of such terms E Re(S) Re(T) = Re(E S T + E S conj(T))/2. What is
written out is real and has no i in it: where that is not shown, no closed form is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import NamedTuple, TypeVar

import sympy
from sympy import I, S
from sympy.core.symbol import Str

from rftheory.errors import NotKnown
from rftheory.exact.laws import is_unbiased, slope_ratio, with_weight
from rftheory.exact.moments import cumulants_of, moments_of
from rftheory.exact.substitution import with_values
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.spec import FeatureMap, Parameter, Term
from rftheory.spec.dimension import d as DIM
from rftheory.spec.expressions import expression, with_floors
from rftheory.spec.feature_map import v as SUM
from rftheory.spec.feature_map import x as X
from rftheory.spec.feature_map import y as Y
from rftheory.statement.atoms import CountOf, EntryOf, FormulaOf, OfLaw, PairMean, determined_by_norms
from rftheory.statement.averages import GIVEN
from rftheory.statement.domain import Domain
from rftheory.statement.pairs import block_size, pairs, require_exists
from rftheory.statement.provers.signs import Sign, at_least_zero, is_real, negated, proves, sign


def _no_form(atom: OfLaw, why: str) -> NotKnown:
    return NotKnown("a closed form", str(atom), why)


class _Term(NamedTuple):
    """weight exp(log + q |w|^2 + slope (x + line y).w), line +1 or -1; its parts are `_Opened`."""

    weight: sympy.Expr
    log: sympy.Expr
    slope: sympy.Expr
    line: int
    q: sympy.Expr
    phase: int

    def conjugate(self) -> _Term:
        parts = {name: _conjugate(getattr(self, name)) for name in ("weight", "log", "slope", "q")}
        return self._replace(**parts, phase=-self.phase)


def _conjugate(opened: sympy.Expr) -> sympy.Expr:
    """The complex conjugate of what `_Opened` returns."""
    return opened.xreplace({I: -I})


_ENTIRE = (sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh)
"""Functions without branches that are real on the real axis: f(conj(z)) = conj(f(z))."""


class _Opened(NamedTuple):
    """Writes expressions so that the complex conjugate has -i in the place of i, and is real if there is no i in it.

    Roots, powers and logarithms of what is negative on the domain are written with i. Those of complex numbers are as
    they should be off the negative axis, on which the values on its two sides differ.

    Attributes
    ----------
    atom : the law, for messages.
    domain : of the variables.
    positive : expressions that are positive beside those that are so on the domain.
    """

    atom: OfLaw
    domain: Domain
    positive: tuple[sympy.Expr, ...] = ()

    def __call__(self, found: sympy.Expr) -> sympy.Expr:
        """The expression, opened.

        Raises
        ------
        NotKnown : the sign of a base is not known, or a function is not known to be real.
        """
        if found is I or (not found.has(I) and is_real(found, self.domain)):
            return found
        parts = [self(part) for part in found.args]
        whole_power = found.is_Pow and found.exp.is_Integer
        if found.is_Add or found.is_Mul or whole_power or isinstance(found, _ENTIRE):
            return found.func(*parts)
        if not (found.is_Pow or isinstance(found, sympy.log)):
            raise _no_form(self.atom, f"{found} is not known to be real")
        base, own = parts[0], self._sign(parts[0])
        if own in ("negative", "nonpositive"):
            turned = found.func(-base, *parts[1:])
            return turned * sympy.exp(I * sympy.pi * parts[1]) if found.is_Pow else turned + I * sympy.pi
        if not (at_least_zero(own) or self._is_off_the_axis(base)):
            raise _no_form(self.atom, f"the sign of {base} is unknown")
        return found.func(*parts)

    def _sign(self, base: sympy.Expr) -> Sign | None:
        if sympy.expand(base) in self.positive:
            return "positive"
        return "negative" if sympy.expand(-base) in self.positive else sign(base, self.domain)

    def _is_off_the_axis(self, base: sympy.Expr) -> bool:
        """Whether an opened expression never is a negative number or 0."""
        twice, other = sympy.expand(base + _conjugate(base)), sympy.expand(I * (base - _conjugate(base)))
        return self._sign(twice) == "positive" or self._sign(other) in ("positive", "negative")

    def real(self, found: sympy.Expr) -> sympy.Expr:
        """The real part of an opened expression, without i.

        Raises
        ------
        NotKnown : a function of complex numbers is left.
        """
        if not found.has(I):
            return found
        powers = (sympy.exp, sympy.Pow)
        found = found.replace(lambda e: isinstance(e, powers) and e.has(I), self._by_angle)
        return self._parts(found)[0]

    def _by_angle(self, power: sympy.Expr) -> sympy.Expr:
        """A complex power by Euler's formula."""
        base, exponent = power.as_base_exp()
        low, high = self._parts(base)
        logarithm = sympy.log(base)
        if high != 0:
            logarithm = sympy.log(sympy.expand(low**2 + high**2)) / 2 + I * self._angle(low, high)
        low, high = self._parts(exponent * logarithm)
        return _exponential(low) * (sympy.cos(high) + I * sympy.sin(high))

    def _angle(self, low: sympy.Expr, high: sympy.Expr) -> sympy.Expr:
        """Of low + i high, from -pi to pi."""
        if self._sign(low) == "positive":
            return sympy.atan(high / low)
        quarter = {"positive": sympy.pi / 2, "negative": -sympy.pi / 2}.get(str(self._sign(high)))
        if quarter is None:
            raise _no_form(self.atom, f"the angle of {low + I * high} is unknown")
        return quarter - sympy.atan(low / high)

    def _parts(self, found: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
        """Real and imaginary part of a polynomial in i."""
        found = sympy.expand(found)
        high = found.coeff(I)
        low = sympy.expand(found - I * high)
        if low.has(I) or high.has(I):
            raise _no_form(self.atom, f"the real part of {found} is not known")
        return low, high


@lru_cache(maxsize=256)
def _simplified(expression: sympy.Expr) -> sympy.Expr:
    """Slopes and their ratios, of which there are few."""
    return sympy.simplify(expression)


class _Pair(NamedTuple):
    """The pair of inputs: norms, products and kernel."""

    d: sympy.Expr
    v: sympy.Expr
    z: sympy.Expr
    kernel: str

    def square(self, line: int) -> sympy.Expr:
        return self.v**2 if line == 1 else self.z**2

    @property
    def squares(self) -> sympy.Expr:
        """|x|^2 + |y|^2."""
        return (self.v**2 + self.z**2) / 2

    @property
    def product(self) -> sympy.Expr:
        """x.y."""
        return (self.v**2 - self.z**2) / 4

    @property
    def target(self) -> sympy.Expr:
        """The kernel."""
        return sympy.exp(-(self.z**2) / 2) if self.kernel == "gaussian" else sympy.exp(self.product)


@lru_cache(maxsize=512)
def reduced(expression: sympy.Expr, domain: Domain) -> sympy.Expr:
    """The expression with every law, formula, count that is a polynomial, and entry of a table written out.

    Raises
    ------
    NotKnown : a law has no such expression; the message says why.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, orthogonal
    >>> side = conformity(orthogonal)
    >>> reduced(side.expression, Domain.of(side > 0, ()))
    hyper((d,), (d/2,), v**2/2)
    """
    for formula in expression.atoms(FormulaOf):
        require_value(formula, domain)
    found = expression.replace(
        lambda e: isinstance(e, FormulaOf | CountOf | EntryOf), lambda e: _written_out(e, domain)
    )
    laws = {atom: law_reduced(atom, domain) for atom in found.atoms(OfLaw)}
    _require_divisors(found, laws)
    return with_floors(_with_series_of_bessel(found.xreplace(laws), domain))


def _written_out(atom: FormulaOf | CountOf | EntryOf, domain: Domain) -> sympy.Expr:
    return atom.within(domain).expression if isinstance(atom, FormulaOf) else atom.written_out()


def _with_series_of_bessel(expression: sympy.Expr, domain: Domain) -> sympy.Expr:
    """The expression with (x/2)^n/Gamma(n + 1) 0F1(; n + 1; -x^2/4) for J_n(x), where x >= 0 and n > -1; so with I_n.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, z
    >>> of_rows = sympy.gamma(d / 2) * (2 / z) ** (d / 2 - 1) * sympy.besselj(d / 2 - 1, z)
    >>> _with_series_of_bessel(of_rows, Domain.of(claimed(z < d), ()))
    hyper((), (d/2,), -z**2/4)
    """
    if not expression.has(*_BESSEL):
        return expression

    def series(e: sympy.Expr) -> sympy.Expr:
        n, x = e.args
        if sign(n + 1, domain) != "positive" or not at_least_zero(sign(x, domain)):
            return e
        turned = _BESSEL[e.func] * sympy.powdenest(x**2) / 4
        return sympy.hyper((), (n + 1,), turned) * (x / 2) ** n / sympy.gamma(n + 1)

    found = expression.replace(lambda e: isinstance(e, tuple(_BESSEL)), series)
    return sympy.powsimp(sympy.expand_power_base(found), combine="exp")


_BESSEL = {sympy.besselj: -1, sympy.besseli: 1}
"""With the sign of the argument of their series."""


def _require_divisors(found: sympy.Basic, laws: Mapping[OfLaw, sympy.Expr]) -> None:
    """Refuse what divides by laws that are written out as 0: 1/(1 + 1/0) would be 0."""
    for power in found.atoms(sympy.Pow):
        base = power.base
        if power.exp.is_nonnegative or not base.has(OfLaw) or not laws.keys() >= base.atoms(OfLaw):
            continue
        if sympy.expand(base.xreplace(laws)) == 0:
            raise NotKnown("a value", str(power), "its divisor is 0")


@lru_cache(maxsize=512)
def law_reduced(atom: OfLaw, domain: Domain) -> sympy.Expr:
    """One quantity of a law, expanded.

    Examples
    --------
    >>> from rftheory.statement.words import mse, iid, m, positive
    >>> side = mse(positive(iid, m=m))
    >>> sympy.factor(law_reduced(side.expression, Domain.of(side > 0, ())))
    (exp(v**2) - 1)*exp(-z**2)/m
    """
    name = atom.words[0]
    m, d = atom.numbers[1], atom.numbers[0]
    if m == 1 and atom.is_of_normal_rows and atom.words[2] != "iid":
        require_law(atom, 1, domain)
        return law_reduced(atom.of_independent_rows, domain)
    within = _least(d, domain), _at_most_a_block(m, d, domain)
    order = int(atom.numbers[4]) if name == "central_moment" else 2
    if name == "conformity":
        return _conformity(atom, within)
    if atom.is_tail:
        require_law(atom, 1, domain)
        why = (
            "it is known by bounds alone: Chebyshev's, and those of Hoeffding and Bernstein for independent rows of "
            "bounded features"
        )
        raise _no_form(atom, why)
    if name == "mgf":
        return _of_one_row(atom, domain)
    require_law(atom, 1 if name == "mean" else order, domain)
    if atom.is_kernel:
        return _Pair(d, atom.numbers[2], atom.numbers[3], atom.words[3]).target
    law = _Reduced(atom, within, domain)

    def iid() -> sympy.Expr:
        return law_reduced(atom.as_mse.of_independent_rows, domain)

    values: Mapping[str, Callable[[], sympy.Expr]] = {
        "mean": law.mean, "variance": law.variance, "mse": law.mse,
        "gap": lambda: law.less_than_independent() if atom.coupling.norms == "chi" else iid() - law.mse(),
        "relative_mse": lambda: law.mse() / law.pair.target**2,
        "central_moment": lambda: law.central_moment(order), "covariance": law.covariance,
    }  # fmt: skip
    if name not in values:
        raise _no_form(atom, "only means, variances and what follows from them have one here")
    return values[name]().xreplace(law.chosen)


def _of_one_row(atom: OfLaw, domain: Domain) -> sympy.Expr:
    """An exponential moment; of independent rows, as a power of that of one."""
    require_law(atom, 1, domain)
    m, t = atom.numbers[1], atom.numbers[4]
    if t == 0:
        return S.One
    if not has_independent_rows(atom):
        return atom
    return atom.func(*atom.args[:5], S.One, *atom.args[6:8], t / m, atom.args[9]) ** m


def has_independent_rows(atom: OfLaw) -> bool:
    """Whether the rows of a law are independent: there is one, or each is a block by itself.

    Examples
    --------
    >>> from rftheory.statement.words import iid, m, mse, positive
    >>> laws = [mse(positive(rows, m=m)).expression for rows in (iid, "sobol")]
    >>> [has_independent_rows(law) for law in (*laws, mse(positive("sobol", m=1)).expression)]
    [True, False, True]
    """
    coupling = atom.coupling
    apart = not coupling.pairs_unknown and block_size(coupling) == 1
    return bool(apart or atom.numbers[1] == 1)


def require_value(formula: FormulaOf, domain: Domain) -> None:
    """Refuse a formula that may have no value somewhere in the domain: its expression may have one there.

    Raises
    ------
    NotKnown : by what does not follow from the conditions.

    Examples
    --------
    >>> theta = sympy.Symbol("theta", real=True)
    >>> require_value(FormulaOf.of("angular_coefficient", theta=theta, n=1), Domain({}))
    Traceback (most recent call last):
    ...
    rftheory.errors.NotKnown: a value is not known for angular_coefficient(theta=theta, n=1), because theta >= 0 does...
    """
    for need in formula.within(domain).needs:
        if need not in (True, sympy.true, *domain.relations) and not _follows(need, domain):
            raise NotKnown("a value", str(formula), f"{need} does not follow from the conditions")


def _follows(need: sympy.Basic, domain: Domain) -> bool:
    """Whether the signs of the variables say that an ordering holds."""
    if not isinstance(need, ORDERINGS):
        return False
    return proves(sign(reduced(need.gts - need.lts, domain), domain), need)


def require_law(atom: OfLaw, order: int, domain: Domain) -> None:
    """Refuse a law that may not exist somewhere in the domain, or whose moments up to an order may not.

    Raises
    ------
    NotKnown : by what does not follow from the conditions.

    Examples
    --------
    >>> from rftheory.statement.words import gerf, iid, mean
    >>> side = mean(gerf(iid, A=sympy.Rational(1, 5)))
    >>> require_law(side.expression, 1, Domain.of(side > 0, ()))
    """
    for one in (atom, atom.of_other_pair) if atom.other else (atom,):
        _require_existence(one, order, domain)
    require_exists(atom.coupling, atom.numbers[0])
    if atom.words[0] == "mgf":
        _require_finite(atom, domain)


def _require_finite(atom: OfLaw, domain: Domain) -> None:
    """Refuse an exponential moment that may be infinite: there is no bound of a row on the side of t."""
    ends, own = ends_of_a_row(atom, domain), sign(atom.numbers[4], domain)
    # where t may be above 0, and below it
    sides = (own != "zero" and not at_least_zero(negated(own)), not at_least_zero(own))
    if any(side and end.is_infinite for side, end in zip(sides, reversed(ends), strict=True)):
        raise NotKnown("a value", str(atom), "exponential moments of unbounded features are infinite")


_ORDERS = {"covariance": 2, "variance": 2, "mse": 2, "gap": 2, "relative_mse": 2}


def require_laws(part: sympy.Basic, domain: Domain) -> None:
    """Refuse a relation with a law that may not exist somewhere in the domain, even if it cancels.

    Raises
    ------
    NotKnown : by what does not follow from the conditions.

    Examples
    --------
    >>> from rftheory.statement.words import gerf, iid, mean, mse, positive
    >>> claim = mse(positive(iid)) + mean(gerf(iid, A=1)) >= mean(gerf(iid, A=1))
    >>> require_laws(claim.parts[0], Domain.of(claim, ()))
    Traceback (most recent call last):
    ...
    rftheory.errors.NotKnown: a closed form is not known for mean(gerf x iid, A = 1, m = 1), because -3 > 0 does not ...
    """
    divisors = {law for power in part.atoms(sympy.Pow) for law in power.atoms(OfLaw)}
    _require_divisors(part, {law: value for law in divisors if (value := _known(law, domain)) is not None})
    for law in part.atoms(OfLaw):
        name, order = law.words[0], law.numbers[4]
        if name == "conformity":
            continue
        if not law.is_kernel:
            determined_by_norms(law.feature, law.args[9])
            values = ((p.name, law.parameters.get(p.name, p.default)) for p in law.feature.parameters)
            missing = [name for name, value in values if value is None and name not in law.feature.chosen]
            if missing:
                raise NotKnown("a value", str(law), f"{missing[0]} is not given")
        most = int(order) if name == "central_moment" else _ORDERS.get(name, 1)
        for one in (law, law.of_independent_rows) if name == "gap" else (law,):
            require_law(one, most, domain)


def _known(law: OfLaw, domain: Domain) -> sympy.Expr | None:
    try:
        return law_reduced(law, domain)
    except NotKnown:
        return None


def interval_of_a_row(atom: OfLaw, domain: Domain) -> tuple[sympy.Expr, sympy.Expr]:
    """The ends of an interval in which the estimate of one row lies: each term is a wave, or has one maximum.

    Raises
    ------
    NotKnown : a term is not seen to be bounded.

    Examples
    --------
    >>> from rftheory.statement.words import cosine, iid, tail
    >>> side = tail(cosine(iid), 1)
    >>> interval_of_a_row(side.expression, Domain.of(side > 0, ()))
    (-2, 2)
    """
    low, high = ends_of_a_row(atom, domain)
    if low.is_infinite or high.is_infinite:
        raise NotKnown("a bound", str(atom), "a feature is not seen to be bounded")
    return low, high


def ends_of_a_row(atom: OfLaw, domain: Domain) -> tuple[sympy.Expr, sympy.Expr]:
    """The same where an end may be infinite: features above 0 have a bound below.

    Examples
    --------
    >>> from rftheory.statement.words import iid, mgf, positive
    >>> side = mgf(positive(iid), -1)
    >>> ends_of_a_row(side.expression, Domain.of(side > 0, ()))
    (0, oo)
    """
    law = _Reduced(atom, (1, False), domain)
    ends = [_interval_of(term, law, domain) for term in law.terms]
    low, high = (sympy.Add(*each).xreplace(law.chosen) for each in zip(*ends, strict=True))
    return low, high


def is_positive_map(atom: OfLaw, domain: Domain) -> bool:
    """Whether the estimate of one row is seen to be at least 0: its terms are real, with positive weights.

    Examples
    --------
    >>> from rftheory.statement.words import iid, positive, tail, trigonometric
    >>> sides = [tail(maps(iid), 1) for maps in (positive, trigonometric)]
    >>> [is_positive_map(side.expression, Domain.of(side > 0, ())) for side in sides]
    [True, False]
    """
    return all(
        sign(term.weight, domain) == "positive" and not term.phase
        and all(is_real(part, domain) for part in (term.log, term.slope, term.q))
        for term in _Reduced(atom, (1, False), domain).terms
    )  # fmt: skip


def _interval_of(term: _Term, law: _Reduced, domain: Domain) -> tuple[sympy.Expr, sympy.Expr]:
    own = sign(term.weight, domain)
    if own in ("positive", "negative") and is_real(term.log, domain):
        if term.q == 0 and is_real(sympy.expand(I * term.slope), domain):
            size = (term.weight if own == "positive" else -term.weight) * _exponential(term.log)
            return -size, size
        if sign(term.q, domain) == "negative" and is_real(term.slope, domain) and not term.phase:
            largest = term.log - term.slope**2 * law.pair.square(term.line) / (4 * term.q)
            size = term.weight * _exponential(largest)  # and none is beyond 0
            return (S.Zero, size) if own == "positive" else (size, S.Zero)
        if is_real(term.slope, domain) and is_real(term.q, domain) and not term.phase:
            size = S.Infinity if own == "positive" else S.NegativeInfinity
            if law.coupling.norms == "fixed":
                d, square = law.pair.d, term.slope**2 * law.pair.square(term.line)
                size = term.weight * _exponential(term.log + term.q * d + sympy.sqrt(d * square))
            return (S.Zero, size) if own == "positive" else (size, S.Zero)
    raise NotKnown("a bound", str(law.atom), "a feature is not seen to be bounded")


def has_rising_powers(atom: OfLaw, domain: Domain) -> bool:
    """Whether even powers of all rows have factors >= 0 in exp(t K^), t >= 0: real terms with slopes a and -a.

    Each row then adds a cosh(a u) + b sinh(a u), a >= 0, and the even part of its exponential is that of t a cosh(a u)
    times cosh(t b sinh(a u)). So a mean is no larger where those of products of even powers are not.

    Examples
    --------
    >>> from rftheory.statement.words import hyperbolic, iid, mgf, trigonometric
    >>> sides = [mgf(features(iid), -1) for features in (hyperbolic, trigonometric)]
    >>> [has_rising_powers(side.expression, Domain.of(side > 0, ())) for side in sides]
    [True, False]
    """
    terms = _Reduced(atom, (1, False), domain).terms
    alike = all(sympy.expand(term.slope**2 - terms[0].slope ** 2) == 0 for term in terms)
    return alike and is_positive_map(atom, domain)


def _require_existence(atom: OfLaw, order: int, domain: Domain) -> None:
    """Refuse parameters for which the terms, or a moment of one row, may not exist somewhere in the domain.

    Examples
    --------
    >>> from rftheory.statement.words import gerf, iid, mean
    >>> side = mean(gerf(iid, A=1))
    >>> _require_existence(side.expression, 1, Domain.of(side > 0, ()))
    Traceback (most recent call last):
    ...
    rftheory.errors.NotKnown: a closed form is not known for mean(gerf x iid, A = 1, m = 1), because -3 > 0 does not ...
    """
    for case in _cases(_chosen(atom, domain)):
        _require_existence_at({**case, **atom.parameters}, atom, order, domain)


def _require_existence_at(given: Mapping[str, sympy.Expr], atom: OfLaw, order: int, domain: Domain) -> None:
    feature = atom.feature
    values = {p.symbol: given.get(p.name, p.default) for p in feature.parameters}
    known = {s: expression(s.name, value) for s, value in values.items() if value is not None}
    for parameter in feature.parameters:
        value = known.get(parameter.symbol)
        if value is not None and not _admits(parameter, value, domain):
            raise _no_form(atom, f"{parameter.name} = {value} may be a value that it cannot have")
    for found in _divisors(feature, known, domain):
        if sign(found, domain) not in ("positive", "negative"):
            raise _no_form(atom, f"{found} != 0 does not follow from the conditions")
    for found in (
        _positive_by_existence(feature, known, domain, order) if atom.coupling.norms != "fixed" else ()
    ):
        if sign(found, domain) != "positive":
            raise _no_form(atom, f"{found} > 0 does not follow from the conditions")


def _admits(parameter: Parameter, value: sympy.Expr, domain: Domain) -> bool:
    """Whether a value is surely among those for which the terms are declared."""
    if parameter.kind == "matrix":  # a multiple of the identity, which is invertible
        return value.is_zero is False or sign(value, domain) in ("positive", "negative")
    if parameter.kind == "sign" and value not in (1, -1):
        return False
    if not is_real(value, domain):
        return parameter.kind == "complex" and parameter.admits(value)
    own = sign(value, domain)
    return parameter.admits(value, sympy.Dummy(real=True, **({own: True} if own else {})))


def _divisors(
    feature: FeatureMap, values: Mapping[sympy.Symbol, sympy.Expr], domain: Domain
) -> Iterator[sympy.Expr]:
    """What the terms, and the values of parameters in them, divide by, or take the logarithm of."""
    of_terms = ((part, values) for t in feature.terms for part in (t.b, t.log, t.q, t.weight))
    for part, given in (*of_terms, *((value, {}) for value in values.values())):
        for node in part.rewrite(_QUOTIENTS, sympy.cos).atoms(sympy.Pow, sympy.log):
            if isinstance(node, sympy.log) or not at_least_zero(sign(with_values(node.exp, given), domain)):
                inside = with_values(node.args[0], given)
                if inside.free_symbols or inside.is_zero is not False:
                    yield inside


_QUOTIENTS = (sympy.tan, sympy.cot, sympy.sec, sympy.csc)
"""Functions that divide by a cosine."""


def _positive_by_existence(
    feature: FeatureMap, values: Mapping[sympy.Symbol, sympy.Expr], domain: Domain, order: int = 1
) -> list[sympy.Expr]:
    """What is positive where a moment exists: Re(1 - 2q) for E exp(q |w|^2), or what is declared of counts."""
    declared = (p.mean if order == 1 else p.variance for p in feature.parameters)
    found = [sympy.expand(1 - 2 * order * t.q.subs(values)) for t in feature.terms]
    found += [e.subs(values) for e in declared if e is not None]
    return [value if is_real(value, domain) else sympy.re(value) for value in found]


Within = tuple[int, bool]
"""The smallest dimension of the domain, and whether m <= d on it."""


def _least(d: sympy.Expr, domain: Domain) -> int:
    low = domain.spans[d].low if d in domain.spans else S.One
    return int(sympy.ceiling(low)) if low.is_number and low.is_finite else 1


def _at_most_a_block(m: sympy.Expr, d: sympy.Expr, domain: Domain) -> bool:
    """Whether m <= d follows from the ranges of the variables and one relation between them."""
    apart = sympy.expand(d - m)
    known = [S.Zero, *(sympy.expand(r.gts - r.lts) for r in domain.relations if isinstance(r, ORDERINGS))]
    return any(at_least_zero(sign(sympy.expand(apart - one), domain)) for one in known)


def _conformity(atom: OfLaw, within: Within) -> sympy.Expr:
    d, m, v = atom.numbers[:3]
    if m == 1:
        raise NotKnown("conformity", str(atom), "there is only one row")
    coupling, found = atom.coupling, S.Zero
    counted = S.Zero
    for (cosine, norms), count in pairs(coupling, d, m, *within).items():
        found += 2 * count * PairMean(cosine, norms, d, v**2)
        counted += 2 * count
    apart = sympy.factor(m * (m - 1) - counted)
    alone = sympy.exp(v**2 / 2) if coupling.norms == "chi" else sympy.hyper((), (d / 2,), d * v**2 / 4)
    return sympy.Add(*(sympy.factor(p / (m * (m - 1))) for p in (found, apart * alone**2)))


def _chosen(atom: OfLaw, domain: Domain) -> dict[str, sympy.Expr]:
    """The parameters that the map chooses at the pair."""
    here = {SUM: atom.numbers[2], DIM: atom.numbers[0]}
    return {
        word: _case(expression(word, value).subs(here), domain) for word, value in atom.feature.chosen.items()
    }


K = TypeVar("K")


def _cases(values: Mapping[K, sympy.Expr]) -> Iterator[dict[K, sympy.Expr]]:
    """The values with one case for each that is given case by case."""
    several = (
        [case for case, _ in value.args] if isinstance(value, sympy.Piecewise) else [value]
        for value in values.values()
    )
    return (dict(zip(values, chosen, strict=True)) for chosen in product(*several))


def _case(value: sympy.Expr, domain: Domain) -> sympy.Expr:
    """The case of a strict inequality that the whole domain satisfies, as v > 0 may be; else all cases."""
    case, condition = value.args[0] if isinstance(value, sympy.Piecewise) else (value, S.true)
    strict = isinstance(condition, STRICT)
    holds = condition == S.true or (strict and sign(condition.gts - condition.lts, domain) == "positive")
    return case if holds else value


class _Reduced:
    """The law of one mechanism, expanded."""

    def __init__(self, atom: OfLaw, within: Within, domain: Domain) -> None:
        self.atom, self.within, self.domain = atom, within, domain
        d, self.m, v, z, _ = atom.numbers
        self.pair = _Pair(d, v, z, atom.words[3])
        self.feature, self.coupling = atom.feature, atom.coupling
        determined_by_norms(self.feature, atom.args[9])
        if not self.coupling.marginal:
            raise _no_form(atom, "only for terms on rows with chi norms or norms sqrt(d)")
        self.unbiased = is_unbiased(self.feature) and self.coupling.norms != "fixed"
        given, self.chosen = dict(atom.parameters), {}
        for word, value in _chosen(atom, domain).items():
            if value.is_number:
                given[word] = value
            elif all(is_real(case[word], domain) for case in _cases({word: value})):
                # a symbol until the end: it may cancel
                given[word] = sympy.Dummy(word, real=True)
                self.chosen[given[word]] = value
            else:
                raise _no_form(atom, f"{word} = {value} is not known to be real")
        values = {p.symbol: given[p.name] for p in self.feature.parameters if p.name in given}
        exists = _positive_by_existence(self.feature, values, domain)  # with rows of fixed norm not needed
        cases = list(_cases(self.chosen))
        known = (e for e in exists if all(sign(e.xreplace(case), domain) == "positive" for case in cases))
        self.opened = _Opened(atom, domain, tuple(known))
        usual = {
            p.symbol: expression(p.name, p.default) for p in self.feature.parameters if p.default is not None
        }
        present = with_weight(self.feature, {**usual, **values})
        terms = (_term(t, self.feature, self.pair, given) for t in present)
        names = ("weight", "log", "slope", "q")
        self.terms = [t._replace(**{name: self.opened(getattr(t, name)) for name in names}) for t in terms]

    def mean(self) -> sympy.Expr:
        if self.unbiased:
            return self.pair.target
        return sympy.Add(*(self.opened.real(self._single(t)) for t in self.terms))

    def second_moment(self) -> sympy.Expr:
        return self._products(lambda s, t: self._single(_product(s, t)))

    def cross(self, cosine: sympy.Expr, norms: str) -> sympy.Expr:
        return self._products(lambda s, t: self._pair(s, t, cosine, norms))

    def _products(self, mean: Callable[[_Term, _Term], sympy.Expr]) -> sympy.Expr:
        total = S.Zero
        for one, other in product(self.terms, repeat=2):
            total += sum(self.opened.real(mean(one, t)) for t in (other, other.conjugate())) / 2
        return total

    def _single(self, term: _Term) -> sympy.Expr:
        if term.phase:
            return S.Zero
        return self._gaussian(term, term.slope**2 * self.pair.square(term.line))

    def _gaussian(self, term: _Term, square: sympy.Expr) -> sympy.Expr:
        """The mean of weight exp(log + q |w|^2 + b.w), b.b = ``square``."""
        if self.coupling.norms == "fixed":  # |w|^2 = d
            d = self.pair.d
            wave = sympy.hyper((), (d / 2,), sympy.expand(d * square / 4)) if square != 0 else S.One
            return term.weight * _exponential(term.log + term.q * d) * wave
        s = 1 - 2 * term.q
        return term.weight * s ** (-self.pair.d / 2) * _exponential(term.log + square / (2 * s))

    def _pair(self, one: _Term, other: _Term, cosine: sympy.Expr, norms: str) -> sympy.Expr:
        if one.phase or other.phase:
            return S.Zero
        radial = [t for t in (one, other) if t.slope == 0]  # functions of the norm of their row
        if radial and (norms in ("independent", "fixed") or any(t.q == 0 for t in radial)):
            return self._single(one) * self._single(other)
        if radial:
            raise _no_form(self.atom, "a slope is 0, and norms depend on each other")
        ratio = _simplified(other.slope / one.slope)
        if ratio not in (1, -1) or one.q != other.q:
            raise _no_form(self.atom, "its terms have different slopes")
        weight = one.weight * other.weight
        if norms == "fixed":  # |w|^2 = d
            square = self._square(one, S.One)
            log = one.log + other.log + 2 * one.q * self.pair.d
            return weight * _exponential(log) * PairMean(ratio * cosine, norms, self.pair.d, square)
        q = one.q if norms == "independent" else 2 * one.q
        if norms == "antimonotone" and q != 0:
            raise _no_form(self.atom, "norms at opposite quantiles with factors of |w|^2")
        s, d = 1 - 2 * q, self.pair.d
        factor = s**-d if norms == "independent" else s ** (-d / 2)
        square = self._square(one, s)
        return (
            weight * factor * _exponential(one.log + other.log) * PairMean(ratio * cosine, norms, d, square)
        )

    def _square(self, term: _Term, s: sympy.Expr) -> sympy.Expr:
        """b.b/s, where a `PairMean` is real."""
        square = sympy.cancel(sympy.expand(term.slope**2) / s)
        if square.has(I):
            raise _no_form(self.atom, "b.b is not real")
        return square * self.pair.square(term.line)

    def variance(self) -> sympy.Expr:
        mean = self.mean()
        return (self.second_moment() - mean**2) / self.m - self.less_than_independent()

    def less_than_independent(self) -> sympy.Expr:
        """The variance with independent rows of the same norms, minus this one."""
        mean, total = self.mean(), S.Zero
        for (cosine, norms), count in pairs(self.coupling, self.pair.d, self.m, *self.within).items():
            total += 2 * count * (mean**2 - self.cross(cosine, norms)) / self.m**2
        return total

    def covariance(self) -> sympy.Expr:
        """With the estimate for the second pair, from the same rows; of coupled ones if it is the same pair."""
        if self.atom.other == (self.pair.v, self.pair.z, S.One):
            return self.variance()
        if not has_independent_rows(self.atom):
            raise _no_form(self.atom, "only covariances of independent rows have one")
        if self.feature.chosen:
            raise _no_form(self.atom, "the map is another one at the second pair")
        v, z, cosine = self.atom.other
        same = self.atom.func(Str("mean"), *self.atom.args[1:6], v, z, *self.atom.args[8:10])
        other, total = _Reduced(same, self.within, self.domain), S.Zero
        for one, second in product(self.terms, other.terms):
            for two in (second, second.conjugate()):
                if one.phase + two.phase:
                    continue
                ends = [
                    (t.slope, sympy.sqrt(of.pair.square(t.line))) for t, of in ((one, self), (two, other))
                ]
                square = sum(slope**2 * norm**2 for slope, norm in ends)
                square += 2 * cosine * sympy.Mul(*(part for end in ends for part in end))
                both = one._replace(weight=one.weight * two.weight, log=one.log + two.log, q=one.q + two.q)
                total += self.opened.real(self._gaussian(both, sympy.expand(square))) / 2
        return (total - self.mean() * other.mean()) / self.m

    def central_moment(self, order: int) -> sympy.Expr:
        """That of the mean of independent rows, whose cumulants add."""
        if order == 2:
            return self.variance()
        if not has_independent_rows(self.atom):
            raise _no_form(self.atom, "beyond the second only moments of independent rows have one")
        raw = [S.One, self.mean(), self.second_moment(), *(self.row_power(n) for n in range(3, order + 1))]
        cumulants = [c / self.m ** (n - 1) for n, c in enumerate(cumulants_of(raw))]
        return sympy.powsimp(sympy.expand(moments_of([S.Zero, S.Zero, *cumulants[2:]])[order]))

    def row_power(self, order: int) -> sympy.Expr:
        """The mean of a power of the estimate of one row."""
        halves = [half for term in self.terms for half in _halves(term)]
        total = S.Zero
        for chosen in combinations_with_replacement(range(len(halves)), order):
            ways = factorial(order) // prod(factorial(times) for times in Counter(chosen).values())
            total += ways * self.opened.real(self._single(_product(*(halves[k] for k in chosen))))
        return total

    def mse(self) -> sympy.Expr:
        bias = S.Zero if self.unbiased else self.mean() - self.pair.target
        return self.variance() + bias**2


def _exponential(exponent: sympy.Expr) -> sympy.Expr:
    """The exponential, with multiples of logarithms as powers, so that powers of the same base combine."""
    powers, rest = S.One, S.Zero
    for part in sympy.Add.make_args(sympy.expand(exponent)):
        outside, logarithm = part.as_independent(sympy.log)
        if isinstance(logarithm, sympy.log):
            powers *= logarithm.args[0] ** outside
        else:
            rest += part
    return powers * sympy.exp(rest)


def _halves(term: _Term) -> list[_Term]:
    """Terms whose sum is the real part of the term."""
    conjugate = term.conjugate()
    return [term] if term == conjugate else [t._replace(weight=t.weight / 2) for t in (term, conjugate)]


def _product(*terms: _Term) -> _Term:
    """The product; where it has no phase, and so may have a mean, its slopes are along one line."""
    phase = sum(t.phase for t in terms)
    slopes = {line: sympy.expand(sympy.Add(*(t.slope for t in terms if t.line == line))) for line in (1, -1)}
    lines = [line for line, slope in slopes.items() if slope != 0] or [1]
    if not phase and len(lines) > 1:
        raise NotKnown("a closed form", "a product of terms", "their slopes are not parallel")
    weights, logs, _, _, squares, _ = zip(*terms, strict=True)
    return _Term(
        sympy.Mul(*weights), sympy.Add(*logs), slopes[lines[0]], lines[0], sympy.Add(*squares), phase
    )


def _term(term: Term, feature: FeatureMap, pair: _Pair, parameters: Mapping[str, sympy.Expr]) -> _Term:
    """One term at the pair, summed over coordinates."""
    values: dict[sympy.Symbol, sympy.Expr] = {}
    for parameter in feature.parameters:
        value = parameters.get(parameter.name, parameter.default)
        if value is None:
            raise NotKnown("a closed form", feature.name, f"{parameter.name} is not given")
        values[parameter.symbol] = expression(parameter.name, value)
    own = replace(term, b=with_values(term.b, values))
    ratio = slope_ratio(own)
    line = 1 if ratio is None else int(ratio)  # a slope of 0 lies on both lines
    slope = sympy.Poly(sympy.expand(term.b), X, Y).coeff_monomial(X)
    slope = _simplified(slope.subs(values))
    log = sympy.Poly(sympy.expand(term.log), X, Y)
    parts = [log.coeff_monomial(mono).subs(values) for mono in (1, X**2, X * Y)]
    total = pair.d * parts[0] + parts[1] * pair.squares + parts[2] * pair.product
    if pair.kernel == "gaussian":
        total -= pair.squares / 2
    weight, q = term.weight.subs(values), term.q.subs(values)
    return _Term(weight, sympy.expand(total), slope, line, q, term.phase)


GIVEN["reduced"] = reduced
