"""The array library behind the samplers: NumPy, CuPy, or any other that follows the array API standard.

The samplers take their namespace ``xp`` from their inputs or from the caller and know nothing else
about the library. Whether CuPy can be used is decided by running a kernel, not by importing it: without a
driver, CuPy imports without complaint and fails at the first array; with a driver, the compiler, its headers, or
a device that the compiler supports may still be missing.
"""

from __future__ import annotations

import importlib
import logging
import os
import warnings
from collections.abc import Callable
from functools import lru_cache
from numbers import Number
from types import ModuleType
from typing import Any, Protocol, TypeVar

import array_api_compat
import array_api_compat.numpy
import numpy as np
from scipy import special

from rftheory.errors import BackendUnavailable, InvalidInput, UnknownName
from rftheory.sample.stream_cuda import stream_words

Array = Any
"""An array of any library that follows the array API standard; what the samplers compute with."""


class AnyArray(Protocol):
    """What the arrays of all libraries have in common; as a bound, it says that input and result share a library.

    Examples
    --------
    >>> def first(x: A) -> A:
    ...     return x[:1]
    >>> first(np.arange(3.0)).shape
    (1,)
    """

    @property
    def shape(self) -> Any: ...

    @property
    def dtype(self) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...


A = TypeVar("A", bound=AnyArray)
"""An array of one library: ``f(x: A) -> A`` gives NumPy arrays for NumPy arrays and torch tensors for torch tensors."""

Namespace = Any
"""The functions of that library, as returned by :func:`namespace`."""

Real = Any
"""A floating point type of a namespace, for instance ``xp.float32``; ``None`` means float64."""

BACKENDS = ("auto", "cupy", "numpy")

LOGGER = logging.getLogger("rftheory")

VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The environment variable that selects the devices a process sees; CUDA numbers only those."""


def array_namespace(*arrays: Array) -> Namespace:
    """Return the namespace that the arrays belong to.

    Examples
    --------
    >>> xp = array_namespace(np.zeros(2))
    >>> xp.__name__
    'array_api_compat.numpy'
    """
    try:
        return array_api_compat.array_namespace(*arrays)
    except TypeError as problem:
        kinds = ", ".join(sorted({type(a).__name__ for a in arrays}))
        raise InvalidInput(
            "arrays",
            needs="arrays of one library",
            got=kinds,
            hint="convert both, for example with numpy.asarray",
        ) from problem


def namespace(backend: str | ModuleType | Namespace = "auto") -> Namespace:
    """Return the array namespace of a backend.

    Parameters
    ----------
    backend : ``"numpy"``, ``"cupy"``, ``"auto"`` (CuPy if a CUDA device passes a test, else NumPy; the package's
        logger says once why an installed CuPy is not used), or a module: NumPy, CuPy, or a namespace of the array
        API standard.

    Raises
    ------
    BackendUnavailable : CuPy was requested, but no CUDA device passes the test.
    UnknownName : there is no such backend.

    Examples
    --------
    >>> namespace("numpy").__name__
    'array_api_compat.numpy'
    >>> namespace(np) is namespace("numpy")
    True
    """
    if not isinstance(backend, str):
        return _module_namespace(backend)
    if backend not in BACKENDS:
        raise UnknownName("backend", backend, BACKENDS)
    if backend == "numpy":
        return array_api_compat.numpy
    problem = cupy_problem()
    if problem and backend == "auto":
        if problem != NOT_INSTALLED:
            _say_once(problem)
        return array_api_compat.numpy
    if problem:
        raise BackendUnavailable("cupy", reason=problem, hint="use backend 'numpy'")
    return importlib.import_module("array_api_compat.cupy")


def _module_namespace(module: ModuleType | Namespace) -> Namespace:
    name = getattr(module, "__name__", "")
    if name == "numpy":
        return array_api_compat.numpy
    if name == "cupy":
        return namespace("cupy")
    if hasattr(module, "asarray") and hasattr(module, "float64"):
        return module
    raise InvalidInput("xp", needs="an array namespace or one of " + ", ".join(BACKENDS), got=module)


class ByName:
    """An object with a namespace in its attribute ``xp``, which is copied and pickled by name.

    Examples
    --------
    >>> import copy
    >>> class Holder(ByName):
    ...     def __init__(self) -> None:
    ...         self.xp = namespace("numpy")
    >>> copy.deepcopy(Holder()).xp is namespace("numpy")
    True
    """

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"xp": self.__dict__["xp"].__name__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"xp": importlib.import_module(state["xp"])})


def cupy_available() -> bool:
    """Return whether CuPy is installed and a CUDA device passes a test.

    Examples
    --------
    >>> cupy_available() in (True, False)
    True
    """
    return not cupy_problem()


NOT_INSTALLED = "CuPy is not installed"


def cupy_problem() -> str:
    """Return why CuPy cannot be used here; empty if it can.

    Tested once per process: a kernel is compiled and run on the device, arrays are computed, and the results are
    compared with known ones.

    Examples
    --------
    >>> cupy_available() == (cupy_problem() == "")
    True
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cupy = importlib.import_module("cupy")
        except ImportError:
            return NOT_INSTALLED
        except Exception as error:  # a broken installation may fail with any exception
            return f"CuPy cannot be imported ({_words(error)})"
        return _problem_of(cupy)


@lru_cache
def _problem_of(cupy: ModuleType) -> str:
    try:
        if not cupy.cuda.is_available():
            return "CuPy is installed but no CUDA device answers"
        return _wrong_answers(cupy)
    except Exception as error:  # drivers, compilers and libraries have exceptions of their own
        return f"CuPy is installed, but a first kernel fails on the device ({_words(error)})"


_FIRST_WORDS = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
"""Philox4x32-10 of zeros."""


def _wrong_answers(cupy: Any) -> str:
    if stream_words(range(1), 4, 0, 0).get()[0].tolist() != _FIRST_WORDS:
        return "a first kernel ran on the device and gave wrong answers"
    points = np.linspace(-3.0, 3.0, 7)
    if np.abs(cupy.exp(cupy.asarray(points)).get() / np.exp(points) - 1).max() > 1e-14:
        return "arrays on the device have wrong exponentials"
    return ""


def _words(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


@lru_cache
def _say_once(problem: str) -> None:
    LOGGER.warning("arrays stay on the CPU: %s", problem)


def device_name(xp: Namespace) -> str:
    """Return the name of the device that computes the arrays of a namespace, or ``CPU``.

    Examples
    --------
    >>> device_name(namespace("numpy"))
    'CPU'
    """
    if not on_device(xp):
        return "CPU"
    try:
        cupy = importlib.import_module("cupy")
        return str(cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode())
    except (ImportError, AttributeError):
        return xp.__name__.partition(".")[0]


def device_facts() -> dict[str, Any]:
    """Return what CuPy reports about the device: name, address, number of devices, versions, free bytes.

    Examples
    --------
    >>> if cupy_available():
    ...     assert device_facts()["devices"] >= 1
    """
    xp, cupy = namespace("cupy"), importlib.import_module("cupy")
    return {
        "name": device_name(xp),
        "bus": str(cupy.cuda.Device().pci_bus_id),
        "devices": int(cupy.cuda.runtime.getDeviceCount()),
        "capability": str(cupy.cuda.Device().compute_capability),
        "driver": int(cupy.cuda.runtime.driverGetVersion()),
        "runtime": int(cupy.cuda.runtime.runtimeGetVersion()),
        "cupy": str(cupy.__version__),
        "free bytes": free_bytes(xp),
    }


def device_settings(devices: str) -> list[dict[str, str]]:
    """Return the environment of one process for each device of a list such as ``"0,2"``.

    The numbers count the devices that this process sees, in the order of :data:`VISIBLE` if that is set.

    Raises
    ------
    InvalidInput : not a list of different numbers, or a number too large for :data:`VISIBLE`.

    Examples
    --------
    >>> from unittest import mock
    >>> with mock.patch.dict(os.environ, {VISIBLE: "4,5,7"}):
    ...     device_settings("0,2")
    [{'CUDA_VISIBLE_DEVICES': '4'}, {'CUDA_VISIBLE_DEVICES': '7'}]
    """
    words = [word.strip() for word in devices.split(",")]
    if not all(word.isdecimal() for word in words) or len(set(map(int, words))) < len(words):
        raise InvalidInput("--device", needs="different numbers of devices, such as 0 or 0,1", got=devices)
    seen = [name.strip() for name in os.environ.get(VISIBLE, "").split(",") if name.strip()]
    if seen and max(map(int, words)) >= len(seen):
        raise InvalidInput("--device", needs=f"numbers below {len(seen)}, because of {VISIBLE}", got=devices)
    return [{VISIBLE: seen[int(word)] if seen else str(int(word))} for word in words]


def is_numpy(xp: Namespace) -> bool:
    """Return whether a namespace is NumPy's.

    Examples
    --------
    >>> is_numpy(namespace("numpy")), is_numpy(np)
    (True, True)
    """
    name: str = xp.__name__
    return name.rpartition(".")[2] == "numpy"


def on_device(xp: Namespace) -> bool:
    """Return whether the arrays of the namespace lie outside the memory of the host.

    Examples
    --------
    >>> on_device(namespace("numpy"))
    False
    """
    return "cupy" in xp.__name__


def special_function(name: str, xp: Namespace) -> Callable[..., Array]:
    """Return a function of scipy.special for arrays of the namespace; on a device it is CuPy's own.

    Examples
    --------
    >>> special_function("ndtr", namespace("numpy"))(np.zeros(1))
    array([0.5])
    """
    if on_device(xp):
        return getattr(importlib.import_module("cupyx.scipy.special"), name)  # type: ignore[no-any-return]
    own = getattr(special, name)
    return lambda *arrays: xp.asarray(own(*(to_host(array) for array in arrays)))


def to_host(array: Array) -> np.ndarray:
    """Return the array as a NumPy array; the only place where a copy leaves a device.

    Tensors of torch may need gradients, frames of pandas have types of their own, and sparse matrices are filled in.

    Examples
    --------
    >>> to_host(np.arange(3)).tolist()
    [0, 1, 2]
    """
    kinds = np.ndarray | list | tuple | float | int
    try:
        if isinstance(array, kinds):
            return np.asarray(array)
        if hasattr(array, "detach"):
            array = array.detach().cpu()
            array = (array.float() if "bfloat16" in str(array.dtype) else array).numpy()
        elif hasattr(array, "to_numpy"):
            array = _of_frame(array)
        elif hasattr(array, "toarray"):
            array = array.toarray()
        if hasattr(array, "get") and hasattr(array, "shape"):
            array = array.get()
        return np.asarray(array) if hasattr(array, "__array__") else np.from_dlpack(array)
    except (AttributeError, ValueError) as problem:
        raise InvalidInput("array", needs="an array, or lists of one shape", got=array) from problem


def _of_frame(frame: Any) -> Any:
    """The entries of a frame or a column of pandas or polars; where all are numbers, those that are missing are NaN."""
    found = frame.to_numpy()
    if found.dtype.kind == "O" and all(isinstance(one, Number) or str(one) == "<NA>" for one in found.flat):
        return frame.to_numpy(dtype=float, na_value=np.nan)
    return found


def free_bytes(xp: Namespace) -> int | None:
    """Return the free memory of the device in bytes, or ``None`` for arrays on the host.

    Examples
    --------
    >>> free_bytes(namespace("numpy")) is None
    True
    """
    if not on_device(xp):
        return None
    cupy = importlib.import_module("cupy")
    free, _ = cupy.cuda.runtime.memGetInfo()
    return int(free) + int(cupy.get_default_memory_pool().free_bytes())


def real_type(xp: Namespace, dtype: Real | None) -> Real:
    """Return the floating type ``dtype`` of the namespace; ``None`` is float64.

    Examples
    --------
    >>> xp = namespace("numpy")
    >>> real_type(xp, None) == xp.float64, real_type(xp, "float32") == xp.float32
    (True, True)
    """
    if dtype is None:
        return xp.float64
    for known in (xp.float64, xp.float32):
        if dtype == known:
            return known
    if isinstance(dtype, str) and dtype in ("float32", "float64"):
        return getattr(xp, dtype)
    raise InvalidInput("dtype", needs="float32 or float64", got=dtype)
