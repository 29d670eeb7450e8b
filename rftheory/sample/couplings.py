"""The couplings by name: each a product of a rotation, a shape and a law of norms, or points of its own."""

from __future__ import annotations

from rftheory.errors import UnknownName
from rftheory.sample.fast_rotations import GIVENS, HADAMARD
from rftheory.sample.norms import FIXED
from rftheory.sample.optimised import Optimised
from rftheory.sample.projections import Coupling, Geometric, Independent
from rftheory.sample.quasi import HALTON, SOBOL
from rftheory.sample.shapes import SIMPLEX
from rftheory.sample.simplex_plus import SIMPLEX_PLUS

COUPLINGS: dict[str, Coupling] = {
    law.name: law
    for law in (
        Independent(),
        Geometric("orthogonal"),
        Geometric("orthogonal-fixed", norm_law=FIXED),
        Geometric("simplex", shape=SIMPLEX),
        Geometric("simplex+", shape=SIMPLEX_PLUS),
        Geometric("hadamard-orthogonal", rotation=HADAMARD),
        Geometric("hadamard-simplex", rotation=HADAMARD, shape=SIMPLEX),
        Geometric("hadamard-simplex+", rotation=HADAMARD, shape=SIMPLEX_PLUS),
        Geometric("givens-orthogonal", rotation=GIVENS),
        Geometric("givens-simplex", rotation=GIVENS, shape=SIMPLEX),
        HALTON,
        SOBOL,
    )
}


def coupling(name: str) -> Coupling:
    """Return the coupling of that name.

    Examples
    --------
    >>> coupling("simplx")
    Traceback (most recent call last):
    ...
    rftheory.errors.UnknownName: unknown coupling 'simplx'; did you mean 'simplex'?
    """
    try:
        return COUPLINGS[name]
    except (KeyError, TypeError):  # a list cannot even be looked up
        raise UnknownName("coupling", name, COUPLINGS) from None


def optimised(v: float) -> Coupling:
    """Return the coupling whose directions minimise the RF-conformity at v = |x + y|, for small d.

    Examples
    --------
    >>> optimised(1.0).name
    'optimised'
    """
    return Geometric("optimised", shape=Optimised(v))
