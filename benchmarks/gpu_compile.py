"""Compile every variant of the CUDA kernels for four generations of devices, with NVRTC or nvcc, on any machine.

NVRTC is what CuPy compiles with on a device: its library is looked for among the wheels of this Python and in the
folders of the system. nvcc compiles where there is none.
Run: ``python -m benchmarks.gpu_compile [--quick]``; the exit code is 1 if a variant does not compile, 2 without a
compiler.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

from rftheory.sample import stream_cuda
from rftheory.sample.kernels_cuda import OPTIONS, Sizes

ARCHITECTURES = ("sm_80", "sm_90", "sm_100", "sm_120")
OF_CUPY = ("-ftz=true", "--device-as-default-execution-space")
"""Options that CuPy adds when NVRTC compiles a kernel."""
ENTRIES = ("fused_estimates", "fused_power_sums")

Compiler = Callable[[str, str], bytes]
"""From source and architecture to machine code; raises `SystemError` with the compiler's words."""


def variants() -> list[Sizes]:
    """All couplings, features, types and functions at d = 64; whole or not; many pairs, and large and small d."""
    reals = [("float32", True), ("float32", False), ("float64", False)]
    found = [
        Sizes(64, 1, 1, coupling, feature, real, fast, whole)
        for coupling, feature, (real, fast), whole in product((0, 1, 2), (0, 1), reals, (True, False))
    ]
    for d, pairs in ((64, 4), (64, 16), (18, 2), (512, 1), (1024, 4), (4096, 1)):
        found += [Sizes(d, min(pairs, d - 16), pairs, 2, 0, real, fast, True) for real, fast in reals[:2]]
    return found


def nvrtc_library() -> Path | None:
    """The newest NVRTC among the wheels of this Python, the paths in LD_LIBRARY_PATH and CUDA's own folder."""
    folders = [Path(entry) for entry in os.environ.get("LD_LIBRARY_PATH", "").split(":") if entry]
    folders += [Path("/usr/local/cuda/lib64")]
    for entry in filter(None, sys.path):
        folders += [*Path(entry).glob("nvidia/*/lib")]
    found = [
        path for folder in folders for path in folder.glob("libnvrtc.so.*") if path.suffix[1:].isdecimal()
    ]
    return max(found, key=lambda path: int(path.suffix[1:]), default=None)


def by_nvrtc(path: Path) -> Compiler:
    """What compiles with this library, which does not itself find the one beside it with the built-in functions.

    CuPy loads that one too, but not if NVRTC is loaded already: then all kernels of this process would fail.
    """
    for builtins in path.parent.glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(builtins))
    library = ctypes.CDLL(str(path))

    def compiled(source: str, architecture: str) -> bytes:
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"fused.cu", 0, None, None)
        options = [option.encode() for option in (*OPTIONS, *OF_CUPY, f"-arch={architecture}")]
        failed = library.nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*options)
        )
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        if failed:
            raise SystemError(log.value.decode())
        library.nvrtcGetCUBINSize(program, ctypes.byref(size))
        code = ctypes.create_string_buffer(size.value)
        library.nvrtcGetCUBIN(program, code)
        library.nvrtcDestroyProgram(ctypes.byref(program))
        return code.raw

    return compiled


def by_nvcc(source: str, architecture: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        text, binary = Path(folder) / "fused.cu", Path(folder) / "fused.cubin"
        text.write_text(source)
        command = ["nvcc", "-cubin", f"-arch={architecture}", *OPTIONS, str(text), "-o", str(binary)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemError(done.stderr)
        return binary.read_bytes()


def compiler() -> tuple[str, Compiler] | None:
    """What compiles here, by name."""
    path = nvrtc_library()
    if path is not None:
        return path.name, by_nvrtc(path)
    return ("nvcc", by_nvcc) if shutil.which("nvcc") else None


class Part(NamedTuple):
    """A source, what tells it apart, and the entries that its machine code must have."""

    name: str
    source: str
    entries: tuple[str, ...]


def parts() -> list[Part]:
    """The draws of the stream in both types, and all variants of the fused kernels."""
    draws = [
        Part(f"draws in {real}", stream_cuda.source(real), stream_cuda.ENTRIES)
        for real in ("float", "double")
    ]
    return draws + [Part(str(sizes), sizes.source(), ENTRIES) for sizes in variants()]


def problem(compile: Compiler, part: Part, architecture: str) -> str:
    """Why a part has no machine code; empty if it has, with all entries in it."""
    try:
        code = compile(part.source, architecture)
    except SystemError as error:
        return str(error)
    lacking = [name for name in part.entries if name.encode() not in code]
    return f"no {', '.join(lacking)} in the code" if lacking else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="every seventh of them")
    options = parser.parse_args()
    found = compiler()
    if found is None:
        print("nothing compiled: neither an NVRTC library nor nvcc is here", file=sys.stderr)
        raise SystemExit(2)
    name, compile = found
    wrong, start, some = 0, time.perf_counter(), parts()[:: 7 if options.quick else 1]
    for architecture, part in product(ARCHITECTURES, some):
        words = problem(compile, part, architecture)
        if words:
            wrong += 1
            print(f"{architecture} {part.name}: {words}")
    count = len(some) * len(ARCHITECTURES)
    print(f"{name}: {count - wrong} of {count} sources compile, {time.perf_counter() - start:.0f} s")
    raise SystemExit(min(wrong, 1))


if __name__ == "__main__":
    main()
