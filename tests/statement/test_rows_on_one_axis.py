"""Two rows at an acute angle or on one axis, and lengths of opposite ones: the order of all coefficients is checked."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, special, stats
from sympy import Rational, S, Symbol

from rftheory.author import Rows, conformity, coupling, d, i, iid, mse, orthogonal, positive, simplex, v
from rftheory.statement.domain import Domain
from rftheory.statement.provers.series import Atom, Series, signs
from rftheory.statement.words import claimed
from tests.statement.stating import assert_holds, assert_not_proved


def of_two(name, **how):
    return positive(coupling(name, "two rows", rows=Rows(2, **how), cosine=None), m=2)


OPPOSITE = {"axis": 0, "sign": (-1) ** i}
SAME, APART = of_two("opposite-same", norm=0, **OPPOSITE), of_two("opposite-apart", norm=i, **OPPOSITE)
TURNED = of_two("opposite-reflected", norm=0, reflected=i, **OPPOSITE)
ALONG = of_two("along", axis=0, norm=i)
ACUTE, LESS = (
    coupling(f"acute-{n}", "rows at an acute angle", rows=Rows(d), cosine=Rational(1, n)) for n in (2, 3)
)
ONE, TWO, PAIR = positive(iid, m=1), positive(iid, m=2), positive(orthogonal, m=2)
ABOVE, PLANE = (v > 0,), (v > 0, d >= 2)


@pytest.mark.parametrize(
    ("less", "more", "over"),
    [
        (SAME, TURNED, ABOVE),
        (APART, TURNED, ABOVE),
        (TURNED, TWO, ABOVE),
        (TURNED, PAIR, PLANE),
        (TURNED, positive("antimonotone", m=2), PLANE),
        (TWO, ALONG, ABOVE),
        (PAIR, ALONG, PLANE),
        (ALONG, ONE, ABOVE),
        (positive(orthogonal), positive(LESS), PLANE),
        (positive(LESS), positive(ACUTE), PLANE),
        (positive(simplex), positive(ACUTE), PLANE),
        (positive(ACUTE), ONE, PLANE),
    ],
)
def test_errors_in_their_order(less, more, over):
    assert_holds(mse(less) < mse(more), *over)
    assert_not_proved(mse(less) > mse(more), *over)
    assert_not_proved(mse(less) < mse(more), *over[1:])  # v = 0


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (mse(positive(ACUTE)) > mse(positive(iid, m=d)), PLANE),  # d = 2, v = 4
        (mse(TURNED) < mse(positive(simplex, m=2)), (v > 0, d >= 3)),  # d = 3, v = 4
        (mse(ALONG) < mse(positive(iid, m=1)) / 2, ABOVE),
        (2 * conformity(orthogonal) < conformity(simplex) + conformity(ACUTE), PLANE),
    ],
)
def test_what_crosses_is_not_proved(claim, over):
    assert_not_proved(claim, *over)


DIMENSIONS = (1, 2, 5)
ATOMS = [
    *(Atom("exp", Rational(n, 4)) for n in (1, 2, 3, 4, 6, 8, 9)),
    *(Atom(kind, S.One, S(n)) for kind in ("frame", "bessel") for n in DIMENSIONS),
    *(Atom("pair", S.One, S(n), Rational(c, 2), "independent") for n in DIMENSIONS for c in (-2, -1, 1, 2)),
    *(Atom("pair", S.One, S(n), S(c), "antimonotone") for n in DIMENSIONS for c in (-1, 0)),
]


def moment(atom: Atom, k: int) -> float:
    """E (r^2 + s^2 + 2 c r s)^k/(4^k (d/2)_k) for norms at opposite quantiles."""
    law = stats.chi(int(atom.d))

    def power(p: float) -> float:
        r, s = law.ppf(p), law.isf(p)
        return (r * r + s * s + 2 * float(atom.cosine) * r * s) ** k

    value, _ = integrate.quad(power, 0, 0.5, limit=200, epsrel=1e-9)
    return 2 * value / (4**k * special.poch(int(atom.d) / 2, k))


@pytest.fixture(scope="module")
def coefficients():
    def of(atom: Atom) -> list[float]:
        if atom.norms == "antimonotone":
            return [moment(atom, k) for k in range(5)]
        return [float(atom.coefficient(k)) for k in range(5)]

    return {atom: of(atom) for atom in ATOMS}


def test_no_order_of_two_atoms_is_wrong(coefficients):
    share = Symbol("share", positive=True)
    over = Domain.of(claimed(share < 2), ())
    seen = {True: 0, False: 0}
    for low, high in itertools.permutations(ATOMS, 2):
        series = Series(v, S.Zero, {(high, 0): S.One, (low, 0): S.NegativeOne})
        apart = np.subtract(coefficients[high], coefficients[low])
        found = signs(series, over)
        seen[found is not None] += 1
        if found is not None:
            assert math.isclose(apart[0], 0, abs_tol=1e-9)
            assert apart[1] > (1e-6 if found.one == "positive" else -1e-6), (low, high)
            assert (apart[2:] > (1e-6 if found.more == "positive" else -1e-6)).all(), (low, high)
    assert min(seen.values()) > 100
