"""The checker on samplers that can be had from PyPI; what it finds, with versions.

    pip install scikit-learn gpytorch performer-pytorch darkformer-pytorch srf-attention rfflearn py-rff \\
        botorch random-fourier-features-pytorch kernelquantifier causal-learn wlearn-basis gpjax
    python benchmarks/check_third_parties.py

Only what is installed is checked. Notebook 11 shows the findings, rftheory/check/third_parties.json.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from rftheory.check import check

RESULT = Path(__file__).parent.parent / "rftheory" / "check" / "third_parties.json"
D, M = 8, 64
CALL_SECONDS = 600.0  # wall time, on a machine that may be busy


@dataclass(frozen=True)
class Case:
    """A sampler: its package, the module and the expression of m and d that draws once, and what it promises.

    Where x stands in the expression, it returns features of the inputs x. What is ``made`` is handed over as it is.
    """

    package: str
    module: str
    call: str
    options: dict[str, Any] = field(default_factory=dict)
    made: bool = False

    def target(self) -> Any:
        """What is handed to the checker; global generators are seeded, for few of these take a seed."""
        module = importlib.import_module(self.module)
        if self.made:
            return eval(self.call, vars(module))
        code = compile(self.call, self.module, "eval")

        def drawn(m: int, d: int, seed: int, x: Any = None) -> Any:
            np.random.seed(seed)  # noqa: NPY002  the generator that such code draws from
            if "torch" in sys.modules:
                sys.modules["torch"].manual_seed(seed)
            return eval(code, vars(module) | {"m": m, "d": d, "seed": seed, "x": x})

        def features(x: Any, seed: int) -> Any:
            return drawn(M, D, seed, x)

        return features if "x" in code.co_names else drawn


ORTHOGONAL, IID = {"coupling": "orthogonal"}, {"coupling": "iid"}
MATRIX = "gaussian_orthogonal_random_matrix(m, d, scaling={})"
SOBOL = {"coupling": "sobol", "features": "trigonometric", "lengthscale": 0.6931471824645996}  # softplus(0)
BOTORCH = "gen_kernel_features(kernels.{}, num_inputs=d, num_outputs=2 * m)(x)"
GPJAX = "RFF(RBF(n_dims=d), num_basis_fns=m, key=__import__('jax').random.PRNGKey(seed)).frequencies"
DARKFORMER = "darkformer_pytorch.random_features"
CASES = (
    Case("scikit-learn", "sklearn.kernel_approximation", "RBFSampler(gamma=0.5, n_components=64)", made=True),
    Case("gpytorch", "gpytorch.kernels", "RFFKernel(num_samples=m, num_dims=d).randn_weights", IID),
    Case("performer-pytorch", "performer_pytorch.performer_pytorch", MATRIX.format(0), ORTHOGONAL),
    Case("performer-pytorch", "performer_pytorch.performer_pytorch", MATRIX.format(1), ORTHOGONAL),
    Case("darkformer-pytorch", DARKFORMER, "_gaussian_projection(m, d, orthogonal=False)", IID),
    Case("darkformer-pytorch", DARKFORMER, "_gaussian_projection(m, d, orthogonal=True)", ORTHOGONAL),
    Case(
        "srf-attention", "srf_attention.rfs", "simplex_random_matrix(m, d)", {"coupling": "hadamard-simplex"}
    ),
    Case("py-rff", "PyRFF.main", "get_rff_matrix(d, m, 1.0)", IID),
    Case("py-rff", "PyRFF.main", "get_orf_matrix(d, m, 1.0)", ORTHOGONAL),
    Case("rfflearn", "rfflearn.cpu.rfflearn_cpu_common", "get_rff_matrix(d, m, 1.0)", IID),
    Case("rfflearn", "rfflearn.cpu.rfflearn_cpu_common", "get_orf_matrix(d, m, 1.0)", ORTHOGONAL),
    Case("rfflearn", "rfflearn.cpu.rfflearn_cpu_common", "get_qrf_matrix(d, m, 1.0)", {"coupling": "sobol"}),
    Case("botorch", "botorch.sampling.pathwise.features.generators", BOTORCH.format("RBFKernel()"), SOBOL),
    Case(
        "botorch",
        "botorch.sampling.pathwise.features.generators",
        BOTORCH.format("MaternKernel(nu=2.5)"),
        SOBOL | {"coupling": "iid", "kernel": "matern:2.5"},
    ),
    Case("random-fourier-features-pytorch", "rff.functional", "sample_b(1.0, (m, d))", IID),
    Case("kernelquantifier", "kernelquantifier.rff", "GaussianRFF(2 * m, d, seed=seed).w", IID),
    Case(
        "kernelquantifier",
        "kernelquantifier.rff",
        "LaplaceRFF(2 * m, d, seed=seed).fit_transform(x)",
        {"kernel": "cauchy", "features": "trigonometric"},
    ),
    Case(
        "causal-learn",
        "causallearn.utils.RCIT.RCIT",
        "RCIT().random_fourier_features(x, num_f=m) / m**0.5",
        {"features": "cosine"},
    ),
    Case("wlearn-basis", "wlearn_basis", "BasisTransformer(gamma=0.5, n_components=64)", made=True),
    Case("gpjax", "gpjax.kernels", GPJAX, IID),
)


def survey(cases: tuple[Case, ...] = CASES, progress: Callable[[str], None] = print) -> list[dict[str, Any]]:
    """A row for each case whose package is installed."""
    rows = []
    for case in cases:
        try:
            target = case.target()
        except ImportError as error:
            progress(f"{case.package}: {error}")
            continue
        sizes = {} if case.made else {"m": M}
        report = check(target, d=D, **sizes, **case.options, call_seconds=CALL_SECONDS)
        rows.append(
            {
                "package": case.package,
                "version": version(case.package),
                "module": case.module,
                "call": case.call,
                "options": {"d": D, **sizes, **case.options},
                "decision": str(report.decision),
                "headline": report.headline,
                "diagnoses": [found.to_dict() for found in report.diagnoses],
                "refuted": [f.line for f in report.findings if str(f.outcome) == "refuted"][:3],
                "calls": report.calls,
            }
        )
        progress(f"{case.package} {version(case.package)}: {case.call}: {report.headline}")
    return rows


if __name__ == "__main__":
    found = survey()
    RESULT.write_text(json.dumps(found, indent=1, default=float) + "\n", encoding="utf-8")
