"""The template for ``rftheory check --new``: a user's own mechanism, with claims about it."""

from __future__ import annotations

from pathlib import Path

from rftheory.errors import InvalidInput

TEMPLATE = '''\
"""A mechanism and claims about it. Fill it in, then: rftheory check {name}"""

import numpy as np
import sympy as sp

DIMENSION = 8  # d: inputs are x and y of shape (d,)
PROJECTIONS = 16  # m


def estimate(x, y, m, seed):
    """The estimate of K(x, y) from m projections. You may define phi(x, m, seed) and psi(y, m, seed) instead."""
    w = np.random.default_rng(seed).standard_normal((m, len(x)))
    return np.exp(w @ (x + y) - x @ x - y @ y).mean()


# Claims, in these symbols: xx = |x|^2, yy = |y|^2, xy = x.y; s = w.x and t = w.y for one projection w ~ N(0, I).
s, t, xx, yy, xy, d, m = sp.symbols("s t xx yy xy d m")

# The estimate is the average of m independent copies of this; None if it is not such an average. The claims below are
# then tested on samples only, for laws with E (K^ - MEAN)^4 <= KURTOSIS * VARIANCE^2.
SUMMAND = sp.exp(s + t - xx - yy)
KURTOSIS = 100

# Expressions, or functions MEAN(x, y) and VARIANCE(x, y, m) that return numbers.
MEAN = sp.exp(xy - (xx + yy) / 2)
VARIANCE = (sp.exp(4 * xy) - sp.exp(2 * xy - xx - yy)) / m
'''


def write_template(path: str | Path) -> Path:
    """Write the template to a new file and return its path; an existing file is never overwritten."""
    path = Path(path)
    if path.suffix != ".py":
        raise InvalidInput("--new", needs="a file name that ends with .py", got=str(path))
    if path.exists():
        raise InvalidInput("--new", needs="a file that does not exist yet", got=str(path))
    path.write_text(TEMPLATE.format(name=path), encoding="utf-8")
    return path
