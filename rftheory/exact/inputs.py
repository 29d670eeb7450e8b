"""The pair of inputs, and the parameters of a feature map, as exact numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import sympy
from flint import fmpq

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.exact.enclosure import exact_number, real_number
from rftheory.exact.order import compared
from rftheory.exact.truth import decided
from rftheory.spec import FeatureMap, Parameter
from rftheory.spec.dimension import d as DIMENSION
from rftheory.spec.feature_map import v as SUM


class Coordinate(NamedTuple):
    """One coordinate of the two inputs, and the number of equal coordinates.

    Examples
    --------
    >>> Coordinate(sympy.Integer(1), sympy.Integer(0)).times
    1
    """

    x: sympy.Expr
    y: sympy.Expr
    times: int = 1


@dataclass(frozen=True)
class Inputs:
    """The pair (x, y), coordinate by coordinate, with exact numbers.

    Examples
    --------
    >>> pair = Inputs.of_norms(64, sum_norm="1")
    >>> pair.d, pair.sum_norm, pair.product
    (64, 1, 1/4)
    """

    coordinates: tuple[Coordinate, ...]
    turned: bool = False
    """Whether the pair is known only up to a rotation, so that its coordinates are those of one pair among many."""

    @property
    def d(self) -> int:
        """Dimension."""
        return sum(c.times for c in self.coordinates)

    def total(self, of: Callable[[Any, Any], Any]) -> sympy.Expr:
        """The sum over all coordinates of a function of x_j and y_j, a polynomial."""
        if all(part.is_Rational for c in self.coordinates for part in c[:2]):  # sympy adds thousands slowly
            parts = (c.times * of(fmpq(c.x.p, c.x.q), fmpq(c.y.p, c.y.q)) for c in self.coordinates)
            total = sum(parts, fmpq(0))
            return sympy.Rational(int(total.p), int(total.q))
        return sympy.expand(sympy.Add(*(c.times * of(c.x, c.y) for c in self.coordinates)))

    @cached_property
    def squares(self) -> sympy.Expr:
        """|x|^2 + |y|^2."""
        return self.total(lambda x, y: x * x + y * y)

    @cached_property
    def product(self) -> sympy.Expr:
        """x.y."""
        return self.total(lambda x, y: x * y)

    @cached_property
    def sum_norm(self) -> sympy.Expr:
        """|x + y|."""
        return sympy.sqrt(self.total(lambda x, y: (x + y) ** 2))

    @cached_property
    def difference_norm(self) -> sympy.Expr:
        """|x - y|."""
        return sympy.sqrt(self.total(lambda x, y: (x - y) ** 2))

    @classmethod
    def of_vectors(cls, x: Sequence[object], y: Sequence[object]) -> Inputs:
        """The pair with these coordinates.

        Raises
        ------
        InvalidInput : there are no coordinates, different numbers of them, or one that is not real.
        """
        if len(x) != len(y) or not len(x):
            raise InvalidInput(
                "x, y", needs="the same number of coordinates, at least one", got=(len(x), len(y))
            )
        pairs = zip(x, y, strict=True)
        return cls(tuple(Coordinate(real_number(a, "x"), real_number(b, "y")) for a, b in pairs))

    @classmethod
    def of_norms(
        cls, d: int, *, sum_norm: object = None, difference_norm: object = None, x: object = None,
        y: object = None, theta: object = None,
    ) -> Inputs:  # fmt: skip
        """A pair with these norms, which determine it up to a rotation.

        Give either |x| and |y| with one of |x + y|, |x - y| and the angle theta, none of which is needed if |x| or |y|
        is 0; or just |x + y| and |x - y|, where |x| = |y|, and a norm that is not given is 0.

        Raises
        ------
        InvalidInput : too few or too many norms.
        OutsideDomain : a number is not real, or no pair of vectors has these norms; in one dimension x and y are
            parallel.

        Examples
        --------
        >>> Inputs.of_norms(4, x=0, y=2) == Inputs.of_norms(4, x=0, y=2, theta=1)
        True
        """
        given = {"v": sum_norm, "z": difference_norm, "x": x, "y": y, "theta": theta}
        read = {name: real_number(value, name) for name, value in given.items() if value is not None}
        for name, value in read.items():
            if name != "theta" and compared(value, "<"):
                raise OutsideDomain(
                    f"|{name}|" if name in "xy" else name, needs="a norm, 0 or more", got=value
                )
        names = "".join(n[0] for n in read)
        if set(names) <= {"v", "z"} and names:
            v, z = read.get("v", sympy.S.Zero), read.get("z", sympy.S.Zero)
            if d == 1 and not (compared(v, "=") or compared(z, "=")):
                numbers = (str(sympy.expand(n / 2)).replace(" ", "") for n in (v + z, v - z))
                raise OutsideDomain(
                    "pair of inputs", needs="x and y themselves in one dimension, where |x| and |y| differ",
                    got=f"v = {v}, z = {z}", hint="say x={} y={}".format(*numbers),
                )  # fmt: skip
            v2, z2 = v**2, z**2
            xx = yy = (v2 + z2) / 4
            xy = (v2 - z2) / 4
        elif set(names) in ({"x", "y", "v"}, {"x", "y", "z"}, {"x", "y", "t"}) or (
            set(names) == {"x", "y"} and any(compared(read[name], "=") for name in "xy")
        ):
            xx, yy = read["x"] ** 2, read["y"] ** 2
            if "v" in read:
                xy = (read["v"] ** 2 - xx - yy) / 2
            elif "z" in read:
                xy = (xx + yy - read["z"] ** 2) / 2
            else:
                xy = read["x"] * read["y"] * sympy.cos(read.get("theta", 0))
        else:
            needs = "v = |x + y|, z = |x - y| or both; or |x| and |y| with v, z or theta; or coordinates x=1,2 y=3,4"
            raise InvalidInput("pair of inputs", needs=needs, got=", ".join(read) or "nothing")
        floats = any(isinstance(value, float) for value in given.values())
        return cls(_coordinates(d, xx, yy, xy, slack=floats), turned=d > 1)


def _coordinates(
    d: int, xx: sympy.Expr, yy: sympy.Expr, xy: sympy.Expr, slack: bool
) -> tuple[Coordinate, ...]:
    """Vectors with these products: the first axis along x + y, or along x - y if x + y = 0."""
    area = sympy.expand(xx * yy - xy * xy)
    if compared(area, "<") is None:
        area = sympy.simplify(area)
    if slack and compared(area, "<") and compared(-area, "<=", sympy.Rational(1, 2**48) * (xx + yy) ** 2):
        area = sympy.S.Zero  # norms rounded to floats
        xy = sympy.sign(xy) * sympy.sqrt(xx * yy)
    if compared(area, "<"):
        raise OutsideDomain(
            "norms", needs="| |x| - |y| | <= |x + y|, |x - y| <= |x| + |y|", got=_of_norms(xx, yy, xy)
        )
    if d == 1 and not compared(area, "="):
        raise OutsideDomain("norms", needs="parallel x and y in one dimension", got=_of_norms(xx, yy, xy))
    total = sympy.expand(xx + yy + 2 * xy)
    if compared(total, "="):  # x = -y
        found = [Coordinate(sympy.sqrt(xx), -sympy.sqrt(xx))]
    else:
        norm, height = sympy.sqrt(total), sympy.sqrt(area / total)
        found = [Coordinate((xx + xy) / norm, (yy + xy) / norm)]
        found += [] if compared(area, "=") else [Coordinate(height, -height)]
    zeros = d - len(found)
    return (*found, Coordinate(sympy.S.Zero, sympy.S.Zero, zeros)) if zeros else tuple(found)


def _of_norms(xx: sympy.Expr, yy: sympy.Expr, xy: sympy.Expr) -> str:
    numbers = (sympy.N(n, 8) for n in (sympy.sqrt(xx), sympy.sqrt(yy), sympy.sqrt(xx + yy + 2 * xy)))
    return "|x| = {}, |y| = {}, |x + y| = {}".format(*numbers)


# ---- parameters --------------------------------------------------------------------------------------


def read_parameters(feature: FeatureMap, inputs: Inputs, given: Mapping[str, object]) -> dict[str, object]:
    """The exact values of all parameters of a map at a pair of inputs, checked.

    Raises
    ------
    UnknownName, InvalidInput, OutsideDomain : a parameter is unknown, missing, of the wrong kind or outside its
        domain.

    Examples
    --------
    >>> from rftheory.spec import find_map
    >>> read_parameters(find_map("gerf"), Inputs.of_norms(4, sum_norm=1), {"A": "-0.1"})
    {'A': -1/10, 's': 1}
    """
    names = [p.name for p in feature.parameters if p.name not in feature.chosen]
    for name, value in given.items():
        if name in feature.chosen:
            raise InvalidInput(f"{feature.name}: {name}", needs="no value: the pair determines it", got=value)
        if name not in names:
            raise UnknownName(f"parameter of {feature.name}", name, names)
    found: dict[str, object] = {}
    for parameter in feature.parameters:
        if parameter.name in feature.chosen:
            here = {SUM: inputs.sum_norm, DIMENSION: sympy.Integer(inputs.d)}
            found[parameter.name] = sympy.sympify(feature.chosen[parameter.name]).subs(here)
            continue
        value = given.get(parameter.name, parameter.default)
        if value is None:
            raise InvalidInput(
                feature.name, needs=f"a value for {parameter.name} ({parameter.about})", got=None
            )
        found[parameter.name] = _read_parameter(parameter, value, inputs, feature.name)
    _check_domain(feature, found)
    return found


def listed(value: object) -> object:
    """Text with commas as a list of numbers, with semicolons as a list of rows; arrays as lists; others unchanged.

    Examples
    --------
    >>> listed("1,2;0,1"), listed("1/3")
    ([['1', '2'], ['0', '1']], '1/3')
    """
    if isinstance(value, str) and ";" in value:
        return [listed(row) for row in value.split(";")]
    if isinstance(value, str) and "," in value:
        return [entry.strip() for entry in value.removesuffix(",").split(",")]
    return value.tolist() if getattr(value, "ndim", 0) else value  # type: ignore[attr-defined]


def _read_parameter(parameter: Parameter, value: object, inputs: Inputs, subject: str) -> object:
    subject = f"{subject}: {parameter.name}"
    value = listed(value)
    if parameter.kind == "matrix":
        return _read_matrix(value, inputs, subject)
    if parameter.kind == "diagonal" and isinstance(value, list | tuple):
        numbers = tuple(exact_number(entry, subject) for entry in value)
        multiple = len(set(numbers)) == 1  # of the identity, for which more is known
        if len(numbers) != inputs.d or (inputs.turned and not multiple):
            got = f"{len(value)}, and norms" if inputs.turned else len(value)
            raise InvalidInput(
                subject, needs="one number for each coordinate, and x and y as vectors", got=got
            )
        if not multiple:
            return numbers
        value = numbers[0]
    number = exact_number(value, subject)
    if parameter.kind == "sign" and number not in (1, -1):
        raise InvalidInput(subject, needs="+1 or -1", got=str(number))
    if parameter.kind in ("real", "diagonal") and number.is_real is False:
        raise InvalidInput(subject, needs="a real number", got=str(number))
    return number


def _read_matrix(value: object, inputs: Inputs, subject: str) -> sympy.Matrix:
    rows = value if isinstance(value, list | tuple) else [[value]]
    needs = f"{inputs.d} rows of {inputs.d} numbers, and x and y as vectors"
    if not isinstance(rows, list | tuple) or any(not isinstance(row, list | tuple) for row in rows):
        raise InvalidInput(subject, needs=needs, got=value)
    if {len(rows), *map(len, rows)} != {inputs.d}:
        raise InvalidInput(subject, needs=needs, got=[len(row) for row in rows])
    if inputs.turned:
        raise InvalidInput(subject, needs=needs, got="norms")
    matrix = sympy.Matrix([[exact_number(entry, subject) for entry in row] for row in rows])
    if matrix.det().is_zero is not False:
        raise OutsideDomain(subject, needs="an invertible matrix", got=str(rows))
    return matrix


def real_part_is_positive(number: sympy.Expr, at: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
    """Whether a condition of a parameter holds at exact values, however near it is to its limit.

    Examples
    --------
    >>> a = sympy.Symbol("a")
    >>> [real_part_is_positive(1 - 4 * a, {a: exact_number(text)}) for text in ("0.24999999999999999999", "1/4 + I")]
    [True, False]
    """
    part = sympy.re(number.xreplace(at))
    return decided(compared(part, ">"), f"{part} > 0")


def _check_domain(feature: FeatureMap, values: Mapping[str, object]) -> None:
    for parameter in feature.parameters:
        own, condition = values[parameter.name], parameter.mean
        for entry in own if isinstance(own, tuple) else (own,):
            if condition is not None and not real_part_is_positive(condition, {parameter.symbol: entry}):
                raise OutsideDomain(f"{feature.name}: {parameter.name}", needs=f"Re({condition}) > 0",
                                    got=str(entry))  # fmt: skip
            if parameter.kind != "matrix":
                parameter.check(feature.name, entry)
