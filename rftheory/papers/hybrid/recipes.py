"""The mechanisms as written in the paper, in plain NumPy, from given projections.

Each recipe gives the estimates of the softmax kernel between the rows of x (n_x, d) and y (n_y, d) for one block. The
samplers must give the same numbers from the same projections; neither side uses exact formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from rftheory.papers.hybrid.notation import inputs, same
from rftheory.sample import RandomFeatures, Stream, coupling
from rftheory.statement.evidence import Shown

BLOCKS = range(2)


@dataclass(frozen=True)
class Draws:
    """The projections of one block by the name of their stream: "base 0", or "" for the estimator's own.

    Examples
    --------
    >>> Draws(Stream(1), 0)("base 0", d=3, m=5).shape
    (5, 3)
    """

    stream: Stream
    block: int

    def __call__(self, path: str, d: int, m: int, name: str = "iid") -> np.ndarray:
        stream = self.stream
        for label in path.split("/") if path else ():
            stream = stream.child(label)
        block = range(self.block, self.block + 1)
        return np.asarray(coupling(name).draw(stream, block, d, m, xp=np).projections[0])


Recipe = Callable[[Draws, np.ndarray, np.ndarray, Any], np.ndarray]
Inputs = Callable[[int], tuple[np.ndarray, np.ndarray]]


def follows(
    says: str,
    make: Callable[[int], RandomFeatures],
    recipe: Recipe,
    stated: Any,
    *wrong: tuple[str, Any],
    kernel: Any = "softmax",
    dims: Sequence[int] = (1, 3),
    data: Inputs = inputs,
    covers: str = "points",
) -> Shown:
    """The kernel matrices of a sampler, and its estimates of single pairs, are those of the recipe, draw by draw."""

    @lru_cache(maxsize=len(dims))
    def drawn(d: int) -> tuple[np.ndarray, np.ndarray]:
        """The sampler's kernel matrices, and those of its estimates of single pairs."""
        (x, y), estimator, stream = data(d), make(d), Stream(17)
        pairs = [[estimator.estimate(stream, BLOCKS, u, v, kernel, via="matrix") for v in y] for u in x]
        return estimator.gram(stream, BLOCKS, x, y, kernel, via="matrix"), np.moveaxis(np.array(pairs), -1, 0)

    def test(ingredient: Any) -> bool:
        for d in dims:
            (x, y), stream = data(d), Stream(17)
            wanted = np.array([recipe(Draws(stream, block), x, y, ingredient) for block in BLOCKS])
            if not all(same(found, wanted) for found in drawn(d)):
                return False
        return True

    return Shown(f"{says}: the sampler against the recipe, draw by draw", test, stated, wrong, covers=covers)


# ---- base estimators ---------------------------------------------------------------------------------------------


def squares(rows: np.ndarray) -> np.ndarray:
    """Plain squares sum z_i^2 of the rows, without conjugation."""
    return np.asarray(np.sum(rows * rows, axis=1))


def both(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left_i + right_j for all pairs."""
    return np.asarray(left[:, None] + right[None, :])


def trig(x: np.ndarray, y: np.ndarray, w: np.ndarray, half: float = 0.5, sign: int = -1) -> np.ndarray:
    """T by (35): e^((|x|^2 + |y|^2)/2) times the mean of cos w.(x - y)."""
    waves = np.cos((x[:, None, :] + sign * y[None, :, :]) @ w.T)
    return np.asarray(np.exp(half * both(squares(x), squares(y))) * np.mean(waves, axis=-1))


def pos(
    x: np.ndarray, y: np.ndarray, w: np.ndarray, half: float = 0.5, function: Any = np.cosh
) -> np.ndarray:
    """P by (34): e^(-(|x|^2 + |y|^2)/2) times the mean of cosh w.(x + y)."""
    waves = function((x[:, None, :] + y[None, :, :]) @ w.T)
    return np.asarray(np.exp(-half * both(squares(x), squares(y))) * np.mean(waves, axis=-1))


def cexp(
    x: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    a: np.ndarray,
    other: np.ndarray | None = None,
    *,
    norms: bool = False,
) -> np.ndarray:
    """(16): the mean of exp(w.(A x + A^-T y)) times exp(-(A x)^2/2 - (A^-T y)^2/2), complex."""
    left, right = x @ a.T, y @ (np.linalg.inv(a).T if other is None else other).T
    sizes = (squares(np.abs(side)) if norms else squares(side) for side in (left, right))
    waves = np.exp((left[:, None, :] + right[None, :, :]) @ w.T)
    return np.asarray(np.exp(-both(*sizes) / 2) * np.mean(waves, axis=-1))


def own_projections(x: np.ndarray, y: np.ndarray, w: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(15) with other projections on the side of y than on that of x."""
    left, right = x @ a.T, y @ np.linalg.inv(a)
    one, two = (np.exp(s @ p.T - squares(s)[:, None] / 2) for s, p in ((left, w), (right, v)))
    return np.asarray(one @ two.T / len(w))


# ---- coefficients ------------------------------------------------------------------------------------------------


def angle(x: np.ndarray, y: np.ndarray, w: np.ndarray, zero: float = 0.0, sign: int = -1) -> np.ndarray:
    """(19): 1/2 - (1/2n) sum sgn(tau.x) sgn(tau.y), with sgn(0) = ``zero``."""
    left, right = (np.where(s == 0, zero, np.sign(s)) for s in (x @ w.T, y @ w.T))
    return np.asarray(0.5 + sign * left @ right.T / (2 * len(w)))


def window(
    x: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    matrix: np.ndarray,
    width: float,
    kind: str,
    sign: int = -1,
) -> np.ndarray:
    """(20): rho_1(x).rho_2(y) for exp(-|x + M y|^2/(2 c^2)), phi_SM trigonometric or positive; the window at x = ``sign`` M y."""
    image = y @ matrix.T
    base = {"trigonometric": trig, "positive": pos}[kind](x / width, sign * image / width, w)
    return np.asarray(np.exp(-both(squares(x), squares(image)) / (2 * width**2)) * base)


def normalised(
    x: np.ndarray, y: np.ndarray, w: np.ndarray, sigma: float, rho: float, kind: str
) -> np.ndarray:
    """(67): (1 - G)/rho, the Gaussian kernel G at sigma x, sigma y by trigonometric (69) or positive features."""
    if kind == "trigonometric":
        kernel = np.mean(np.cos(sigma * (x[:, None, :] - y[None, :, :]) @ w.T), axis=-1)
    else:
        damping = np.exp(-(sigma**2) * both(squares(x), squares(y)))
        kernel = damping * np.mean(np.cosh(sigma * (x[:, None, :] + y[None, :, :]) @ w.T), axis=-1)
    return np.asarray((1 - kernel) / rho)


def combined(weights: Sequence[np.ndarray], bases: Sequence[np.ndarray]) -> np.ndarray:
    """(8)."""
    rest = 1 - sum(weights)
    return np.asarray(sum(w * b for w, b in zip(weights, bases, strict=False)) + rest * bases[-1])


def angular_recipe(
    draw: Draws,
    x: np.ndarray,
    y: np.ndarray,
    change: str,
    *,
    shared: bool = False,
    name: str = "iid",
) -> np.ndarray:
    """(12) with the coefficient (19), m = 3, n = 4."""
    d = x.shape[1]
    paths = ("base", "base") if shared != (change == "other sharing") else ("base 0", "base 1")
    p, t = (draw(path, d, 3, name) for path in paths)
    zero = 1.0 if change == "sgn(0) = 1" else 0.0
    weight = angle(x, y, draw("coefficient 0", d, 4, name), zero, 1 if change == "plus" else -1)
    if change == "swapped":
        weight = 1 - weight
    return combined([weight], [pos(x, y, p), trig(x, y, t)])


# ---- clusters ----------------------------------------------------------------------------------------------------


def centre_diagonal(first: np.ndarray, second: np.ndarray, change: str = "") -> np.ndarray:
    """(86), (87) and a = 1 + i where both entries vanish; ``change`` plants an error, or asks for the real one (88)."""
    entries: list[complex] = []
    for r, s in zip(first, second, strict=True):
        if r == 0 and s == 0:
            entries.append(1.0 if change.startswith("real") else 1 + 1j)
        elif change == "real, inverse":
            entries.append(math.sqrt(abs(r / s)))
        elif change == "real, no root":
            entries.append(abs(s / r))
        elif change == "real":
            entries.append(math.sqrt(abs(s / r)))
        elif s / r > 0:
            entries.append(math.sqrt(s / r) * (1.0 if change == "(86) without i" else 1j))
        else:
            entries.append(math.sqrt(-s / r) * (1j if change == "(87) with i" else 1.0))
    return np.diag(np.array(entries))


def nearest(point: np.ndarray, centres: np.ndarray) -> int:
    """The number of the centre nearest to a point, the first among equals."""
    distances = [float(np.linalg.norm(point - centre)) for centre in centres]
    return distances.index(min(distances))


def two_means(points: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """k-means with k = 2: Lloyd's steps from the first point and the point farthest from it."""
    far = int(np.argmax(np.linalg.norm(points - points[0], axis=1)))
    centres = points[[0, far]]
    while True:
        own = [nearest(point, centres) for point in points]
        moved = np.array([points[np.array(own) == i].mean(axis=0) for i in range(2)])
        if np.array_equal(moved, centres):
            return centres, own
        centres = moved


# ---- the feature map (11) --------------------------------------------------------------------------------------------


def printed_features(
    constants: Sequence[float],
    weights: Sequence[np.ndarray],
    bases: Sequence[np.ndarray],
    change: str = "",
) -> np.ndarray:
    """Psi(z) of (11), complex, for one side: blocks of weights and bases with 1/sqrt(n) and 1/sqrt(m) inside, rows = inputs."""
    *own, last = bases

    def tensor(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray((a[:, :, None] * b[:, None, :]).reshape(len(a), -1))

    rest = 1 - sum(constants)
    root = np.sqrt(abs(rest)) if change == "absolute value" else np.sqrt(complex(rest))
    unit = 1.0 if change == "without i" else 1j
    blocks = [np.sqrt(a) * base for a, base in zip(constants, own, strict=True)]
    blocks += [tensor(w, base) for w, base in zip(weights, own, strict=True)]
    blocks.append(root * last)
    blocks += [unit * tensor(w, last) for w in weights]
    return np.concatenate(blocks, axis=1)


# ---- quasi-random points ------------------------------------------------------------------------------------------------


def radical_inverse(index: int, base: int) -> float:
    """The digits of an index in a base, mirrored at the point.

    Examples
    --------
    >>> radical_inverse(6, 2)
    0.375
    """
    value, scale = 0.0, 1.0 / base
    while index:
        index, digit = divmod(index, base)
        value, scale = value + digit * scale, scale / base
    return value
