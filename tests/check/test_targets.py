"""Targets: found by name, filled in, turned round; and bad ones, whose errors say what to pass."""

from __future__ import annotations

import math
import os
import re
import sys
import zipfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.planted.seeded import default_rng
from rftheory.check import check
from rftheory.check.resolve import load_module, resolve
from rftheory.errors import InvalidInput, RFTheoryError, SamplerFailed
from rftheory.judge import Outcome
from rftheory.sample import coupling
from rftheory.sample.stream import Streams

pytestmark = pytest.mark.usefixtures("end_after")

CODE = """
import numpy as np

def rows(num_features, dim, random_state=0):
    return np.random.default_rng(random_state).standard_normal((num_features, dim))

def columns(n_components, in_features, rng):
    return rng.standard_normal((in_features, n_components))

def unseeded(m, d):
    return np.random.standard_normal((m, d))

def needs(m, d, seed, sharpness, mode):
    return np.zeros((m, d))

def phi(x, seed):
    w = np.random.default_rng(seed).standard_normal((16, x.shape[1]))
    return np.exp(x @ w.T - (x * x).sum(1, keepdims=True)) / 4

def psi(y, seed):
    return phi(y, seed)

class Kit:
    @staticmethod
    def rows(m, d, seed):
        return rows(m, d, seed)
"""


@pytest.fixture
def module(tmp_path: Path) -> str:
    path = tmp_path / "kit_of_samplers.py"
    path.write_text(CODE, encoding="utf-8")
    return str(path)


def test_arguments_are_found_by_their_names(module: str) -> None:
    target = resolve(f"{module}:rows", d=3, m=12)
    assert (target.kind, target.seed_argument) == ("matrix", "random_state")
    assert target.matrix(5).shape == (12, 3)
    assert (target.matrix(5) == target.matrix(5)).all()
    assert (target.matrix(5) != target.matrix(6)).all()
    assert resolve(f"{module}:Kit.rows", d=3, m=12).matrix(5).shape == (12, 3)


def test_columns_are_turned_round_and_that_is_said(module: str) -> None:
    target = resolve(f"{module}:columns", d=3, m=12)
    assert target.generator == "numpy"
    assert target.matrix(1).shape == (12, 3)
    assert any("columns are projections" in note for note in target.notes)
    expected = np.random.default_rng(1).standard_normal((3, 12)).T
    assert (target.matrix(1) == expected).all()


def test_pairs_of_feature_maps_and_estimators_are_told_apart(module: str) -> None:
    target = resolve(f"{module}:phi,psi", d=3)
    assert target.kind == "features"
    x = np.full((2, 3), 0.1)
    phi, psi = target.features_of(x, x, 1)
    assert phi.shape == psi.shape == (2, 16)
    assert resolve(lambda x, y, seed: 1.0, d=3).kind == "estimator"


def test_saved_draws_are_read(tmp_path: Path) -> None:
    draws = np.random.default_rng(0).standard_normal((5, 6, 3))
    np.save(tmp_path / "a.npy", draws)
    np.savez(tmp_path / "b.npz", w=draws.transpose(0, 2, 1), other=draws)
    for name in ("a.npy", "b.npz:w"):
        target = resolve(str(tmp_path / name), d=3)
        assert (target.kind, target.d, target.m) == ("array", 3, 6)
        assert (target.matrices(np.zeros(2), 1) == draws[1:3]).all()
    for missing in ("b.npz", "b.npz:v"):
        with pytest.raises(
            InvalidInput, match=r"b.npz: needs the name of an array.*\['w', 'other'\]"
        ) as found:
            resolve(str(tmp_path / missing), d=3)
        assert "numpy.save" not in str(found.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.npy", b""), ("a.npy", b"\x93NUMPY"), ("a.npz", b"PK\x03\x04xx"), ("a.npz", b""), ("a.npz", None)],
)
def test_broken_files_are_refused(tmp_path: Path, name: str, content: bytes | None) -> None:
    path = tmp_path / name
    if content is None:  # a whole archive whose array ends in the middle
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("w.npy", b"\x93NUMPY\x01\x00")
        name = "a.npz:w"
    else:
        path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"a file from numpy\.save"):
        resolve(str(tmp_path / name), d=3)


def test_transformers_are_fitted_anew_for_every_seed() -> None:
    kernels = pytest.importorskip("sklearn.kernel_approximation")
    target = resolve(kernels.RBFSampler(gamma=0.5, n_components=20), d=3)
    assert (target.kind, target.seed_argument, target.lengthscale) == ("transformer", "random_state", 1.0)
    x = np.full((2, 3), 0.1)
    assert target.features_of(x, x, 1)[0].shape == (2, 20)
    assert (target.features_of(x, x, 1)[0] != target.features_of(x, x, 2)[0]).all()


def unseeded(m: int, d: int) -> np.ndarray:
    return np.random.standard_normal((m, d))  # noqa: NPY002


def test_a_random_state_may_have_to_be_a_generator() -> None:
    def rows(m: int, d: int, random_state: Any) -> np.ndarray:
        drawn: np.ndarray = random_state.standard_normal((m, d))
        return drawn

    target = resolve(rows, d=3, m=12)
    assert (target.matrix(5) == target.matrix(5)).all()
    assert (target.matrix(5) != target.matrix(6)).all()
    assert any("RandomState" in note for note in target.notes)


def test_a_target_without_seed_is_reproducible(end_after: Callable[[int], None]) -> None:
    end_after(64)
    first, second = (check(unseeded, coupling="iid", d=2, seed=3) for _ in range(2))
    assert first.findings == second.findings
    assert any("no seed argument" in note for note in first.notes)


# ---- what people have ----------------------------------------------------------------------------------


def decided(target: Any, **options: Any) -> Any:
    """The report at 2048 calls, without a defect."""
    report = check(target, intervals=False, **options)
    assert report.exit_code != 1, report.text()
    return report


def heads(m: int, d: int, seed: int) -> np.ndarray:
    return default_rng(seed).standard_normal((3, m, d))


def one_head(m: int, d: int, seed: int) -> np.ndarray:
    return np.repeat(default_rng(seed).standard_normal((1, d, m)), 3, axis=0)


def complex_waves(x: np.ndarray, seed: int, m: int = 32) -> np.ndarray:
    w = default_rng(seed).standard_normal((m, x.shape[1]))
    features: np.ndarray = np.exp(1j * (x @ w.T)) / np.sqrt(m)
    return features


def real_waves(x: np.ndarray, seed: int) -> np.ndarray:
    waves = complex_waves(x, seed)
    return np.concatenate([waves.real, waves.imag], axis=1).astype(complex)


def mirrored_heads(m: int, d: int, seed: int) -> np.ndarray:
    return ROWS(Streams(range(10 * seed, 10 * seed + 4)), range(4), d, m).projections


ROWS = coupling("mirrored").draw


def test_the_matrices_of_a_batch_are_independent_blocks(end_after: Callable[[int], None]) -> None:
    """Also if the blocks have more than d rows, do not fill the matrices, or these have two leading axes."""
    end_after(2048)
    assert decided(mirrored_heads, coupling="mirrored", d=4, m=12).declared["m"] == 4 * 8 + 4
    assert decided(mirrored_heads, coupling="mirrored", d=4, m=4).declared["m"] == 4
    two_axes = decided(lambda m, d, seed: heads(m, d, seed)[:, None], coupling="iid", d=4, m=10)
    assert two_axes.declared["m"] == 3 * 8 + 2
    shared = check(one_head, coupling="iid", d=4, m=10, intervals=False)
    assert [d.name for d in shared.diagnoses] == ["rows-repeated"]


def test_an_object_that_samples_needs_no_call(end_after: Callable[[int], None]) -> None:
    end_after(1024)
    decided(Weights(8, 4), coupling="iid", d=4, m=8)


class Weights:
    def __init__(self, num_features: int, dim: int, scale: float = 1.0) -> None:
        self.size, self.scale = (num_features, dim), scale

    def sample(self, key: int) -> np.ndarray:
        return self.scale * np.random.default_rng(key).standard_normal(self.size)


class Waves:
    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)

    def forward(self, x: np.ndarray) -> np.ndarray:
        along = x @ self.draw.standard_normal((x.shape[1], 16))
        return np.concatenate([np.cos(along), np.sin(along)], axis=1) / 4


class Unfitted:
    """Features whose draws are made with the object, so that nothing is fitted."""

    def __init__(self, in_features: int, out_features: int, seed: int, scale: float = 1.0) -> None:
        draw = np.random.default_rng(seed)
        self.w, self.b = (
            draw.standard_normal((in_features, out_features)),
            draw.uniform(0, 2 * np.pi, out_features),
        )
        self.scale = scale

    def transform(self, x: np.ndarray) -> np.ndarray:
        features: np.ndarray = np.sqrt(2 / len(self.b)) * np.cos(self.scale * x @ self.w + self.b)
        return features


@pytest.mark.parametrize("kind", [None, "features", "transformer"])
def test_a_class_with_transform_and_without_fit_is_a_feature_map(kind: str | None) -> None:
    report = check(Unfitted, kind=kind, d=4, intervals=False)
    assert report.ok, report.text()
    assert (report.kind, report.declared["features"]) == ("features", "cosine")
    wrong = check(Unfitted, kind=kind, d=4, arguments={"scale": 1.3}, intervals=False)
    assert [d.name for d in wrong.diagnoses] == ["kernel-scale"]


def test_a_class_that_cannot_be_called_is_told_what_to_offer() -> None:
    class Bare:
        def __init__(self, m: int, d: int) -> None:
            self.size = m, d

    with pytest.raises(SamplerFailed, match="a class with sample, forward or transform"):
        check(Bare)
    with pytest.raises(InvalidInput, match="needs an array, or a file"):
        check(unseeded, kind="array")


def test_batches_complex_features_and_classes(end_after: Callable[[int], None]) -> None:
    end_after(2048)
    report = decided(heads, coupling="iid", d=4, m=8)
    assert report.declared["m"] == 24
    assert any("batch of 3" in note for note in report.notes)
    shared = check(one_head, coupling="iid", d=4, m=8, intervals=False)
    assert [d.name for d in shared.diagnoses] == ["rows-repeated"]
    report = decided(complex_waves, coupling="iid", d=4)
    assert (report.declared["features"], report.declared["m"]) == ("trigonometric", 32)
    report = decided(real_waves, coupling="iid", d=4)  # what comes out of an FFT has a complex type
    assert (report.declared["features"], report.declared["m"]) == ("trigonometric", 32)
    report = decided(Weights, coupling="iid", d=4)
    assert "seed goes in as key" in report.notes
    assert check(Weights, coupling="iid", d=4, arguments={"scale": 1.3}, intervals=False).exit_code == 1
    assert decided(Waves, coupling="iid", d=3).declared["m"] == 16


def with_key(key: Any, m: int, d: int) -> np.ndarray:
    return np.random.default_rng(key.value).standard_normal((m, d))


def test_a_key_is_a_key_of_jax_if_that_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = SimpleNamespace(PRNGKey=lambda seed: SimpleNamespace(value=seed))
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(random=stand_in))  # type: ignore[misc]
    monkeypatch.setitem(sys.modules, "jax.random", stand_in)  # type: ignore[misc]
    target = resolve(with_key, d=3, m=12)
    assert (target.seed_argument, target.generator) == ("key", "jax")
    assert (target.matrix(5) == with_key(SimpleNamespace(value=5), 12, 3)).all()
    monkeypatch.delitem(sys.modules, "jax")
    with pytest.raises(SamplerFailed, match="has no attribute"):  # an integer, as without JAX, is no key
        resolve(lambda key, m, d: with_key(key.anything, m, d), d=3, m=12).matrix(5)


def of_two_words(m: int, d: int, key: Any) -> np.ndarray:
    first, second = np.asarray(key)
    return np.random.default_rng([first, second]).standard_normal((m, d))


def of_an_item(m: int, d: int, seed: Any) -> np.ndarray:
    return np.random.default_rng(seed[0]).standard_normal((m, d))


def of_no_generator(m: int, d: int, rng: Any) -> Any:
    return rng.split(2)


def of_no_state(m: int, d: int, seed: Any) -> Any:
    return seed.split(2)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (
            of_two_words,
            ["TypeError: iteration over a 0-d array", "key went in as an integer: ", "such as an array"],
        ),
        (of_an_item, ["TypeError: 'int' object is not", "seed went in as an integer: "]),
        (of_no_generator, ["AttributeError", "rng went in as a numpy.random.Generator: "]),
        (of_no_state, ["AttributeError", "seed went in as an integer, then as a numpy.random.RandomState: "]),
    ],
)
def test_a_seed_of_another_kind_is_told_what_was_tried(target: Callable[..., Any], words: list[str]) -> None:
    with pytest.raises(SamplerFailed) as found:
        check(target, d=4, coupling="iid")
    for word in ("it raised", *words):
        assert word in str(found.value), str(found.value)


def test_a_seed_that_is_no_mistake_is_not_mentioned() -> None:
    with pytest.raises(SamplerFailed, match="ZeroDivisionError") as found:
        check(raising, d=4, coupling="iid")
    assert "went in as" not in str(found.value)


class Kernel:
    """What the checker uses of gpytorch's kernels."""

    __module__ = "gpytorch.kernels.kernel"
    has_lengthscale = True
    lengthscale = 2.0
    factor = 1.0

    def __init__(self, num_samples: int, num_dims: int) -> None:
        self.num_samples = num_samples
        self._init_weights(num_dims, num_samples)

    def _init_weights(self, num_dims: int, num_samples: int) -> None:
        self.randn_weights = np.random.standard_normal((num_samples, num_dims))  # noqa: NPY002

    def __call__(self, x: np.ndarray, y: np.ndarray, *, diag: bool) -> np.ndarray:
        assert diag
        values: np.ndarray = np.cos((x - y) / self.lengthscale @ self.randn_weights.T).mean(1)
        return self.factor * values


class Doubled(Kernel):
    factor = 2.0


def test_kernels_of_gpytorch(monkeypatch: pytest.MonkeyPatch, end_after: Callable[[int], None]) -> None:
    end_after(2048)
    torch = SimpleNamespace(
        manual_seed=lambda seed: np.random.seed(seed % 2**32),  # noqa: NPY002
        get_rng_state=np.random.get_state,
        set_rng_state=np.random.set_state,
        as_tensor=lambda values, dtype: np.asarray(values, dtype),
        get_default_dtype=lambda: float, no_grad=nullcontext,
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "torch", torch)  # type: ignore[misc]
    for kernel in (Kernel, Kernel(32, 3)):
        report = decided(kernel, d=3, m=32)
        assert report.declared["features"] == "trigonometric"
        assert (report.declared["lengthscale"], report.declared["m"]) == (2.0, 32)
        assert report.calls == 2048
    wrong = check(Doubled, d=3, m=32, intervals=False)
    assert [d.name for d in wrong.diagnoses] == ["feature-scale"]


def test_the_example_of_our_own_message_works(end_after: Callable[[int], None]) -> None:
    end_after(1024)
    report = decided("numpy.random:standard_normal", coupling="iid")
    assert (report.declared["d"], report.declared["m"]) == (8, 36)


def test_a_file_may_import_its_neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", list(sys.path))
    (tmp_path / "neighbour_of_it.py").write_text("SCALE = 1.0\n", encoding="utf-8")
    code = "from neighbour_of_it import SCALE\n\ndef rows(m, d, seed):\n    return None\n"
    (tmp_path / "imports_it.py").write_text(code, encoding="utf-8")
    assert resolve(f"{tmp_path / 'imports_it.py'}:rows").kind == "matrix"


# ---- bad targets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("no_such_module:f", ["no_such_module", "a module that can be imported", "path/to/file.py:function"]),
        ("no_such_file.py:f", ["no_such_file.py", "a file that exists"]),
        ("math", ["module:function, file.py:function"]),
        ("math:no_such_function", ["a function of math", "no_such_function", "it has acos"]),
        ("KIT:needs", ["sharpness, mode", "d=8, m=36", "--arg sharpness=... --arg mode=..."]),
        ("no_such_array.npy", ["no_such_array.npy", "numpy.save"]),
    ],
)
def test_a_target_that_is_not_there(module: str, target: str, words: list[str]) -> None:
    with pytest.raises(InvalidInput) as found:
        check(target.replace("KIT", module))
    for word in words:
        assert word in str(found.value)


def raising(m: int, d: int, seed: int) -> np.ndarray:
    raise ZeroDivisionError("no rows today")


def of_one_axis(m: int, d: int, seed: int) -> np.ndarray:
    return np.ones(m * d)


def of_other_dimension(m: int, d: int, seed: int) -> np.ndarray:
    return np.ones((m, d + 1))


def growing(m: int, d: int, seed: int) -> np.ndarray:
    return np.ones((m + seed % 2, d))


def with_nan(m: int, d: int, seed: int) -> np.ndarray:
    w = np.random.default_rng(seed).standard_normal((m, d))
    w[3, 1] = np.nan
    return w


def zeros(m: int, d: int, seed: int) -> np.ndarray:
    return np.zeros((m, d))


def of_text(m: int, d: int, seed: int) -> np.ndarray:
    return np.full((m, d), "one")


def test_a_target_that_ends_the_process_is_no_success(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\n\ndef sampler(m, d, seed):\n    raise SystemExit(0)\n")
    with pytest.raises(SamplerFailed, match="raised SystemExit"):
        check(f"{script}:sampler", coupling="orthogonal", arguments={"d": 8})
    script.write_text(script.read_text() + "\nsys.exit(0)\n")
    with pytest.raises(SamplerFailed, match="raised SystemExit"):
        check(f"{script}:sampler", coupling="orthogonal", arguments={"d": 8})


class Speechless(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


def speechless(m: int, d: int, seed: int) -> Any:
    raise Speechless


def test_a_target_that_fails_after_other_calls_needs_no_arguments() -> None:
    seeds: list[int] = []

    def late(m: int, d: int, seed: int) -> np.ndarray:
        seeds.append(seed)
        if len(seeds) == 50:
            raise KeyError("row")
        return np.random.default_rng(seed).standard_normal((m, d))

    with pytest.raises(SamplerFailed, match="raised KeyError: 'row'; earlier calls did not") as found:
        check(late, d=4, coupling="iid")
    assert f"seed={seeds[-1]}" in str(found.value)
    assert "--arg" not in str(found.value)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (raising, ["raising(d=4, m=32, seed=", "ZeroDivisionError: no rows today", "--arg name=value"]),
        (of_one_axis, ["shape (128,)", "m x d or d x m", "--kind"]),
        (of_other_dimension, ["shape (32, 5)", "d = 4", "--arg d="]),
        (growing, [" (35, 4)", " (34, 4)", "two calls"]),
        (with_nan, ["nan at entry (3, 1)", "divisions and logarithms"]),
        (zeros, ["only zeros", "is the array filled?"]),
        (of_text, ["return real numbers"]),
        (lambda m, d, seed: None, ["NoneType, which is not an array"]),
        (lambda m, d, seed: np.full((m, d), 1e300), ["1e+300 in size", "order 1"]),
        (lambda m, d, seed: np.full((m, d), 1e-300), ["1e-300 in size", "order 1"]),
        (speechless, ["it raised Speechless"]),
    ],
)
def test_a_target_that_fails(target: Callable[..., Any], words: list[str]) -> None:
    with pytest.raises(SamplerFailed) as found:
        check(target, d=4)
    for word in words:
        assert word in str(found.value), str(found.value)


@pytest.mark.parametrize(
    "options",
    [
        {"coupling": "orthogonl"},
        {"features": "cosh"},
        {"kernel": "matern:-1"},
        {"kernel": "cubic"},
        {"lengthscale": 0.0},
        {"lengthscale": "1"},
        {"kernel": None},
        {"arguments": 3},
        {"seconds": -1.0},
        {"seed": -1},
        {"d": 0},
        {"m": True},
        {"kind": "sampler"},
        {"arguments": {"rows": 3}},
        {"kernel": "matern:1.5", "coupling": "orthogonal"},
    ],
)
def test_options_that_are_none(options: dict[str, Any]) -> None:
    with pytest.raises(RFTheoryError):
        check(zeros, **options)


def test_arrays_that_are_no_draws() -> None:
    for array in (np.ones(3), np.ones((0, 2, 2)), np.array([["a"]])):
        with pytest.raises(InvalidInput, match="real draws of shape"):
            check(array)


def test_memory_that_the_next_call_writes_into_is_copied() -> None:
    """As a layer does that draws its weights anew in place: its calls were taken for one draw."""
    memory: dict[tuple[int, int], np.ndarray] = {}

    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        found = memory.setdefault((m, d), np.empty((m, d)))
        np.random.default_rng(seed).standard_normal(out=found)
        return found

    assert check(sampler, coupling="iid", d=4, only=("determinism",)).exit_code == 0


def test_the_order_of_bytes_is_no_defect() -> None:
    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        return np.random.default_rng(seed).standard_normal((m, d)).astype(">f8")

    assert check(sampler, coupling="iid", d=4, only=("stability",)).exit_code == 0


def test_a_number_of_projections_that_nobody_gave_is_no_promise(end_after: Callable[[int], None]) -> None:
    end_after(4096)

    def estimate(x: np.ndarray, y: np.ndarray, seed: int) -> float:
        rows = default_rng(seed).standard_normal((16, len(x)))
        return float(np.exp(rows @ (x + y) - x @ x - y @ y).mean())

    report = check(estimate, intervals=False)
    assert report.ok
    assert report.declared["m"] is None
    assert "m = not given" in report.text()
    assert report.verdicts["variance"] is None
    assert (
        "m not given: squared errors are like those of about 16 projections; --arg m=16 tests them"
        in report.notes
    )
    assert check(estimate, m=16, intervals=False).verdicts["variance"] is Outcome.AGREES
    assert check(estimate, m=64, intervals=False).verdicts["variance"] is Outcome.REFUTED
    biased = check(lambda x, y, seed: 1.3 * estimate(x, y, seed), intervals=False)
    assert [d.name for d in biased.diagnoses] == ["feature-scale"]


def test_a_file_that_was_changed_a_moment_ago_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python takes stored bytecode for current if the file has kept its size and the second of its last change."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = tmp_path / "own_file.py"
    found = []
    for value in (1, 2):
        path.write_text(f"VALUE = {value}\n", encoding="utf-8")
        os.utime(path, (1, 1))
        found.append(load_module(str(path)).VALUE)
        sys.modules.pop(path.stem)
    assert found == [1, 2]


def test_only_functions_of_the_file_itself_are_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine_alone.py"
    file.write_text(
        "from math import cos\nimport numpy as np\n\n\ndef draw(m, d, seed):\n    return np.ones((m, d))\n"
    )
    package = tmp_path / "a_package"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from math import cos\nimport numpy as np\nfrom a_package.inner import draw\n"
    )
    (package / "inner.py").write_text("def draw(m, d, seed):\n    return None\n")
    monkeypatch.syspath_prepend(tmp_path)
    for target in (str(file), f"{file}:nope", "a_package:nope"):
        with pytest.raises(InvalidInput) as caught:
            check(target)
        assert "draw" in str(caught.value)
        assert "cos" not in str(caught.value)
        assert "np" not in str(caught.value)


def test_a_target_that_has_numpy_raise_errors_changes_none_of_our_sums(tmp_path: Path) -> None:
    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        np.seterr(all="raise")
        return np.random.default_rng(seed).standard_normal((m, d))

    before = np.geterr()
    assert (
        check(sampler, coupling="iid", d=8, m=16, seconds=0.5, intervals=False).decision
        is not Outcome.REFUTED
    )
    (tmp_path / "raises_errors.py").write_text(
        "import numpy as np\nnp.seterr(all='raise')\n\n\ndef sampler(m, d, seed):\n"
        "    return np.random.default_rng(seed).standard_normal((m, d))\n",
        encoding="utf-8",
    )
    check(f"{tmp_path / 'raises_errors.py'}:sampler", coupling="iid", d=8, m=16, seconds=0.5, intervals=False)
    assert np.geterr() == before


def test_missing_entries_are_refused() -> None:
    """Masked entries have values, which are not those that are drawn; saved, they are often 1e20."""

    def masked(m: int, d: int, seed: int) -> np.ma.MaskedArray:
        rows = np.random.default_rng(seed).standard_normal((m, d))
        return np.ma.masked_array(rows, mask=rows > 1)

    with pytest.raises(SamplerFailed, match="returned a masked array with"):
        check(masked, coupling="iid", d=4, m=8)
    draws = np.random.default_rng(0).standard_normal((100, 8, 4))
    draws[draws > 2] = 1e20
    with pytest.raises(SamplerFailed, match="should be of order 1"):
        check(draws, coupling="iid")


@pytest.mark.parametrize("size", [1e6, 1e12, 1e17])
def test_a_few_huge_entries_are_a_defect_and_no_crash(size: float) -> None:
    draws = np.random.default_rng(0).standard_normal((2000, 8, 4))
    draws[draws > 3] = size
    assert check(draws, coupling="iid", seconds=2.0).decision is Outcome.REFUTED


def waves(x: np.ndarray, seed: int, m: int = 32) -> np.ndarray:
    angles = x @ np.random.default_rng(seed).standard_normal((m, x.shape[1])).T
    return np.concatenate([np.cos(angles), np.sin(angles)], 1) / np.sqrt(m)


def shrinking(x: np.ndarray, seed: int) -> np.ndarray:
    found = waves(x, seed)
    x *= 0.5
    return found


def of_difference(x: np.ndarray, y: np.ndarray, seed: int) -> float:
    x -= y
    return float(np.cos(np.random.default_rng(seed).standard_normal((32, len(x))) @ x).mean())


def of_difference_apart(x: np.ndarray, y: np.ndarray, seed: int) -> float:
    return of_difference(x.copy(), y, seed)


@pytest.mark.parametrize(
    ("target", "writes"),
    [(waves, False), (shrinking, True), (of_difference, True), (of_difference_apart, False)],
)
def test_a_call_that_writes_into_its_inputs_is_told_from_one_whose_draws_are_wrong(
    target: Callable[..., Any], writes: bool
) -> None:
    """Inputs halved by one call were those of the next: a seed was not used, or means were off, said the report."""
    report = check(target, features="trigonometric", d=3, intervals=False)
    refuted = [f.test for f in report.findings if f.outcome is Outcome.REFUTED]
    assert refuted == ["a call leaves the inputs that it is given as they are"] * writes
    assert [found.name for found in report.diagnoses] == ["inputs-changed"] * writes
    assert (report.decision is Outcome.REFUTED) == writes


OWN = np.random.default_rng(1)
"""A generator that is made once, as that of a module may be."""


def with_its_own_seed(x: np.ndarray, seed: int) -> np.ndarray:
    return waves(x, int(OWN.integers(2**31)))


def shrinking_too(x: np.ndarray, seed: int) -> np.ndarray:
    return shrinking(x, int(OWN.integers(2**31)))


def shrinking_and_scaled(x: np.ndarray, seed: int) -> np.ndarray:
    return 1.2 * shrinking(x, seed)


def anew_for_each_input(x: np.ndarray, seed: int) -> np.ndarray:
    return np.concatenate([with_its_own_seed(one[None], seed) for one in x])


@pytest.mark.parametrize(
    ("target", "named"),
    [
        (with_its_own_seed, ["seed-ignored"]),
        (shrinking_too, ["seed-ignored", "inputs-changed"]),
        (shrinking_and_scaled, ["feature-scale", "inputs-changed"]),
        (anew_for_each_input, ["batch-dependent", "seed-ignored"]),
    ],
)
def test_each_defect_of_a_call_is_named_once(target: Callable[..., Any], named: list[str]) -> None:
    """That an unused seed gives other features alone and in a batch was called another defect."""
    report = check(target, features="trigonometric", d=3, intervals=False)
    assert [found.name for found in report.diagnoses] == named
    assert "does not explain" not in str(report)


def test_a_number_of_features_that_varies_is_the_targets_fault() -> None:
    def varying(x: np.ndarray, seed: int) -> np.ndarray:
        return waves(x, seed, 32 + seed % 3)

    with pytest.raises(SamplerFailed, match=r"returned shapes \(\d+, \d+\) and \(\d+, \d+\) in two calls"):
        check(varying, d=3, intervals=False)


class Step:
    """A step of a pipeline in the manner of scikit-learn."""

    def __init__(self, gamma: float = 0.5, n_components: int = 32, random_state: int | None = None) -> None:
        self.gamma, self.n_components, self.random_state = gamma, n_components, random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return dict(vars(self))

    def set_params(self, **values: Any) -> Step:
        vars(self).update(values)
        return self

    def fit(self, x: np.ndarray) -> Step:
        return self

    def transform(self, x: np.ndarray) -> np.ndarray:
        assert self.random_state is not None
        return waves(np.sqrt(2 * self.gamma) * x, self.random_state, self.n_components)


class Pipe:
    """Steps whose features stand beside each other, with parameters ``name__parameter`` as in scikit-learn."""

    def __init__(self, steps: dict[str, Step]) -> None:
        self.steps = steps

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        inner = {f"{at}__{name}": x for at, one in self.steps.items() for name, x in vars(one).items()}
        return {"steps": self.steps, **self.steps, **inner}

    def set_params(self, **values: Any) -> Pipe:
        for name, value in values.items():
            at, parameter = name.split("__")
            setattr(self.steps[at], parameter, value)
        return self

    def fit(self, x: np.ndarray) -> Pipe:
        return self

    def transform(self, x: np.ndarray) -> np.ndarray:
        features = [one.transform(x) for one in self.steps.values()]
        return np.concatenate(features, 1) / np.sqrt(len(features))


@pytest.mark.parametrize("gammas", [(0.5,), (2.0,), (0.5, 0.5)])
def test_steps_of_a_pipeline_are_seeded_each_with_its_own(gammas: tuple[float, ...]) -> None:
    """A second object was made from parameters of the steps, which a pipeline does not take."""
    pipe = Pipe({f"step{i}": Step(gamma, 16, random_state=5) for i, gamma in enumerate(gammas)})
    assert check(pipe, features="trigonometric", d=3, intervals=False).decision is not Outcome.REFUTED
    assert {step.random_state for step in pipe.steps.values()} == {5}, "it is the user's"
    target = resolve(pipe)
    assert target.lengthscale == (None if len(gammas) > 1 else (2 * gammas[0]) ** -0.5)
    assert target.function is not None
    assert len({step.random_state for step in target.function(7).steps.values()}) == len(gammas)


@pytest.mark.parametrize("other", [{"degree": 2}, {"kernel": "poly"}])
def test_a_gamma_of_another_kernel_is_no_length_scale(other: dict[str, Any]) -> None:
    step = Step(2.0)
    vars(step).update(other)
    assert resolve(Pipe({"one": step})).lengthscale is None
    vars(step).update(dict.fromkeys(other), kernel="rbf")
    assert resolve(Pipe({"one": step})).lengthscale == 0.5


def test_estimates_below_the_kernel_are_not_clipped() -> None:
    """Those of (x.y)^2 are never negative at x = -y, and nearly 0 where the kernel is 1."""

    def squares(x: np.ndarray, y: np.ndarray, seed: int, m: int = 32) -> float:
        w = np.random.default_rng(seed).choice([-1.0, 1.0], (2, m, len(x)))
        return float(((w @ x) * (w @ y)).prod(0).mean())

    def clipped(x: np.ndarray, y: np.ndarray, seed: int) -> float:
        return max(0.0, of_difference_apart(x, y, seed))

    for target, names in ((squares, []), (clipped, ["clipped"])):
        report = check(target, features="trigonometric", d=3, m=32, intervals=False)
        found = [one.name for one in report.diagnoses]
        assert [name for name in found if name == "clipped"] == names, found


def rarely_infinite(m: int, d: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((m, d))
    rows[1, 2] /= seed % 1000 != 7
    return rows


def estimate_rarely_missing(x: np.ndarray, y: np.ndarray, seed: int) -> float:
    return math.nan if seed % 1000 == 7 else of_difference_apart(x, y.copy(), seed)


@pytest.mark.parametrize(
    ("target", "options", "which"),
    [
        (
            rarely_infinite,
            {"coupling": "iid", "m": 8},
            r"returned -?inf at entry \(1, 2\) for the seed (\d+)",
        ),
        (
            estimate_rarely_missing,
            {"features": "trigonometric", "m": 32},
            r"returned nan at entry \(\d,\) for the seed (\d+)",
        ),
    ],
)
def test_the_seed_of_a_value_that_is_no_number_is_told(
    target: Callable[..., Any], options: dict[str, Any], which: str
) -> None:
    """With one such call in a thousand, nobody finds it without its seed."""
    with np.errstate(all="ignore"), pytest.raises(SamplerFailed) as said:
        check(target, d=3, intervals=False, **options)
    found = re.search(which, str(said.value))
    assert found is not None
    assert int(found[1]) % 1000 == 7


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (ModuleNotFoundError("No module named 'theirs'"), "is it installed in this environment"),
        (TypeError("unsupported operand"), "pass the arguments that it needs with --arg name=value"),
    ],
)
def test_the_hint_is_one_for_the_error(error: Exception, hint: str) -> None:
    """A missing module was answered with advice on arguments."""

    def sampler(m: int, d: int, seed: int) -> np.ndarray:
        raise error

    with pytest.raises(SamplerFailed, match=re.escape(hint)):
        check(sampler, coupling="iid", d=3, m=4)
