"""Whatever breaks a certified computation off, at whatever moment: the right value comes out, or the error."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from flint import acb, arb, ctx
from scipy import integrate, optimize

from rftheory.exact.enclosure import certified_integral
from rftheory.exact.guard import guarded_call
from tests.exact import interrupts

SOURCE = Path(__file__).resolve().parents[2] / "rftheory"
KINDS = (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, RuntimeError, ValueError, TypeError)


def fails_at(call: int, kind: type[BaseException]) -> Callable[[acb, bool], acb]:
    """The sine, which raises once."""
    calls = 0

    def integrand(z: acb, _: bool) -> acb:
        nonlocal calls
        calls += 1
        if calls == call:
            raise kind("planted")
        return z.sin()

    return integrand


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", [1, 2, 5, 13])
def test_quadrature_raises_what_its_integrand_raises(kind: type[BaseException], call: int) -> None:
    with pytest.raises(kind, match="planted"):
        certified_integral(fails_at(call, kind), 0, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_an_inner_integral_breaks_the_outer_one_off(kind: type[BaseException]) -> None:
    inner = fails_at(50, kind)
    with pytest.raises(kind, match="planted"):
        certified_integral(lambda z, _: z * certified_integral(inner, 0, 1), 0, 3)


def test_an_integrand_that_catches_what_it_raised_is_no_failure() -> None:
    def integrand(z: acb, analytic: bool) -> acb:
        try:
            return fails_at(1, RuntimeError)(z, analytic)
        except RuntimeError:
            return z.sin()

    assert certified_integral(integrand, 0, arb.pi()).overlaps(arb(2))


def test_an_integrand_that_gives_no_number_is_an_error() -> None:
    with pytest.raises(TypeError):
        certified_integral(lambda z, _: None, 0, 1)  # type: ignore[arg-type,return-value]


def test_an_exception_that_a_library_left_pending_is_raised_by_the_next_call() -> None:
    """The signal is answered before the guard's first line: then no handler of the guard has seen it."""
    calls = 0

    def routine(callback: Callable[..., acb], low: acb, high: acb) -> acb:
        def interrupted(z: acb, analytic: bool) -> acb:
            nonlocal calls
            calls += 1
            if calls == 2:
                raise KeyboardInterrupt
            return callback(z, analytic)

        return acb.integral(interrupted, low, high)

    with pytest.raises(KeyboardInterrupt):
        guarded_call(routine, lambda z, _: z.sin(), acb(0), acb(3), failure=acb(arb.nan()), after=acb(0))
    assert calls > 2


def test_an_exception_pending_to_the_end_is_raised() -> None:
    def routine(callback: Callable[..., acb], low: acb, high: acb) -> acb:
        def interrupted(z: acb, analytic: bool) -> acb:
            raise KeyboardInterrupt

        return acb.integral(interrupted, low, high)

    with pytest.raises(KeyboardInterrupt):
        guarded_call(routine, lambda z, _: z.sin(), acb(0), acb(3), failure=acb(arb.nan()), after=acb(0))


# a signal that comes while a callback of the garbage collector runs (hypothesis has one) is lost there: then it says so
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", interrupts.JOBS)
def test_signals_at_random_moments(name: str) -> None:
    job = interrupts.JOBS[name]
    right, bits = job(), ctx.prec
    found = interrupts.shoot(job, right, interrupts.moments(job, 12, seed=1))
    assert set(found) <= {"right", "broken off"}, found
    assert ctx.prec == bits
    assert acb(job()).overlaps(acb(right))


# Other libraries that call back pass everything on; a version of theirs that does not is noticed here.


def interrupt_at(call: int) -> Callable[..., float]:
    calls = 0

    def function(x: object) -> float:
        nonlocal calls
        calls += 1
        if calls == call:
            raise KeyboardInterrupt
        return float(np.sum((np.asarray(x) - 1.5) ** 2)) - 0.1

    return function


ROUTINES: dict[str, Callable[[Callable[..., float]], object]] = {
    "quad": lambda f: integrate.quad(f, 0, 3),
    "brentq": lambda f: optimize.brentq(f, 1.6, 3),
    "minimize_scalar": lambda f: optimize.minimize_scalar(f, bounds=(0, 3), method="bounded"),
    "Nelder-Mead": lambda f: optimize.minimize(f, [0.0], method="Nelder-Mead"),
    "L-BFGS-B": lambda f: optimize.minimize(f, [0.0], method="L-BFGS-B"),
    "least_squares": lambda f: optimize.least_squares(f, [0.0]),
}


@pytest.mark.parametrize("name", ROUTINES)
@pytest.mark.parametrize("call", [1, 2, 4])
def test_scipy_passes_interrupts_on(name: str, call: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        ROUTINES[name](interrupt_at(call))


# The source


def sources(pattern: str) -> Iterator[tuple[Path, str]]:
    """The modules in which a pattern is found, without which there is nothing to look for in their trees."""
    texts = ((file, file.read_text(encoding="utf-8")) for file in sorted(SOURCE.rglob("*.py")))
    return ((file, text) for file, text in texts if re.search(pattern, text))


def unguarded(source: str) -> list[str]:
    """Uses of python-flint's quadrature other than as the routine of a guarded call."""
    nodes = list(ast.walk(ast.parse(source)))
    routines = {
        id(node.args[0])
        for node in nodes
        if isinstance(node, ast.Call)
        and node.args
        and isinstance(node.func, ast.Name | ast.Attribute)
        and ast.unparse(node.func).endswith("guarded_call")
    }
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr == "integral" and id(node) not in routines
    ]


def routines_of_scipy(source: str) -> set[str]:
    """Methods of scipy.integrate and scipy.optimize that a module uses."""
    return {
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("integrate", "optimize")
    }


def test_no_quadrature_is_unguarded() -> None:
    attribute = r"\.(\s|\\|#.*\n)*integral\b"  # what may stand between a dot and a name
    found = {file.name: unguarded(source) for file, source in sources(attribute)}
    assert "enclosure.py" in found
    assert {name: uses for name, uses in found.items() if uses} == {}
    assert unguarded("value = acb.integral(f, low, high)") == ["1: acb.integral"]
    assert unguarded("value = guarded_call(acb.integral, f, low, high, failure=nan, after=0)") == []


def test_only_routines_that_are_known_to_pass_interrupts_on_are_used() -> None:
    used = set().union(*(routines_of_scipy(source) for _, source in sources(r"\b(integrate|optimize)\b")))
    assert used
    assert used <= {"brentq", "minimize", "minimize_scalar", "quad"}, used
    assert routines_of_scipy("x = optimize.root(f, 1)") == {"root"}


def test_the_guard_leaves_no_trace_of_what_it_caught() -> None:
    with pytest.raises(KeyboardInterrupt):
        certified_integral(fails_at(3, KeyboardInterrupt), 0, 3)
    assert sys.exc_info() == (None, None, None)
    assert certified_integral(lambda z, _: z.sin(), 0, arb.pi()).overlaps(arb(2))
