"""Whatever is typed or passed: a value, or an error of the package that names what is wrong; never anything else."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies

from rftheory import author, sample
from rftheory.check import check
from rftheory.choose import pairs_of, read_table
from rftheory.cli import main
from rftheory.engine import Moments, run
from rftheory.engine.gap import control_coefficients
from rftheory.errors import RFTheoryError
from rftheory.exact import find_evaluable, find_formula, formulas
from rftheory.exact.enclosure import certify, exact_number
from rftheory.exact.formula import Formula
from rftheory.exact.limits import time_limit
from rftheory.judge import Budget, Decision, Evidence, Kind, Outcome, Score, betting_test, conclude
from rftheory.papers import Catalogue, Claim
from rftheory.papers.figures import regenerate
from rftheory.report.judging import Settings
from rftheory.sample import Fused, Mechanism, Stream
from rftheory.testing import require

Factory = pytest.TempPathFactory
Captured = pytest.CaptureFixture[str]
SECONDS = 0.5
"""How long one evaluation may take here: longer ones are broken off, which is an answer too."""

CHEAP = (
    "iid_conformity", "orf_conformity", "angle_conformity", "softmax_trig_mse", "angular_mse", "gerf_variance",
    "gerf_tail", "poisson_variance", "geometric_p", "hoeffding_features", "rr_features", "rr_bound", "diagonal_entry",
    "cexp_mse", "prf_mse_simrf", "trig_gap", "z_crit", "gaussian_worst_angle", "hoeffding_bound", "log_rr_bound",
)  # fmt: skip
"""Formulas of every kind of domain, of which the ordinary values are quick."""

# ---- the grammar of arguments --------------------------------------------------------------------------------------

PLAIN = strategies.sampled_from(
    [
        "0",
        "1",
        "-1",
        "2",
        "3",
        "64",
        "1/2",
        "-1/3",
        "0.1",
        "1e-8",
        "1e8",
        "1e-320",
        "1e-999",
        "1e400",
        "1e999999",
        "pi",
    ]
)
ODD = strategies.sampled_from(
    [
        "", " ", "nan", "inf", "-inf", "1/0", "0/0", "I", "E", "1j", "0x10", "1_000", "1e", "1e1000001", "--1", "()",
        "[1]", "lambda: 0", "__import__('os')", "d", "oo", "zoo", "1 2", "1,2", "²", "٣", "a\0b", "\x1b[0m", "9" * 5000,
        "sqrt(-1)", "log(0)", "log(-1)", "acos(2)", "tan(pi/2)", "0**0", "0**-1", "2**0.5", "10**10**10",
        "exp(exp(exp(exp(5))))", "log(2)+log(3)-log(6)", "sqrt(2)*sqrt(3)-sqrt(6)", "acos(1/3)", "exp(1e9)",
        "exp(-1e9)", "1e-400000",
        "sin(1e300)", "(" * 60 + "1" + ")" * 60, "-" * 300 + "1", "+".join("1" * 90),
    ]
)  # fmt: skip
ARITHMETIC = strategies.recursive(
    PLAIN,
    lambda inner: strategies.one_of(
        strategies.tuples(inner, strategies.sampled_from(["+", "-", "*", "/", "**"]), inner).map(
            lambda parts: f"({parts[0]}){parts[1]}({parts[2]})"
        ),
        strategies.tuples(
            strategies.sampled_from(["sqrt", "exp", "log", "sin", "acos", "atan", "tanh"]), inner
        ).map(lambda parts: f"{parts[0]}({parts[1]})"),
    ),
    max_leaves=4,
)
TEXTS = strategies.one_of(PLAIN, ODD, ARITHMETIC, strategies.text(max_size=12))


@given(TEXTS)
@settings(max_examples=250)
def test_every_text_is_a_finite_number_or_refused(text: str) -> None:
    try:
        with time_limit(5):
            number = exact_number(text)
    except RFTheoryError:
        return
    assert number.is_finite
    assert not number.free_symbols


def assert_answers(formula: Formula, values: dict[str, Any], **how: Any) -> None:
    """A value whose digits are printed, or an error of our own."""
    try:
        with time_limit(SECONDS):
            value = formula.enclose(5, **how, **values)
            text = value.text()
    except RFTheoryError:
        return
    assert text
    assert "nan" not in text


@given(strategies.data())
@settings(max_examples=120)
def test_every_argument_of_a_formula_is_answered(data: strategies.DataObject) -> None:
    formula = find_formula(data.draw(strategies.sampled_from(CHEAP)))
    values = {v.name: data.draw(TEXTS) for v in formula.variables}
    assert_answers(formula, values)


@given(strategies.data())
@settings(max_examples=100)
def test_arguments_inside_the_domain_are_answered_by_every_route(data: strategies.DataObject) -> None:
    """Numbers that most domains contain, at which the routes are really run."""
    formula = find_formula(data.draw(strategies.sampled_from(CHEAP)))
    number = strategies.sampled_from(
        ["1", "1/2", "2", "3", "1e-3", "1e-30", "5", "1e-320", "1000", "pi/3", "sqrt(2)"]
    )
    whole = strategies.sampled_from(["1", "2", "3", "5", "64", "1000001"])
    values = {v.name: data.draw(whole if v.integer else number) for v in formula.variables}
    route = data.draw(strategies.sampled_from([None, *formula.all_routes]))
    assert_answers(formula, values, **({"route": route} if route else {}))


OBJECTS = strategies.one_of(
    strategies.none(), strategies.booleans(), strategies.floats(), strategies.integers(), strategies.text(max_size=5),
    strategies.complex_numbers(), strategies.binary(max_size=3), strategies.lists(strategies.integers(), max_size=2),
    strategies.dictionaries(strategies.text(max_size=2), strategies.integers(), max_size=1),
    strategies.sampled_from([object(), object, print, math.nan, 10**400, range(3), ..., {1}, Exception("x")]),
)  # fmt: skip


@given(OBJECTS, OBJECTS, OBJECTS)
@settings(max_examples=150)
def test_every_object_is_answered(first: Any, second: Any, digits: Any) -> None:
    for call in (
        lambda: find_formula("iid_conformity").enclose(5, d=first, v=second),
        lambda: find_formula("iid_conformity").enclose(digits, d=3, v=1),
        lambda: find_formula("iid_conformity").enclose(5, route=first, d=3, v=1),
        lambda: find_formula(first),
        lambda: certify(lambda: find_formula("iid_conformity").ball(d=3, v=1), digits),
    ):
        try:
            with time_limit(5):
                call()
        except RFTheoryError:
            continue


MISFITS = strategies.one_of(
    OBJECTS, strategies.sampled_from([["iid"], [[1.0], [1.0, 2.0]], "x\0", 2**200, "iid", "9"])
)
X, STREAM = np.ones((2, 3)), Stream.named("fuzz")
CALLS: dict[str, Callable[[Any], object]] = {
    "feature map": lambda o: Mechanism(o, "iid", 3), "coupling": lambda o: Mechanism("positive", o, 3),
    "projections": lambda o: Mechanism("positive", "iid", o), "parameter": lambda o: Mechanism("gerf", "iid", 3, A=o),
    "stream": lambda o: Mechanism("positive", "iid", 3).estimate(o, range(2), X[0], X[1]),
    "blocks": lambda o: Mechanism("positive", "iid", 3).estimate(STREAM, o, X[0], X[1]),
    "input": lambda o: Mechanism("positive", "iid", 3).gram(STREAM, range(2), o, X),
    "kernel": lambda o: Mechanism("positive", "iid", 3).gram(STREAM, range(2), X, X, o),
    "fused engine": lambda o: Fused(Mechanism("positive", "iid", 3), STREAM, X, X, engine=o),
    "fused scale": lambda o: Fused(Mechanism("positive", "iid", 3), STREAM, X, X, log_scale=o),
    "seed": lambda o: Stream.named("fuzz", seed=o), "label": lambda o: Stream.named(o),
    "seconds": lambda o: time_limit(o).__enter__() if not isinstance(o, int | float) else None,
    "workers": lambda o: run(len, 10, workers=o) if o not in (1, 2, 3) else None,
    "leaf": lambda o: run(np.zeros, 10, leaf=o),
    "record": lambda o: run(np.zeros, 10, record=o, job={}) if o and not isinstance(o, str | bytes) else None,
    "level": lambda o: Budget(o), "tests": lambda o: Budget(1e-6, tests=o),
    "budget": lambda o: Score(0.0, 1.0, 10, o), "settings": lambda o: Settings(kinds=o),
    "table": lambda o: read_table(o), "data": lambda o: pairs_of(o), "note": lambda o: author.load(o),
    "target": lambda o: check(o, seconds=0.01), "promised": lambda o: check(X, coupling=o, seconds=0.01),
    "count of rows": lambda o: author.Rows(o), "axes": lambda o: author.Rows(author.d, axis=o, sign=o),
    "cosine": lambda o: author.DeclaredCoupling("own", "s", "s", cosine=o).block(3),
    "read note": lambda o: author.loaded(o),
    "norms to reflect": lambda o: author.opposite_norms(o, 3, np),
    "dimension of norms": lambda o: author.opposite_norms(np.ones(2), o, np),
    "side": lambda o: author.mean(o), "rows": lambda o: author.positive(o), "number": lambda o: exact_number(o),
    "figure": lambda o: regenerate(o, "/no/such/folder"),
    "to_host": lambda o: sample.to_host(o), "controls": lambda o: control_coefficients(o),
    "claim": lambda o: Claim(o, "s", "t", "", ()), "checks": lambda o: Claim("a.b", "s", "t", "", o),
    "catalogue": lambda o: Catalogue(o), "pieces": lambda o: conclude(o, claim="a.b"),
    "control": lambda o: Evidence(Kind.SAMPLED, Decision.HOLDS, "says", control=o),
    "duration": lambda o: Evidence(Kind.SAMPLED, Decision.HOLDS, "says", seconds=o),
    "bets": lambda o: betting_test(o, 0.5, Budget(1e-6)), "budget of bets": lambda o: betting_test([0.0, 1.0], 0.5, o),
    "side of bets": lambda o: betting_test([0.0, 1.0], 0.5, Budget(1e-6), side=o),
    "draws of scores": lambda o: Score(0.0, 1.0, 10, Budget(1e-6)).of(o),
    "rows of a run": lambda o: Moments.of(o), "record of moments": lambda o: Moments.from_dict(o),
    "digits of routes": lambda o: find_formula("iid_conformity").agree(o, d=3, v=1),
    "evaluable": lambda o: find_evaluable(o), "report": lambda o: require(o, Outcome.AGREES),
    "time of a check": lambda o: check(print, seconds=o), "properties": lambda o: check(print, seconds=0.01, only=o),
    "kind of stream": lambda o: Stream(1, o), "freedom": lambda o: STREAM.chis(range(2), 2, o),
    "stream of a draw": lambda o: sample.coupling("simplex").draw(o, range(2), 3, 2),
    "way": lambda o: sample.project(sample.coupling("simplex"), STREAM, range(2), X, 2, via=o),
    "shared": lambda o: sample.angular_hybrid(3, 2, shared=o),
    "causal": lambda o: sample.softmax_attention(X, X, X, causal=o),
    "dimension of a window": lambda o: sample.normalised_gaussian(0.5, 1.0, o, Mechanism("positive", "iid", 3)),
    "part": lambda o: sample.ComplexExponential(np.eye(2), o), "offset": lambda o: author.kernel_offset(o, "gaussian"),
    "parameters of a function": lambda o: sample.FromFunction("f", lambda projected: projected, o),
    "drawn features": lambda o: sample.kernel_means(o, X, X, X),
    "declared coupling": lambda o: author.DeclaredCoupling(o, "s", "s", o, norms=o),
    "declared map": lambda o: author.DeclaredMap(o, "s", "s", terms=o),
    "with features": lambda o: author.with_features(o),
    "exponential": lambda o: author.exp(o), "range": lambda o: author.for_some(author.v, author.v > 1, o, 3),
}  # fmt: skip
"""What users call, with one argument open."""


@pytest.mark.parametrize("name", CALLS)
@given(misfit=MISFITS)
@settings(max_examples=12)
def test_every_misfit_is_answered(name: str, misfit: Any) -> None:
    with contextlib.suppress(RFTheoryError), time_limit(5):
        CALLS[name](misfit)


# ---- the command ---------------------------------------------------------------------------------------------------

WORDS = strategies.one_of(
    strategies.sampled_from(
        ["--json", "--latex", "--list", "--digits", "--route", "all", "0", "5", "-1", "1e9", "d=3",
         "v=1/2", "v=", "=1", "d=3=4"]
    ),
    TEXTS.map(lambda text: f"v={text}"),
    strategies.text(max_size=6),
)  # fmt: skip


@given(strategies.lists(WORDS, max_size=5))
@settings(max_examples=120)
def test_every_command_line_ends_with_a_code(words: list[str]) -> None:
    arguments = ["eval", "iid_conformity", "--time-limit", "1", *words]
    try:
        code = main(arguments)
    except SystemExit as error:  # argparse: help, or misuse
        code = int(error.code or 0)
    assert code in (0, 2)


VERBS = {
    "verify": ["--quick", "--json", "--seed", "--effort", "--jobs", "--evidence", "certified", "sampled", "--paper",
        "--time-limit", "--claim", "simplex.def3.1/m=1", "nobody", "--record", "--explain"],
    "derive": ["simplex.s4.chi2d", "--json", "--latex", "--all"], "errata": ["--paper", "--json", "--out", "nobody"],
    "list": ["Theorem", "3.5", "--json"], "figure": ["--out", "--all", "--time-limit", "simplex_fig99"],
    "check": ["numpy:zeros", "--as", "iid", "--arg", "d=3", "m=2", "--seed", "--seconds", "--json", "--kernel"],
    "choose": ["--features", "--error", "--kernel", "nothing.npy"], "completion": ["bash", "zsh"],
}  # fmt: skip
"""Words that belong to a verb; what would draw for minutes is not among them."""


@pytest.mark.parametrize("verb", VERBS)
@given(data=strategies.data())
@settings(max_examples=15)
def test_every_verb_ends_with_a_code(
    verb: str, data: strategies.DataObject, tmp_path_factory: Factory
) -> None:
    own = strategies.one_of(strategies.sampled_from(VERBS[verb]), ODD, strategies.text(max_size=4))
    words = [word for word in data.draw(strategies.lists(own, min_size=1, max_size=4)) if word != "--all"]
    if verb in ("verify", "errata"):  # one claim that is quick, or a name that nothing has
        words = ["--claim", "simplex.def3.1/m=1", "--jobs", "1", *words]
    with contextlib.chdir(tmp_path_factory.mktemp("fuzz")):
        try:
            with time_limit(20):
                code = main([verb, *words])
        except SystemExit as error:
            code = int(error.code or 0)
    assert code in (0, 2) or (
        verb in ("check", "list") and code == 1
    )  # a defect; nothing that has these words


# ---- what was once answered by a traceback, a hang or a verdict ---------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        "hoeffding_features eps=1e-30 delta=1/20 --route all",
        "rr_features d=3 eps=1e-30 delta=1/20 sigma=1 diam=1 --route all",
        "poisson_variance d=2 lam=1e-320 dot=0 squares=0 norms=1",
        "gaussian_worst_angle r=1/100 sigma=1e-10 n=1000 --route power~series",
        "orf_conformity d=5 v=log(2)+log(3)-log(6)",
        "orf_conformity d=5 v=exp(exp(exp(exp(5))))",
        "z_crit d=63 --route all",
        "angular_mse x=1 y=1 theta=acos(1/3) m=2 n=3",
        "angular_mse x=1 y=1 theta=pi+log(2)+log(3)-log(6) m=2 n=3",
        "hoeffding_features eps=1e-100 delta=1/2",
        "geometric_p t=1e-30",
        "gaussian_worst_angle r=1e-320 sigma=5 n=3 --route power~series",
        "angular_equal_mse r=1e300 theta=1e-320 m=1000001 n=64",
    ],
)
def test_once_a_traceback(capsys: Captured, call: str) -> None:
    arguments = [word.replace("~", " ") for word in call.split()]
    code = main(["eval", *arguments, "--time-limit", "10"])
    printed = capsys.readouterr()
    assert code in (0, 2)
    assert "bug" not in printed.err
    assert "10 s" not in printed.err


ZEROS = {
    "gerf_variance": "d=3 A=0 v=0 z=2",
    "gerf_orf_variance": "d=3 A=0 v=0 z=2 m=4",
    "gerf_simrf_variance": "d=3 A=0 v=0 z=2 m=4",
    "gerf_central_moment": "n=3 d=3 A=0 v=0 z=1",
    "angular_mse": "x=2 y=2 theta=pi m=3 n=4",
    "angular_shared_mse": "x=2 y=2 theta=pi m=3 n=4",
    "angular_third_moment": "x=2 y=2 theta=pi m=3 n=4",
    "angular_shared_third_moment": "x=2 y=2 theta=pi m=3 n=4",
    "angular_fourth_moment": "x=2 y=2 theta=0 m=3 n=4",
    "angular_shared_fourth_moment": "x=2 y=2 theta=acos(-1) m=3 n=4",
}


@pytest.mark.parametrize("name", ZEROS)
def test_values_that_are_exactly_zero(name: str) -> None:
    values = dict(pair.split("=") for pair in ZEROS[name].split())
    found = find_formula(name).enclose(30, **values)
    assert found.radius == 0
    assert found.midpoint == 0
    assert "exact zero" in find_formula(name).agree(10, **values)


def test_another_route_answers_where_the_fast_one_refuses() -> None:
    tail = find_formula("gerf_tail")
    values = {"d": 3, "A": "-1e-7", "v": 3, "z": 1, "eps": "1/2"}
    with pytest.raises(RFTheoryError, match="a short series"):
        tail.enclose(10, route=tail.fast, **values)
    route, value = tail.found(10, **values)
    assert route == "one axis apart"
    assert value.overlaps(tail.enclose(8, route="one axis apart", **values))


def test_every_formula_answers_when_a_value_is_missing() -> None:
    for formula in formulas().values():
        if all(v.default is not None for v in formula.variables):
            continue
        with pytest.raises(RFTheoryError):
            formula.enclose(5)
