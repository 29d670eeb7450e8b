"""Targets as others write them: modules, tensors, keys, methods, objects that drew before; each with a twin."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rftheory.check import check
from rftheory.check.resolve import resolve
from rftheory.errors import InvalidInput, SamplerFailed
from rftheory.judge import Outcome

pytestmark = pytest.mark.usefixtures("end_after")
M = 32


def waves(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    z = x @ w.T
    return np.concatenate([np.cos(z), np.sin(z)], axis=-1) / math.sqrt(len(w))


def rotations(draw: np.random.Generator, count: int, d: int, signs: bool = True) -> np.ndarray:
    q, r = np.linalg.qr(draw.standard_normal((count, d, d)))
    return np.asarray((q * np.sign(np.diagonal(r, 0, 1, 2))[:, None] if signs else q).swapaxes(1, 2))


# ---- stand-ins of torch ------------------------------------------------------------------------------------


class Tensor:
    """What a call does with tensors, which are no arrays: they refuse to be mixed with those."""

    __array_ufunc__ = None

    def __init__(self, values: Any, dtype: str = "float32") -> None:
        self.values, self.dtype = np.asarray(values, dtype), dtype

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> np.ndarray:
        return self.values


class Module:
    """The base of classes of torch's modules, by its name."""


Module.__module__ = "torch.nn.modules.module"


class Map(Module):
    """Draws only when it is told to."""

    wanted = "float32"

    def __init__(self, query_dimensions: int, n_dims: int = 2 * M) -> None:
        self.w = np.zeros((n_dims // 2, query_dimensions))

    def new_feature_map(self, device: str) -> None:
        assert device == "cpu"
        self.w = np.random.standard_normal(self.w.shape)  # noqa: NPY002  as of a global generator

    def forward(self, vectors: Tensor) -> Tensor:
        if not isinstance(vectors, Tensor):
            raise TypeError("linear(): argument 'input' (position 1) must be Tensor, not numpy.ndarray")
        if vectors.dtype != self.wanted:
            raise RuntimeError("expected m1 and m2 to have the same dtype")
        return Tensor(waves(vectors.values, self.w), vectors.dtype)


class DoubleMap(Map):
    wanted = "float64"


class ShortMap(Map):
    """Frequencies that are too low."""

    def new_feature_map(self, device: str) -> None:
        super().new_feature_map(device)
        self.w /= math.sqrt(2)


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    formats = {one: one for one in ("float64", "float32", "float16", "bfloat16")}
    stand_in = SimpleNamespace(as_tensor=Tensor, **formats)
    monkeypatch.setitem(sys.modules, "torch", stand_in)  # type: ignore[misc]


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("target", [Map, DoubleMap, Map(8)])
def test_a_module_takes_tensors_and_is_drawn_anew(target: Any) -> None:
    report = check(target, intervals=False)
    assert report.exit_code == 0
    assert report.declared["d"] == 8
    assert "new_feature_map() is called before each draw" in report.notes
    wanted = target.wanted
    assert f"inputs go in as arrays of torch {wanted}" in report.notes


@pytest.mark.usefixtures("torch")
def test_a_defect_of_a_module_is_named() -> None:
    report = check(ShortMap, intervals=False)
    assert [one.name for one in report.diagnoses] == ["kernel-scale"]


@pytest.mark.usefixtures("torch")
def test_an_error_that_tensors_do_not_cure_is_told() -> None:
    def broken(x: Tensor, seed: int) -> Tensor:
        if not isinstance(x, Tensor):
            raise TypeError("must be Tensor, not numpy.ndarray")
        raise IndexError("list index out of range")

    with pytest.raises(SamplerFailed, match="list index"):
        check(broken, features="trigonometric")


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("changes", [False, True])
def test_a_call_that_writes_into_its_tensors(changes: bool) -> None:
    def features(x: Tensor, seed: int) -> Tensor:
        if not isinstance(x, Tensor):
            raise TypeError("must be Tensor, not numpy.ndarray")
        found = Tensor(waves(x.values, np.random.default_rng(seed).standard_normal((M, 8))))
        if changes:
            x.values += 1
        return found

    report = check(features, intervals=False)
    assert [one.name for one in report.diagnoses] == ["inputs-changed"] * changes


@pytest.mark.parametrize("heads", [1, 4])
def test_features_of_heads_are_averaged(heads: int) -> None:
    def features(x: np.ndarray, seed: int) -> np.ndarray:
        draw = np.random.default_rng(seed)
        return np.stack([waves(x, draw.standard_normal((M, x.shape[1]))) for _ in range(heads)])[None]

    report = check(features, intervals=False)
    assert report.exit_code == 0
    assert f"m = {heads * M} projections" in " ".join(report.notes)
    assert any("heads" in note for note in report.notes) == (heads > 1)


def test_heads_of_one_draw_have_too_large_an_error() -> None:
    def features(x: np.ndarray, seed: int) -> np.ndarray:
        one = waves(x, np.random.default_rng(seed).standard_normal((M, x.shape[1])))
        return np.stack([one] * 4)

    assert check(features, intervals=False).verdicts["variance"] is Outcome.REFUTED


# ---- names, methods, objects ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "sizes"),
    [(("D", "d"), {"D": 64, "d": 8}), (("M", "D"), {"M": 64, "D": 8}), (("d_in", "d_features"), None)],
)
def test_the_sizes_are_told_apart(names: tuple[str, str], sizes: dict[str, int] | None) -> None:
    given = {names[0]: 64} if sizes else {}
    code = f"lambda {names[0]}, {names[1]}, seed: 0"
    target = resolve(eval(code), arguments=given)
    assert target.given == (sizes or {"d_in": 8, "d_features": target.m})
    assert target.d == 8
    assert not sizes or target.m == 64


CODE = """
import numpy as np

class Sampler:
    def __init__(self, nb_rows, nb_columns, key):
        self.shape, self.key = (nb_rows, nb_columns), key

    def get_2d_array(self):
        return np.random.default_rng(self.key).standard_normal(self.shape)

    @staticmethod
    def rows(m, d, seed):
        return np.random.default_rng(seed).standard_normal((m, d))

class Attention:
    def __init__(self, dim_heads):
        self.d = dim_heads

    def forward(self, q, k, v):
        return v
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "samplers_in_the_wild.py"
    path.write_text(CODE)
    return str(path)


@pytest.mark.parametrize("name", ["Sampler.get_2d_array", "Sampler.rows"])
def test_a_method_is_one_of_a_new_object_for_each_draw(file: str, name: str) -> None:
    report = check(f"{file}:{name}", coupling="iid", d=8, intervals=False)
    assert report.exit_code == 0


def test_attention_is_told_to_name_its_feature_map(file: str) -> None:
    with pytest.raises(InvalidInput, match=r"k, v.*quotient of sums.*feature map"):
        check(f"{file}:Attention")


def test_a_class_without_the_methods_is_told_how_to_name_one(file: str) -> None:
    with pytest.raises(SamplerFailed, match=r"file\.py:Class\.method"):
        check(f"{file}:Sampler", d=8)


def test_an_input_of_another_name_is_told_as_what_to_pass_it() -> None:
    with pytest.raises(InvalidInput, match="--kind features if points_in_space"):
        check(lambda points_in_space, seed: points_in_space)


class Once:
    def __init__(self) -> None:
        self.w = np.random.standard_normal((M, 8))  # noqa: NPY002

    def transform(self, x: np.ndarray) -> np.ndarray:
        return waves(x, self.w)


class Anew:
    def transform(self, x: np.ndarray) -> np.ndarray:
        return waves(x, np.random.standard_normal((M, x.shape[1])))  # noqa: NPY002


@pytest.mark.parametrize("target", [Once(), Once().transform])
def test_an_object_that_drew_before_is_no_sampler(target: Any) -> None:
    with pytest.raises(InvalidInput, match=r"draws in each call.*give its class"):
        check(target)


@pytest.mark.parametrize("target", [Once, Anew(), Anew().transform, Anew])
def test_a_class_and_an_object_that_draws_are_samplers(target: Any) -> None:
    assert check(target, intervals=False).exit_code == 0


class Fitted:
    """A transformer with a parameter that may be taken from the data."""

    def __init__(self, of_data: bool = False, n_components: int = M, random_state: int = 0) -> None:
        self.of_data, self.n_components, self.random_state = of_data, n_components, random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {one: getattr(self, one) for one in ("of_data", "n_components", "random_state")}

    def set_params(self, **values: Any) -> Fitted:
        vars(self).update(values)
        return self

    def fit(self, x: np.ndarray) -> Fitted:
        draw = np.random.default_rng(self.random_state)
        self.w = draw.standard_normal((self.n_components, x.shape[1])) / (x.std() if self.of_data else 1.0)
        return self

    def transform(self, x: np.ndarray) -> np.ndarray:
        return waves(x, self.w)


def test_features_that_are_made_of_the_data_have_no_law() -> None:
    assert check(Fitted, intervals=False).exit_code == 0
    with pytest.raises(InvalidInput, match=r"depend on inputs and seed alone.*gamma='scale'"):
        check(Fitted(of_data=True))


def test_a_generator_of_another_library_is_passed_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Key:
        def __init__(self, seed: int) -> None:
            self.seed = seed

    def rows(m: int, d: int, rng: Any) -> np.ndarray:
        if not isinstance(rng, Key):
            raise TypeError(f"unexpected PRNG key type {type(rng)}")
        return np.random.default_rng(rng.seed).standard_normal((m, d))

    with pytest.raises(SamplerFailed, match=r"numpy\.random\.Generator"):
        check(rows, coupling="iid", d=2)
    keys = SimpleNamespace(PRNGKey=Key)
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(random=keys))  # type: ignore[misc]
    monkeypatch.setitem(sys.modules, "jax.random", keys)  # type: ignore[misc]
    report = check(rows, coupling="iid", d=2, intervals=False)
    assert report.exit_code == 0
    assert "rng is jax.random.PRNGKey of an integer" in report.notes


# ---- verdicts ----------------------------------------------------------------------------------------------


def blocks(
    norms: Callable[[np.random.Generator, tuple[int, int]], np.ndarray], signs: bool = True
) -> Callable[..., np.ndarray]:
    def rows(m: int, d: int, seed: int) -> np.ndarray:
        draw = np.random.default_rng(seed)
        count = -(-m // d)
        made = norms(draw, (count, d))[..., None] * rotations(draw, count, d, signs)
        return made.reshape(-1, d)[:m]

    return rows


def chi(draw: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return np.sqrt(draw.chisquare(shape[1], shape))


def fixed(draw: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return np.full(shape, math.sqrt(shape[1]))


def one_freedom(draw: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return np.sqrt(draw.chisquare(1, shape))


def long(draw: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return 1.3 * chi(draw, shape)


def of_waves(rows: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    return lambda x, seed: waves(x, rows(M, x.shape[1], seed))


def of_exponentials(rows: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def features(x: np.ndarray, seed: int) -> np.ndarray:
        z = x @ rows(M, x.shape[1], seed).T
        return np.exp(z - (x * x).sum(-1, keepdims=True) / 2) / math.sqrt(M)

    return features


@pytest.mark.parametrize("promised", ["orthogonal-fixed", "orthogonal", "iid"])
def test_means_of_fixed_norms_are_a_promise_or_a_defect(promised: str) -> None:
    report = check(of_waves(blocks(fixed)), coupling=promised, intervals=False)
    named = [] if promised == "orthogonal-fixed" else ["norms-fixed"]
    assert [one.name for one in report.diagnoses] == named
    assert report.exit_code == len(named)


def test_chi_norms_are_no_fixed_ones() -> None:
    right = blocks(chi)
    assert check(of_waves(right), coupling="orthogonal", intervals=False).exit_code == 0
    report = check(of_waves(right), coupling="orthogonal-fixed", goal=0.01, intervals=False)
    assert report.verdicts["unbiasedness"] is Outcome.REFUTED


@pytest.mark.parametrize(("norms", "refuted"), [(fixed, False), (one_freedom, True)])
def test_exponentials_of_fixed_norms(norms: Callable[..., np.ndarray], refuted: bool) -> None:
    report = check(
        of_exponentials(blocks(norms)), coupling="orthogonal-fixed", kernel="softmax", features="positive",
        intervals=False,
    )  # fmt: skip
    assert (report.verdicts["unbiasedness"] is Outcome.REFUTED) == refuted


@pytest.mark.parametrize(
    ("norms", "named"),
    [(chi, ["qr-signs"]), (one_freedom, ["qr-signs", "chi-freedom"]), (long, ["qr-signs", "scale"])],
)
def test_a_defect_of_directions_hides_none_of_norms(
    norms: Callable[..., np.ndarray], named: list[str]
) -> None:
    report = check(blocks(norms, signs=False), coupling="orthogonal", d=8, m=M, intervals=False)
    assert [one.name for one in report.diagnoses] == named


@pytest.mark.parametrize(
    ("signs", "own", "named"),
    [
        (False, False, ["qr-signs", "norms-of-block"]),
        (True, False, ["norms-of-block"]),
        (False, True, ["qr-signs"]),
    ],
)
def test_norms_of_the_block_are_told_beside_missing_signs(signs: bool, own: bool, named: list[str]) -> None:
    def columns(m: int, d: int, seed: int) -> np.ndarray:
        draw = np.random.default_rng(seed)
        block = draw.standard_normal((m // d, d, d))
        q, r = np.linalg.qr(block)
        q = q * np.sign(np.diagonal(r, 0, 1, 2))[:, None] if signs else q
        norms = np.linalg.norm(draw.standard_normal((m // d, d, d)) if own else block, axis=2)
        return np.concatenate(list(q * norms[:, None]), axis=1)

    report = check(
        columns, coupling="orthogonal", d=8, m=M
    )  # the norms are seen while consequences are measured
    assert [one.name for one in report.diagnoses] == named


@pytest.mark.parametrize("factor", [1.0, 1.1])
def test_a_seed_that_is_not_used_hides_no_other_defect(factor: float) -> None:
    def features(x: np.ndarray, seed: int) -> np.ndarray:
        return factor * waves(x, np.random.standard_normal((M, x.shape[1])))  # noqa: NPY002

    report = check(features)
    named = {one.name for one in report.diagnoses}
    assert named == {"seed-ignored"} | ({"feature-scale"} if factor > 1 else set())
    assert report.verdicts["unbiasedness"] is (Outcome.REFUTED if factor > 1 else Outcome.AGREES)
    assert (report.consequences == ()) == (factor == 1)  # it changes no mean


# ---- compiled code -------------------------------------------------------------------------------------------

WAITS = """
import ctypes
import numpy as np

def sampler(m, d, seed):
    lock, system = ctypes.create_string_buffer(64), ctypes.{library}(None)
    system.pthread_mutex_lock(lock)
    if {stuck}:
        system.pthread_mutex_lock(lock)
    return np.random.default_rng(seed).standard_normal((m, d))
"""
RUN = """
import sys
from rftheory.cli import main, process
process.DEAF, process.WAITING = 0.2, 2
sys.argv = ["rftheory", "check", sys.argv[1], "--as", "iid", "--arg", "d=2", "--call-seconds", "1"]
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform != "linux" or not hasattr(os, "fork"), reason="needs locks of POSIX")
@pytest.mark.parametrize(("library", "stuck"), [("CDLL", True), ("PyDLL", True), ("PyDLL", False)])
def test_compiled_code_that_does_not_return_is_ended(tmp_path: Path, library: str, stuck: bool) -> None:
    path = tmp_path / "waits.py"
    path.write_text(WAITS.format(library=library, stuck=stuck))
    done = subprocess.run(
        [sys.executable, "-c", RUN, f"{path}:sampler"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == (2 if stuck else 0), done.stderr
    assert ("did not return from compiled code" in done.stderr) == stuck
