"""A comparison of balls is true, false or not decided: nothing takes the third for one of the others."""

from __future__ import annotations

import ast
import gc
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from flint import acb, arb, ctx

from rftheory.errors import NotCertified, Undecided
from rftheory.exact import find_formula, formulas
from rftheory.exact.bounds import hoeffding_features
from rftheory.exact.conformity import angle_conformity_ball
from rftheory.exact.enclosure import certify
from rftheory.exact.formula import Formula
from rftheory.exact.noncentral import noncentral_ball
from rftheory.exact.tails import _by_axis, _log_literal_top, _upper
from rftheory.exact.truth import decided, is_positive, larger
from tests.exact import route_points

EXACT = Path(__file__).resolve().parents[2] / "rftheory" / "exact"

# ---- the source ----------------------------------------------------------------------------------------------------
#
# An expression `a if x > y else b`, and a truth that is kept or returned as `bool(x > y)`, read "not decided" as
# "false". In the certified modules they are allowed for balls in these forms alone: the other value is one that claims
# nothing (None, NaN, False in a function "whether ... is proved"), the opposite comparison is asked in its turn, or a
# comment "either is right: ..." says why the value is right both ways.

FLOATING = {"fast.py", "fast_laws.py", "fast_variance.py"}
"""No balls there."""
BALLS = {"arb", "acb", "Ball"}
NO_BALLS = {"rel_accuracy_bits", "unique_fmpz", "man_exp", "is_exact", "is_finite"}
"""Methods of balls that give integers and truths."""


def annotated(node: ast.expr | None) -> bool:
    return node is not None and any(isinstance(n, ast.Name) and n.id in BALLS for n in ast.walk(node))


def returning_balls(trees: dict[str, ast.Module]) -> set[str]:
    """Names of all functions of the package that return a ball."""
    return BALLS | {
        f.name
        for tree in trees.values()
        for f in ast.walk(tree)
        if isinstance(f, ast.FunctionDef) and annotated(f.returns)
    }


def is_ball(node: ast.expr, names: set[str], functions: set[str]) -> bool:
    """Whether an expression is a ball, as far as its text tells."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, right=right):
            return is_ball(left, names, functions) or is_ball(right, names, functions)
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner) | ast.Attribute(value=inner):
            return is_ball(inner, names, functions)
        case ast.Call(func=ast.Name(id="float" | "int" | "len" | "bool" | "round")):
            return False
        case ast.Call(func=ast.Name(id="abs" | "max" | "min"), args=arguments):
            return any(is_ball(a, names, functions) for a in arguments)
        case ast.Call(func=ast.Name(id=name)):
            return name in functions
        case ast.Call(func=ast.Attribute(value=inner, attr=name)):
            return name not in NO_BALLS and is_ball(inner, names, functions)
    return False


def ball_names(function: ast.FunctionDef | ast.Lambda, functions: set[str]) -> set[str]:
    """Parameters and variables of a function that are balls."""
    arguments = [*function.args.args, *function.args.kwonlyargs]
    names = {a.arg for a in arguments if annotated(a.annotation)}
    assignments = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    for _ in range(3):
        for node in assignments:
            if is_ball(node.value, names, functions):
                names |= {
                    n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)
                }
            elif isinstance(node.value, ast.Tuple):
                for target in node.targets:
                    if isinstance(target, ast.Tuple):
                        pairs = zip(target.elts, node.value.elts, strict=False)
                        names |= {
                            t.id for t, v in pairs if isinstance(t, ast.Name) and is_ball(v, names, functions)
                        }
    return names


def compares_balls(test: ast.expr, names: set[str], functions: set[str]) -> bool:
    """Whether a test orders balls, or asks whether one is 0."""
    for node in ast.walk(test):
        match node:
            case ast.Compare(
                left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE(), *_], comparators=right
            ):
                if any(is_ball(side, names, functions) for side in (left, *right)):
                    return True
            case ast.Call(func=ast.Attribute(value=ball, attr="is_zero")) if is_ball(ball, names, functions):
                return True
    return False


def claims_nothing(node: ast.expr) -> bool:
    """None, NaN, an unknown sign, no word of a proof, or a further question."""
    if isinstance(node, ast.IfExp):
        return True
    return ast.unparse(node) in ("None", "arb.nan()", "0", "False", "''") or "nan" in ast.unparse(node)


def choices(function: ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The two-way choices between values in a function, and what decides them."""
    proves = "proved" in (ast.get_docstring(function) or "")
    for node in ast.walk(function):
        match node:
            case ast.IfExp(test=test, orelse=other) if not claims_nothing(other):
                yield node, test
            case ast.Call(func=ast.Name(id="bool"), args=[test]) if not proves:
                yield node, test


def two_valued(source: str, tree: ast.Module, functions: set[str]) -> list[str]:
    """Two-way choices between values by a comparison of balls, without a word on why both are right."""
    lines, found = source.splitlines(), []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        candidates = list(choices(function))
        names = ball_names(function, functions) if candidates else set()
        for node, test in candidates:
            if compares_balls(test, names, functions):
                where = "\n".join(lines[node.lineno - 2 : (node.end_lineno or node.lineno)])
                if "either is right" not in where:
                    found.append(f"{node.lineno}: {ast.unparse(node)}")
    return sorted(set(found))


def test_no_choice_between_values_is_two_valued() -> None:
    files = [file for file in sorted(EXACT.rglob("*.py")) if file.name not in FLOATING]
    sources = {str(file.relative_to(EXACT)): file.read_text(encoding="utf-8") for file in files}
    trees = {name: ast.parse(text) for name, text in sources.items()}
    functions = returning_balls(trees)
    found = {name: two_valued(text, trees[name], functions) for name, text in sources.items()}
    assert {name: uses for name, uses in found.items() if uses} == {}


PLANTED = """
def f(x: arb, n: int) -> arb:
    return x if x > 0 else arb(0)
def g(x: arb) -> bool:
    return bool(x.sqrt() + 1 <= 2)
def h(x: arb) -> arb:
    size = abs(x) * 2
    return size if size.is_zero() else 1 / size
def ask(x: arb, n: int) -> int | None:
    # either is right: both are
    bits = 3 if x > 1 else 5
    return bits if n > 1 else (1 if x > 0 else (-1 if x < 0 else None))
def proves(x: arb) -> bool:
    '''Whether x > 0 is proved.'''
    return bool(x > 0)
"""


def test_planted_choices_are_found() -> None:
    found = two_valued(PLANTED, ast.parse(PLANTED), {"arb"})
    assert [line.split(":")[0] for line in found] == ["3", "5", "8"]


# ---- the sweep -----------------------------------------------------------------------------------------------------
#
# The coarsest question that can be asked: three digits. And coarser: at 24 bits, of which most are lost on the way, so
# that comparisons stay open that no user sees open; the ball, where there is one, contains the value all the same.

COARSE_BITS = 24
DIGITS = 60
SECONDS = 1.0
"""How long a route may take at ``COARSE_BITS``, for which it is not made; no answer is no wrong one."""


class TooSlow(BaseException):
    pass


def points(name: str) -> list[dict[str, str]]:
    return [dict(pair.split("=") for pair in row.split(", ")) for row in route_points.POINTS[name]]  # type: ignore[misc]


def coarse_ball(formula: Formula, route: str, exact: dict[str, object]) -> arb | acb | None:
    """The ball of a route at a working precision that is too low; None where it refuses."""

    def answer(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, answer)
    gc.disable()  # what is raised in a callback of the collector ends nothing
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with ctx.workprec(COARSE_BITS):
            return formula.all_routes[route].ball(formula.variables, exact)  # type: ignore[arg-type]
    except (NotCertified, TooSlow):
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()


def not_contained(formula: Formula, row: dict[str, str]) -> Iterator[str]:
    """Routes whose coarse ball leaves out the value."""
    exact = formula.read(row)
    value = acb(formula.enclose(DIGITS, **row).ball)
    for name, route in formula.all_routes.items():
        if not (route.valid(exact) and route.practical(exact)):
            continue
        if not formula._holds(formula.zero, exact):
            ball = acb(formula.enclose(3, route=name, **row).ball)
            if not ball.overlaps(value):
                yield f"{name} at 3 digits: {ball.str(10)}, not {value.str(10)}"
        coarse = coarse_ball(formula, name, exact)
        if coarse is not None and acb(coarse).is_finite() and not acb(coarse).overlaps(value):
            yield f"{name} at {COARSE_BITS} bits: {coarse.str(10)}, not {value.str(10)}"


@pytest.mark.parametrize("name", formulas())
def test_coarse_balls_contain_the_value(name: str) -> None:
    formula = formulas()[name]
    assert [wrong for row in points(name) for wrong in not_contained(formula, row)] == []


# ---- comparisons that balls of any precision leave open -----------------------------------------------------------


@pytest.mark.parametrize("route", ["definition", "search", "bracket"])
def test_a_bound_that_is_met_exactly_is_decided_by_its_expression(route: str) -> None:
    for eps, delta in (("1", "2*exp(-2)"), ("sqrt(2)", "2*exp(-4)"), ("1", "2*exp(-1)/exp(1)")):
        assert hoeffding_features.enclose(10, route=route, eps=eps, delta=delta).midpoint == 4
    for eps, delta, number in (  # nearly is not exactly
        ("1", "2*exp(-2) - 1e-60", 5),
        ("1", "2*exp(-2) + 1e-60", 4),
        ("1", "2*exp(-7/2)*(1 - 1e-30)", 8),
        ("1/2", "2*exp(-7/8)*(1 - 1e-30)", 8),
    ):
        assert hoeffding_features.enclose(10, route=route, eps=eps, delta=delta).midpoint == number


def test_a_bound_that_may_be_met_is_not_decided_by_balls() -> None:
    """The same number, of which neither balls nor the two expressions say so."""
    same = "2*exp(-2)*(sqrt(2) + sqrt(3))/sqrt(5 + 2*sqrt(6))"
    for route in ("search", "bracket"):
        with pytest.raises(NotCertified, match="true or false"):
            hoeffding_features.enclose(10, route=route, eps=1, delta=same)


@pytest.mark.parametrize("name", ["rr_features", "uniform_features", "hoeffding_features"])
@pytest.mark.parametrize("eps", ["1e-3", "1e-10", "1e-30"])
def test_smallest_numbers_of_many_digits(name: str, eps: str) -> None:
    formula = find_formula(name)
    values = {"d": 3, "eps": eps, "delta": "1/20", "sigma": 1, "diam": 1}
    given = {v.name: values[v.name] for v in formula.variables}
    exact = formula.enclose(70, **given)
    found = {route: formula.enclose(3, route=route, **given) for route in formula.all_routes}
    assert all(e.overlaps(exact) for e in found.values()), found
    assert found["search"].midpoint == found["bracket"].midpoint == exact.midpoint


def test_more_bits_are_taken_where_a_comparison_is_open() -> None:
    near = arb(1) / 3

    def compute() -> arb:
        third = arb(1) / 3 + arb(2) ** -300
        return arb(1 if is_positive(third - arb(1) / 3, "a small difference") else -1)

    assert certify(compute, 5).midpoint == 1
    assert is_positive(near, "a third")
    with pytest.raises(Undecided):
        decided(larger(arb(1) / 3, near), "a third > a third")


def test_a_tail_whose_square_may_be_zero_is_not_zero() -> None:
    """Near the largest value of a feature the square of the radius is a ball about 0."""
    with ctx.workprec(30):
        A, v, z = arb(-1) / 3, arb(2), arb(1) / 3
        eps = _log_literal_top(3, A, v, z).exp() - (-z * z / 2).exp()
        for law in (_by_axis, noncentral_ball):
            tail = _upper(law)(3, A, v, z, eps)
            assert tail.contains(0)
            assert 0 < tail.rad() < 1e-9


def test_an_angle_about_zero_claims_nothing() -> None:
    with ctx.workprec(60):
        third = arb(1) / 3
        ball = angle_conformity_ball(4, arb(2), third - third)
    assert not ball.is_finite()
