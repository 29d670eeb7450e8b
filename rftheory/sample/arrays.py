"""The array library behind the samplers: NumPy, CuPy, or any other that follows the array API standard.

The samplers take their namespace ``xp`` from their inputs or from the caller and know nothing else
about the library. Whether CuPy can be used is decided by asking for a device, never by importing
it: an installed CuPy without a driver imports without complaint and then fails at the first array.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import array_api_compat
import array_api_compat.numpy
import numpy as np
from scipy import special

from rftheory.errors import BackendUnavailable, InvalidInput, UnknownName

Array = Any
"""An array of any library that follows the array API standard."""

Namespace = Any
"""The functions of that library, as :func:`namespace` returns them."""

Real = Any
"""A floating point type of a namespace, for instance ``xp.float32``; ``None`` means float64."""

BACKENDS = ("auto", "cupy", "numpy")


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
            "arrays", needs="arrays of one library", got=kinds, hint="convert with xp.asarray"
        ) from problem


def namespace(backend: str | ModuleType | Namespace = "auto") -> Namespace:
    """Return the array namespace of a backend.

    Parameters
    ----------
    backend : ``"numpy"``, ``"cupy"``, ``"auto"`` (CuPy where a CUDA device answers, NumPy
        otherwise), or a module: NumPy, CuPy, or a namespace of the array API standard.

    Raises
    ------
    BackendUnavailable : CuPy was asked for and no CUDA device answers.
    UnknownName : no such backend.

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
    if backend == "numpy" or (backend == "auto" and not cupy_available()):
        return array_api_compat.numpy
    _require_cupy()
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
    """An object that keeps a namespace in its attribute ``xp``: copied and pickled by the namespace's name.

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
    """Return whether CuPy is installed and a CUDA device answers.

    Examples
    --------
    >>> cupy_available() in (True, False)
    True
    """
    return not _cupy_problem()


def _cupy_problem() -> str:
    try:
        cupy = importlib.import_module("cupy")
    except ImportError:
        return "CuPy is not installed"
    return "" if cupy.cuda.is_available() else "CuPy is installed but no CUDA device answers"


def _require_cupy() -> None:
    problem = _cupy_problem()
    if problem:
        raise BackendUnavailable("cupy", reason=problem, hint="use backend 'numpy'")


def on_device(xp: Namespace) -> bool:
    """Return whether the arrays of the namespace live outside the memory of the host.

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

    Examples
    --------
    >>> to_host(np.arange(3)).tolist()
    [0, 1, 2]
    """
    if hasattr(array, "get"):
        return np.asarray(array.get())
    if isinstance(array, np.ndarray | list | tuple | float | int) or hasattr(array, "__array__"):
        return np.asarray(array)
    return np.from_dlpack(array)


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
