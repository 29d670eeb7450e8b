"""A feature map as data: what one projection w contributes to the estimate for a pair (x, y).

It is the real part of a sum of terms a exp(w.Qw + b.w), each declared coordinate by coordinate: b, Q and log a are
expressions in the coordinates `x` and `y` of the two inputs and in the parameters of the map. log a is summed over the
coordinates. The terms estimate the softmax kernel exp(x.y); for the Gaussian kernel they are multiplied by
exp(-(|x|^2 + |y|^2)/2). Features of random counts have a `Table` instead of terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import sympy

from rftheory.errors import InvalidInput, OutsideDomain, items, need
from rftheory.spec.dimension import d
from rftheory.spec.expressions import exact_in, expression

x, y = sympy.symbols("x_j y_j", real=True)
"""One coordinate of each input."""
k = sympy.Symbol("k", integer=True, nonnegative=True)
"""The count of a table."""
v = sympy.Symbol("v", nonnegative=True)
"""|x + y|, for parameters determined by the pair."""
RESERVED = (
    "coupling", "d", "eps", "feature", "kernel", "m", "mechanism", "order", "other", "t", "theta", "v", "x", "y", "z",
)  # fmt: skip
"""Keywords of mechanisms, of pairs and of quantities, which no parameter can have."""


@dataclass(frozen=True)
class Term:
    """One term a exp(w.Qw + b.w).

    Attributes
    ----------
    b : one coordinate of b.
    log : what one coordinate adds to log a.
    q : one entry of the diagonal matrix Q.
    weight : a factor of a.
    phase : coefficient of the projection's random phase, uniform in (0, 2 pi), in the phase of the term.

    Raises
    ------
    InvalidInput : b, log, q or weight is neither a number nor an expression, or has a float in it, whose exact value is
        rarely intended; the weight contains x or y; or the phase is no integer.

    Examples
    --------
    >>> Term(x + y, -(x**2 + y**2) / 2).b
    x_j + y_j
    """

    b: sympy.Expr
    log: sympy.Expr = sympy.S.Zero
    q: sympy.Expr = sympy.S.Zero
    weight: sympy.Expr = sympy.S.One
    phase: int = 0

    def __post_init__(self) -> None:
        for name in ("b", "log", "q", "weight"):
            part = expression(f"{name} of a term", getattr(self, name))
            need(f"{name} of a term", part, sympy.Expr, "a number or an expression")
            if part.has(sympy.Float):
                raise InvalidInput(f"{name} of a term", needs="exact numbers", got=str(part),
                                   hint='write Rational("0.3") for 3/10')  # fmt: skip
            object.__setattr__(self, name, part)  # numbers of Python become sympy's
        if self.weight.has(x, y):
            raise InvalidInput("weight of a term", needs="a factor without x and y, whose logarithms are log",
                               got=str(self.weight))  # fmt: skip
        need("phase of a term", self.phase, int, "an integer")

    @property
    def isotropic(self) -> bool:
        """Whether the term stays the same when both inputs are rotated together: x_j and y_j enter by x.y, |x|, |y|.

        Examples
        --------
        >>> Term(x + y, -(x**2 + y**2) / 2).isotropic, Term(x + y, -(x**4 + y**4)).isotropic
        (True, False)
        """
        return not self.q.has(x, y) and _degrees(self.b) <= {1} and _degrees(self.log) <= {0, 2}


def _degrees(part: sympy.Expr) -> set[float]:
    """The degrees of its monomials in x_j and y_j; infinity if it is no polynomial in them."""
    part = sympy.expand(part)
    if not part.is_polynomial(x, y):
        return {float("inf")}
    return {float(sum(powers)) for powers, c in sympy.Poly(part, x, y).terms() if c != 0}


@dataclass(frozen=True)
class Table:
    """Features of random counts: a product over the coordinates of a function of a count k and of x_j y_j.

    Attributes
    ----------
    probability : probability of the count k.
    value : what the count k contributes to the softmax kernel; the Gaussian kernel has the factor
        exp(-x_j^2/2 - y_j^2/2) as well.

    Examples
    --------
    >>> lam = sympy.Symbol("lam", positive=True)
    >>> poisson = Table(sympy.exp(-lam) * lam**k / sympy.factorial(k), sympy.exp(lam) * (x * y / lam) ** k)
    >>> poisson.value.free_symbols == {lam, x, y, k}
    True
    """

    probability: sympy.Expr
    value: sympy.Expr


@dataclass(frozen=True)
class Parameter:
    """A parameter of a map.

    Attributes
    ----------
    symbol : its symbol in the terms; the name of the symbol is the keyword. Values have what is assumed of the symbol:
        those of ``Symbol("B", integer=True)`` are integers.
    about : what it is, in one line.
    kind : ``"real"``, ``"complex"``, ``"sign"``, ``"diagonal"`` (a number for each coordinate, or one for all) or
        ``"matrix"``: (d, d), real or complex; the left inputs are multiplied by it, the right ones by its inverse
        transpose, before the terms are formed.
    default : the value if none is given.
    mean, variance : conditions for the mean and the variance to exist: expressions whose real part is positive.

    Examples
    --------
    >>> A = sympy.Symbol("A")
    >>> Parameter(A, "of |w|^2", "complex", mean=1 - 4 * A, variance=1 - 8 * A).name
    'A'
    """

    symbol: sympy.Symbol
    about: str
    kind: str = "real"
    default: object = None
    mean: sympy.Expr | None = None
    variance: sympy.Expr | None = None

    def __post_init__(self) -> None:
        kinds = ("real", "complex", "sign", "diagonal", "matrix")
        need("symbol of a parameter", self.symbol, sympy.Symbol, "a sympy symbol")
        need(f"kind of parameter {self.symbol}", self.kind, kinds, " or ".join(kinds))

    @property
    def name(self) -> str:
        """The keyword."""
        return str(self.symbol.name)

    def admits(self, *known: sympy.Expr) -> bool:
        """Whether everything that is assumed of the symbol is known of a value, or of another form of it.

        Examples
        --------
        >>> whole = Parameter(sympy.Symbol("B", integer=True), "a number of turns")
        >>> whole.admits(sympy.Integer(2)), whole.admits(sympy.S.Half), whole.admits(sympy.Symbol("t", real=True))
        (True, False, False)
        """
        assumed = self.symbol.assumptions0.items()
        return all(any(getattr(form, f"is_{name}") is truth for form in known) for name, truth in assumed)

    def check(self, subject: str, value: sympy.Expr) -> None:
        """Refuse a number that is not one of those that the symbol stands for.

        Raises
        ------
        OutsideDomain : something that is assumed of the symbol is not known of the number.
        """
        if not self.admits(value):
            raise OutsideDomain(
                f"{subject}: {self.name}", needs=f"a value of {sympy.srepr(self.symbol)}", got=str(value)
            )


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """A feature map, given by the terms of its estimate for a pair.

    Attributes
    ----------
    name, says, source, aliases : as for couplings.
    terms : the estimate of one projection is the real part of their sum; empty for a table.
    table : for features of random counts, which have no projections.
    parameters : the parameters of the map.
    chosen : parameters determined by the pair, as expressions in `v` = |x + y| and `d`.
    norm : ``"v"`` or ``"z"`` if the estimate, divided by its mean, depends on |x + y| or |x - y| alone.

    Raises
    ------
    InvalidInput : neither terms nor a table, or both; a symbol that is not declared; a parameter that no keyword can
        give; a choice that is not made by v and d; or a norm that the terms do not have.

    Examples
    --------
    >>> one_sided = FeatureMap("one-sided", "exp(w.x)", "ours", (Term(x + y, -(x**2 + y**2) / 2),), norm="v")
    >>> one_sided.parameters, one_sided.isotropic
    ((), True)
    """

    name: str
    says: str
    source: str
    terms: tuple[Term, ...] = ()
    table: Table | None = None
    parameters: tuple[Parameter, ...] = ()
    chosen: Mapping[str, sympy.Expr] = field(default_factory=dict)
    norm: str = ""
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        need("name of a feature map", self.name, str, "text")
        for word in ("says", "source"):
            need(f"{word} of {self.name}", getattr(self, word), str, "text", hint="terms come after both")
        items(f"terms of {self.name}", self.terms, Term, "terms")
        need(f"table of {self.name}", self.table, (Table, type(None)), "a Table")
        items(f"parameters of {self.name}", self.parameters, Parameter, "parameters")
        if bool(self.terms) == (self.table is not None):
            raise InvalidInput(
                f"feature map {self.name}", needs="terms, or a table", got=self.terms or self.table
            )
        self._require_parameters()
        self._require_norm()
        known = {x, y, k, *(parameter.symbol for parameter in self.parameters)}
        parts = [part for term in self.terms for part in (term.b, term.log, term.q, term.weight)]
        if self.table is not None:
            parts += [self.table.probability, self.table.value]
        for part in (expression(f"feature map {self.name}", part) for part in parts):
            if part.free_symbols - known:
                strange = ", ".join(sorted(str(s) for s in part.free_symbols - known))
                raise InvalidInput(
                    f"feature map {self.name}", needs="terms in x, y and its parameters", got=strange
                )

    def _require_parameters(self) -> None:
        """Refuse parameters that no keyword can give, and choices of none of them or by anything but v and d."""
        names = [parameter.name for parameter in self.parameters]
        for name in names:
            if name in RESERVED or names.count(name) > 1:
                needs = f"names of their own, and none of {', '.join(RESERVED)}"
                raise InvalidInput(f"parameters of {self.name}", needs=needs, got=name)
        for name, value in self.chosen.items():
            if name not in names:
                raise InvalidInput(f"chosen of {self.name}", needs="names of its parameters", got=name)
            exact_in(f"chosen {name} of {self.name}", value, {v, d}, "an exact expression in v and d")

    def _require_norm(self) -> None:
        """Refuse a norm on which the estimate, divided by its mean, does not depend alone.

        What all terms have in their logarithm cancels, and a slope with a random phase has no direction.
        """
        need(f"norm of {self.name}", self.norm, ("", "v", "z"), "v, z or nothing")
        whole, across = ("x + y", -1) if self.norm == "v" else ("x - y", 1)
        for term in self.terms if self.norm else ():
            slope, beside = sympy.S.Zero if term.phase else term.b, term.log - self.terms[0].log
            for part, degrees, needs in (
                (slope, {1}, f"b is a multiple of {whole}"),
                (term.q, {0}, "q is free of x and y"),
                (beside, {0, 2}, f"log, less that of the first, is a multiple of |{whole}|^2"),
            ):
                if not _degrees(part) <= degrees or sympy.expand(part.diff(x) + across * part.diff(y)) != 0:
                    needs = f"terms in which {needs}"
                    raise InvalidInput(f"norm of {self.name}", needs=needs, got=str(part))

    @cached_property
    def isotropic(self) -> bool:
        """Whether the law of the estimate stays the same when both inputs are rotated together."""
        return not self.by_coordinate and all(term.isotropic for term in self.terms)

    @property
    def by_coordinate(self) -> bool:
        """Whether it counts in each coordinate, or has a parameter with entries for coordinates."""
        return self.table is not None or any(p.kind in ("diagonal", "matrix") for p in self.parameters)
