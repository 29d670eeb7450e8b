"""Every claim of this source, made wrong in every way that is planted: is it noticed?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rftheory.claims import Claim
from rftheory.report.judging import judge_all
from rftheory.report.mutations import PLANTED, Tally, modules

MODULES = modules("hybrid")


@pytest.mark.parametrize("claims", MODULES.values(), ids=MODULES)
def test_every_mutation_is_caught(
    claims: tuple[Claim, ...], record_property: Callable[[str, object], None]
) -> None:
    tally = Tally.of(judge_all(claims, PLANTED))
    record_property("mutations", str(tally))
    assert tally.claims == sum(claim.reason == "" for claim in claims)
    assert (tally.missed, tally.bare) == ((), ()), tally
