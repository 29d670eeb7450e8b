"""The declared couplings, by name."""

from __future__ import annotations

import sympy

from rftheory import names
from rftheory.spec.coupling import Coupling
from rftheory.spec.dimension import d
from rftheory.spec.rows import FRAME, Rows

COUPLINGS: dict[str, Coupling] = {}


def declare_coupling(coupling: Coupling) -> Coupling:
    """Register a declaration; from then on everything that takes a name knows it.

    Raises
    ------
    InvalidInput : another coupling has the name.
    """
    return names.declare("coupling", coupling, COUPLINGS)


def find_coupling(name: str) -> Coupling:
    """The declaration with that name, ours or a paper's.

    Raises
    ------
    UnknownName : no coupling has the name.

    Examples
    --------
    >>> find_coupling("ORF").name
    'orthogonal'
    """
    return names.find("coupling", name, COUPLINGS)


def _two(j: int) -> int:
    return 2


def _prime(j: int) -> int:
    return int(sympy.prime(j + 1))


_ROW = (Rows(1),)
_SIMPLEX = -1 / (d - 1)
_FAST = "the rotation is not uniform, so that the law depends on the coordinates of x and y"
_NETS = "the points are tied to each other coordinate by coordinate, not by angles and norms"
_TIED = "the directions depend on all norms of the block"

for _coupling in (
    Coupling("iid", "independent rows", "Rahimi and Recht 2007", _ROW, None),
    Coupling("orthogonal", "orthogonal rows with independent norms", "Yu et al. 2016; simplex.def1.1", FRAME),
    Coupling("orthogonal-fixed", "orthogonal rows, all of norm sqrt(d)", "Demni and Kadri 2024", norms="fixed"),
    Coupling(
        "simplex", "rows along the vertices of a regular simplex, independent norms", "simplex.def3.1", FRAME,
        _SIMPLEX, min_dim=2,
    ),
    Coupling(
        "simplex+", "a simplex whose directions are moved until the rows nearly cancel", "simplex.eq17", FRAME,
        _SIMPLEX, min_dim=2, angles=False, pairs_unknown=_TIED,
    ),
    Coupling(
        "optimised", "directions of least RF-conformity for the norms of the block", "simplex.eq12", FRAME, _SIMPLEX,
        min_dim=2, angles=False, pairs_unknown=_TIED,
    ),
    *(
        Coupling(
            f"{rotation}-{shape}", f"{shape} rows turned by a product of {factors}", "simplex.appB.2", FRAME, cosine,
            min_dim=least, marginal=False, angles=shape != "simplex+", pairs_unknown=_FAST,
        )
        for rotation, factors in (("hadamard", "Hadamard matrices and random signs"), ("givens", "Givens rotations"))
        for shape, cosine, least in (
            ("orthogonal", 0, 1), ("simplex", _SIMPLEX, 2), ("simplex+", _SIMPLEX, 2),
        )
        if (rotation, shape) != ("givens", "simplex+")
    ),
    Coupling(
        "hadamard-orthogonal-fixed", "orthogonal rows of norm sqrt(d), turned by Hadamard matrices and random signs",
        "Yu et al. 2016", FRAME, norms="fixed", marginal=False, pairs_unknown=_FAST, aliases=("sorf",),
    ),
    *(
        Coupling(
            name, f"normal quantiles of {points}", "Avron et al. 2016", _ROW, None, angles=False,
            blocks=False, base=base, pairs_unknown=_NETS,
        )
        for name, points, base in (
            ("halton", "shifted Halton points", _prime), ("sobol", "scrambled Sobol points", _two),
        )
    ),
):  # fmt: skip
    declare_coupling(_coupling)
