"""The contracts pass correct samplers, fail planted defects, and ``pytest -p rftheory`` loads the plugin."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from benchmarks.planted.defects import PLANTED, missing_offset, orthogonal, positive, qr_signs
from rftheory.errors import InvalidInput, UnknownName
from rftheory.testing import EstimatorContract, FeatureMapContract, SamplerContract

pytestmark = pytest.mark.usefixtures("end_after")

ROOT = Path(__file__).resolve().parents[2]


class TestOrthogonal(SamplerContract):
    target, coupling, d = orthogonal, "orthogonal", 4


class TestPositiveAsSampler(SamplerContract):
    target, features, d = positive, "positive", 4


class TestPositive(FeatureMapContract):
    target, features, d = positive, "positive", 4


class Unsigned(SamplerContract):
    target, coupling, d = qr_signs, "orthogonal", 4


class Unscaled(FeatureMapContract):
    target, features, d = missing_offset, "positive", 4


class UnscaledAsSampler(SamplerContract):
    target, features, d = missing_offset, "positive", 4


class Clipped(EstimatorContract):
    target, features, d, m = PLANTED["clipped"].make(4), "trigonometric", 4, 8


class Empty(SamplerContract):
    pass


def test_planted_defects_fail_the_contract_with_their_name() -> None:
    with pytest.raises(AssertionError, match="MISSING QR SIGNS"):
        Unsigned().test_directions()
    with pytest.raises(AssertionError, match="A WRONG FACTOR"):
        Unscaled().test_unbiasedness()
    with pytest.raises(AssertionError, match="refuted"):
        Clipped().test_unbiasedness()
    Unsigned().test_determinism()  # what is right passes
    assert Unsigned.report() is Unsigned.report()


def test_the_kind_of_a_target_is_found_as_by_the_command() -> None:
    with pytest.raises(AssertionError, match="A WRONG FACTOR"):
        UnscaledAsSampler().test_unbiasedness()
    assert UnscaledAsSampler.report().kind == "features"
    with pytest.raises(pytest.skip.Exception, match="not visible in features"):
        UnscaledAsSampler().test_coupling()


def test_the_report_is_printed_once() -> None:
    class TwiceWrong(SamplerContract):
        target, coupling, d = qr_signs, "orthogonal", 4

    with pytest.raises(AssertionError, match="MISSING QR SIGNS"):
        TwiceWrong().test_directions()
    with pytest.raises(
        AssertionError, match="defect: missing QR signs; test_directions has the report"
    ) as second:
        TwiceWrong().test_marginal()
    assert len(str(second.value)) < 200


def test_a_contract_without_target_says_so() -> None:
    with pytest.raises(InvalidInput, match=r"Empty.target: needs what is to be checked"):
        Empty().test_marginal()


MISTAKES = """
from benchmarks.planted.defects import orthogonal
from rftheory.testing import SamplerContract

class TestCoupling(SamplerContract):
    target, coupling, d = orthogonal, "orthgonal", 4

class TestOption(SamplerContract):
    target, copling, d = orthogonal, "orthogonal", 4

class TestModule(SamplerContract):
    target = "nowhere_to_be_found:weights"
"""


def test_a_mistake_in_a_class_is_one_short_error(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(MISTAKES, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "test_it.py"]
    own = {
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",
        "COLUMNS": "300",
    }
    result = subprocess.run(
        command, cwd=tmp_path, env=os.environ | own, capture_output=True, text=True, check=False
    )
    said = result.stdout
    assert "3 failed, 21 skipped" in said, said
    for words in ("did you mean 'orthogonal'?", "did you mean 'coupling'?", "a module that can be imported"):
        assert sum(line.startswith("E  ") and words in line for line in said.splitlines()) == 1
    failures = said.partition("= FAILURES =")[2].partition("= short test summary")[0]
    assert len(failures.splitlines()) < 45, failures
    assert "test_unbiasedness says why there is no report" in said


def test_a_mistake_is_found_in_a_class_above_and_in_a_method() -> None:
    class Above(SamplerContract):
        copling, d = "orthogonal", 4

    class Below(Above):
        target = orthogonal

    with pytest.raises(UnknownName, match="did you mean 'coupling'"):
        Below().test_coupling()

    class Method(SamplerContract):
        def target(self, m: int, d: int, seed: int) -> object:
            return orthogonal(m, d, seed)

    with pytest.raises(InvalidInput, match=r"Method.target: needs a function without self"):
        Method().test_coupling()


def test_a_method_of_the_class_is_called_with_the_class() -> None:
    class Of(SamplerContract):
        coupling, d = "orthogonal", 4

        @classmethod
        def target(cls, m: int, d: int, seed: int) -> object:
            return orthogonal(m, d, seed)

    Of().test_determinism()


def test_other_tests_draw_the_same_from_global_generators() -> None:
    class First(SamplerContract):
        target, coupling, d, seconds = orthogonal, "orthogonal", 2, 1

    np.random.seed(7)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    First.report()
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


def test_a_test_that_is_repeated_fails_again() -> None:
    class Misspelt(SamplerContract):
        target, coupling = orthogonal, "orthgonal"

    for _ in range(2):
        with pytest.raises(UnknownName, match="did you mean 'orthogonal'"):
            Misspelt().test_coupling()
    with pytest.raises(pytest.skip.Exception, match="test_coupling says why"):
        Misspelt().test_blocks()


def test_attributes_of_ones_own_are_allowed() -> None:
    class Own(SamplerContract):
        target, coupling, d, scale, helper = orthogonal, "orthogonal", 4, 2.0, None

    Own().test_determinism()


SUITE = """
from benchmarks.planted.defects import {name}
from rftheory.testing import SamplerContract

class TestSampler(SamplerContract):
    target, coupling, d, seconds = {name}, "iid", 2, {seconds}

def test_by_fixture(rftheory_check):
    rftheory_check({name}, coupling="iid", d=2, seconds={seconds})
"""


def run_suite(folder: Path, name: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a suite with ``-p rftheory`` in a process where the package has its entry points, as installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = folder / "site" / "rftheory-0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: rftheory\nVersion: 0\n", encoding="utf-8"
    )
    points = project["entry-points"]["pytest11"]
    lines = "".join(f"{key} = {value}\n" for key, value in points.items())
    (metadata / "entry_points.txt").write_text(f"[pytest11]\n{lines}", encoding="utf-8")
    (folder / "test_it.py").write_text(SUITE.format(name=name, seconds=seconds), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "rftheory", "-p", "no:cacheprovider", "test_it.py"]
    path = os.pathsep.join([str(ROOT), str(folder / "site")])
    # neither the options of this run nor the width of its terminal
    own = {"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "COLUMNS": "120"}
    environment = {**os.environ, **own}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_plugin_reads_nothing_before_a_test_asks() -> None:
    for module, reads in (("rftheory.pytest_plugin", 0), ("rftheory.testing", 1)):
        script = f"import sys, {module}; sys.exit('numpy' in sys.modules or 'sympy' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == reads


def test_the_plugin_is_loaded_by_its_name(tmp_path: Path) -> None:
    result = run_suite(tmp_path, "same_draw", 0.2)
    assert "contracts of samplers" in result.stdout, result.stdout + result.stderr
    assert "THE SAME DRAW IN DIFFERENT CALLS" in result.stdout, result.stdout
    assert "test_by_fixture - AssertionError" in result.stdout
    assert result.returncode == 1
