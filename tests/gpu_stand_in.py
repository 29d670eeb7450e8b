"""A machine with a CUDA device, without one: CuPy is `device_double`, and kernels are compiled for the host.

``python -m tests.gpu_stand_in ARGUMENTS`` is ``rftheory ARGUMENTS`` on such a machine, and with ``pytest`` as the first
argument pytest. So what runs on a device can be tried from end to end; every report names the stand-in as its device.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
import types
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.sample.device_double import DEVICE, SPECIAL, DeviceArray

NAME = "stand-in, no device"
COMPILER = next((found for found in map(shutil.which, ("c++", "g++", "clang++")) if found), None)


@lru_cache(maxsize=64)
def built(text: str) -> ctypes.CDLL:
    folder = Path(tempfile.mkdtemp(prefix="stand-in-"))
    source, target = folder / "kernel.cpp", folder / "kernel.so"
    source.write_text(text)
    flags = ("-O1", "-std=c++14", "-shared", "-fPIC")
    subprocess.run([str(COMPILER), *flags, str(source), "-o", str(target)], check=True, capture_output=True)
    found = ctypes.CDLL(str(target))
    shutil.rmtree(folder)
    return found


def by_value(value: Any) -> Any:
    """A number, or a structure, as C takes it. NumPy packs the fields of structures, which Python 3.14 warns of."""
    if value.dtype.fields is None:
        return np.ctypeslib.as_ctypes_type(value.dtype)(value)
    fields = [("words", ctypes.c_uint64 * (value.nbytes // 8))]
    return type("Structure", (ctypes.Structure,), {"_fields_": fields}).from_buffer_copy(value.tobytes())


def c_argument(value: Any) -> Any:
    if isinstance(value, DeviceArray):
        return value.held.ctypes.data_as(ctypes.c_void_p)
    return by_value(value)


class RawModule:
    """One thread does what those of the device do: the source with one lane and without fast functions."""

    def __init__(self, code: str, options: tuple[str, ...] = ()) -> None:
        lines = ["#define RF_T 1" if line.startswith("#define RF_T ") else line for line in code.splitlines()]
        self.text = "\n".join(line for line in lines if not line.startswith("#define RF_FAST"))

    def compile(self) -> None:
        built(self.text)

    def get_function(self, name: str) -> Any:
        function = getattr(built(self.text), name)

        def launch(grid: tuple[int], threads: tuple[int], arguments: tuple[Any, ...]) -> None:
            arguments[0].held[...] = 0
            function(*map(c_argument, arguments))

        return launch


class RawKernel:
    def __init__(self, code: str, name: str) -> None:
        self.function = getattr(built(code), name)

    def __call__(self, grid: tuple[int], threads: tuple[int], arguments: tuple[Any, ...]) -> None:
        self.function(*map(c_argument, arguments))


class Event:
    def record(self) -> None:
        self.at = time.perf_counter()

    def synchronize(self) -> None:
        pass


class Device:
    id = 0
    compute_capability, pci_bus_id = "00", "0000:00:00.0"

    def __init__(self, number: int = 0) -> None:
        self.attributes = {"MultiProcessorCount": 1, "ClockRate": 1}

    def use(self) -> None:
        pass


def module(name: str, **content: Any) -> types.ModuleType:
    made = types.ModuleType(name)
    made.__dict__.update(content)
    return made


def cupy() -> types.ModuleType:
    """What the package and its tests use of CuPy beside arrays; the benchmark's own arrays are NumPy's."""
    runtime = types.SimpleNamespace(
        getDeviceProperties=lambda number: {"name": NAME.encode()},
        getDeviceCount=lambda: 1,
        driverGetVersion=lambda: 0,
        runtimeGetVersion=lambda: 0,
        memGetInfo=lambda: (2**30, 2**31),
    )
    cuda = types.SimpleNamespace(
        is_available=lambda: True,
        runtime=runtime,
        Device=Device,
        Event=Event,
        Stream=lambda **options: nullcontext(),
        get_elapsed_time=lambda start, end: 1e3 * (end.at - start.at),
    )
    pool = types.SimpleNamespace(free_bytes=lambda: 0)
    random = types.SimpleNamespace(
        standard_normal=lambda size, dtype: np.random.default_rng(1).standard_normal(size, dtype=dtype),
        standard_gamma=lambda shape, size, dtype: np.random.default_rng(2).standard_gamma(
            shape, size, dtype=dtype
        ),
    )
    return module(
        "cupy",
        ndarray=DeviceArray,
        generic=type("generic", (), {}),
        __version__=NAME,
        cuda=cuda,
        random=random,
        linalg=np.linalg,
        get_default_memory_pool=lambda: pool,
        RawModule=RawModule,
        RawKernel=RawKernel,
        asarray=DEVICE.asarray,
        empty=DEVICE.empty,
        full=DEVICE.full,
        uint32=np.uint32,
        float32=np.float32,
        float64=np.float64,
        sqrt=np.sqrt,
        exp=lambda x: np.exp(x) if isinstance(x, np.ndarray) else DEVICE.exp(x),
    )


def modules() -> dict[str, Any]:
    """Entries of `sys.modules` that make the stand-in the CuPy of this process."""
    special = dict.fromkeys(("cupyx", "cupyx.scipy", "cupyx.scipy.special"), SPECIAL)
    return {"cupy": cupy(), "array_api_compat.cupy": DEVICE, **special}


def main(arguments: list[str]) -> int:
    sys.modules.update(modules())
    if arguments[:1] == ["pytest"]:
        import pytest

        return int(pytest.main(arguments[1:]))
    from rftheory.cli import main as command
    from rftheory.report import session, session_parts

    session.LAUNCHER[:] = [sys.executable, "-m", "tests.gpu_stand_in"]
    session_parts.SETTINGS |= {"effort": 1e-6, "claims": 2, "jobs": 1, "blocks": 2**9, "points": 1}
    files = ["tests/sample/test_device.py::test_estimates_equal_those_of_numpy"]
    session_parts.PYTEST[:] = [sys.executable, "-m", "tests.gpu_stand_in", "pytest"]
    session_parts.device_tests = lambda: files
    return command(arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
