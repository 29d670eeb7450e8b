"""Anisotropic exponential features, f(w, x) = D exp(w.Aw + w.Bx - |x|^2/2) with a diagonal A.

B_j = sqrt(1 - 4 a_j) and D = prod_j (1 - 4 a_j)^(1/4). Coordinate by coordinate E exp(2 a w^2 + b w s) is
(1 - 4 a)^(-1/2) exp(b^2 s^2 / (2 (1 - 4 a))): unbiased for a_j < 1/4. The second moment has the factors
(1 - 4 a) (1 - 8 a)^(-1/2) exp(2 (1 - 4 a) s^2 / (1 - 8 a)), s = x_j + y_j, finite for a_j < 1/8 and least where
u = 1 - 8 a solves u^2 - (1 + 2 s^2) u - 2 s^2 = 0.

Examples
--------
>>> import numpy as np
>>> from rftheory.sample import Mechanism, Stream
>>> x, y = np.array([0.5, -0.2]), np.array([0.3, 0.4])
>>> best = Mechanism("anisotropic", "orthogonal", 64, A=best_diagonal((x + y) ** 2))
>>> bool(abs(best.estimate(Stream(1), range(2000), x, y, "softmax").mean() / np.exp(x @ y) - 1) < 0.01)
True
"""

from dataclasses import dataclass

import numpy as np

from rftheory.author import (
    FeatureMap, InvalidInput, OutsideDomain, Parameter, Symbol, Term, Terms, array_namespace, feature_map,
    kernel_offset, log, sqrt, x, y,
)  # fmt: skip

a = Symbol("A")
ANISOTROPIC = feature_map(
    "anisotropic", "D exp(w.Aw + w.Bx - |x|^2/2) with diagonal A", "Likhosherstov et al. 2023, arXiv 2302.00787",
    Term(sqrt(1 - 4 * a) * (x + y), log(1 - 4 * a) / 2 - (x**2 + y**2) / 2, 2 * a),
    parameters=(Parameter(a, "diagonal of A", "diagonal", mean=1 - 4 * a, variance=1 - 8 * a),),
    aliases=("favor#", "sderf"),
)  # fmt: skip


@ANISOTROPIC.sampler
@dataclass(frozen=True)
class Anisotropic(FeatureMap):
    """The features, of every coordinate of a projection; `A` has a number below 1/4 for each, or one for all."""

    A: tuple[float, ...]
    name: str = "anisotropic"
    positive = True

    def __post_init__(self):
        object.__setattr__(self, "A", tuple(map(float, np.ravel(self.A).tolist())))
        if not (self.A and all(one < 0.25 for one in self.A)):
            raise OutsideDomain("anisotropic", needs="A_j < 1/4", got=self.A)

    def inputs(self, vectors, side):
        # B x and the unit vectors, whose projections are the coordinates of w
        if len(self.A) not in (1, d := vectors.shape[-1]):
            raise InvalidInput("A", needs=f"one number, or one for each of {d} coordinates", got=self.A)
        xp, here = array_namespace(vectors), {"device": vectors.device}
        slopes = xp.asarray(np.sqrt(1 - 4 * np.asarray(self.A)), **here)
        return xp.concat((slopes * vectors, xp.eye(d, dtype=xp.float64, **here)), axis=0)

    def components(self, projected, squares, kernel, side, marks):
        xp, n = array_namespace(projected), squares.shape[-1]
        diagonal = np.broadcast_to(self.A, max(1, projected.shape[-1] - n)).copy()
        own = xp.matmul(projected[..., n:] ** 2, xp.asarray(diagonal, device=projected.device))[..., None]
        constant = float(np.log1p(-4 * diagonal).sum() / 4 - np.log(projected.shape[-2]) / 2)
        return Terms(projected[..., :n] + own + (kernel_offset(squares, kernel) - 0.5 * squares + constant))


def best_diagonal(squares):
    """The A of least variance for the squares (x_j + y_j)^2 of a pair, or their averages over the data, (d,)."""
    q = 1 + 2 * np.asarray(squares, dtype=float)
    return tuple(((1 - (q + np.sqrt(q * q + 4 * (q - 1))) / 2) / 8).tolist())
