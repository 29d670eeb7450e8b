"""The declared feature maps, by name."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import I, Rational, exp, factorial, log, sqrt

from rftheory import names
from rftheory.spec.dimension import d
from rftheory.spec.feature_map import FeatureMap, Parameter, Table, Term, k, v, x, y

MAPS: dict[str, FeatureMap] = {}


def declare_map(feature_map: FeatureMap) -> FeatureMap:
    """Register a declaration; from then on everything that takes a name knows it.

    Raises
    ------
    InvalidInput : another map has the name.
    """
    return names.declare("feature map", feature_map, MAPS)


def find_map(name: str) -> FeatureMap:
    """The declaration with that name, ours or a paper's.

    Raises
    ------
    UnknownName : no feature map has the name.

    Examples
    --------
    >>> find_map("PRF").name
    'positive'
    """
    return names.find("feature map", name, MAPS)


_HALF = Rational(1, 2)
_SQUARES = (x**2 + y**2) / 2
A = sympy.Symbol("A")
s, lam, p = (
    sympy.Symbol("s", integer=True),
    sympy.Symbol("lam", positive=True),
    sympy.Symbol("p", positive=True),
)

POSITIVE = declare_map(FeatureMap("positive", "exp(w.x - |x|^2/2)", "simplex.eq7; Choromanski et al. 2021",
    (Term(x + y, -_SQUARES),), norm="v"))  # fmt: skip
HYPERBOLIC = declare_map(FeatureMap("hyperbolic", "exp(w.x) and exp(-w.x), both signs of the projection",
    "hybrid.eq3, hybrid.eq34", (Term(x + y, -_SQUARES, weight=_HALF), Term(-x - y, -_SQUARES, weight=_HALF)),
    norm="v"))  # fmt: skip
TRIGONOMETRIC = declare_map(FeatureMap("trigonometric", "sines and cosines of w.x",
    "Rahimi and Recht 2007; simplex.eq3", (Term(I * (x - y), _SQUARES),), norm="z"))  # fmt: skip
COSINE = declare_map(FeatureMap("cosine", "sqrt(2) cos(w.x + b) with a uniform phase b", "Rahimi and Recht 2007",
    (Term(I * (x - y), _SQUARES), Term(I * (x + y), _SQUARES, phase=2)), norm="z"))  # fmt: skip

_SLOPE = sqrt(s * (1 - 4 * A))
_SIGN = Parameter(s, "+1 (positive for real A) or -1", "sign", default=1)
GERF = declare_map(FeatureMap("gerf", "D exp(A |w|^2 + B w.x + C |x|^2)", "chefs.thm3.1",
    (Term(_SLOPE * (x + s * y), log(1 - 4 * A) / 2 - s * _SQUARES, 2 * A),),
    parameters=(Parameter(A, "factor of |w|^2", "complex", mean=1 - 4 * A, variance=1 - 8 * A), _SIGN)))  # fmt: skip
_OVER_RHO = (sqrt((2 * v**2 + d) ** 2 + 8 * d * v**2) + 2 * v**2 + d) / (2 * d)
"""1/rho of the theorem, with the root in the numerator: it has its value at v = 0 too."""
OPRF = declare_map(replace(GERF, name="oprf", says="gerf with the A of least variance for |x + y|",
    source="chefs.thm3.3",
    chosen={"A": (1 - _OVER_RHO) / 8, "s": sympy.S.One}))  # fmt: skip

COMPLEX = declare_map(FeatureMap("complex-exponential", "exp(w.Ax - (Ax)^2/2) and exp(w.A^-T y - (A^-T y)^2/2)",
    "hybrid.eq14", (Term(x + y, -_SQUARES),),
    parameters=(Parameter(sympy.Symbol("matrix"), "A, invertible", "matrix"),)))  # fmt: skip

POISSON = declare_map(FeatureMap("poisson", "monomials of Poisson counts", "chefs.eq9",
    table=Table(exp(-lam) * lam**k / factorial(k), exp(lam) * (x * y / lam) ** k),
    parameters=(Parameter(lam, "mean of the counts", mean=lam, variance=lam),)))  # fmt: skip
GEOMETRIC = declare_map(FeatureMap("geometric", "monomials of geometric counts", "chefs.eq9",
    table=Table(p * (1 - p) ** k, (x * y) ** k / (factorial(k) * p * (1 - p) ** k)),
    parameters=(Parameter(p, "success probability", mean=p * (1 - p), variance=p * (1 - p)),)))  # fmt: skip
