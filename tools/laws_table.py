"""Write docs/laws.md: what is known about every declared feature map with every declared coupling.

    python tools/laws_table.py            write it
    python tools/laws_table.py --check    exit 1 if the file differs from what the code gives

Each cell is found by trying: the laws compute a value at one pair of inputs, the samplers take the mechanism or not.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from flint import ctx

import rftheory.mechanisms  # noqa: F401  declares what lies there
from rftheory.engine.tilt import TiltedMoment
from rftheory.errors import BackendUnavailable, InvalidInput, NotKnown, RFTheoryError
from rftheory.exact.fast_laws import log_relative_mse
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.sample import Mechanism, Stream
from rftheory.sample import coupling as named
from rftheory.sample.fused import Fused
from rftheory.spec import COUPLINGS, MAPS, Coupling, FeatureMap

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "laws.md"
D, M, D_SAMPLED = 4, 6, 16
X, Y = ("1/4", "0", "1/8", "-1/8"), ("1/8", "1/4", "0", "1/8")
BITS = 40
"""Enough to see that a law has a value; its digits are tested elsewhere."""
COLUMNS = ("mean", "MSE", "3rd, 4th moment", "float64", "fused CPU", "CUDA", "tilt")
NO_KERNELS = "there are no kernels for this mechanism; the array engine computes it"
OWN_SAMPLER = "features of random counts have their own sampler"

HEAD = """# What is known about each mechanism

This file is written by `tools/laws_table.py`; a test keeps it up to date.

A feature map and a coupling make a mechanism. For each one, the tables show whether its declaration gives the mean, the
mean squared error and the third and fourth central moments of an estimate as enclosures (`rftheory eval mse
feature=positive coupling=mirrored d=64 m=128 v=1`), whether `rftheory.exact.fast_laws` computes the error in float64,
and whether fused kernels on the CPU, CUDA kernels and exact tilts sample it. **+** means yes; a number refers to the
reason for no, listed at the end.
"""


def parameters(feature: FeatureMap, d: int) -> dict[str, object]:
    """Values of the parameters at which the map is tried."""
    diagonal = ["-1/10" if i % 2 else "1/20" for i in range(d)]  # no multiple of the identity
    values = {"complex": "-1/10", "sign": 1, "diagonal": diagonal, "real": "1/2"}
    matrix = [["1" if i == j else "1/8" if i < j else "0" for j in range(d)] for i in range(d)]
    given = (p for p in feature.parameters if p.name not in feature.chosen)
    return {p.name: matrix if p.kind == "matrix" else values[p.kind] for p in given}


def sampled(feature: FeatureMap, coupling: Coupling) -> Mechanism:
    """The mechanism as the samplers know it."""
    d = D_SAMPLED
    own: dict[str, dict[str, object]] = {
        "gerf": {"A": -0.1}, "oprf": {"v": 1.0, "d": d}, "complex-exponential": {"matrix": np.eye(d)},
        "anisotropic": {"A": (0.05, -0.1) * (d // 2)},
    }  # fmt: skip
    rows = named(coupling.name, **({"v": 1.0} if coupling.name == "optimised" else {}))
    return Mechanism(feature.name, rows, d, **own.get(feature.name, {}))


def cells(feature: FeatureMap, coupling: Coupling) -> list[str]:
    """For every column an empty text, or the reason why the answer is no."""
    law = Law(feature, coupling, M, Inputs.of_vectors(X, Y), parameters(feature, D))
    vectors = np.full((1, D_SAMPLED), 0.1), np.full((1, D_SAMPLED), 0.05)

    def floats() -> object:
        shape = {"A": -0.1} if feature.name == "gerf" else {}
        return log_relative_mse(feature.name, coupling.name, D, M, [0.5, 5.0], **shape)

    def fused(engine: str) -> None:
        mechanism = sampled(feature, coupling)
        try:
            taken = Fused(mechanism, Stream(1), *vectors, engine=engine).engine  # type: ignore[arg-type]
        except (BackendUnavailable, InvalidInput):  # there are kernels, but they cannot run on this machine
            taken = engine
        if taken != engine:
            raise NotKnown("fused kernels", feature.name, NO_KERNELS)

    asked: tuple[Callable[[], object], ...] = (
        law.mean, law.mse, lambda: central_moments_of(law, 4), floats, lambda: fused("compiled"), lambda: fused("cuda"),
        lambda: TiltedMoment(sampled(feature, coupling), Stream(1), vectors[0][0], vectors[1][0]),
    )  # fmt: skip
    if feature.table is not None:
        found = [why_not(one) for one in asked[:4]]
        return [*found, OWN_SAMPLER, OWN_SAMPLER, OWN_SAMPLER]
    return [why_not(one) for one in asked]


def why_not(ask: Callable[[], object]) -> str:
    """The reason given by the error; empty if there is an answer."""
    try:
        ask()
    except NotKnown as error:
        return error.because
    except RFTheoryError as error:
        return str(error).split(", got")[0]
    return ""


def document() -> str:
    """The whole page."""
    reasons: dict[str, int] = {}
    lines = [HEAD]
    with ctx.workprec(BITS):
        for feature in MAPS.values():
            lines += [f"\n## {feature.name}\n", f"{feature.says}.\n"]
            lines += [f"| coupling | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
            tied = feature.table is None  # random counts have no rows to couple
            for coupling in COUPLINGS.values() if tied else [COUPLINGS["iid"]]:
                marks = [
                    str(reasons.setdefault(why, len(reasons) + 1)) if why else "+"
                    for why in cells(feature, coupling)
                ]
                lines.append(f"| {coupling.name} | {' | '.join(marks)} |")
    lines += ["\n## Reasons\n", *(f"{number}. {why}" for why, number in reasons.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # whether the array engine takes over is what we want to know
    text = document()
    if "--check" in sys.argv[1:]:
        sys.exit(DOCUMENT.read_text(encoding="utf-8") != text)
    DOCUMENT.write_text(text, encoding="utf-8")
