"""The atoms of statements besides numbers and variables: quantities of laws, named formulas, orders of growth.

All are sympy expressions, so that sympy does substitution, structural comparison and printing; the exact layer
evaluates them as balls.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import sympy
from flint import acb, arb
from sympy.core.symbol import Str

from rftheory.errors import InvalidInput, NotKnown, OutsideDomain
from rftheory.exact.enclosure import Ball
from rftheory.exact.evaluate import register_reader
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.inputs import Coordinate, Inputs
from rftheory.exact.laws import Law, slope_ratio
from rftheory.exact.pair_law import PairForm
from rftheory.exact.quantities import find_quantity
from rftheory.spec import Coupling, FeatureMap, Relation, find_coupling, find_map
from rftheory.spec.feature_map import x as X
from rftheory.spec.feature_map import y as Y
from rftheory.spec.validity import expression


class OfLaw(sympy.Expr):
    """A quantity of the law of a mechanism: its name, feature map, coupling, kernel; d, m, v, z, order, parameters.

    The law is that of any pair with ``|x + y| = v`` and ``|x - y| = z``.

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
    """

    is_commutative = True
    is_extended_real = True
    is_real = True
    is_finite = True

    @classmethod
    def of(
        cls, name: str, feature: str, coupling: str, *, d: Any, m: Any, v: Any, z: Any, kernel: str = "gaussian",
        order: int = 2, parameters: Mapping[str, Any] | None = None,
    ) -> OfLaw:  # fmt: skip
        """Build the quantity from words and expressions."""
        given = sympy.Tuple(
            *(
                sympy.Tuple(Str(n), expression(f"{name}: {n}", p))
                for n, p in sorted((parameters or {}).items())
            )
        )
        words = (Str(word) for word in (name, feature, coupling, kernel))
        return cls(*words, *(expression(name, one) for one in (d, m, v, z, order)), given)

    @property
    def words(self) -> tuple[str, str, str, str]:
        """Quantity, feature map, coupling, kernel."""
        name, feature, coupling, kernel = (part.name for part in self.args[:4])
        return name, feature, coupling, kernel

    @property
    def numbers(self) -> tuple[sympy.Expr, ...]:
        """d, m, v, z and the order."""
        return self.args[4:9]  # type: ignore[no-any-return]

    @property
    def parameters(self) -> dict[str, sympy.Expr]:
        """Parameters of the feature map."""
        return {entry[0].name: entry[1] for entry in self.args[9]}

    @property
    def feature(self) -> FeatureMap:
        """The declaration of the feature map."""
        return find_map(self.words[1])

    @property
    def coupling(self) -> Coupling:
        """The declaration of the coupling."""
        return find_coupling(self.words[2])

    def law(self) -> Law:
        """The law, if d, m and the norms are numbers."""
        d, m, v, z, _ = self.numbers
        return _law(*self.words[1:], d, m, v, z, self.args[9])

    def ball(self) -> arb:
        """The value at the working precision."""
        if self.words[0] == "central_moment":
            order = int(self.numbers[4])
            return central_moments_of(self.law(), order)[order]
        return find_quantity(self.words[0]).value(self.law(), {})

    def _own(self) -> str:
        d, m, v, z, order = self.numbers
        name, feature, coupling, kernel = self.words
        parts = [coupling if name == "conformity" else f"{feature} x {coupling}"]
        parts += [f"{kernel} kernel"] if kernel != "gaussian" else []
        parts += [f"{n} = {p}" for n, p in self.parameters.items()]
        parts += [f"order = {order}"] if name == "central_moment" else []
        standard = ("d", "", "v", "z")
        for letter, value, usual in zip("dmvz", (d, m, v, z), standard, strict=True):
            shown = name != "conformity" or letter in "dv" or (letter == "m" and m != d)
            said = letter if str(value) == letter else f"{letter} = {value}"
            parts += [said] if shown and str(value) != usual else []
        return ", ".join(parts)

    def _sympystr(self, printer: Any) -> str:
        return f"{self.words[0]}({self._own()})"

    def _latex(self, printer: Any) -> str:
        return rf"\mathrm{{{self.words[0].replace('_', ' ')}}}(\text{{{self._own()}}})"


@lru_cache(maxsize=512)
def _law(
    feature: str, coupling: str, kernel: str, d: sympy.Expr, m: sympy.Expr, v: sympy.Expr, z: sympy.Expr,
    parameters: sympy.Tuple,
) -> Law:  # fmt: skip
    for name, value in (("d", d), ("m", m)):
        if not value.is_Integer or value < 1:
            raise InvalidInput(f"{name} of a law", needs="a positive integer", got=str(value))
    half = sympy.S.Half
    first = Coordinate(sympy.expand(half * (v + z)), sympy.expand(half * (v - z)))
    rest = (Coordinate(sympy.S.Zero, sympy.S.Zero, int(d) - 1),) if d > 1 else ()
    found = find_map(feature)
    determined_by_norms(found)
    given = {entry[0].name: entry[1] for entry in parameters}
    return Law(found, find_coupling(coupling), int(m), Inputs((first, *rest)), given, kernel)  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def determined_by_norms(feature: FeatureMap) -> None:
    """Refuse a map whose law depends on the pair by more than |x + y| and |x - y|.

    Slopes must be multiples of x + y or of x - y, the same for all terms of one phase.

    Examples
    --------
    >>> determined_by_norms(find_map("positive"))
    >>> determined_by_norms(find_map("anisotropic"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rftheory.errors.NotKnown: the law from |x + y| and |x - y| is not known for anisotropic, because its terms tell ...
    """
    what = "the law from |x + y| and |x - y|"
    if not feature.isotropic:
        raise NotKnown(what, feature.name, "its terms tell coordinates apart")
    signs = [p.symbol for p in feature.parameters if p.kind == "sign"]
    for value in (1, -1) if signs else (1,):
        lines: dict[int, set[sympy.Expr]] = {}
        for term in feature.terms:
            ratio = slope_ratio(term)
            ratio = None if ratio is None else ratio.subs(dict.fromkeys(signs, value))
            lines.setdefault(abs(term.phase), set()).add(ratio)
            log = sympy.expand(term.log)
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
        return f"pair({Relation(cosine, norms.name).name}; {printer.doprint(square)})"


class PairCount(sympy.Function):
    """How many pairs of m rows lie in the same block: ``PairCount(coupling, d, m)``, at least 0.

    Examples
    --------
    >>> PairCount("orthogonal", 3, 5)
    4
    """

    is_commutative = True
    is_integer = True
    is_nonnegative = True

    @classmethod
    def eval(cls, coupling: Any, d: Any, m: Any) -> sympy.Expr | None:
        """A number, if d and m are numbers."""
        if not (d.is_Integer and m.is_Integer):
            return None
        return sympy.Integer(sum(find_coupling(coupling.name).pairs(int(d), int(m)).values()))

    def __new__(cls, coupling: Any, *rest: Any) -> Any:
        return super().__new__(cls, Str(coupling) if isinstance(coupling, str) else coupling, *rest)


PROGRAMS: dict[str, Callable[..., int]] = {}
"""What is counted, by name: a function of sizes that runs a program and returns a count."""


class CountOf(sympy.Function):
    """What is counted when a program is run: ``CountOf(name, *sizes)``, a number if the sizes are.

    Examples
    --------
    >>> PROGRAMS["doctest pairs"] = lambda n: n * (n - 1) // 2
    >>> CountOf("doctest pairs", 4), CountOf("doctest pairs", sympy.Symbol("n"))
    (6, doctest pairs(n))
    """

    is_commutative = True
    is_integer = True

    @classmethod
    def eval(cls, name: Any, *sizes: Any) -> sympy.Expr | None:
        """The count, if all sizes are numbers."""
        return _counted(name.name, *sizes) if all(size.is_number for size in sizes) else None

    def __new__(cls, name: Any, *sizes: Any) -> Any:
        return super().__new__(cls, Str(name) if isinstance(name, str) else name, *sizes)

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0].name}({', '.join(map(printer.doprint, self.args[1:]))})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        shown = rf"\text{{{self.args[0].name}}}({', '.join(map(printer.doprint, self.args[1:]))})"
        return rf"\left[{shown}\right]^{{{exp}}}" if exp else shown


@lru_cache(maxsize=1024)
def _counted(name: str, *sizes: sympy.Expr) -> sympy.Integer:
    """What the program returns, run twice: a count does not depend on draws, or on what was counted before."""
    if not all(size.is_Integer and size >= 1 for size in sizes):
        raise OutsideDomain(name, needs="whole sizes of at least 1", got=sizes)
    try:
        found, again = (PROGRAMS[name](*map(int, sizes)) for _ in range(2))
        if isinstance(found, bool) or operator.index(found) < 0:
            raise ValueError(f"{found} is not a whole number from 0 on")
        if found != again:
            raise ValueError(f"it returns {found}, and then {again}")
    except (Exception, SystemExit) as problem:  # a user's program, at sizes that a changed statement may have
        got = f"{sizes} ({type(problem).__name__}: {problem})"
        raise OutsideDomain(name, needs="sizes at which the program returns a count", got=got) from problem
    return sympy.Integer(operator.index(found))


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

    @classmethod
    def of(cls, name: str, **values: Any) -> FormulaOf:
        """Build it from the formula's name and the values of its variables."""
        return cls(
            Str(name),
            *(sympy.Tuple(Str(n), expression(f"{name}: {n}", value)) for n, value in values.items()),
        )

    @property
    def values(self) -> dict[str, sympy.Expr]:
        """Its arguments."""
        return {entry[0].name: entry[1] for entry in self.args[1:]}

    def ball(self) -> Ball:
        """The value at the working precision."""
        from rftheory.exact import find_formula

        return find_formula(self.args[0].name).ball(**self.values)

    def written_out(self) -> sympy.Expr:
        """Its definition if that is an expression, else itself."""
        from rftheory.exact import find_formula

        found = find_formula(self.args[0].name)
        if not found.readable:
            return self
        values = self.values
        return found.expression.subs(
            {variable.symbol: values.get(variable.name, variable.default) for variable in found.variables},
            simultaneous=True,
        )

    def _sympystr(self, printer: Any) -> str:
        return (
            f"{self.args[0].name}({', '.join(f'{n}={printer.doprint(e)}' for n, e in self.values.items())})"
        )

    def _latex(self, printer: Any) -> str:
        name = self.args[0].name.replace("_", r"\_")
        return rf"\mathrm{{{name}}}({', '.join(printer.doprint(e) for e in self.values.values())})"


class Growth(sympy.Function):
    """O(scale): at most a constant times the scale, where the constant does not depend on the variable that grows.

    Examples
    --------
    >>> Growth(1 / sympy.Symbol("d", positive=True))
    O(1/d)
    """

    nargs = 1

    def _sympystr(self, printer: Any) -> str:
        return f"O({printer.doprint(self.args[0])})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"O\left({printer.doprint(self.args[0])}\right)"


def _read_pair(reader: Any, node: sympy.Expr) -> Ball:
    cosine, norms, d, square = node.args
    size, ball = reader.integer(d, "dimension"), acb(reader.read(square))
    angle = reader.exact(cosine)
    text = str(angle) if not angle.is_Rational else angle
    relation = Relation(text if isinstance(text, str) else _fraction(angle), norms.name)
    return PairForm(size, ball, ball, ball).mean(relation).real


def _fraction(number: sympy.Rational) -> Any:
    from fractions import Fraction

    return Fraction(int(number.p), int(number.q))


def _numbers(reader: Any, node: sympy.Expr) -> Any:
    found = reader.exact(node)
    if found is None or found.free_symbols:
        raise NotKnown(str(node), "an interval", "laws have values at points; over intervals only if a closed form is"
                       " known")  # fmt: skip
    return found


register_reader(OfLaw, lambda reader, node: _numbers(reader, node).ball())
register_reader(FormulaOf, lambda reader, node: _numbers(reader, node).ball())
register_reader(PairMean, _read_pair)
register_reader(PairCount, lambda reader, node: reader.read(_numbers(reader, node)))
register_reader(CountOf, lambda reader, node: reader.read(_numbers(reader, node)))
