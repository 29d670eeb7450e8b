"""Probabilities of events in statements: values where a law is known, and bounds that hold for every kernel and set."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from flint import arb

from rftheory.author import Rational, exp, formula, probability
from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.exact.bounds import diam, eps, sigma, variance
from rftheory.exact.events import EVENTS
from rftheory.exact.symbols import d, m
from rftheory.judge import Decision, Grade
from rftheory.statement.domain import Domain
from rftheory.statement.judging import Judged, judge
from rftheory.statement.provers.probable import by_certificate
from rftheory.statement.statement import Statement
from rftheory.statement.words import Claim

pairs, phases = probability("error of pairs"), probability("error of phases")
X = sigma * diam / eps
DECAY = exp(-m * eps**2 / (4 * (d + 2)))


def judged(claim: Claim, *over: object) -> Judged:
    return judge(Statement("n.a", "", claim, Domain.of(claim, over)))


def test_a_bound_for_every_kernel_is_certified() -> None:
    found = judged(pairs <= 66 * X**2 * DECAY)
    assert (found.verdict.decision, found.verdict.grade) == (Decision.HOLDS, Grade.CERTIFIED)
    assert (
        found.text
        == "P(sup |s - k| >= eps, sine-cosine pairs) <= 66*diam**2*sigma**2*exp(-eps**2*m/(4*d + 8))/eps**2"
    )


@pytest.mark.parametrize(
    "claim",
    [
        pairs <= X**2 * DECAY / 10,  # a constant
        pairs <= 66 * X**2 * DECAY**16,  # a rate
        pairs <= (1 + X / 10) ** d * exp(-m * eps**2),  # a rate above 1/2
        pairs >= 66 * X**2 * DECAY,  # a direction
        formula("ss_phase_bound") >= phases,  # a domain: one point has an error already
    ],
    ids=str,
)
def test_false_bounds_are_refuted_by_the_search_alone(claim: Claim) -> None:
    found = judged(claim)
    assert found.verdict.decision is Decision.FAILS
    assert "counterexample" in found.verdict.reason


@pytest.mark.parametrize(
    "claim",
    [
        pairs <= 20 * X**2 * DECAY,  # nothing is against it, and no certificate is at hand
        pairs <= 66 * X * DECAY,
        pairs <= (1 + 15 * X) ** d * exp(-m * eps**2 / 8),
        pairs <= 2 * (1 + 7 * X) ** d * exp(-m * eps**2 / 8),
        pairs <= 2 * (1 + 7 * X / sympy.sqrt(m)) ** d * exp(-m * eps**2 / 8),
        pairs <= (1 + 8 * X / sympy.sqrt(m)) ** d * exp(-m * eps**2 / 8),
        pairs <= 2 * (1 + 8 * X / m) ** d * exp(-m * eps**2 / 8),
        pairs <= 2 * (1 + 8 * X / sympy.sqrt(m)) ** (d - 1) * exp(-m * eps**2 / 8),
        pairs <= (1 + (1 + 7 * X / sympy.sqrt(m)) ** d) * exp(-m * eps**2 / 8),
        pairs <= (1 + 2 * (1 + 8 * X / sympy.sqrt(m)) ** d) * exp(-m * eps**2 / 8) / 2,
        phases <= (1 + (1 + 32 * X / sympy.sqrt(m)) ** (2 * d)) * exp(-m * eps**2 / 32),
        phases <= 2 * (1 + 31 * X / sympy.sqrt(m)) ** (2 * d) * exp(-m * eps**2 / 32),
        phases <= 2 * (1 + 32 * X / sympy.sqrt(m)) ** d * exp(-m * eps**2 / 32),
        phases <= formula("ss_phase_bound"),
        probability("independent rows") <= formula("rr_bound"),
    ],
    ids=str,
)
def test_other_bounds_are_not_proved(claim: Claim) -> None:
    assert by_certificate(claim.parts[0], Domain.of(claim, ())) is None


@pytest.mark.parametrize(
    "claim",
    [
        pairs <= 2 * (1 + 8 * X / sympy.sqrt(m)) ** d * exp(-m * eps**2 / 8),
        pairs <= 2 * (1 + 8 * X) ** d * exp(-m * eps**2 / 8),
        pairs <= (1 + (1 + 8 * X / sympy.sqrt(m)) ** d) * exp(-m * eps**2 / 8),
        pairs <= formula("ball_bound", rho=Rational(1, 3)),
        pairs <= 3 * (1 + 400 * X / sympy.sqrt(m)) ** d * exp(-m * eps**2 * Rational(12, 25)),
        phases <= 2 * (1 + 32 * X / sympy.sqrt(m)) ** (2 * d) * exp(-m * eps**2 / 32),
    ],
    ids=str,
)
def test_suprema_over_balls_prove_bounds(claim: Claim) -> None:
    assert judged(claim).verdict.decision is Decision.HOLDS


def test_a_probability_is_a_number_from_0_to_1() -> None:
    claims = [
        pairs <= 1,
        1 + eps > pairs,
        pairs >= 0,
        pairs > -eps,
        pairs < 1,
        pairs <= 1 - eps,
        pairs > 0,
        pairs >= eps,
    ]
    found = [by_certificate(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    assert found == [True] * 4 + [False] * 4


def test_an_event_that_there_is_not_has_no_probability() -> None:
    cosine, size = sympy.symbols("cosine size", real=True)
    claim, none = (
        probability("rows at an angle", c=cosine, t=size) <= 1,
        probability("rows at an angle", c=3, t=1) <= 1,
    )
    for one, over, proved in (
        (claim, (cosine > -1, cosine <= 1, size > 0), True),
        (claim, (cosine <= 1, size > 0), False),
        (none, (), False),
    ):
        assert (by_certificate(one.parts[0], Domain.of(one, over)) is not None) is proved


def test_of_a_wide_enclosure_the_end_that_decides_is_shown() -> None:
    found = judged(phases <= formula("ss_phase_bound")).verdict.reason
    assert "P(sup |s - k| >= eps, random phases) = at least 0.666667 > 0.0276048" in found


def test_the_bound_of_phases_needs_a_set_that_is_large_enough() -> None:
    claim = formula("ss_phase_bound") >= phases  # the other way round
    enough = sigma * diam >= eps / 2
    for condition, proved in (
        (enough, True),
        (sigma * diam >= eps / 500, False),
        (sigma * diam + 9 >= eps, False),
    ):
        domain = Domain.of(claim, (condition,))
        assert (by_certificate(claim.parts[0], domain) is not None) is proved


def test_a_variance_in_the_bound_is_that_of_the_event() -> None:
    shrunk = exp(-m * eps**2 / (4 * (d + 2) * sympy.Min(1, variance + eps / 3)))
    bound = formula("ss_pair_constant") * X ** (2 * d / (d + 2)) * shrunk
    for event, proved in ((probability("error of pairs", variance=variance), True), (pairs, False)):
        claim = event <= bound
        assert (by_certificate(claim.parts[0], Domain.of(claim, ())) is not None) is proved


def test_enclosures_contain_what_is_drawn() -> None:
    """Two frequencies 0 and pi, M = {0, 1}: errors of eight draws, and lengths of sums of two rows."""
    rng = np.random.default_rng(5)
    coins = np.abs(rng.choice([-1.0, 1.0], (100_000, 8)).mean(1)) >= 0.5
    values = {"m": 8, "d": 1, "eps": Rational(1, 2), "sigma": Rational(20, 9), "diam": 1, "variance": 1}
    found = EVENTS["error of pairs"].ball({name: sympy.sympify(x) for name, x in values.items()})
    assert abs(float(found.lower()) - coins.mean()) < 0.008
    assert found.upper() >= 1
    one, other, turned = rng.normal(size=(3, 100_000, 3))
    other *= 1 / np.linalg.norm(other, axis=1, keepdims=True)
    one_length, length = (np.linalg.norm(w, axis=1, keepdims=True) for w in (one, turned))
    across = other - (other * one).sum(1, keepdims=True) * one / one_length**2
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    for cosine in (0.0, -0.5):
        total = one + length * (cosine * one / one_length + np.sqrt(1 - cosine**2) * across)
        share = ((total**2).sum(1) > 4).mean()
        exact = probability("rows at an angle", d=3, c=Rational(cosine), t=4).expression.ball()
        assert abs(float(exact) - share) < 0.008
    share = (((one + turned) ** 2).sum(1) > 4).mean()
    assert abs(float(probability("independent rows", d=3, t=4).expression.ball()) - share) < 0.008


def test_errors_beyond_the_largest_one_have_the_probability_0() -> None:
    for event, largest in (("error of pairs", 2), ("error of phases", 3)):
        at = {"m": 1, "d": 1, "sigma": 9, "diam": 9}
        assert probability(event, eps=largest + Rational(1, 9), **at).expression.ball() == 0
        assert probability(event, eps=Rational(1, 2), **at).expression.ball().overlaps(arb(1))


def test_events_and_variables_that_there_are_not_are_refused() -> None:
    with pytest.raises(UnknownName, match="unknown event 'error of pears'"):
        probability("error of pears")
    with pytest.raises(InvalidInput, match="error of pairs: needs variables of error of pairs: m, d, eps"):
        probability("error of pairs", r=1)
    with pytest.raises(OutsideDomain, match="needs t > 0"):
        probability("independent rows", d=3, t=0).expression.ball()


def test_a_hole_in_the_domain_tells_nothing_of_the_size_of_a_set() -> None:
    claim = pairs <= formula("rr_bound")
    over = Domain.of(claim, (sympy.Ne(m, d),))
    found = by_certificate(claim.parts[0], over)
    assert found is not None
    assert found.covers == "domain"
    assert by_certificate((pairs <= formula("rr_bound") / 2**12).parts[0], over) is None


# ---- how many are enough ---------------------------------------------------------------------------------

DELTA, RHO = sympy.symbols("delta rho", positive=True)
HALF = Rational(1, 2)
PAIRS = formula("ss_pair_constant").expression.written_out() * X ** (2 * d / (d + 2))
LEVEL = sympy.log(2 / DELTA)


def balls_of_phases(share: sympy.Expr) -> sympy.Expr:
    spread = 16 * (1 - share) / share * sigma * diam / sympy.sqrt(8 * LEVEL)
    return 8 * (2 * d * sympy.log(1 + spread) + LEVEL) / ((1 - share) * eps) ** 2


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (pairs <= DELTA, (m >= formula("ball_features"), DELTA < 1, RHO < 1)),
        (pairs <= DELTA, (m >= formula("ball_features", rho=HALF), DELTA < 1)),
        (pairs <= DELTA, (m > 2 * formula("ball_features", rho=Rational(1, 3)), DELTA < 1)),
        (pairs <= Rational(1, 100), (m >= formula("ball_features", rho=HALF, delta=Rational(1, 100)),)),
        (pairs <= 2 * DELTA, (m >= formula("ball_features", rho=HALF, delta=2 * DELTA), DELTA < HALF)),
        (pairs <= DELTA, (m >= 4 * (sympy.log(2 / DELTA) + d * sympy.log(1 + 4 * X * eps / sympy.sqrt(2 * LEVEL))) * 2
            / eps**2, DELTA < 1)),
        (phases <= DELTA, (m >= balls_of_phases(HALF), DELTA < 1)),
        (phases <= DELTA, (m >= balls_of_phases(Rational(2, 3)), DELTA < 1)),
        (pairs <= DELTA, (m >= formula("rr_features"), DELTA < 1, eps <= sigma * diam)),
        (pairs <= DELTA, (m >= 4 * (d + 2) / eps**2 * sympy.log(PAIRS / DELTA),)),  # no condition on the set
        (phases <= DELTA, (m >= 32 * (d + 1) / eps**2 * sympy.log(98 * X**2 / DELTA), eps <= sigma * diam)),
    ],
    ids=str,
)  # fmt: skip
def test_so_many_are_enough(claim: Claim, over: tuple[object, ...]) -> None:
    """A formula in a condition was refused."""
    found = judged(claim, *over).verdict
    assert (found.decision, found.grade) == (Decision.HOLDS, Grade.CERTIFIED)


@pytest.mark.parametrize(
    ("claim", "over"),
    [
        (pairs <= DELTA, (m >= formula("ball_features", rho=HALF) / 2, DELTA < 1)),
        (pairs <= DELTA / 2, (m >= formula("ball_features", rho=HALF), DELTA < 1)),
        (pairs <= DELTA, (m >= formula("ball_features", rho=HALF, sigma=sigma / 2), DELTA < 1)),
        (pairs <= DELTA, (m >= formula("ball_features", rho=HALF, d=d - 1), d >= 2, DELTA < 1)),
        (
            probability("error of pairs", d=2 * d) <= DELTA,
            (m >= formula("ball_features", rho=HALF), DELTA < 1),
        ),
        (pairs <= DELTA, (m <= formula("ball_features", rho=HALF), DELTA < 1)),
        (pairs <= DELTA / m, (m >= formula("ball_features", rho=HALF), DELTA < 1)),
        (pairs <= DELTA, (m >= formula("ball_features"), DELTA < 1)),  # for any share, also above 1
        (phases <= DELTA, (m >= formula("ball_features", rho=HALF), DELTA < 1)),
        (phases <= DELTA, (m >= balls_of_phases(HALF) * Rational(99, 100), DELTA < 1)),
    ],
    ids=str,
)
def test_fewer_are_not_proved_to_be_enough(claim: Claim, over: tuple[object, ...]) -> None:
    assert by_certificate(claim.parts[0], Domain.of(claim, over)) is None


def test_far_too_few_are_refuted() -> None:
    found = judged(pairs <= DELTA, m >= formula("ball_features", rho=HALF) / 1000, Rational(1, 10) > DELTA)
    assert found.verdict.decision is Decision.FAILS
    found = judged(
        pairs <= DELTA, m >= (d + 2) / (10 * eps**2) * sympy.log(PAIRS / DELTA), Rational(1, 10) > DELTA
    )
    assert found.verdict.decision is Decision.FAILS
    too_few = m >= (d + 2) / (4 * eps**2) * (sympy.log(66 / DELTA) + 2 * sympy.log(X)), X >= 1
    assert judged(pairs <= DELTA, *too_few).verdict.decision is Decision.FAILS  # where DELTA is at the end


def test_a_formula_in_a_condition_is_its_expression() -> None:
    claim = pairs <= DELTA
    domain = Domain.of(claim, (m >= formula("hoeffding_features"), DELTA < 1))
    (condition,) = domain.relations  # of whole numbers: at least the ceiling, and 1
    assert (condition.gts, condition.lts) == (m, 2 * LEVEL / eps**2)
    with pytest.raises(InvalidInput, match="state a condition on its variables d, A, v, z, eps"):
        Domain.of(claim, (m >= formula("gerf_legendre"),))
