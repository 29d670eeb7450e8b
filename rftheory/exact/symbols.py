"""The symbols shared by all formulas, with their assumptions."""

from __future__ import annotations

import sympy

from rftheory.exact.formula import Condition, Variable

d = sympy.Symbol("d", integer=True, positive=True)
m = sympy.Symbol("m", integer=True, positive=True)
v = sympy.Symbol("v", nonnegative=True)
z = sympy.Symbol("z", nonnegative=True)
w = sympy.Symbol("w", nonnegative=True)
c = sympy.Symbol("c", real=True)
x = sympy.Symbol("x", nonnegative=True)
y = sympy.Symbol("y", nonnegative=True)
phi = sympy.Symbol("phi", real=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
p = sympy.Symbol("p", integer=True, nonnegative=True)

DIMENSION = Variable(d, "data dimension", integer=True, low=1)
PAIR_DIMENSION = Variable(d, "data dimension", integer=True, low=2)
FEATURES = Variable(m, "number of random vectors", integer=True, low=1)
SUM_NORM = Variable(v, "|x + y|", low=0)
DIFFERENCE_NORM = Variable(z, "|x - y|", low=0)
POSITIVE_SUM_NORM = Variable(v, "|x + y|", above=0)
POSITIVE_DIFFERENCE_NORM = Variable(z, "|x - y|", above=0)
RESULTANT_NORM = Variable(w, "|w_i + w_j|", low=0)
COSINE = Variable(c, "cosine of the angle between two projections", low=-1, high=1)
X_NORM = Variable(x, "|x|", low=0)
Y_NORM = Variable(y, "|y|", low=0)

TRIANGLE: Condition


def __getattr__(name: str) -> Condition:
    """Make ``TRIANGLE`` when it is first needed, because its inequalities take sympy a long time."""
    if name != "TRIANGLE":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # by how much norms of parallel vectors may violate the triangle inequality after rounding to floats
    ulps = sympy.Rational(1, 2**48) * (x + y)
    globals()[name] = found = Condition(
        "||x| - |y|| <= |x + y| <= |x| + |y|",
        sympy.And(sympy.Abs(x - y) <= v, v <= x + y),
        rounded=sympy.And(sympy.Abs(x - y) <= v + ulps, v <= x + y + ulps),
    )
    return found
