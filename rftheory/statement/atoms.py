"""The atoms of statements besides numbers and variables: quantities of laws, named formulas, orders of growth.

All are sympy expressions, so that sympy does substitution, structural comparison and printing; the exact layer
evaluates them as balls.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy
from flint import acb, arb, ctx, fmpq, fmpq_mat
from sympy import S
from sympy.core.symbol import Str

from rftheory.errors import InvalidInput, NotKnown, OutsideDomain, UnknownName
from rftheory.exact.enclosure import Ball
from rftheory.exact.evaluate import register_reader
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.inputs import Coordinate, Inputs
from rftheory.exact.laws import Law, is_unbiased, slope_ratio
from rftheory.exact.pair_law import PairForm
from rftheory.exact.quantities import find_quantity, size_of_error
from rftheory.exact.row_tails import SIDES, Sides
from rftheory.exact.substitution import with_values
from rftheory.spec import Coupling, FeatureMap, Relation
from rftheory.spec.expressions import expression
from rftheory.spec.feature_map import Term
from rftheory.spec.feature_map import x as X
from rftheory.spec.feature_map import y as Y
from rftheory.statement.declared import FINDERS, Declared

if TYPE_CHECKING:
    from rftheory.exact.events import Event
    from rftheory.statement.domain import Domain


class OfLaw(sympy.Expr):
    """A quantity of the law of a mechanism: its name, feature map, coupling, kernel; d, m, v, z, order, parameters.

    The law is that of any pair with ``|x + y| = v`` and ``|x - y| = z``. A tail, P(|K^ - K| >= eps) or that of errors
    of one sign, has eps as order, and a moment generating function E exp(t K^) has t. A covariance has a second pair
    too: its norms, and the cosine between the sums, and between the differences, of both pairs.

    Examples
    --------
    >>> d, v = sympy.Symbol("d", integer=True, positive=True), sympy.Symbol("v", nonnegative=True)
    >>> rho = OfLaw.of("conformity", "positive", "orthogonal", d=d, m=d, v=v, z=0)
    >>> print(rho, rho.subs(d, 3))
    conformity(orthogonal) conformity(orthogonal, d = 3)
    >>> print(OfLaw.of("mse", "positive", "iid", d=d, m=1, v=v, z=0, kernel="softmax"))
    mse(positive x iid, softmax kernel, m = 1, z = 0)
    >>> print(OfLaw.of("mse", "positive", "iid", d=d, m=sympy.Symbol("m"), v=v, z=0))
    mse(positive x iid, m, z = 0)
    >>> print(OfLaw.of("tail", "positive", "iid", d=d, m=1, v=v, z=0, order=sympy.Rational(1, 2)))
    P(|K^ - K| >= 1/2, positive x iid, m = 1, z = 0)
    """

    is_commutative = True
    is_extended_real = True
    is_real = True
    is_finite = True

    @classmethod
    def of(
        cls, name: str, feature: FeatureMap | str, coupling: Coupling | str, *, d: Any, m: Any, v: Any, z: Any,
        kernel: str = "gaussian", order: int = 2, parameters: Mapping[str, Any] | None = None,
        other: tuple[Any, Any, Any] | None = None,
    ) -> OfLaw:  # fmt: skip
        """Build the quantity from words, declarations and expressions."""
        given = sympy.Tuple(
            *(
                sympy.Tuple(Str(n), expression(f"{name}: {n}", p))
                for n, p in sorted((parameters or {}).items())
            )
        )
        mechanism = Declared.of("feature map", feature), Declared.of("coupling", coupling)
        if kernel == "gaussian" and of_difference(mechanism[0].meant, pairs=2 if other else 1):
            v, other = 0, other and (0, *other[1:])
        second = [sympy.Tuple(*(expression(name, one) for one in other))] if other else []
        numbers = (expression(name, one) for one in (d, m, v, z, order))
        return cls(Str(name), *mechanism, Str(kernel), *numbers, given, *second)

    @property
    def words(self) -> tuple[str, str, str, str]:
        """Quantity, feature map, coupling, kernel."""
        name, feature, coupling, kernel = (part.name for part in self.args[:4])
        return name, feature, coupling, kernel

    @property
    def numbers(self) -> tuple[sympy.Expr, ...]:
        """d, m, v, z and the order, or the eps of a tail."""
        return self.args[4:9]  # type: ignore[no-any-return]

    @property
    def parameters(self) -> dict[str, sympy.Expr]:
        """Parameters of the feature map."""
        return {entry[0].name: entry[1] for entry in self.args[9]}

    @property
    def other(self) -> tuple[sympy.Expr, ...]:
        """Of a covariance: v and z of the second pair, and its cosine with the first one; else nothing."""
        return tuple(part for second in self.args[10:] for part in second)

    @property
    def feature(self) -> FeatureMap:
        """The declaration of the feature map."""
        return self.args[1].meant  # type: ignore[no-any-return]

    @property
    def coupling(self) -> Coupling:
        """The declaration of the coupling."""
        return self.args[2].meant  # type: ignore[no-any-return]

    @property
    def meant(self) -> tuple[FeatureMap, Coupling]:
        """What its names stand for."""
        return self.feature, self.coupling

    def law(self) -> Law:
        """The law, if d, m and the norms are numbers."""
        d, m, v, z, _ = self.numbers
        if not self.is_kernel:
            determined_by_norms(self.feature, self.args[9])
        turned = S.One if self.other else None
        return _law(*self.meant, self.words[3], d, m, v, z, self.args[9], turned)

    def law_of_other(self) -> Law:
        """The same of the second pair."""
        d, m = self.numbers[:2]
        return _law(*self.meant, self.words[3], d, m, *self.other[:2], self.args[9], self.other[2])

    @property
    def is_of_normal_rows(self) -> bool:
        """Whether each row by itself is N(0, I)."""
        return self.coupling.marginal and self.coupling.norms != "fixed" and self.feature.table is None

    @property
    def is_unbiased(self) -> bool:
        """Whether the mean of the estimate is the kernel, each row N(0, I)."""
        return self.is_of_normal_rows and is_unbiased(self.feature)

    @property
    def is_kernel(self) -> bool:
        """Whether it is the mean of an estimate without bias, which is the kernel whatever the terms are."""
        of_inputs = any(term.q.has(X, Y) for term in self.feature.terms)  # exists for some pairs only
        of_counts = self.feature.table is not None and self.words[2] == "iid" and is_unbiased(self.feature)
        return self.words[0] == "mean" and not of_inputs and (self.is_unbiased or of_counts)

    def ball(self) -> arb:
        """The value at the working precision."""
        if self.words[0] == "central_moment":
            order = int(self.numbers[4])
            return central_moments_of(self.law(), order)[order]
        extra = {"eps": size_of_error(self.numbers[4])} if self.is_tail else {}
        extra |= {"t": self.numbers[4]} if self.words[0] == "mgf" else {}
        extra |= {"other": self.law_of_other()} if self.other else {}
        return find_quantity(self.words[0]).value(self.law(), extra)

    @property
    def is_tail(self) -> bool:
        """Whether it is the probability of an error."""
        return self.words[0] in SIDES

    @property
    def sides(self) -> Sides:
        """The signs of the errors of a tail."""
        return SIDES[self.words[0]]

    @property
    def both_sides(self) -> OfLaw:
        """The tail of errors of either sign."""
        return OfLaw(Str("tail"), *self.args[1:])

    @property
    def as_mse(self) -> OfLaw:
        """The mean squared error of the same estimate."""
        return self._mse_of_pair(*self.numbers[2:4])

    @property
    def as_mean(self) -> OfLaw:
        """The mean of the same estimate."""
        return OfLaw(Str("mean"), *self.as_mse.args[1:])

    @property
    def of_other_pair(self) -> OfLaw:
        """Of a covariance: the mean squared error for the second pair."""
        return self._mse_of_pair(*self.other[:2])

    def _mse_of_pair(self, v: sympy.Expr, z: sympy.Expr) -> OfLaw:
        v = S.Zero if self.words[3] == "gaussian" and of_difference(self.args[1].thing) else v
        return OfLaw(Str("mse"), *self.args[1:6], v, z, sympy.Integer(2), self.args[9])

    @property
    def of_independent_rows(self) -> OfLaw:
        """The same quantity for as many independent rows."""
        name, feature, _, *rest = self.args
        return OfLaw(name, feature, Declared.of("coupling", "iid"), *rest)

    @property
    def is_of_difference(self) -> bool:
        """Whether the law depends on each pair by |x - y| alone; ``v`` is 0 then."""
        feature = self.args[1].thing  # not `feature`: what was declared anew since is still printed
        return self.words[3] == "gaussian" and of_difference(feature, pairs=2 if self.other else 1)

    def _own(self) -> list[tuple[str, sympy.Expr | None]]:
        """What tells it from other laws: words, and letters with their values where these are not the usual ones."""
        name, _, _, kernel = self.words
        d, m, v, z, order = self.numbers
        found: list[tuple[str, sympy.Expr | None]] = (
            [(f"{kernel} kernel", None)] if kernel != "gaussian" else []
        )
        found += self.parameters.items()
        found += [(letter, order) for word, letter in _ORDERS.items() if word == name]
        standard = ("d", "", "v", "z")
        for letter, value, usual in zip("dmvz", (d, m, v, z), standard, strict=True):
            shown = name != "conformity" or letter in "dv" or (letter == "m" and m != d)
            shown = shown and not (letter == "v" and self.is_of_difference)
            found += [(letter, value)] if shown and str(value) != usual else []
        found += [
            (f"{letter}'", value) for letter, value in zip("vz", self.other, strict=False) if value != 0
        ]
        return [*found, *(("cosine", value) for value in self.other[2:])]

    def _mechanism(self) -> list[str]:
        return [self.words[2]] if self.words[0] == "conformity" else [self.words[1], self.words[2]]

    def _sympystr(self, printer: Any) -> str:
        pairs = (f"{n} = {e}" if e is not None and str(e) != n else n for n, e in self._own())
        said = [" x ".join(self._mechanism()), *pairs]
        if self.is_tail:
            error = _ERRORS[self.words[0]][0]
            return f"P({error} >= {', '.join([printer._print(self.numbers[4]), *said])})"
        return f"{self.words[0]}({', '.join(said)})"

    def _latex(self, printer: Any) -> str:
        said = [r" \times ".join(rf"\text{{{word}}}" for word in self._mechanism())]
        for name, value in self._own():
            own = printer._print(sympy.Symbol(name))
            if value is None:
                said.append(rf"\text{{{name}}}")
            else:
                said.append(own if str(value) == name else f"{own} = {printer._print(value)}")
        if self.is_tail:
            event = rf"{_ERRORS[self.words[0]][1]} \geq {printer._print(self.numbers[4])}"
            return rf"P\left({', '.join([event, *said])}\right)"
        return rf"\mathrm{{{self.words[0].replace('_', ' ')}}}({', '.join(said)})"


_ORDERS = {"central_moment": "order", "mgf": "t"}
"""What is called the order of other quantities, by the letter that names it."""
_ERRORS = {
    "tail": ("|K^ - K|", r"\left|\widehat{K} - K\right|"),
    "upper_tail": ("K^ - K", r"\widehat{K} - K"),
    "lower_tail": ("K - K^", r"K - \widehat{K}"),
}
"""The errors of tails, as text and as LaTeX."""


@lru_cache(maxsize=512)
def _law(
    feature: FeatureMap, coupling: Coupling, kernel: str, d: sympy.Expr, m: sympy.Expr, v: sympy.Expr, z: sympy.Expr,
    parameters: sympy.Tuple, turned: sympy.Expr | None = None,
) -> Law:  # fmt: skip
    """The law at a pair along the first axis, or, ``turned``, with this cosine to it, in the plane of the first two."""
    for name, value in (("d", d), ("m", m)):
        if not value.is_Integer or value < 1:
            raise OutsideDomain(f"{name} of a law", needs="a positive integer", got=str(value))
    along = [S.One] if turned is None else [turned, sympy.sqrt(1 - turned**2)][: int(d)]
    if turned is not None and (not abs(turned) <= 1 or (d == 1 and turned**2 != 1)):
        raise OutsideDomain(
            "cosine of two pairs", needs="a cosine, in one dimension 1 or -1", got=str(turned)
        )
    axes = [Coordinate(*(sympy.expand(c * (v + sign * z) / 2) for sign in (1, -1))) for c in along]
    rest = (Coordinate(S.Zero, S.Zero, int(d) - len(axes)),) if d > len(axes) else ()
    given = {entry[0].name: entry[1] for entry in parameters}
    return Law(feature, coupling, int(m), Inputs((*axes, *rest)), given, kernel)  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def of_difference(feature: FeatureMap, pairs: int = 1) -> bool:
    """Whether estimates of the Gaussian kernel depend on x - y alone, in law.

    Their terms are powers of e^(x - y). For one pair there may be a wave with a uniform phase, which hides what wave it
    is; for two ``pairs`` both have the same phase, and the sums x + y count.

    Examples
    --------
    >>> from rftheory.spec import find_map
    >>> [of_difference(find_map(name)) for name in ("trigonometric", "cosine", "positive")]
    [True, True, False]
    >>> of_difference(find_map("cosine"), pairs=2)
    False
    """
    waves = [term for term in feature.terms if not term.phase]
    return bool(waves) and not feature.chosen and len(feature.terms) <= len(waves) + (pairs == 1) and all(
        sympy.expand(term.log - (X**2 + Y**2) / 2) == 0 and term.q == 0
        and (_is_wave(term) if term.phase else slope_ratio(term) == -1)
        for term in feature.terms
    )  # fmt: skip


def _is_wave(term: Term) -> bool:
    """Whether the term has the modulus of its weight."""
    turned = sympy.expand(term.b / sympy.I)
    if not turned.is_polynomial(X, Y):
        return False
    slopes = sympy.Poly(turned, X, Y)
    return slopes.total_degree() <= 1 and all(slope.is_real for slope in slopes.coeffs())


@lru_cache(maxsize=64)
def determined_by_norms(feature: FeatureMap, parameters: sympy.Tuple = sympy.Tuple()) -> None:  # noqa: B008
    """Refuse a map whose law depends on the pair by more than |x + y| and |x - y|, at these values of parameters.

    The terms must depend on x.y and |x|^2 + |y|^2 alone, and their slopes be multiples of x + y or of x - y, the same
    for all terms of one phase.

    Examples
    --------
    >>> from rftheory.spec import find_map
    >>> determined_by_norms(find_map("positive"))
    >>> determined_by_norms(find_map("poisson"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rftheory.errors.NotKnown: the law from |x + y| and |x - y| is not known for poisson, because its terms tell ...
    """
    what = "the law from |x + y| and |x - y|"
    apart = NotKnown(what, feature.name, "its terms tell coordinates apart")
    if feature.table is not None or any(p.kind == "matrix" for p in feature.parameters):
        raise apart  # a diagonal is one number here, for all coordinates
    named = {p.name: p.symbol for p in feature.parameters}
    given = {named[entry[0].name]: entry[1] for entry in parameters}
    signs = [p.symbol for p in feature.parameters if p.kind == "sign" and p.symbol not in given]
    for value in (1, -1) if signs else (1,):
        here = {**given, **dict.fromkeys(signs, value)}
        lines: dict[int, set[sympy.Expr]] = {}
        for term in feature.terms:
            parts = {name: getattr(term, name).subs(here) for name in ("b", "log", "q", "weight")}
            own = replace(term, **parts)
            if not own.isotropic:
                raise apart
            if own.b != 0:
                lines.setdefault(abs(term.phase), set()).add(slope_ratio(own))
            log = sympy.expand(own.log)
            if log.has(sympy.zoo, sympy.nan):  # at a value that no parameter may have, which the law says
                continue
            if sympy.expand(log - log.xreplace({X: Y, Y: X})) != 0:
                raise NotKnown(what, feature.name, "its terms are not symmetric in x and y")
        if any(ratios not in ({sympy.S.One}, {sympy.S.NegativeOne}) for ratios in lines.values()):
            raise NotKnown(what, feature.name, "its slopes are not multiples of x + y or of x - y alone")


class PairMean(sympy.Function):
    """E exp(b.w_1 + b.w_2) for two rows, b.b = ``square``: ``PairMean(cosine, norms, d, square)``.

    It becomes a closed form if one is known.

    Examples
    --------
    >>> d, s = sympy.symbols("d s", positive=True)
    >>> PairMean(-1, "shared", d, s), PairMean(0, "independent", d, s)
    (1, hyper((d,), (d/2,), s/2))
    """

    is_commutative = True

    @classmethod
    def eval(cls, cosine: Any, norms: Any, d: Any, square: Any) -> sympy.Expr | None:
        """The closed form, if there is one."""
        word = norms.name
        if square == 0:
            return sympy.S.One
        if word == "shared":
            return sympy.exp((1 + cosine) * square)
        if word == "fixed":
            argument = (1 + cosine) * d * square / 2
            return sympy.hyper((), (d / 2,), argument) if argument != 0 else sympy.S.One
        if word == "independent" and cosine == 0:
            return sympy.hyper((d,), (d / 2,), square / 2)
        return None

    def __new__(cls, cosine: Any, norms: Any, *rest: Any) -> Any:
        return super().__new__(cls, cosine, Str(norms) if isinstance(norms, str) else norms, *rest)

    @property
    def is_real(self) -> bool:
        """Its arguments are real."""
        return True

    def _eval_derivative(self, s: sympy.Symbol) -> sympy.Expr:
        if s in self.free_symbols:
            raise NotImplementedError(f"the derivative of {self}")  # what needs it does not apply
        return sympy.S.Zero

    def _sympystr(self, printer: Any) -> str:
        cosine, norms, _, square = self.args
        return f"pair({Relation(cosine, norms.name).name}; {printer._print(square)})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        cosine, norms, _, square = self.args
        return _typeset(f"pair, {Relation(cosine, norms.name).name}", [printer._print(square)], exp)


class PairCount(sympy.Function):
    """How many pairs of m rows lie in the same block: ``PairCount(coupling, d, m)``, at least 0.

    With a cosine and a relation of norms, only pairs of that kind are counted.

    Examples
    --------
    >>> PairCount("orthogonal", 3, 5), PairCount("antimonotone", 3, 5, 0, "antimonotone")
    (4, 2)
    """

    is_commutative = True
    is_integer = True
    is_nonnegative = True

    @classmethod
    def eval(cls, coupling: Any, d: Any, m: Any, *kind: Any) -> sympy.Expr | None:
        """A number, if d and m are numbers, or there is one row, or a block is one."""
        if m == 1 or (d.is_Integer and d >= coupling.meant.min_dim and coupling.meant.size(int(d)) == 1):
            return sympy.S.Zero
        if not (d.is_Integer and m.is_Integer):
            return None
        found = coupling.meant.pairs(int(d), int(m)).items()
        if kind:
            wanted = kind[0], kind[1].name
            return sympy.Integer(sum(n for r, n in found if (sympy.sympify(r.cosine), r.norms) == wanted))
        return sympy.Integer(sum(n for _, n in found))

    def __new__(cls, coupling: Any, d: Any, m: Any, *kind: Any) -> Any:
        words = (Str(part) if isinstance(part, str) else part for part in kind)
        return super().__new__(cls, Declared.of("coupling", coupling), d, m, *words)

    @property
    def coupling(self) -> Coupling:
        """The declaration of the coupling."""
        return self.args[0].meant  # type: ignore[no-any-return]

    @property
    def d(self) -> sympy.Expr:
        """The dimension."""
        return self.args[1]

    @property
    def m(self) -> sympy.Expr:
        """The number of rows."""
        return self.args[2]

    @property
    def kind(self) -> tuple[sympy.Basic, ...]:
        """Cosine and relation of norms of the pairs that are counted; empty for all."""
        return tuple(self.args[3:])

    @property
    def _said(self) -> str:
        if not self.kind:
            return self.coupling.name
        cosine, norms = self.kind
        return f"{self.coupling.name}, {Relation(cosine, norms.name).name}"

    def _sympystr(self, printer: Any) -> str:
        return f"pairs({self._said}; {printer._print(self.m)})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _typeset(f"pairs, {self._said}", [printer._print(self.m)], exp)


class OppositeMoment(sympy.Function):
    """E (s + t)^k/(4^k (d/2)_k) for the squares of two norms at opposite quantiles: ``OppositeMoment(d, k)``.

    It has no closed form. For k >= 2 it lies between the values for norms sqrt(d) and for independent norms:
    E (s + t)^k > (2d)^k, and as t falls in s, E (s + t)^(k+1) = 2 E s (s + t)^k <= (2d + 2k) E (s + t)^k, strictly so
    for k >= 1, by E s f(s) = d E f(s) + 2 E s f'(s).

    Examples
    --------
    >>> OppositeMoment(3, 2).between, OppositeMoment(3, 2).is_positive
    ((3/5, 4/5), True)
    """

    is_commutative = True
    is_positive = True
    is_finite = True
    is_number = False
    """Its bounds are read, and no value: sympy is not to ask for digits."""

    @property
    def between(self) -> tuple[sympy.Expr, sympy.Expr]:
        """Two numbers, or expressions in d, between which it lies; it is neither."""
        d, k = self.args
        low, high = (sympy.Mul(*((d + step * j) / (d + 2 * j) for j in range(int(k)))) for step in (0, 1))
        return low, high

    def _sympystr(self, printer: Any) -> str:
        return f"moment({self.args[1]} of norms at opposite quantiles)"


@dataclass(frozen=True, eq=False)
class Program:
    """What is counted: a function of sizes and, if its count is a polynomial in them, the highest powers.

    Each is one of its own: a function may count something else when it is named again, by what is around it.

    Examples
    --------
    >>> Program(lambda n: n**2, degrees=(2,)).run(3)
    9
    """

    run: Callable[..., int]
    degrees: tuple[int, ...] | None = None


PROGRAMS: dict[str, Program] = {}
"""What is counted, by name."""
FINDERS["count"] = PROGRAMS.__getitem__


class CountOf(sympy.Function):
    """What is counted when a program is run: ``CountOf(name, *sizes)``, a number if the sizes are.

    Examples
    --------
    >>> PROGRAMS["doctest pairs"] = Program(lambda n: n * (n - 1) // 2, degrees=(2,))
    >>> n = sympy.Symbol("n", integer=True, positive=True)
    >>> CountOf("doctest pairs", 4), CountOf("doctest pairs", n), CountOf("doctest pairs", n).written_out()
    (6, doctest pairs(n), n**2/2 - n/2)
    """

    is_commutative = True
    is_integer = True

    @classmethod
    def eval(cls, name: Any, *sizes: Any) -> sympy.Expr | None:
        """The count, if all sizes are numbers."""
        given = all(size.is_number for size in sizes)
        return _counted(name.name, name.meant, *sizes) if given else None

    def __new__(cls, name: Any, *sizes: Any) -> Any:
        return super().__new__(cls, Declared.of("count", name), *sizes)

    def written_out(self) -> sympy.Expr:
        """The polynomial in the sizes, if it is declared to be one and they are at least 1; else itself."""
        name, *sizes = self.args
        program = name.meant
        if program.degrees is None or not all(s.is_integer and s.is_positive for s in sizes):
            return self
        return sympy.Add(
            *(c * sympy.Mul(*map(sympy.Pow, sizes, powers)) for powers, c in _polynomial(name.name, program))
        )

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0].name}({', '.join(map(printer._print, self.args[1:]))})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _typeset(self.args[0].name, map(printer._print, self.args[1:]), exp)


def _typeset(word: str, places: Iterable[str], exp: Any) -> str:
    """A word of counts or tables at its places, with an exponent or None."""
    shown = rf"\text{{{word}}}({', '.join(places)})"
    return rf"\left[{shown}\right]^{{{exp}}}" if exp else shown


@lru_cache(maxsize=1024)
def _counted(name: str, program: Program, *sizes: sympy.Expr) -> sympy.Integer:
    """What the program returns, run twice: a count does not depend on draws, or on what was counted before."""
    if not all(size.is_Integer and size >= 1 for size in sizes):
        raise OutsideDomain(name, needs="whole sizes of at least 1", got=sizes)
    try:
        found, again = (program.run(*map(int, sizes)) for _ in range(2))
        if isinstance(found, bool) or operator.index(found) < 0:
            raise ValueError(f"{found} is not a whole number from 0 on")
        if found != again:
            raise ValueError(f"it returns {found}, and then {again}")
    except (Exception, SystemExit) as problem:  # a user's program, at sizes that a changed statement may have
        got = f"{sizes} ({type(problem).__name__}: {problem})"
        raise OutsideDomain(name, needs="sizes at which the program returns a count", got=got) from problem
    return sympy.Integer(operator.index(found))


@lru_cache(maxsize=64)
def _polynomial(name: str, program: Program) -> tuple[tuple[tuple[int, ...], sympy.Rational], ...]:
    """The count as powers of the sizes with coefficients: interpolated on small sizes, confirmed on larger ones."""
    degrees = program.degrees or ()
    powers = list(itertools.product(*(range(degree + 1) for degree in degrees)))
    nodes = [tuple(power + 1 for power in one) for one in powers]
    matrix = fmpq_mat([_monomials(node, powers) for node in nodes])
    counts = [[int(_counted(name, program, *map(sympy.Integer, node)))] for node in nodes]
    solved = matrix.solve(fmpq_mat(counts)).entries()
    for more in range(3):
        node = tuple(degree + 2 + (2 * place + more) % 4 for place, degree in enumerate(degrees))
        value, count = (
            sum(map(operator.mul, solved, _monomials(node, powers)), fmpq(0)),
            _counted(name, program, *map(sympy.Integer, node)),
        )
        if value != int(count):
            needs = "the highest powers of the sizes in a polynomial"
            got = f"{degrees}, which gives {value} at {node}, where the count is {count}"
            raise InvalidInput(f"degrees of {name}", needs=needs, got=got)
    return tuple((one, sympy.Rational(int(c.p), int(c.q))) for one, c in zip(powers, solved, strict=True))


def _monomials(node: tuple[int, ...], powers: list[tuple[int, ...]]) -> list[int]:
    return [math.prod(map(operator.pow, node, one)) for one in powers]


@dataclass(frozen=True)
class Table:
    """A table with exact entries: the labels of each axis, and the entries by places, numbered from 1.

    Examples
    --------
    >>> Table((("A", "B"),), {(1,): sympy.S.Half, (2,): sympy.S.One}).entries[2,]
    1
    """

    axes: tuple[tuple[str, ...], ...]
    entries: Mapping[tuple[int, ...], sympy.Rational]


TABLES: dict[str, Table] = {}
"""Tables by name."""


class EntryOf(sympy.Expr):
    """An entry of a table: ``EntryOf.of(name, *places)``; a place is a label, a number from 1 on or an expression.

    Examples
    --------
    >>> TABLES["doctest score"] = Table((("A", "B"),), {(1,): sympy.Rational(3, 10), (2,): sympy.Rational(1, 2)})
    >>> j = sympy.Symbol("j", integer=True)
    >>> EntryOf.of("doctest score", "B"), EntryOf.of("doctest score", j).subs(j, 1).value
    (doctest score(B), 3/10)
    """

    is_commutative = True
    is_real = True
    is_finite = True

    @classmethod
    def of(cls, name: str, *places: Any) -> EntryOf:
        """Build it from the table's name and labels, numbers or expressions."""
        axes = TABLES[name].axes
        if len(places) != len(axes):
            raise InvalidInput(name, needs=f"{len(axes)} places", got=places)
        return cls(Str(name), *(_place(name, axis, one) for axis, one in zip(axes, places, strict=True)))

    @property
    def table(self) -> Table:
        """The table."""
        return TABLES[self.args[0].name]

    @property
    def value(self) -> sympy.Rational:
        """The entry, if all places are numbers.

        Raises
        ------
        OutsideDomain : the table has no such place.
        """
        places = tuple(self.args[1:])
        if places not in self.table.entries:
            raise OutsideDomain(self.args[0].name, needs="places in the table", got=places)
        return self.table.entries[places]

    def written_out(self) -> sympy.Expr:
        """The entry if its place is known, else itself."""
        return self.value if all(place.is_Integer for place in self.args[1:]) else self

    def _places(self, printer: Any) -> list[tuple[str, bool]]:
        """The places as text, and whether each is a label."""
        axes = zip(self.args[1:], self.table.axes, strict=True)
        return [
            (axis[int(place) - 1], True)
            if place.is_Integer and 1 <= place <= len(axis)
            else (printer._print(place), False)
            for place, axis in axes
        ]

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0].name}({', '.join(text for text, _ in self._places(printer))})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        places = (rf"\text{{{text}}}" if label else text for text, label in self._places(printer))
        return _typeset(self.args[0].name, places, exp)


def _place(name: str, axis: tuple[str, ...], given: Any) -> sympy.Expr:
    if not isinstance(given, str):
        return expression(f"place in {name}", given)
    if given not in axis:
        raise UnknownName(f"label of {name}", given, axis)
    return sympy.Integer(axis.index(given) + 1)


class Closed(NamedTuple):
    """A formula in closed form, and the orderings under which it has that value.

    Examples
    --------
    >>> s = sympy.Symbol("s", positive=True)
    >>> Closed((1 - 4 * s**2) ** -2, (s < S.Half,)).needs
    (s < 1/2,)
    """

    expression: sympy.Expr
    needs: tuple[sympy.Basic, ...]


class FormulaOf(sympy.Expr):
    """A registered formula with expressions as arguments: its name, then pairs of a variable's name and its value.

    Examples
    --------
    >>> v = sympy.Symbol("v", nonnegative=True)
    >>> f = FormulaOf.of("orf_conformity", d=4, v=v)
    >>> f, f.subs(v, 1).free_symbols
    (orf_conformity(d=4, v=v), set())
    """

    is_commutative = True
    is_extended_real = True
    kind = "formula"

    @classmethod
    def of(cls, name: str, **values: Any) -> FormulaOf:
        """Build it from the formula's name and the values of its variables."""
        try:
            word = Declared.of(cls.kind, name)
        except UnknownName:
            word = Str(name)  # it may be registered later
        return cls(
            word,
            *(sympy.Tuple(Str(n), expression(f"{name}: {n}", value)) for n, value in values.items()),
        )

    @property
    def values(self) -> dict[str, sympy.Expr]:
        """Its arguments."""
        return {entry[0].name: entry[1] for entry in self.args[1:]}

    @property
    def meant(self) -> Any:
        """What its name stands for."""
        return Declared.of(self.kind, self.args[0]).meant

    @property
    def given(self) -> dict[sympy.Symbol, sympy.Expr]:
        """The values of its variables, by their symbols."""
        return {each.symbol: self.values.get(each.name, each.default) for each in self.meant.variables}

    @property
    def ranges(self) -> list[sympy.Basic]:
        """What its arguments must satisfy by the ranges of its variables."""
        given = self.given
        return [need for each in self.meant.variables for need in each.needs(given[each.symbol])]

    @property
    def needs(self) -> list[sympy.Basic]:
        """What its arguments must satisfy where it has an expression: the ranges of its variables, and its conditions.

        Examples
        --------
        >>> theta = sympy.Symbol("theta", real=True)
        >>> FormulaOf.of("angular_coefficient", theta=theta, n=1).needs
        [theta >= 0, theta <= pi, 1 >= 1]
        """
        if not self.meant.readable:
            return []
        given = self.given
        return self.ranges + [with_values(each.relation, given) for each in self.meant.conditions]

    def ball(self) -> Ball:
        """The value at the working precision."""
        return self.meant.ball(**self.values)  # type: ignore[no-any-return]

    def written_out(self) -> sympy.Expr:
        """Its definition if that is an expression, else itself."""
        found = self.meant
        return with_values(found.expression, self.given) if found.readable else self

    def within(self, domain: Domain) -> Closed:
        """Its definition over a domain; that of most formulas is the same wherever it holds."""
        return Closed(self.written_out(), tuple(self.needs))

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0].name}({', '.join(f'{n}={printer._print(e)}' for n, e in self.values.items())})"

    def _latex(self, printer: Any) -> str:
        name = self.args[0].name.replace("_", r"\_")
        return rf"\mathrm{{{name}}}({', '.join(printer._print(e) for e in self.values.values())})"


class ProbabilityOf(FormulaOf):
    """The probability of a named event: its name, then pairs of a variable's name and its value.

    Examples
    --------
    >>> t = sympy.Symbol("t", positive=True)
    >>> tail = ProbabilityOf.of("independent rows", d=2, t=t)
    >>> tail, tail.subs(t, 4).ball().str(6, radius=False)
    (P(|w_i + w_j|^2 > t, independent rows, d = 2), '0.367879')
    """

    kind = "event"

    @property
    def event(self) -> Event:
        """The event."""
        return self.meant  # type: ignore[no-any-return]

    def ball(self) -> Ball:
        """An enclosure at the working precision."""
        return self.event.ball(self.values)

    @property
    def needs(self) -> list[sympy.Basic]:
        """Nothing: it is not written out."""
        return []

    def written_out(self) -> sympy.Expr:
        """Itself: what is known is an enclosure."""
        return self

    def _sympystr(self, printer: Any) -> str:
        return f"P({', '.join([self.event.says, *self._given(printer)])})"

    def _latex(self, printer: Any) -> str:
        says = rf"{self.event.latex} \text{{, {self.args[0].name}}}"
        return rf"P\left({', '.join([says, *self._given(printer)])}\right)"

    def _given(self, printer: Any) -> list[str]:
        """Values that are not the usual ones."""
        pairs = ((v, self.values[v.name]) for v in self.event.variables)
        return [
            f"{v.name} = {printer._print(value)}" for v, value in pairs if value not in (v.symbol, v.default)
        ]


class Growth(sympy.Function):
    """O(scale): at most a constant times the scale, where the constant does not depend on the variable that grows.

    A mark may tell it from others of this scale, with other constants: they do not cancel.

    Examples
    --------
    >>> scale = 1 / sympy.Symbol("d", positive=True)
    >>> Growth(scale), Growth(scale, Str("1")) - Growth(scale, Str("2"))
    (O(1/d), O(1/d) - O(1/d))
    """

    is_commutative = True
    nargs = (1, 2)

    def _sympystr(self, printer: Any) -> str:
        return f"O({printer._print(self.args[0])})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"O\left({printer._print(self.args[0])}\right)"


def _read_pair(reader: Any, node: sympy.Expr) -> Ball:
    cosine, norms, d, square = node.args
    size, ball = reader.integer(d, "dimension"), acb(reader.read(square))
    angle = reader.exact(cosine)
    text = str(angle) if not angle.is_Rational else angle
    relation = Relation(text if isinstance(text, str) else _fraction(angle), norms.name)
    return PairForm(size, ball, ball, ball).mean(relation).real


def _read_moment(reader: Any, node: sympy.Expr) -> Ball:
    """All that lies between its bounds."""
    low, high = (reader.read(bound) for bound in node.between)
    return low.union(high)


def _fraction(number: sympy.Rational) -> Any:
    from fractions import Fraction

    return Fraction(int(number.p), int(number.q))


def _numbers(reader: Any, node: sympy.Expr) -> Any:
    found = reader.exact(node)
    if found is None or found.free_symbols:
        raise NotKnown(str(node), "an interval", "laws have values at points; over intervals only if a closed form is"
                       " known")  # fmt: skip
    return found


@lru_cache(maxsize=2**13)
def _kept(atom: OfLaw | FormulaOf, meant: object, bits: int) -> Ball:
    """The value at a working precision: all changes of a statement are read at the same points."""
    return atom.ball()


def read_atom(reader: Any, node: sympy.Expr) -> Ball:
    """The value of a quantity, a formula or a probability whose arguments are numbers.

    Examples
    --------
    >>> from rftheory.exact.evaluate import Reader
    >>> read_atom(Reader({}), FormulaOf.of("orf_conformity", d=2, v=0))
    1.00000000000000
    """
    atom = _numbers(reader, node)
    return _kept(atom, atom.meant, ctx.prec)


for _kind in (OfLaw, FormulaOf, ProbabilityOf):
    register_reader(_kind, read_atom)
register_reader(PairMean, _read_pair)
register_reader(OppositeMoment, _read_moment)
register_reader(PairCount, lambda reader, node: reader.read(_numbers(reader, node)))
register_reader(CountOf, lambda reader, node: reader.read(_numbers(reader, node)))
register_reader(EntryOf, lambda reader, node: reader.read(_numbers(reader, node).value))
