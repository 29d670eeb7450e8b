"""A stand-in for CuPy without a device: NumPy behind arrays that refuse what CuPy's refuse.

No implicit conversion to NumPy, no NumPy array among the operands or arguments except in ``asarray``, only names of the
array API standard, no broadcasting between the stacks of a linear solve, a Cholesky factorisation that returns NaN
instead of raising, and other signs of singular vectors than NumPy's. Its name makes the samplers take the paths that
they take on a device. Reads of single values, for which a device is waited for, are counted.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

import array_api_compat.numpy
import array_api_strict
import numpy as np
from scipy import special

READS: list[str] = []
"""What was read from the device since this was last cleared: ``get``, ``bool``, ``int`` or ``float``."""

MOVED: list[int] = []
"""Numbers that each copy between host and device moved, in either direction, since this was last cleared."""


def _host(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if isinstance(value, DeviceArray):
        return value.held
    if isinstance(value, tuple | list):
        return type(value)(_host(one) for one in value)
    return value


def _device(value: Any) -> Any:
    if isinstance(value, tuple):
        return type(value)(*map(_device, value)) if hasattr(value, "_fields") else tuple(map(_device, value))
    return DeviceArray(value) if isinstance(value, np.ndarray | np.generic) else value


class DeviceArray:
    """An array that lives in ``held`` and leaves it by ``get`` alone."""

    __array_ufunc__ = None
    __cuda_array_interface__: ClassVar[dict[str, object]] = {}

    def __init__(self, held: np.ndarray | np.generic) -> None:
        self.held = np.asarray(held)

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return DEVICE

    def get(self) -> np.ndarray:
        READS.append("get")
        MOVED.append(self.held.size)
        return self.held.copy()

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim", "dtype", "size", "device"):
            return getattr(self.held, name)
        raise AttributeError(name)

    def __len__(self) -> int:
        return len(self.held)

    def __getitem__(self, key: Any) -> Any:
        return DeviceArray(self.held[_host(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.held[_host(key)] = _host(value)


def _reading(name: str, convert: Callable[[Any], Any]) -> Callable[[DeviceArray], Any]:
    def read(self: DeviceArray) -> Any:
        READS.append(name)
        return convert(self.held)

    return read


def _binary(name: str) -> None:
    function = getattr(operator, f"__{name}__")

    def forward(self: DeviceArray, other: Any) -> Any:
        return _device(function(self.held, _host(other)))

    def backward(self: DeviceArray, other: Any) -> Any:
        return _device(function(_host(other), self.held))

    def in_place(self: DeviceArray, other: Any) -> DeviceArray:
        getattr(self.held, f"__i{name}__")(_host(other))
        return self

    setattr(DeviceArray, f"__{name}__", forward)
    setattr(DeviceArray, f"__r{name}__", backward)
    setattr(DeviceArray, f"__i{name}__", in_place)


for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
):
    _binary(_name)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _compare = getattr(operator, _name)
    setattr(DeviceArray, f"__{_name}__", lambda self, other, f=_compare: _device(f(self.held, _host(other))))
for _name in ("neg", "invert", "abs"):
    _alone = getattr(operator, _name)
    setattr(DeviceArray, f"__{_name}__", lambda self, f=_alone: _device(f(self.held)))
for _name, _type in (
    ("bool", bool),
    ("int", int),
    ("float", float),
    ("complex", complex),
    ("index", operator.index),
):
    setattr(DeviceArray, f"__{_name}__", _reading(_name, _type))


def _cholesky(matrix: np.ndarray, /, *, upper: bool = False) -> np.ndarray:
    try:
        return np.linalg.cholesky(matrix, upper=upper)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)


def _solve(a: np.ndarray, b: np.ndarray, /) -> np.ndarray:
    if a.shape[:-1] != b.shape[:-1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K)")
    return np.linalg.solve(a, b)


def _svd(matrix: np.ndarray, /, **how: Any) -> Any:
    """As good as NumPy's, with the other signs."""
    found = np.linalg.svd(matrix, **how)
    return found._replace(U=-found.U, Vh=-found.Vh)


class _Namespace:
    """Functions of the standard, for device arrays alone."""

    def __init__(self, name: str, functions: Any, standard: Any, special: dict[str, Any]) -> None:
        self.__name__ = name
        self._functions, self._standard, self._special = functions, standard, special

    def __getattr__(self, name: str) -> Any:
        if not hasattr(self._standard, name):
            raise AttributeError(f"{name} is not in the array API standard")
        found = self._special.get(name) or getattr(self._functions, name)
        if isinstance(found, type | np.dtype) or not callable(found):
            return found
        return lambda *args, **kwargs: _device(
            found(*_host(args), **{k: _host(v) for k, v in kwargs.items()})
        )

    def asarray(self, value: Any, /, **kwargs: Any) -> DeviceArray:
        inside = value.held if isinstance(value, DeviceArray) else value
        if isinstance(value, np.ndarray | list | tuple):
            MOVED.append(np.size(value))
        return DeviceArray(self._functions.asarray(inside, **kwargs))


DEVICE = _Namespace("device_double.cupy", array_api_compat.numpy, array_api_strict, {})
DEVICE.linalg = _Namespace(  # type: ignore[attr-defined]
    "device_double.cupy.linalg",
    array_api_compat.numpy.linalg,
    array_api_strict.linalg,
    {"cholesky": _cholesky, "solve": _solve, "svd": _svd},
)
SPECIAL = _Namespace("device_double.cupyx.scipy.special", special, special, {})
"""What CuPy has of scipy.special; put it into `sys.modules` under its name."""
