"""A mechanism with claims: the template holds, wrong claims are refuted by integrals and by samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from rftheory.check import Report, check
from rftheory.check.symbolic import XX, XY, YY, S, T, gaussian_mean, moments, same
from rftheory.check.template import TEMPLATE, write_template
from rftheory.errors import InvalidInput, RFTheoryError
from rftheory.judge import Outcome

pytestmark = pytest.mark.usefixtures("end_after")

MEAN = "MEAN = sp.exp(xy - (xx + yy) / 2)"
VARIANCE = "VARIANCE = (sp.exp(4 * xy) - sp.exp(2 * xy - xx - yy)) / m"
SUMMAND = "SUMMAND = sp.exp(s + t - xx - yy)"
MEAN_FUNCTION = "def MEAN(x, y):\n    return {} * np.exp(-((x - y) ** 2).sum() / 2)"
VARIANCE_FUNCTION = (
    "def VARIANCE(x, y, m):\n    return {} * (np.exp(4 * x @ y) - np.exp(-((x - y) ** 2).sum())) / m"
)


def written(folder: Path, *changes: tuple[str, str]) -> str:
    text = TEMPLATE.format(name="own.py")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "own.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def refuted(report: Report) -> set[str]:
    """Kinds of tests that were refuted, such as 'variance, samples'."""
    found = set()
    for f in report.findings:
        if f.outcome is Outcome.REFUTED:
            found.add(f"{f.topic}, {f.test.rpartition(', ')[2]}")
    return found


def test_the_template_agrees(tmp_path: Path) -> None:
    path = write_template(tmp_path / "new.py")
    report = check(str(path))
    assert report.ok, report.text()
    assert sum("symbolically" in f.test for f in report.findings) == 2
    assert sum("samples" in f.test for f in report.findings) >= 6
    with pytest.raises(InvalidInput, match="does not exist yet"):
        write_template(path)
    with pytest.raises(InvalidInput, match=r"ends with \.py"):
        write_template(tmp_path / "new.txt")


def test_a_wrong_variance_is_refuted_by_integrals_and_samples(tmp_path: Path) -> None:
    # the variance of exp(s + t) alone: the factor exp(-xx - yy) forgotten in its square
    wrong = "VARIANCE = (sp.exp(4 * xy) - sp.exp(2 * xy)) / m + sp.Rational(1, 2)"
    report = check(written(tmp_path, (VARIANCE, wrong)))
    assert report.exit_code == 1
    assert {"variance, symbolically", "variance, samples"} <= refuted(report)
    assert not any(one.startswith("unbiasedness") for one in refuted(report))
    assert "is claimed" in report.text()


def test_a_wrong_mean_is_refuted_by_integrals_and_samples(tmp_path: Path) -> None:
    report = check(written(tmp_path, (MEAN, "MEAN = sp.exp(xy)")))
    assert {"unbiasedness, symbolically", "unbiasedness, samples"} <= refuted(report)


def test_claims_as_functions_are_tested_on_samples(tmp_path: Path, end_after: Callable[[int], None]) -> None:
    end_after(8192)

    def claims(mean: str, variance: str) -> Report:
        changes = (MEAN, MEAN_FUNCTION.format(mean)), (VARIANCE, VARIANCE_FUNCTION.format(variance))
        return check(
            written(tmp_path, *changes, (SUMMAND, "SUMMAND = None"), ("KURTOSIS = 100", "KURTOSIS = 20"))
        )

    right = claims("1.0", "1.0")
    assert right.exit_code != 1
    assert all("symbolically" not in f.test for f in right.findings)
    assert "unbiasedness, samples" in refuted(claims("1.3", "1.0"))
    assert "variance, samples" in refuted(claims("1.0", "5.0"))
    assert "variance, samples" in refuted(claims("1.0", "0.2"))


def test_code_that_does_not_follow_its_summand_is_refuted(tmp_path: Path) -> None:
    report = check(written(tmp_path, ("- x @ x - y @ y).mean()", "- x @ x - y @ y).max()")))
    assert "unbiasedness, samples" in refuted(report)
    assert "unbiasedness, symbolically" not in refuted(report)


def test_an_integral_that_cannot_be_done_is_undecided(
    tmp_path: Path, end_after: Callable[[int], None]
) -> None:
    end_after(128)
    report = check(written(tmp_path, (SUMMAND, "SUMMAND = sp.sign(s) * sp.exp(s + t)")))
    undone = [f for f in report.findings if f.test.endswith("symbolically")]
    assert {f.outcome for f in undone} == {Outcome.UNDECIDED}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (MEAN, "", "MEAN, an expression or a function"),
        (MEAN, "MEAN = s + t", "an expression in xx, yy, xy, d, m"),
        (MEAN, "MEAN = sp.Symbol('length')", "length"),
        (MEAN, "MEAN = 1 / (xx - xx)", "a finite number"),
        (VARIANCE, "VARIANCE = -xx", "a number of at least 0"),
        ("DIMENSION = 8", "DIMENSION = 0", "DIMENSION: needs a positive integer"),
        ("KURTOSIS = 100", "KURTOSIS = 'many'", "KURTOSIS: needs a number of at least 1"),
        ("def estimate", "def estimates", r"estimate\(x, y, m, seed\) or phi"),
        ("import sympy as sp", "import sympy as sp\nraise OSError('gone')", "OSError: gone"),
    ],
)
def test_a_file_that_lacks_something_says_what(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(RFTheoryError, match=words):
        check(written(tmp_path, (old, new)))


# ---- integrals -------------------------------------------------------------------------------------------


def test_gaussian_integrals_against_numbers() -> None:
    x, y, z = 0.8, 0.5, 0.3
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    g, h = np.meshgrid(nodes, nodes, indexing="ij")
    along_x = np.sqrt(x) * g
    along_y = z / x * along_x + np.sqrt(y - z * z / x) * h
    for f in (sp.exp(S - T), S**2 * T**2, sp.cos(S) * sp.exp(T), S * T * sp.sinh(S), sp.cosh(S + T) ** 2):
        values = sp.lambdify((S, T), f, "numpy")(along_x, along_y)
        expected = float((weights[:, None] * weights * values).sum() / (2 * np.pi))
        value = gaussian_mean(f)
        assert value is not None
        assert float(sp.re(value.subs({XX: x, YY: y, XY: z}).evalf())) == pytest.approx(expected, rel=1e-10)


def test_integrals_that_are_not_known() -> None:
    for f in (sp.exp(S**2), sp.sign(S), sp.log(S), S ** sp.Rational(1, 2)):
        assert gaussian_mean(f) is None
    assert moments(sp.Abs(S), 4) is None


def test_equality_is_proved_refuted_or_left_open() -> None:
    assert same(sp.sinh(XX) * 2, sp.exp(XX) - sp.exp(-XX))[0] is True
    equal, reason = same(XX, XX + sp.Rational(1, 10**9))
    assert equal is False
    assert "is claimed" in reason
    assert same(sp.zoo * XX, XX)[0] is None
