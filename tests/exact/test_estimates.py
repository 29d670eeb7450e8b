"""Central moments of every declared mechanism for the judge: stated ones and those of the general law are the same."""

from __future__ import annotations

import pytest
from flint import arb

from rftheory.check.laws import estimate_law
from rftheory.errors import NotKnown
from rftheory.exact.coupled import block_cosine
from rftheory.exact.estimates import central_moments_ball
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.spec import find_coupling, find_map


@pytest.mark.parametrize("coupling", ["iid", "orthogonal", "simplex"])
@pytest.mark.parametrize(
    ("feature", "side"), [("positive", "sum_norm"), ("trigonometric", "difference_norm")]
)
def test_stated_moments_are_those_of_the_law(feature: str, side: str, coupling: str) -> None:
    pair = Inputs.of_norms(5, **{side: "0.8"})  # type: ignore[arg-type]
    law = Law(find_map(feature), find_coupling(coupling), 7, pair)
    scale = law.target() if feature == "positive" else arb(1)
    stated = central_moments_ball(feature, coupling, 5, 7, "0.8", 4)
    for n, (one, other) in enumerate(zip(stated, central_moments_of(law, 4), strict=True)):
        assert (one * scale**n).overlaps(other)
    assert not (stated[3] * arb("1.000001")).overlaps(stated[3])


@pytest.mark.parametrize("coupling", ["orthogonal", "simplex", "mirrored", "cross-polytope"])
def test_the_phase_of_the_cosine_map_adds_half_to_the_variance_of_a_row(coupling: str) -> None:
    waves = central_moments_ball("trigonometric", coupling, 4, 6, "0.9", 2)[2]
    cosines = central_moments_ball("cosine", coupling, 4, 6, "0.9", 2)[2]
    assert cosines.overlaps(waves + arb(1) / 12)


def test_the_cosine_of_a_block_is_that_of_the_declaration() -> None:
    assert block_cosine("simplex", 5).overlaps(arb(-1) / 4)  # type: ignore[union-attr]
    assert block_cosine("orthogonal", 1) is None  # a block of one row
    with pytest.raises(NotKnown, match="equal angles"):
        block_cosine("mirrored", 5)


def test_the_checker_knows_the_law_of_every_pair_that_is_declared() -> None:
    for feature in ("positive", "trigonometric", "hyperbolic", "cosine"):
        for coupling in ("iid", "orthogonal", "simplex", "mirrored", "cross-polytope"):
            assert estimate_law(feature, coupling, 4, 8, 0.5) is not None
        assert estimate_law(feature, "antimonotone", 4, 8, 0.5) is None  # no fourth moment
    assert estimate_law("cosine", "simplex", 4, 8, 0.0) is not None
