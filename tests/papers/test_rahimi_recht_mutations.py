"""One claim in six of this source, made wrong in every way that is planted: is it noticed?

``make mutate`` goes through all of them, and the notebooks judge every claim.
"""

import pytest

from benchmarks.mutations import modules

MODULES = modules("rahimi_recht")


@pytest.mark.parametrize("claims", MODULES.values(), ids=MODULES)
def test_every_mutation_is_caught(claims, mutate) -> None:  # type: ignore[no-untyped-def]
    tally = mutate(claims[::6])
    assert (tally.missed, tally.bare) == ((), ()), tally
