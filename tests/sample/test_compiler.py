"""Compiled code on disk: found again, never in place of other code, and nothing depends on it."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

numba = pytest.importorskip("numba", reason="the extra 'fast' is not installed")

from rftheory.sample import compiler  # noqa: E402
from rftheory.sample.compiler import Compiler  # noqa: E402
from tools import compile_kernels  # noqa: E402


def scaled(factor: int) -> Any:
    """A kernel that calls a function which differs from factor to factor, and not by its types.

    The function calls itself, so that the kernel must call it by name, too: it cannot become a part of all callers.
    """
    compiled = Compiler(f"by {factor}")

    @compiled
    def scale(x):
        if x.size > 1:
            scale(x[1:])
        for i in range(x.size):
            x[i] = factor * np.sin(x[i])

    @compiled.kept
    def all_scaled(x):
        scale(x)

    return all_scaled


def plain(factor: int, real: Any = np.float64) -> float:
    x = np.arange(3, dtype=real)
    for part in (x[2:], x[1:], x):
        part[:] = factor * np.sin(part)
    return float(x.sum())


def called(factor: int = 2, real: Any = np.float64) -> int:
    """Call a kernel that is made anew, and return how many codes it has found on disk."""
    kernel, x = scaled(factor), np.arange(3, dtype=real)
    kernel(x)
    assert x.sum() == pytest.approx(plain(factor, real), rel=1e-6)
    return sum(kernel.stats.cache_hits.values())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_without_a_compiler_the_functions_are_called_as_they_are(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    kernel, x = scaled(2), np.arange(3.0)
    kernel(x)
    assert x.sum() == pytest.approx(plain(2))


def test_code_is_compiled_once_for_each_type(folder):
    assert [called(), called(), called(real=np.float32), called(real=np.float32)] == [0, 1, 0, 1]
    assert len(list(folder.iterdir())) == 2


def test_that_code_is_compiled_is_said_once_and_not_where_it_is_kept(folder, caplog):
    caplog.set_level("INFO", "rftheory")
    for found, said in ((0, 1), (1, 0)):
        compiler._say_once.cache_clear()
        caplog.clear()
        assert [called(), called(3)] == [found, found]
        assert len([line for line in caplog.messages if line.startswith("compiling kernels")]) == said


def test_changed_sources_are_compiled_and_their_old_code_is_deleted(folder, monkeypatch):
    called()
    (old,) = folder.iterdir()
    monkeypatch.setattr(compiler, "_SOURCES", "changed")
    assert [called(), called()] == [0, 1]
    (new,) = folder.iterdir()
    assert old != new


def test_files_of_others_are_not_deleted(folder):
    folder.mkdir(exist_ok=True)
    others = [folder / "gaussian.kernel", folder / "model.kernels.json"]
    for other in others:
        other.touch()
    called()
    assert all(other.exists() for other in others)


def test_code_for_another_processor_or_with_other_settings_is_not_taken(folder, monkeypatch):
    called()
    with monkeypatch.context() as other:
        codegen = type(numba.core.registry.cpu_target.target_context.codegen())
        other.setattr(codegen, "magic_tuple", lambda self: ("x86_64", "another", ""))
        assert called() == 0
    with monkeypatch.context() as other:
        other.setenv("NUMBA_BOUNDSCHECK", "0")
        assert called() == 0
    assert called() == 1


@pytest.mark.parametrize(
    "damage", [lambda code: code[:-1], lambda code: code[:99] + b"?" + code[100:], lambda _: b""]
)
def test_damaged_code_is_replaced(folder, damage):
    called()
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert file.read_bytes() != whole
    assert [called(), called()] == [0, 1]


def test_where_nothing_can_be_kept_code_is_compiled(tmp_path, monkeypatch):
    """A file stands where a folder is needed: an error for every user, where root may write into any folder."""
    (tmp_path / "file").touch()
    monkeypatch.setattr(compiler, "_folders", lambda: [tmp_path / "file"])
    assert [called(), called()] == [0, 0]
    monkeypatch.setattr(compiler, "_folders", lambda: [tmp_path / "file", tmp_path / "second"])
    assert [called(), called()] == [0, 1]
    assert (tmp_path / "file").read_bytes() == b""


def test_by_default_code_lies_beside_that_of_python(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    beside, users = compiler._folders()
    assert beside == Path(compiler.__cached__).parent
    assert users != beside


def test_all_kernels_are_compiled_before_the_tests():
    compile_kernels.main()
    files = [file.name for folder in compiler._folders() for file in folder.glob(f"*{compiler._SOURCES}*")]
    for source in Path(compiler.__file__).parent.glob("kernels_*.py"):
        for name in re.findall(r"\.kept\n *def (\w+)", source.read_text(encoding="utf-8")):
            assert any(file.startswith(f"rftheory-{source.stem}-{name}-") for file in files), name


def found_by(*jobs: tuple[int, ...]) -> list[int]:
    """How many codes processes find that call these kernels, all of them at once; 1 is an error's."""
    start = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    processes = [start.Process(target=exit_with_found, args=factors) for factors in jobs]
    for one in processes:
        one.start()
    for one in processes:
        one.join()
    return [one.exitcode for one in processes]


def exit_with_found(*factors: int) -> None:
    sys.exit(sum(map(called, factors)))


def test_processes_that_write_at_once_keep_the_code_of_each(folder):
    """Two processes compile a kernel each, under names that Numba alone would give to both; a third loads both."""
    program = (
        "from tests.sample.test_compiler import *\n"
        "numba.njit(lambda x: x)(1)  # the forks share what Numba loads for its first function\n"
        "print(found_by((2,), (3,), (3,)), found_by((2, 3)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout == "[0, 0, 0] [2]\n"
    assert len(list(folder.iterdir())) == 2
