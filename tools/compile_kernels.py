"""Compile the kernels for the CPU, which are kept on disk: whoever needs them next does not wait.

python -m tools.compile_kernels
"""

from __future__ import annotations

import numpy as np

from rftheory.sample import Fused, Mechanism, Stream
from rftheory.sample.kernels_numba import first_sweep
from rftheory.sample.kernels_point import normal_sums


def main() -> None:
    x = np.full((1, 16), 0.1)
    for real in ("float64", "float32"):
        for coupling in ("iid", "simplex"):  # by a frame, and by a point of the sphere
            mechanism = Mechanism("positive", coupling, 16)
            Fused(mechanism, Stream(1), x, x, engine="compiled", dtype=real)(range(1))
        normal_sums(1, range(1), 1, real)
    first_sweep(np.ones((2, 1)), np.ones(2))


if __name__ == "__main__":
    main()
