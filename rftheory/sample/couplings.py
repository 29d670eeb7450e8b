"""The couplings by name: each is a product of a rotation, a shape and a law of norms, or a set of points."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from typing import Any, TypeVar

from rftheory import names
from rftheory.errors import InvalidInput
from rftheory.sample.checks import made
from rftheory.sample.fast_rotations import GIVENS, HADAMARD
from rftheory.sample.norms import FIXED
from rftheory.sample.optimised import Optimised
from rftheory.sample.projections import Coupling, Geometric, Independent
from rftheory.sample.quasi import HALTON, SOBOL
from rftheory.sample.shapes import SIMPLEX
from rftheory.sample.simplex_plus import SIMPLEX_PLUS

Law = TypeVar("Law", bound=Coupling)

COUPLINGS: dict[str, Coupling] = {law.name: law for law
    in (Independent(), Geometric("orthogonal"), Geometric("orthogonal-fixed", norm_law=FIXED),
    Geometric("simplex", shape=SIMPLEX), Geometric("simplex+", shape=SIMPLEX_PLUS),
    Geometric("hadamard-orthogonal", rotation=HADAMARD),
    Geometric("hadamard-orthogonal-fixed", rotation=HADAMARD, norm_law=FIXED),
    Geometric("hadamard-simplex", rotation=HADAMARD, shape=SIMPLEX),
    Geometric("hadamard-simplex+", rotation=HADAMARD, shape=SIMPLEX_PLUS),
    Geometric("givens-orthogonal", rotation=GIVENS), Geometric("givens-simplex", rotation=GIVENS, shape=SIMPLEX),
    HALTON, SOBOL)}  # fmt: skip
"""The couplings registered so far; `rftheory.names.load_declared` registers all that are installed."""


def optimised(v: float) -> Coupling:
    """Return the coupling whose directions minimise the RF-conformity at v = |x + y|, for small d.

    Examples
    --------
    >>> optimised(1.0).name
    'optimised'
    """
    return Geometric("optimised", shape=Optimised(v))


_MAKERS: dict[str, Callable[..., Coupling]] = {"optimised": optimised}
_KNOWN: ChainMap[str, Any] = ChainMap(COUPLINGS, _MAKERS)  # type: ignore[arg-type]


def coupling(name: str, **parameters: Any) -> Coupling:
    """Return the coupling with that name, ours or a paper's, and these parameters.

    Raises
    ------
    UnknownName : no coupling has the name.
    InvalidInput : unknown or missing parameters.

    Examples
    --------
    >>> coupling("SimRF").name, coupling("optimised", v=1.0).name
    ('simplex', 'optimised')
    >>> coupling("simplx")
    Traceback (most recent call last):
    ...
    rftheory.errors.UnknownName: unknown coupling 'simplx'; did you mean 'simplex'? (rftheory list mechanisms shows all)
    """
    found = names.find("coupling", name, _KNOWN)
    word = names.canonical("coupling", name)
    if word in _MAKERS:
        return made(word, found, parameters)  # type: ignore[no-any-return]
    if parameters:
        raise InvalidInput(f"parameters of {word}", needs="none", got=", ".join(parameters))
    return found  # type: ignore[no-any-return]


def register_coupling(law: Law) -> Law:
    """Register a coupling under its name; from then on everything that takes a name can draw from it.

    Raises
    ------
    InvalidInput : not a coupling, or another one has the name.

    Examples
    --------
    >>> register_coupling(COUPLINGS["simplex"]).name
    'simplex'
    """
    if not (hasattr(law, "draw") and hasattr(law, "onto")):
        raise InvalidInput("coupling", needs="an object with name, min_dim, draw and onto", got=law)
    word = names.add("coupling", law.name)
    if word in _MAKERS or COUPLINGS.setdefault(word, law) is not law:
        raise InvalidInput("coupling", needs="a name of its own", got=law.name)
    return law
