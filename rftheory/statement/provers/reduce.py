"""Expand quantities of laws to expressions: Gaussian integrals for one row, classes of pairs for two.

With b = p (x + y) or p (x - y) and Q = q I the mean of a exp(w.Qw + b.w) is a (1 - 2q)^(-d/2) exp(b.b/(2 (1 - 2q))),
and that of two rows is a `PairMean`. The real part of a sum S is E Re(S) Re(T) = Re(E S T + E S conj(T))/2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import sympy
from sympy import I, S

from rftheory.errors import NotKnown, Undecided
from rftheory.exact.laws import is_unbiased, slope_ratio, with_weight
from rftheory.exact.order import in_order
from rftheory.exact.substitution import with_values
from rftheory.spec import FeatureMap, Parameter, Term
from rftheory.spec.feature_map import d as DIM
from rftheory.spec.feature_map import v as SUM
from rftheory.spec.feature_map import x as X
from rftheory.spec.feature_map import y as Y
from rftheory.spec.validity import expression
from rftheory.statement.atoms import CountOf, EntryOf, FormulaOf, OfLaw, PairMean, determined_by_norms
from rftheory.statement.domain import Domain
from rftheory.statement.pairs import pairs
from rftheory.statement.provers.signs import at_least_zero, is_real, sign


class _Term(NamedTuple):
    """exp(log + q |w|^2 + slope (x + line y).w), line +1 or -1."""

    log: sympy.Expr
    slope: sympy.Expr
    line: int
    q: sympy.Expr
    phase: int

    def conjugate(self) -> _Term:
        return _Term(_conjugate(self.log), _conjugate(self.slope), self.line, self.q, -self.phase)


def _conjugate(expression: sympy.Expr) -> sympy.Expr:
    """The complex conjugate, for real variables and parameters."""
    return expression.subs(I, -I)


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
    found = expression.replace(
        lambda e: isinstance(e, FormulaOf | CountOf | EntryOf), lambda e: e.written_out()
    )
    laws = {atom: law_reduced(atom, domain) for atom in found.atoms(OfLaw)}
    return found.xreplace(laws)


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
    within = _at_most_a_block(m, d, domain)
    if name == "central_moment":
        if atom.numbers[4] != 2:
            raise NotKnown(
                "a closed form", str(atom), "only means, variances and what follows from them have one here"
            )
        name = "variance"
    if name == "conformity":
        return _conformity(atom, within)
    _require_existence(atom, 1 if name == "mean" else 2, domain)
    if atom.is_kernel:
        return _Pair(d, atom.numbers[2], atom.numbers[3], atom.words[3]).target
    law = _Reduced(atom, within, domain)
    values: Mapping[str, Callable[[], sympy.Expr]] = {
        "mean": law.mean, "variance": law.variance, "mse": law.mse, "gap": law.gap,
        "relative_mse": lambda: law.mse() / law.pair.target**2,
    }  # fmt: skip
    if name not in values:
        raise NotKnown(
            "a closed form", str(atom), "only means, variances and what follows from them have one here"
        )
    return values[name]().xreplace(law.chosen)


def not_written_out(parts: Iterable[sympy.Basic], domain: Domain) -> str:
    """Why one of the laws in some relations has no such expression; nothing if all have one.

    Examples
    --------
    >>> from rftheory.statement.words import d, gap, limit, positive
    >>> claim = limit(gap(positive("antimonotone")), d, sympy.oo) == 0
    >>> not_written_out(claim.parts, Domain.of(claim, ()))  # doctest: +ELLIPSIS
    'the number of pairs as a function of d is not known for antimonotone, because its rows are not read ...
    """
    for atom in sorted({atom for part in parts for atom in part.atoms(OfLaw)}, key=str):
        try:
            law_reduced(atom, domain)
        except NotKnown as why:
            return str(why)
        except (Undecided, sympy.PolynomialError, NotImplementedError):
            continue
    return ""


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
    feature = atom.feature
    values = {p.symbol: atom.parameters.get(p.name, p.default) for p in feature.parameters}
    known = {s: expression(s.name, value) for s, value in values.items() if value is not None}
    chosen = values.keys() - known.keys()  # by the map itself
    for parameter in feature.parameters:
        value = known.get(parameter.symbol)
        if value is not None and not _admits(parameter, value, domain):
            raise NotKnown(
                "a closed form", str(atom), f"{parameter.name} = {value} may be a value that it cannot have"
            )
    for found in _divisors(feature, known):
        if not (found.free_symbols & chosen or _is_positive(found, domain) or _is_positive(-found, domain)):
            raise NotKnown("a closed form", str(atom), f"{found} != 0 does not follow from the conditions")
    for found in (
        _positive_by_existence(feature, known, domain, order) if atom.coupling.norms != "fixed" else ()
    ):
        if not (found.free_symbols & chosen or _is_positive(found, domain)):
            raise NotKnown("a closed form", str(atom), f"{found} > 0 does not follow from the conditions")


def _admits(parameter: Parameter, value: sympy.Expr, domain: Domain) -> bool:
    """Whether a value is surely among those for which the terms are declared."""
    if parameter.kind == "sign":
        return value in (1, -1)
    if parameter.symbol.is_nonnegative and not at_least_zero(sign(value, domain)):
        return False
    if parameter.symbol.is_positive and not _is_positive(value, domain):
        return False
    return parameter.kind != "real" or is_real(value, domain)


def _divisors(feature: FeatureMap, values: Mapping[sympy.Symbol, sympy.Expr]) -> Iterator[sympy.Expr]:
    """What the terms divide by, or take the logarithm of."""
    parts = (sympy.sympify(part) for t in feature.terms for part in (t.b, t.log, t.q, t.weight))
    for node in (node for part in parts for node in part.atoms(sympy.Pow, sympy.log)):
        if isinstance(node, sympy.log) or node.exp.could_extract_minus_sign():
            inside = with_values(node.args[0], values)
            if inside.free_symbols or inside.is_zero is not False:
                yield inside


def _is_positive(found: sympy.Expr, domain: Domain) -> bool:
    return sign(found, domain) == "positive" or _positive_between(found, domain)


def _positive_by_existence(
    feature: FeatureMap, values: Mapping[sympy.Symbol, sympy.Expr], domain: Domain, order: int = 1
) -> list[sympy.Expr]:
    """What is positive where a moment exists: Re(1 - 2q) for E exp(q |w|^2), as in `Law.require_moment`."""
    found = [sympy.expand(1 - 2 * order * sympy.sympify(t.q).subs(values)) for t in feature.terms]
    return [value if is_real(value, domain) else sympy.re(value) for value in found]


def _positive_between(found: sympy.Expr, domain: Domain) -> bool:
    """Whether a linear function of one variable is positive on its range, by the values at the ends."""
    symbol, *others = found.free_symbols or (None,)
    if others or symbol not in domain.spans or not sympy.diff(found, symbol).is_number:
        return False
    span = domain.spans[symbol]
    ends = ((found.subs(symbol, span.low), span.low_open), (found.subs(symbol, span.high), span.high_open))
    return all(in_order(S.Zero, value, strict=not is_open) is True for value, is_open in ends)


def _at_most_a_block(m: sympy.Expr, d: sympy.Expr, domain: Domain) -> bool:
    if m.is_number and d in domain.spans and in_order(m, domain.spans[d].low, strict=False):
        return True
    return any(
        r in (sympy.Le(m, d), sympy.Ge(d, m), sympy.Lt(m, d), sympy.Gt(d, m)) for r in domain.relations
    )


def _conformity(atom: OfLaw, within: bool) -> sympy.Expr:
    d, m, v = atom.numbers[:3]
    if m == 1:
        raise NotKnown("conformity", str(atom), "there is only one row")
    coupling, found = atom.coupling, S.Zero
    counted = S.Zero
    for (cosine, norms), count in pairs(coupling, d, m, within).items():
        found += 2 * count * PairMean(cosine, norms, d, v**2)
        counted += 2 * count
    apart = sympy.factor(m * (m - 1) - counted)
    alone = sympy.exp(v**2 / 2) if coupling.norms == "chi" else sympy.hyper((), (d / 2,), d * v**2 / 4)
    return sympy.Add(*(sympy.factor(p / (m * (m - 1))) for p in (found, apart * alone**2)))


def _case(value: sympy.Expr, domain: Domain) -> sympy.Expr:
    """The case of a strict inequality that the whole domain satisfies, as v > 0 may be; else all cases."""
    case, condition = value.args[0] if isinstance(value, sympy.Piecewise) else (value, S.true)
    strict = isinstance(condition, sympy.StrictGreaterThan | sympy.StrictLessThan)
    holds = condition == S.true or (strict and sign(condition.gts - condition.lts, domain) == "positive")
    return case if holds else value


class _Reduced:
    """The law of one mechanism, expanded."""

    def __init__(self, atom: OfLaw, within: bool, domain: Domain) -> None:
        self.atom, self.within = atom, within
        d, self.m, v, z, _ = atom.numbers
        self.pair = _Pair(d, v, z, atom.words[3])
        self.feature, self.coupling = atom.feature, atom.coupling
        determined_by_norms(self.feature, atom.args[9])
        if self.feature.table is not None or not self.coupling.marginal:
            raise NotKnown(
                "a closed form", str(atom), "only for terms on rows with chi norms or norms sqrt(d)"
            )
        self.unbiased = is_unbiased(self.feature) and self.coupling.norms != "fixed"
        given, self.chosen = dict(atom.parameters), {}
        for word, value in self.feature.chosen.items():
            if word not in given and value.free_symbols:  # a symbol until the end: it may cancel
                given[word] = sympy.Dummy(word, real=True)
                self.chosen[given[word]] = _case(value.subs({SUM: v, DIM: d}), domain)
        known = ((p.symbol, given.get(p.name, p.default)) for p in self.feature.parameters)
        values = {symbol: expression(symbol.name, value) for symbol, value in known if value is not None}
        present = with_weight(self.feature, values)
        terms = [_term(t, self.feature, self.pair, given) for t in present]
        above = _positive_by_existence(self.feature, values, domain)
        self.terms = [t._replace(slope=self._with_known_roots(t.slope, above, domain)) for t in terms]

    def _with_known_roots(self, slope: sympy.Expr, above: list[sympy.Expr], domain: Domain) -> sympy.Expr:
        """Write roots of negative expressions as i times real roots, so that conjugation works."""
        for root in slope.atoms(sympy.Pow):
            inside = root.base
            if root.exp != S.Half or inside.is_number:
                continue
            if sympy.expand(-inside) in above or sign(inside, domain) == "negative":
                slope = slope.xreplace({root: I * sympy.sqrt(-inside)})
            elif sympy.expand(inside) not in above and sign(inside, domain) not in (
                "positive",
                "nonnegative",
            ):
                raise NotKnown("a closed form", str(self.atom), f"the sign of {inside} is unknown")
        return slope

    def mean(self) -> sympy.Expr:
        if self.unbiased:
            return self.pair.target
        found = (self._single(t) for t in self.terms if not t.phase)
        return sympy.Add(*(sympy.re(value) if value.has(I) else value for value in found))

    def second_moment(self) -> sympy.Expr:
        return self._products(lambda s, t: self._single(_times(s, t)))

    def cross(self, cosine: sympy.Expr, norms: str) -> sympy.Expr:
        return self._products(lambda s, t: self._pair(s, t, cosine, norms))

    def _products(self, mean: Callable[[_Term, _Term], sympy.Expr]) -> sympy.Expr:
        total = S.Zero
        for one, other in product(self.terms, repeat=2):
            total += (mean(one, other) + mean(one, other.conjugate())) / 2
        return total

    def _single(self, term: _Term) -> sympy.Expr:
        if term.phase:
            return S.Zero
        if self.coupling.norms == "fixed":  # |w|^2 = d
            d = self.pair.d
            square = term.slope**2 * self.pair.square(term.line)
            wave = sympy.hyper((), (d / 2,), sympy.expand(d * square / 4)) if square != 0 else S.One
            return _exponential(term.log + term.q * d) * wave
        s = 1 - 2 * term.q
        exponent = term.log + term.slope**2 * self.pair.square(term.line) / (2 * s)
        return s ** (-self.pair.d / 2) * _exponential(exponent)

    def _pair(self, one: _Term, other: _Term, cosine: sympy.Expr, norms: str) -> sympy.Expr:
        if one.phase or other.phase:
            return S.Zero
        ratio = _simplified(other.slope / one.slope)
        if one.line != other.line or ratio not in (1, -1) or one.q != other.q:
            raise NotKnown("a closed form", str(self.atom), "its terms have different slopes")
        if norms == "fixed":  # |w|^2 = d
            square = sympy.expand(one.slope**2) * self.pair.square(one.line)
            log = one.log + other.log + 2 * one.q * self.pair.d
            return _exponential(log) * PairMean(ratio * cosine, norms, self.pair.d, square)
        q = one.q if norms == "independent" else 2 * one.q
        if norms == "antimonotone" and q != 0:
            raise NotKnown(
                "a closed form", str(self.atom), "norms at opposite quantiles with factors of |w|^2"
            )
        s, d = 1 - 2 * q, self.pair.d
        factor = s**-d if norms == "independent" else s ** (-d / 2)
        square = sympy.cancel(sympy.expand(one.slope**2) / s) * self.pair.square(one.line)
        return factor * _exponential(one.log + other.log) * PairMean(ratio * cosine, norms, d, square)

    def variance(self) -> sympy.Expr:
        mean = self.mean()
        return (self.second_moment() - mean**2) / self.m - self._less_than_independent()

    def _less_than_independent(self) -> sympy.Expr:
        mean, total = self.mean(), S.Zero
        for (cosine, norms), count in pairs(self.coupling, self.pair.d, self.m, self.within).items():
            total += 2 * count * (mean**2 - self.cross(cosine, norms)) / self.m**2
        return total

    def mse(self) -> sympy.Expr:
        bias = S.Zero if self.unbiased else self.mean() - self.pair.target
        return self.variance() + bias**2

    def gap(self) -> sympy.Expr:
        return self._less_than_independent()


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


def _times(one: _Term, other: _Term) -> _Term:
    if one.line != other.line and not (one.phase + other.phase):
        raise NotKnown("a closed form", "a product of terms", "their slopes are not parallel")
    return _Term(
        one.log + other.log, one.slope + other.slope, one.line, one.q + other.q, one.phase + other.phase
    )


def _term(term: Term, feature: FeatureMap, pair: _Pair, parameters: Mapping[str, sympy.Expr]) -> _Term:
    """One term at the pair, summed over coordinates."""
    values: dict[sympy.Symbol, sympy.Expr] = {}
    for parameter in feature.parameters:
        value = parameters.get(parameter.name, feature.chosen.get(parameter.name, parameter.default))
        if value is None:
            raise NotKnown("a closed form", feature.name, f"{parameter.name} is not given")
        values[parameter.symbol] = expression(parameter.name, value).subs({SUM: pair.v, DIM: pair.d})
    ratio = slope_ratio(replace(term, b=with_values(sympy.sympify(term.b), values)))
    assert ratio is not None
    line = int(ratio)
    slope = sympy.Poly(sympy.expand(term.b), X, Y).coeff_monomial(X)
    slope = _simplified(slope.subs(values))
    log = sympy.Poly(sympy.expand(term.log), X, Y)
    strange = [mono for mono in log.monoms() if mono not in ((0, 0), (2, 0), (0, 2), (1, 1))]
    if strange:
        raise NotKnown("a closed form", feature.name, "its logarithm is not a quadratic form of the pair")
    parts = [log.coeff_monomial(mono).subs(values) for mono in (1, X**2, X * Y)]
    total = pair.d * parts[0] + parts[1] * pair.squares + parts[2] * pair.product
    if pair.kernel == "gaussian":
        total -= pair.squares / 2
    weight = sympy.log(term.weight.subs(values)) if term.weight != 1 else S.Zero
    return _Term(
        sympy.expand(total) + weight, slope, line, expression(feature.name, term.q).subs(values), term.phase
    )
