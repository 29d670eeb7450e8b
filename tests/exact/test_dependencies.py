"""Defects of python-flint and sympy that the package guards against, as they are today.

Each test shows one defect in the dependency alone. One that fails after an update says that the guard, named in
``docs/dependencies.md``, is no longer needed.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sympy
from flint import acb, arb, arb_series, ctx

TABLE = Path(__file__).resolve().parents[2] / "docs" / "dependencies.md"


def quadrature_loses_interrupts() -> bool:
    """An exception other than ValueError and TypeError does not come out as itself."""
    calls = 0

    def integrand(z: acb, analytic: bool) -> acb:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return z.sin()

    try:
        acb.integral(integrand, acb(0), acb(3))
    except KeyboardInterrupt:
        return False
    except SystemError:  # "returned a result with an exception set"
        return True
    return True


def squares_about_zero_are_not_finite() -> bool:
    """The square of [-1, 1] by `**` is unknown, by `*` it is [-1, 1]."""
    ball = arb(0, 1)
    return not (ball**2).is_finite() and (ball * ball).is_finite()


def precision_is_shared_by_threads() -> bool:
    """A precision that one thread sets is that of the others."""
    seen = []
    with ctx.workprec(1234):
        thread = threading.Thread(target=lambda: seen.append(ctx.prec))
        thread.start()
        thread.join()
    return seen == [1234]


def series_are_not_divided_by_balls_about_zero() -> bool:
    """A divisor that may be 0 is an error of its own and not an unknown value."""
    try:
        arb_series([1, 1]) / arb(0, 1)
    except ValueError:
        return True
    return False


def relations_of_hidden_zeros_have_no_truth() -> bool:
    """sympy neither decides log 2 + log 3 >= log 6 nor gives a third value: its truth is a TypeError."""
    try:
        bool(sympy.log(2) + sympy.log(3) - sympy.log(6) >= 0)
    except TypeError:
        return True
    return False


def text_is_executed() -> bool:
    """sympify evaluates text as Python."""
    return bool(sympy.sympify("(lambda: 6*7)()") == 42)


DEFECTS = {
    "quadrature loses interrupts": quadrature_loses_interrupts,
    "squares about zero are not finite": squares_about_zero_are_not_finite,
    "precision is shared by threads": precision_is_shared_by_threads,
    "series are not divided by balls about zero": series_are_not_divided_by_balls_about_zero,
    "relations of hidden zeros have no truth": relations_of_hidden_zeros_have_no_truth,
    "text is executed": text_is_executed,
}


@pytest.mark.parametrize("name", DEFECTS)
def test_the_defect_is_still_there(name: str) -> None:
    assert DEFECTS[name](), f"the guard against it is no longer needed: {name}"


def test_the_table_names_each_of_them() -> None:
    rows = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows[1:]]
    assert {cell[0]: cell[2] for cell in cells} == {
        name: f"`{test.__name__}`" for name, test in DEFECTS.items()
    }
    assert all(cell[3] for cell in cells)  # the release without it, or "not known"


def test_each_text_for_a_tracker_shows_what_it_says() -> None:
    """The programs run; the first ends as its comment says, the others print or raise what theirs say."""
    programs = TABLE.read_text(encoding="utf-8").split("```python\n")[1:]
    ends = []
    for program in programs:
        try:
            exec(program.split("```")[0], {})
        except Exception as error:
            ends.append(type(error).__name__)
        else:
            ends.append("")
    assert ends == ["SystemError", "", "", "ValueError", "TypeError"]
