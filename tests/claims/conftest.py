"""What the tests of the four sources share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rftheory.claims import Claim
from rftheory.report.judging import judge_all
from rftheory.report.mutations import PLANTED, Tally


@pytest.fixture
def mutate(record_property: Callable[[str, object], None]) -> Callable[[tuple[Claim, ...]], Tally]:
    """Plant every mutation in claims; their tally goes into the test report."""

    def planted(claims: tuple[Claim, ...]) -> Tally:
        tally = Tally.of(judge_all(claims, PLANTED))
        record_property("mutations", str(tally))
        assert tally.claims == sum(claim.reason == "" for claim in claims)
        return tally

    return planted
