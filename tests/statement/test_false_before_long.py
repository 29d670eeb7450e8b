"""What is false at one of the simplest points takes no derivatives, no halves and no exponentials."""

import pytest
import sympy
from sympy import cos, cosh, exp, log, pi, sqrt

from rftheory.statement.domain import Domain
from rftheory.statement.provers import ends
from rftheory.statement.provers.proof import MORE_POINTS, is_false_somewhere
from rftheory.statement.words import claimed

c, m, v = sympy.symbols("c m v", positive=True)
u = sympy.Symbol("u", nonnegative=True)
r = sympy.Symbol("r", positive=True)
n = sympy.Symbol("n", integer=True, positive=True)

FALSE = (
    (u**2 * (1 - 1 / n) * exp(2 * r**2 * cos(u)) / pi**2 <= exp(2 * r**2) / (2 * sqrt(pi) * n * r**2),
     (r >= 1, u <= pi)),
    (1 - ((4 * c * u + 1) / (4 * c + 1)) ** (1 / (4 * c)) <= 2 * exp(-16 * c**2 * u**2 / (8 * c + 2)), (u > 0, u < 1)),
    (exp(m * u**2 * (m + 1) / 2) > exp(m * u**2 * (m - 1) / 2), (m >= 1,)),
)  # fmt: skip


def _worked(*_: object) -> None:
    raise AssertionError("it is false at one of the simplest points")


@pytest.mark.parametrize("number", range(len(FALSE)))
def test_no_derivative_is_taken_of_what_is_false(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    claim, over = claimed(FALSE[number][0]), FALSE[number][1]
    monkeypatch.setattr(ends, "_at_an_end", _worked)
    assert ends.by_ends(claim.parts[0], Domain.of(claim, over)) is None


@pytest.mark.parametrize("true", [exp(u) >= 1 + u, log(1 + u) <= u, cosh(u) <= exp(u**2 / 2)])
def test_what_is_true_is_false_at_no_point_and_proved(true: sympy.Basic) -> None:
    claim = claimed(true)
    part, over = claim.parts[0], Domain.of(claim, ())
    assert not is_false_somewhere(part, over, MORE_POINTS)
    assert ends.by_ends(part, over) is not None
