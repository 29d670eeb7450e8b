"""The vocabulary of statements: quantities of mechanisms, functions, limits, growth, and relations between them.

A side of a statement is a `Side`, a thin wrapper of a sympy expression whose comparisons give a `Claim`, where sympy's
``==`` would give a truth value at once. Numbers and the variables d, m, v, z are sympy's own; to make a claim about
them alone, use `equal`, or put a `Side` on the left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from numbers import Rational
from typing import Any

import sympy
from sympy.core.symbol import Str

from rftheory.errors import InvalidInput, UnknownName, checked_integer, need
from rftheory.exact.formula import Variable
from rftheory.exact.order import evaluated
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import d, m, v, z
from rftheory.exact.truth import SIGNS
from rftheory.names import is_ours
from rftheory.spec import Coupling, FeatureMap, find_coupling, find_map
from rftheory.statement.atoms import (
    PROGRAMS,
    TABLES,
    CountOf,
    EntryOf,
    FormulaOf,
    Growth,
    OfLaw,
    ProbabilityOf,
    Program,
    Table,
)
from rftheory.statement.averages import AverageOf
from rftheory.statement.declared import Declared

k = sympy.Symbol("k", integer=True, nonnegative=True)


@dataclass(frozen=True, eq=False)
class Side:
    """An expression in a statement; comparing it makes a claim.

    Examples
    --------
    >>> claim = conformity("orthogonal") < exp(v**2)
    >>> print(claim)
    conformity(orthogonal) < exp(v**2)
    """

    expression: sympy.Expr

    def __add__(self, other: object) -> Side:
        return Side(self.expression + unwrapped(other))

    def __radd__(self, other: object) -> Side:
        return Side(unwrapped(other) + self.expression)

    def __sub__(self, other: object) -> Side:
        return Side(self.expression - unwrapped(other))

    def __rsub__(self, other: object) -> Side:
        return Side(unwrapped(other) - self.expression)

    def __mul__(self, other: object) -> Side:
        return Side(self.expression * unwrapped(other))

    def __rmul__(self, other: object) -> Side:
        return Side(unwrapped(other) * self.expression)

    def __truediv__(self, other: object) -> Side:
        return Side(self.expression / unwrapped(other))

    def __rtruediv__(self, other: object) -> Side:
        return Side(unwrapped(other) / self.expression)

    def __pow__(self, other: object) -> Side:
        return Side(self.expression ** unwrapped(other))

    def __rpow__(self, other: object) -> Side:
        return Side(unwrapped(other) ** self.expression)

    def __neg__(self) -> Side:
        return Side(-self.expression)

    def __abs__(self) -> Side:
        return Side(sympy.Abs(self.expression))

    def __eq__(self, other: object) -> Any:
        return _claim(sympy.Eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _claim(sympy.Ne, self, other)

    def __lt__(self, other: object) -> Claim:
        return _claim(sympy.StrictLessThan, self, other)

    def __le__(self, other: object) -> Claim:
        return _claim(sympy.LessThan, self, other)

    def __gt__(self, other: object) -> Claim:
        return _claim(sympy.StrictGreaterThan, self, other)

    def __ge__(self, other: object) -> Claim:
        return _claim(sympy.GreaterThan, self, other)

    __hash__ = None  # type: ignore[assignment]

    def _sympy_(self) -> sympy.Expr:
        """Refuse functions of sympy, which would return what compares at once; its operators ask here too."""
        raise FunctionOfSympy(
            "side of a statement", needs="functions of rftheory.author", got=f"one of sympy, of {self.expression}",
            hint="import sqrt, exp, log, cos and so on from there, not from sympy; |a| is abs(a); "
            "an equation without laws is equal(side, other); averages over data are average(side, ...)",
        )  # fmt: skip

    def at(self, **values: object) -> Side:
        """The side with values for some variables.

        Examples
        --------
        >>> print(conformity("orthogonal").at(d=2, v=1).expression)
        conformity(orthogonal, d = 2, v = 1)
        """
        symbols = {s.name: s for s in (d, m, v, z, *self.expression.free_symbols)}
        for name in values:
            if name not in symbols:
                raise InvalidInput(
                    "at", needs="a variable of the expression: " + ", ".join(sorted(symbols)), got=name
                )
        return Side(with_values(self.expression, {symbols[n]: unwrapped(e) for n, e in values.items()}))


class FunctionOfSympy(InvalidInput, sympy.SympifyError):
    """What the operators of sympy take for no expression, so that those of `Side` are asked.

    Examples
    --------
    >>> print(v * mse(positive(iid)) < sympy.pi)
    v*mse(positive x iid, m = 1) < pi
    >>> sympy.sqrt(mse(positive(iid)))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rftheory.statement.words.FunctionOfSympy: side of a statement: needs functions of rftheory.author, got 'one of ...
    """

    def __str__(self) -> str:
        return str(self.expr)


def unwrapped(value: object) -> sympy.Expr:
    """The sympy expression of a side, a number or an expression.

    Raises
    ------
    InvalidInput : a float, whose exact value is rarely intended, or something else.

    Examples
    --------
    >>> from fractions import Fraction
    >>> unwrapped(3), unwrapped(Fraction(1, 2)), unwrapped(Side(v))
    (3, 1/2, v)
    """
    if isinstance(value, Side):
        return value.expression
    exact = isinstance(value, Rational | sympy.Expr) and not isinstance(value, bool)
    found = sympy.sympify(value, strict=True) if exact else sympy.nan
    if found.has(sympy.nan, sympy.zoo):
        needs = "an expression in laws and variables, or an exact number"
        raise InvalidInput(
            "side of a statement", needs=needs, got=value, hint='write Rational("0.3") for 3/10'
        )
    if found.has(sympy.Float):
        raise _needs_exact(str(found))
    return found


def _needs_exact(got: str) -> InvalidInput:
    hint = 'write Rational("0.3") for 3/10'
    return InvalidInput("side of a statement", needs="exact numbers", got=got, hint=hint)


def _real(subject: str, value: object, needs: str, *, finite: bool = True) -> sympy.Expr:
    """An expression that may be a real number, and a finite one."""
    found = unwrapped(value)
    if found.is_extended_real is False or (finite and found.is_infinite):
        raise InvalidInput(subject, needs=needs, got=str(found))
    return found


def _variable(subject: str, value: object) -> sympy.Symbol:
    if not isinstance(value, sympy.Symbol):
        needs = f"a variable in the second place: {subject}(side, variable{', value' * (subject == 'limit')})"
        raise InvalidInput(subject, needs=needs, got=value)
    return value


@dataclass(frozen=True, eq=False)
class Claim:
    """The content of a statement: a relation, or several joined by ``&``.

    Examples
    --------
    >>> rho = conformity("orthogonal")
    >>> print((rho > 1) & (rho <= exp(v**2)))
    conformity(orthogonal) > 1 and conformity(orthogonal) <= exp(v**2)
    """

    parts: tuple[sympy.Basic, ...]

    def __and__(self, other: object) -> Claim:
        return Claim(self.parts + claimed(other).parts)

    __rand__ = __and__

    def __bool__(self) -> bool:
        hint = "join claims with &, as in (a < b) & (b < c)"
        raise InvalidInput(
            "claim", needs="to be judged, not to be used as true or false", got=str(self), hint=hint
        )

    def __str__(self) -> str:
        return " and ".join(map(in_words, self.parts))


def _claim(relation: type[sympy.Basic], left: object, right: object) -> Claim:
    return Claim((relation(unwrapped(left), unwrapped(right), evaluate=False),))


def equal(left: object, right: object) -> Claim:
    """The claim that two sides are equal; ``==`` is enough if the left side names a law.

    Examples
    --------
    >>> print(equal(m, 2 * d))
    m == 2*d
    """
    return _claim(sympy.Eq, left, right)


def claimed(value: object) -> Claim:
    """A claim from a claim or a relation of sympy.

    Raises
    ------
    InvalidInput : something else, most often ``==`` between numbers or variables, which sympy evaluates itself; or a
        relation with a float, or one of two joined by "or".

    Examples
    --------
    >>> print(claimed(v < d))
    v < d
    """
    if isinstance(value, Claim):
        return value
    if isinstance(value, sympy.Basic) and value.has(sympy.Float):
        raise _needs_exact(str(value))
    if isinstance(value, sympy.And):
        return Claim(tuple(part for one in value.args for part in claimed(one).parts))
    if isinstance(value, sympy.core.relational.Relational | Direction | ForSome):
        return Claim((value,))
    hint = "if there is no law on the left of ==, write equal(left, right)"
    if isinstance(value, Side):
        raise InvalidInput("statement", needs="a comparison of two sides, by ==, <, <=, > or >=",
                           got=str(value.expression))  # fmt: skip
    if value in (sympy.true, sympy.false):
        hint += "; what sympy decides by itself is no statement"
    raise InvalidInput("statement", needs="a relation between expressions", got=value, hint=hint)


def substituted(part: sympy.Basic, values: Any) -> sympy.Basic:
    """A part of a claim with values for free variables; a relation stays a relation, even if sympy could decide it.

    Examples
    --------
    >>> print(in_words(substituted(equal(m, 6).parts[0], {m: sympy.Integer(6)})))
    6 == 6
    """
    if type(part) in SIGNS:
        return part.func(*(with_values(side, values) for side in part.args), evaluate=False)
    if isinstance(part, ForSome):
        relation, variable, low, high = part.args
        free = {s: value for s, value in dict(values).items() if s != variable}
        ends = (with_values(end, free) for end in (low, high))
        return ForSome(substituted(relation, free), variable, *ends)
    return with_values(part, values)


def bound_in(part: sympy.Basic) -> set[sympy.Symbol]:
    """The variables bound by limits, directions and "for some".

    Examples
    --------
    >>> bound_in(increasing(v**2, v).parts[0])
    {v}
    """
    binding = (
        node for node in sympy.preorder_traversal(part) if isinstance(node, LimitOf | Direction | ForSome)
    )
    return {node.args[1] for node in binding}


def is_pointwise(part: sympy.Basic) -> bool:
    """Whether it is about one point at a time: no limit, sum, integral or the like in it binds a variable.

    Examples
    --------
    >>> n = sympy.Symbol("n", integer=True, positive=True)
    >>> sides = (mse(positive(iid, m=n)).expression, sympy.Sum(mse(positive(iid, m=n)).expression, (n, 1, 3)))
    >>> [is_pointwise(sympy.Le(side, n, evaluate=False)) for side in sides]
    [True, False]
    """
    binding = (LimitOf, Direction, ForSome, Growth, sympy.Derivative, sympy.Subs, sympy.Lambda)
    return not part.has(*binding, sympy.concrete.expr_with_limits.ExprWithLimits)


def in_words(part: sympy.Basic) -> str:
    """One relation as text.

    Examples
    --------
    >>> in_words(increasing(conformity("orthogonal"), v).parts[0])
    'conformity(orthogonal) increases in v'
    """
    if type(part) in SIGNS:
        return f"{part.args[0]} {'==' if isinstance(part, sympy.Eq) else SIGNS[type(part)]} {part.args[1]}"
    return str(part)


class Direction(sympy.Basic):
    """The relation that an expression increases (sign 1) or decreases (-1) strictly in a variable.

    Examples
    --------
    >>> Direction(v**2, v, sympy.S.One)
    v**2 increases in v
    """

    def __str__(self) -> str:
        return f"{self.args[0]} {'increases' if self.args[2] == 1 else 'decreases'} in {self.args[1]}"

    __repr__ = __str__

    def _latex(self, printer: Any) -> str:
        word = "increases" if self.args[2] == 1 else "decreases"
        return rf"{printer._print(self.args[0])} \text{{ {word} in }} {printer._print(self.args[1])}"


class ForSome(sympy.Basic):
    """The relation that another one holds for some value in a range: relation, variable, lowest, highest.

    Examples
    --------
    >>> print(for_some(v, conformity("orthogonal") > 2, 0, 3))
    for some v in [0, 3]: conformity(orthogonal) > 2
    """

    def __str__(self) -> str:
        relation, variable, low, high = self.args
        return f"for some {variable} in [{low}, {high}]: {in_words(relation)}"

    __repr__ = __str__

    def _latex(self, printer: Any) -> str:
        relation, variable, low, high = map(printer._print, self.args)
        return rf"{relation} \text{{ for some }} {variable} \in \left[{low}, {high}\right]"

    @property
    def free_symbols(self) -> set[sympy.Symbol]:
        """All but the variable that it binds."""
        relation, variable, low, high = self.args
        return relation.free_symbols - {variable} | low.free_symbols | high.free_symbols  # type: ignore[no-any-return]


def increasing(side: object, variable: sympy.Symbol) -> Claim:
    """That it increases strictly in the variable.

    Examples
    --------
    >>> print(increasing(v**2, v))
    v**2 increases in v
    """
    return Claim((Direction(unwrapped(side), _variable("increasing", variable), sympy.S.One),))


def decreasing(side: object, variable: sympy.Symbol) -> Claim:
    """That it decreases strictly in the variable.

    Examples
    --------
    >>> print(decreasing(-v, v))
    -v decreases in v
    """
    return Claim((Direction(unwrapped(side), _variable("decreasing", variable), sympy.S.NegativeOne),))


def for_some(variable: sympy.Symbol, claim: object, low: object, high: object) -> Claim:
    """That one relation holds for some value of the variable from ``low`` to ``high``.

    The value may depend on all variables that are free in the relation, in the ends or in ``over``: there is one at
    each point of the domain, and none need serve for all. It cannot depend on the variable of a limit inside the
    relation.

    Raises
    ------
    InvalidInput : a range without values, or without a lowest one; something other than a comparison, or one in which
        the variable does not occur.

    Examples
    --------
    >>> print(for_some(v, conformity("orthogonal") > 2, 0, 3))
    for some v in [0, 3]: conformity(orthogonal) > 2
    """
    part, *more = (said := claimed(claim)).parts
    if more or type(part) not in SIGNS:  # a function increases over a range, not at one value
        raise InvalidInput("for_some", needs="a comparison, and only one", got=str(said))
    if variable in bound_in(part):
        raise InvalidInput("for_some", needs=f"a comparison that leaves {variable} free", got=str(said))
    if variable not in part.free_symbols:
        raise InvalidInput("for_some", needs=f"a comparison in which {variable} occurs", got=str(said))
    needs = "a finite lower end, not above the upper one"
    ends = _real("for_some", low, needs), _real("for_some", high, needs, finite=False)
    if evaluated(sympy.Gt, *ends) == sympy.true:  # not decided for expressions
        raise InvalidInput("for_some", needs=needs, got=f"[{low}, {high}]")
    return Claim((ForSome(part, variable, *ends),))


def limit(side: object, variable: sympy.Symbol, to: object) -> Side:
    """The limit of an expression; it is compared with what it is claimed to be.

    The variable tends to a number or to an infinity, and from inside the domain: from both sides of 1 over v >= 0, and
    from below over v < 1.

    Examples
    --------
    >>> print(limit(conformity("orthogonal"), d, sympy.oo) == exp(v**2))
    limit(conformity(orthogonal), d -> oo) == exp(v**2)
    """
    return Side(LimitOf(unwrapped(side), _variable("limit", variable), unwrapped(to)))


class LimitOf(sympy.Expr):
    """The limit of an expression in a variable: expression, variable, where.

    Examples
    --------
    >>> LimitOf(v**2, v, sympy.S.Zero)
    limit(v**2, v -> 0)
    """

    is_commutative = True

    @property
    def free_symbols(self) -> set[sympy.Symbol]:
        """All but the variable that it binds."""
        return self.args[0].free_symbols - {self.args[1]}  # type: ignore[no-any-return]

    def _eval_subs(self, old: sympy.Basic, new: sympy.Basic) -> sympy.Basic | None:
        return self if old == self.args[1] else None

    def _sympystr(self, printer: Any) -> str:
        return f"limit({printer._print(self.args[0])}, {self.args[1]} -> {self.args[2]})"

    def _latex(self, printer: Any) -> str:
        inside, variable, to = map(printer._print, self.args)
        return rf"\lim_{{{variable} \to {to}}} {inside}"


def limits_of(part: sympy.Basic) -> list[LimitOf]:
    """The sides of a relation that are limits.

    Examples
    --------
    >>> limits_of((limit(1 / d, d, sympy.oo) == 0).parts[0])
    [limit(1/d, d -> oo)]
    """
    return [side for side in part.args if isinstance(side, LimitOf)]


def O(scale: object) -> Side:  # noqa: E743
    """What is at most a constant times the scale; the constant may depend on all variables but the one that grows.

    Each is another quantity, so that ``O(1 / d) - O(1 / d)`` need not be 0.

    Examples
    --------
    >>> print(conformity("orthogonal") == exp(v**2) * (1 + O(1 / d)))
    conformity(orthogonal) == (O(1/d) + 1)*exp(v**2)
    """
    return Side(Growth(unwrapped(scale), Str(str(next(_NUMBERS)))))


_NUMBERS = count(1)


def _lifted(function: Any) -> Callable[..., Any]:
    """A function of sympy that takes sides too."""
    of_many = function in (sympy.Min, sympy.Max)

    def lifted(*arguments: Any) -> Any:
        sides = [unwrapped(a) for a in arguments]
        if len(sides) != 1 and not of_many:
            raise InvalidInput(str(function.__name__), needs="one argument", got=len(sides))
        found = function(*sides)
        return Side(found) if any(isinstance(a, Side) for a in arguments) else found

    lifted.__name__ = lifted.__qualname__ = str(function.__name__)
    lifted.__doc__ = f"sympy's {function.__name__}, of sides too."
    return lifted


exp, log, sqrt, gamma, cos, sin, cosh, sinh = map(
    _lifted,
    (sympy.exp, sympy.log, sympy.sqrt, sympy.gamma, sympy.cos, sympy.sin, sympy.cosh, sympy.sinh),
)
Min, Max = map(_lifted, (sympy.Min, sympy.Max))


# ---- mechanisms and their quantities -----------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Mechanism:
    """A feature map on the rows of a coupling; m is an expression, by default one whole block.

    Attributes
    ----------
    feature, coupling : declarations.
    m : number of rows.
    kernel : gaussian or softmax.
    parameters : of the feature map.

    Examples
    --------
    >>> print(positive("orthogonal", m=2 * d).m, positive("simplex").m)
    2*d d
    """

    feature: FeatureMap
    coupling: Coupling
    m: sympy.Expr
    kernel: str = "gaussian"
    parameters: Mapping[str, sympy.Expr] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Feature map and coupling."""
        return f"{self.feature.name} x {self.coupling.name}"

    def __repr__(self) -> str:
        return f"{self.label}, m = {self.m}"

    def quantity(self, name: str, **more: Any) -> Side:
        """A quantity of its law at a pair with |x + y| = v and |x - y| = z."""
        return Side(
            OfLaw.of(
                name, self.feature, self.coupling, d=d, m=self.m, v=v, z=z, kernel=self.kernel,
                parameters=self.parameters, **more,
            )
        )  # fmt: skip


def _block(coupling: Coupling) -> sympy.Expr:
    """The rows of a whole block as an expression in d."""
    from rftheory.statement.pairs import block_size

    return block_size(coupling)


def _require_values(feature: FeatureMap, coupling: Coupling, given: Mapping[str, object]) -> None:
    """Refuse a value for what the pair determines, and none for another parameter: there would be no law."""
    for one in feature.parameters:
        if one.name in feature.chosen and one.name in given:
            needs = f"no value for {one.name}: the pair determines it"
            raise InvalidInput(feature.name, needs=needs, got=given[one.name])
        if one.name not in feature.chosen and given.get(one.name, one.default) is None:
            values = ", ".join(f"{name}={value}" for name, value in {**given, one.name: one.name}.items())
            needs = f"a value for {one.name} ({one.about})"
            unnamed = is_ours("feature map", feature.name) and feature.name not in __all__
            word = f"with_features({feature.name!r})" if unnamed else feature.name.replace("-", "_")
            hint = f"write {word}({coupling.name}, m=m, {values})"
            raise InvalidInput(feature.name, needs=needs, got=None, hint=hint)


def with_features(feature: FeatureMap | str) -> Callable[..., Mechanism]:
    """The word for a feature map: ``word(coupling, m=..., kernel=..., parameters...)`` is a mechanism.

    Raises
    ------
    InvalidInput : (by the word) a parameter has no value: none is given, it has no default, and no pair determines it;
        one that the pair determines has a value; or the kernel is another one than gaussian and softmax.

    Examples
    --------
    >>> with_features("gerf")("orthogonal", A=sympy.Rational(-1, 8)).label
    'gerf x orthogonal'
    >>> with_features("gerf")("iid")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: gerf: needs a value for A (factor of |w|^2), got None; write gerf(iid, m=m, A=A)
    """
    found = find_map(feature) if isinstance(feature, str) else feature
    need("feature map", found, FeatureMap, "a name, or what feature_map declares")

    def mechanism(
        coupling: Coupling | str, m: object = None, kernel: str = "gaussian", **parameters: object
    ) -> Mechanism:
        Declared.of("feature map", found)
        rows = _coupling(coupling)
        known = [parameter.name for parameter in found.parameters]
        for name, value in parameters.items():
            if name not in known:
                raise UnknownName(f"parameter of {found.name}", name, ["m", "kernel", *known])
            if isinstance(value, list | tuple | sympy.MatrixBase):
                raise InvalidInput(
                    f"{found.name}: {name}", needs="one number or expression, for all coordinates", got=value,
                    hint="`rftheory eval` takes more, with the coordinates of x and y",
                )  # fmt: skip
        need("kernel", kernel, ("gaussian", "softmax"), "gaussian or softmax")
        _require_values(found, rows, parameters)
        number = _block(rows) if m is None else unwrapped(m)
        return Mechanism(found, rows, number, kernel, {n: unwrapped(e) for n, e in parameters.items()})

    mechanism.__name__ = mechanism.__qualname__ = found.name.replace("-", "_")
    mechanism.__doc__ = (
        f"The mechanism of {found.name} features with a coupling: m rows, one whole block by default."
    )
    return mechanism


positive, trigonometric, hyperbolic, cosine, gerf, oprf = map(
    with_features, ("positive", "trigonometric", "hyperbolic", "cosine", "gerf", "oprf")
)
iid, orthogonal, orthogonal_fixed, simplex = map(
    find_coupling, ("iid", "orthogonal", "orthogonal-fixed", "simplex")
)
gaussian = Side(sympy.exp(-(z**2) / 2))
"""The Gaussian kernel at the pair."""


def _mechanism(found: object) -> Mechanism:
    if not isinstance(found, Mechanism):
        needs = "a mechanism such as positive(orthogonal)"
        got = found.name if isinstance(found, Coupling) else found
        raise InvalidInput("quantity", needs=needs, got=got)
    return found


def _coupling(given: object) -> Coupling:
    if isinstance(given, Coupling):
        return Declared.of("coupling", given).meant  # type: ignore[no-any-return]
    if not isinstance(given, str):
        got = given.label if isinstance(given, Mechanism) else given
        raise InvalidInput("coupling", needs="a coupling or its name", got=got)
    return find_coupling(given)


def mean(mechanism: Mechanism) -> Side:
    """The mean of its estimate.

    Examples
    --------
    >>> print(mean(positive(simplex)) == gaussian)
    mean(positive x simplex, m = d) == exp(-z**2/2)
    """
    return _mechanism(mechanism).quantity("mean")


def mse(mechanism: Mechanism) -> Side:
    """The mean squared error of its estimate.

    Examples
    --------
    >>> print(mse(positive(simplex)).expression)
    mse(positive x simplex, m = d)
    """
    return _mechanism(mechanism).quantity("mse")


def variance(mechanism: Mechanism) -> Side:
    """The variance of its estimate.

    Examples
    --------
    >>> print(variance(positive(simplex)).expression)
    variance(positive x simplex, m = d)
    """
    return _mechanism(mechanism).quantity("variance")


def covariance(mechanism: Mechanism, *, v: object, z: object, cosine: object) -> Side:
    """The covariance of its estimates, from the same rows, for the pair and for another pair x', y'.

    By covariances the estimates of attention, which are ratios, are judged to first order in 1/m.

    Parameters
    ----------
    v, z : |x' + y'| and |x' - y'|.
    cosine : between x + y and x' + y', and between x - y and x' - y'; most laws depend on one of these alone,
        those of waves with random phases on both.

    Raises
    ------
    InvalidInput : a number that is no cosine.

    Examples
    --------
    >>> c = sympy.Symbol("c", real=True)
    >>> print(covariance(positive(iid, m=m), v=v, z=z, cosine=c) <= mse(positive(iid, m=m)))
    covariance(positive x iid, m, v' = v, z' = z, cosine = c) <= mse(positive x iid, m)
    """
    angle = _real("covariance", cosine, "a cosine, from -1 to 1")
    if evaluated(sympy.Gt, abs(angle), sympy.S.One) == sympy.true:
        raise InvalidInput("covariance", needs="a cosine, from -1 to 1", got=str(angle))
    return _mechanism(mechanism).quantity("covariance", other=(unwrapped(v), unwrapped(z), angle))


def gap(mechanism: Mechanism) -> Side:
    """The mean squared error with rows of `iid`, which are N(0, I), in place of the coupled ones, minus its own.

    Examples
    --------
    >>> print(gap(positive(simplex)).expression)
    gap(positive x simplex, m = d)
    """
    return _mechanism(mechanism).quantity("gap")


def central_moment(mechanism: Mechanism, order: int) -> Side:
    """A central moment of its estimate.

    Raises
    ------
    InvalidInput : the order is no integer from 2 to 8.

    Examples
    --------
    >>> print(central_moment(positive(simplex), 3).expression)
    central_moment(positive x simplex, order = 3, m = d)
    """
    checked_integer("order of a central moment", order, 2, 8)
    return _mechanism(mechanism).quantity("central_moment", order=order)


def tail(mechanism: Mechanism, eps: object) -> Side:
    """The probability P(|K^ - K| >= eps) of an error of its estimate, at one pair of inputs.

    It has a value where the law of the estimate is known: for one row, or where no draw errs by eps. Elsewhere bounds
    of it are proved, by Chebyshev's inequality and, of independent bounded features, by Hoeffding's and Bernstein's; or
    draws refute.

    Raises
    ------
    InvalidInput : ``eps`` is no exact number or expression, or not above 0.

    Examples
    --------
    >>> eps = sympy.Symbol("eps", positive=True)
    >>> print(tail(trigonometric(iid, m=m), eps) <= 2 * exp(-m * eps**2 / 2))
    P(|K^ - K| >= eps, trigonometric x iid, m) <= 2*exp(-eps**2*m/2)
    """
    return _tail("tail", mechanism, eps)


def upper_tail(mechanism: Mechanism, eps: object) -> Side:
    """The probability P(K^ - K >= eps) that its estimate is too large by so much, at one pair of inputs.

    Its bounds are those of `tail`, with 1 in the place of the factor 2, Cantelli's, and, of GERF with A < 0 and
    independent rows or orthogonal blocks, Chernoff's, ``formula("chernoff_bound")``.

    Examples
    --------
    >>> eps, A = sympy.Symbol("eps", positive=True), sympy.Symbol("A", negative=True)
    >>> print(upper_tail(gerf(orthogonal, m=m, A=A), eps) < formula("chernoff_bound", A=A))
    P(K^ - K >= eps, gerf x orthogonal, A, m) < chernoff_bound(d=d, A=A, v=v, z=z, eps=eps, m=m)
    """
    return _tail("upper_tail", mechanism, eps)


def lower_tail(mechanism: Mechanism, eps: object) -> Side:
    """The probability P(K - K^ >= eps) that its estimate is too small by so much, at one pair of inputs.

    Of features that are not negative it is small also where they have no bound.

    Examples
    --------
    >>> eps = sympy.Symbol("eps", positive=True)
    >>> print(lower_tail(positive(iid, m=m), eps) <= exp(-m * eps**2 / (2 * gaussian**2 * exp(v**2))))
    P(K - K^ >= eps, positive x iid, m) <= exp(-eps**2*m*exp(-v**2)*exp(z**2)/2)
    """
    return _tail("lower_tail", mechanism, eps)


def mgf(mechanism: Mechanism, t: object) -> Side:
    """The moment generating function E exp(t K^) of its estimate, at one pair of inputs.

    It is infinite for t > 0 where features have no bound above, as those of `positive` have not with normal rows: what
    is claimed there has no value. That of one row, and so of independent ones, has a value; that of coupled rows has
    bounds. Chernoff's inequality is that of `upper_tail` or `lower_tail` with an mgf in the bound.

    Examples
    --------
    >>> t = sympy.Symbol("t", negative=True)
    >>> print(mgf(positive(iid, m=m), t) >= exp(t * gaussian))
    mgf(positive x iid, t, m) >= exp(t*exp(-z**2/2))
    """
    return _mechanism(mechanism).quantity("mgf", order=_real("t of an mgf", t, "a real number, finite"))


def average(
    side: object, *, x: object = None, y: object = None, pairs: Iterable[tuple[object, object]] = ()
) -> Side:
    """The average of a side over data: over normal inputs, or over pairs of inputs that are given.

    Over normal inputs v and z in the side are random, and laws are known in closed form where the side is a sum of
    products of exponentials and powers of v^2 and z^2 and of one law of two coupled rows. It is finite for small
    scales; a logarithm is averaged where it is that of one product.

    Parameters
    ----------
    side : an expression in quantities, v, z and other variables.
    x, y : the scales s and t of independent x ~ N(0, s^2 I) and y ~ N(0, t^2 I); y has that of x if it is not given.
    pairs : instead of these, v = |x + y| and z = |x - y| of each pair, numbers or expressions.

    Raises
    ------
    InvalidInput : neither scales nor pairs, or both; or a limit, an order of growth or another dimension in the side.

    Examples
    --------
    >>> s = sympy.Symbol("s", positive=True)
    >>> print(average(exp(v**2), x=s) == (1 - 4 * s**2) ** (-d / 2))
    average(exp(v**2), x ~ N(0, s**2 I), y ~ N(0, s**2 I)) == (1 - 4*s**2)**(-d/2)
    >>> print(average(gaussian, pairs=[(0, 1), (0, 2)]).expression)
    exp(-2)/2 + exp(-1/2)/2
    """
    inside, given = Side(unwrapped(side)), list(pairs)
    if bool(given) == (x is not None):
        raise InvalidInput("average", needs="the scale x of normal inputs, or pairs", got=(x, given))
    if given:
        shaped = all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in given) and y is None
        if not shaped or any(unwrapped(norm).is_nonnegative is False for pair in given for norm in pair):
            raise InvalidInput("average", needs="pairs of norms, at least 0, and no scales", got=(y, given))
        return Side(sympy.Add(*(inside.at(v=one, z=other).expression for one, other in given)) / len(given))
    if not is_pointwise(inside.expression) or any(
        law.numbers[0] != d for law in atoms_of([inside.expression])
    ):
        hint = "write limit(average(...), ...) and average(...).at(d=...)"
        raise InvalidInput(
            "average", needs="a side in d, without limits", got=str(inside.expression), hint=hint
        )
    scales = (_real("average", scale, "a real scale") for scale in (x, x if y is None else y))
    return Side(AverageOf.over(inside.expression, *scales))


def _tail(name: str, mechanism: Mechanism, eps: object) -> Side:
    needs = "the size of an error, finite and above 0"
    size = _real("eps of a tail", eps, needs)
    if size.is_extended_positive is False:
        raise InvalidInput("eps of a tail", needs=needs, got=str(size))
    return _mechanism(mechanism).quantity(name, order=size)


def conformity(coupling: Coupling | str, m: object = None) -> Side:
    """The mean over pairs of different rows of E exp((w_i + w_j).(x + y)); of one whole block unless m is given.

    Examples
    --------
    >>> print(conformity(orthogonal).expression)
    conformity(orthogonal)
    """
    found = positive(coupling, m)
    return Side(OfLaw.of("conformity", found.feature, found.coupling, d=d, m=found.m, v=v, z=sympy.S.Zero))


def formula(name: str, **values: object) -> Side:
    """A formula of the registry; a variable that is not given is the one of its name.

    Examples
    --------
    >>> print(formula("orf_conformity") == conformity(orthogonal))
    orf_conformity(d=d, v=v) == conformity(orthogonal)
    """
    from rftheory.exact import find_formula

    return Side(FormulaOf.of(name, **_given(name, find_formula(name).variables, values)))


def _given(name: str, variables: Iterable[Variable], values: Mapping[str, object]) -> dict[str, sympy.Expr]:
    """All variables of a formula or event with their values."""
    names = [variable.name for variable in variables]
    strange = set(values) - set(names)
    if strange:
        needs = f"variables of {name}: " + ", ".join(names)
        raise InvalidInput(name, needs=needs, got=", ".join(sorted(strange)))
    return {v.name: unwrapped(values.get(v.name, v.symbol)) for v in variables}


def probability(event: str, **values: object) -> Side:
    """The probability of an event; a variable that is not given is the one of its name.

    Of ``"independent rows"`` and ``"rows at an angle"`` (of cosine c) it is that of |w_i + w_j|^2 > t, in d dimensions,
    with chi_d norms, independent of each other. Of ``"error of pairs"`` and ``"error of phases"`` it is that of
    sup |s - k| >= eps over a set of diameter ``diam``, with m sine-cosine pairs or m random phases: the largest that it
    can be for a kernel with E |w|^2 = sigma^2, and for pairs with no ``variance`` of cos(w.(x - y)) above that number,
    by default 1. The first two have a value, the others an enclosure that is often wide.

    Raises
    ------
    UnknownName : there is no such event.
    InvalidInput : it has no such variable.

    Examples
    --------
    >>> tail = probability("independent rows", t=4)
    >>> print(tail <= exp(-1))
    P(|w_i + w_j|^2 > t, independent rows, t = 4) <= exp(-1)
    """
    from rftheory.exact.events import find_event

    found = find_event(event)
    usual = {v.name: v.default for v in found.variables if v.default is not None}
    return Side(ProbabilityOf.of(event, **_given(event, found.variables, usual | values)))


def counted(
    name: str, program: Callable[..., int], degrees: tuple[int, ...] | None = None
) -> Callable[..., Side]:
    """The word for what is counted when a program is run, such as its operations: ``word(d)`` is a side.

    Parameters
    ----------
    name : what is counted, in words.
    program : a function of whole numbers, the sizes, that returns the count, a whole number from 0 on. The same sizes
        give the same count.
    degrees : for a count that is a polynomial in the sizes, the highest power of each. It is interpolated, compared
        with the program at larger sizes, and judged at all sizes; without it, only at the sizes that `over` names.

    Raises
    ------
    InvalidInput : another program has the name (the same one, as in a cell that is run again, may be named anew; what
        was stated of it is then stated anew too); or, when it is judged, the count at a larger size is not that of a
        polynomial of these degrees.

    Examples
    --------
    >>> pairs = counted("pairs of rows", lambda m: sum(i < j for i in range(m) for j in range(m)), degrees=(2,))
    >>> print(pairs(m) == m * (m - 1) / 2, "and", pairs(4).expression)
    pairs of rows(m) == m*(m - 1)/2 and 6
    """
    need("name of a count", name, str, "words")
    known = PROGRAMS.get(name)
    if known is not None and not (known.degrees == degrees and _same(known.run, program)):
        raise InvalidInput("name of a count", needs="a name that no other program has", got=name)
    PROGRAMS[name] = Program(program, degrees)
    word = Declared.of("count", name)
    return lambda *sizes: Side(CountOf(word, *map(unwrapped, sizes)))


def _same(one: Any, other: Any) -> bool:
    """Whether two programs are the same, such as those of a cell that is run twice."""
    try:
        return bool(_code(one) == _code(other))
    except ValueError:  # arrays, which have no single answer, or a name without a value
        return False


def _code(program: Any, *outer: Any) -> Any:
    """The text of a program, and what belongs to it: what it encloses, defaults, and the object of a method."""
    if not hasattr(program, "__code__"):
        return program
    if any(program is one for one in outer):
        return None  # it calls itself
    inside = [_code(cell.cell_contents, program, *outer) for cell in program.__closure__ or ()]
    parts = ("__defaults__", "__kwdefaults__", "__self__")
    return program.__code__, inside, *(getattr(program, part, None) for part in parts)


def table(name: str, entries: Any, *axes: Sequence[str]) -> Callable[..., Side]:
    """The word for a printed table: ``word(row, column)`` is the entry at labels, or at variables that run over them.

    Parameters
    ----------
    name : what the entries are, in words.
    entries : by label, or in the order of the labels; numbers as text or decimal numbers, which are read as printed.
    axes : the labels along rows, columns and so on. A variable counts them from 1.

    Raises
    ------
    InvalidInput : there are not as many entries as labels, or one is no number; another table has the name.

    Examples
    --------
    >>> j = sympy.Symbol("j", integer=True, positive=True)
    >>> score = table("score", {"new": (81.2, 85.6), "old": (80.3, 85.1)}, ("new", "old"), ("MNLI", "STS-B"))
    >>> print(score("new", j) > score("old", j), "and", score("old", "MNLI").expression.value)
    score(new, j) > score(old, j) and 803/10
    """
    need("name of a table", name, str, "words")
    made = Table(tuple(map(tuple, axes)), dict(_entries(name, entries, *axes)))
    if TABLES.setdefault(name, made) != made:
        raise InvalidInput("name of a table", needs="a name that no other table has", got=name)

    def word(*places: object) -> Side:
        return Side(EntryOf.of(name, *(p if isinstance(p, str) else unwrapped(p) for p in places)))

    return word


def _entries(
    name: str, entries: Any, *axes: Sequence[str]
) -> Iterator[tuple[tuple[int, ...], sympy.Rational]]:
    if not axes:
        try:
            yield (), sympy.Rational(str(entries))
        except TypeError as problem:
            raise InvalidInput(name, needs="numbers as entries", got=entries) from problem
        return
    inside = (
        [entries[label] for label in axes[0] if label in entries] if isinstance(entries, Mapping) else entries
    )
    if len(inside) != len(axes[0]):
        raise InvalidInput(
            name, needs=f"an entry for each of {', '.join(axes[0])}", got=f"{len(inside)} of them"
        )
    for number, one in enumerate(inside, 1):
        for places, entry in _entries(name, one, *axes[1:]):
            yield (number, *places), entry


def atoms_of(parts: Iterable[sympy.Basic]) -> set[OfLaw]:
    """The quantities of laws that occur.

    Examples
    --------
    >>> atoms_of((conformity(orthogonal) > 1).parts)
    {conformity(orthogonal)}
    """
    return {atom for part in parts for atom in part.atoms(OfLaw)}


__all__ = [
    "Claim", "Direction", "ForSome", "LimitOf", "Max", "Mechanism", "Min", "O", "Side", "Str", "atoms_of", "average",
    "bound_in", "central_moment", "claimed", "conformity", "cos", "cosh", "cosine", "counted", "covariance", "d",
    "decreasing", "equal", "exp", "for_some", "formula", "gamma", "gap", "gaussian", "gerf", "hyperbolic", "iid",
    "in_words", "increasing", "is_pointwise", "limit", "limits_of", "log", "lower_tail", "m", "mean", "mgf", "mse",
    "oprf", "orthogonal", "orthogonal_fixed", "positive", "probability", "simplex", "sin", "sinh", "sqrt",
    "substituted", "table", "tail", "trigonometric", "unwrapped", "upper_tail", "v", "variance", "with_features", "z",
]  # fmt: skip
