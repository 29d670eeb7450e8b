"""Checks of the arguments of samplers; each failure raises one of the package's own errors."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import math
from collections.abc import Callable
from numbers import Real
from operator import index
from typing import Any

import numpy as np

from rftheory.errors import BackendUnavailable, InvalidInput, OutsideDomain, RFTheoryError
from rftheory.sample.arrays import Array, Namespace

MAX_BLOCK = 2**64
"""Block indices are below this number."""


def whole(subject: str, value: Any, least: int = 1, most: float = math.inf) -> int:
    """Return ``value`` as an int from ``least`` to ``most``.

    Examples
    --------
    >>> whole("m", 3)
    3
    >>> whole("m", 0)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: m: needs an integer of at least 1, got 0
    """
    needs = f"an integer of at least {least}"
    try:
        number = index(value)
    except TypeError as problem:
        raise InvalidInput(subject, needs=needs, got=value) from problem
    if isinstance(value, bool) or number < least:
        raise InvalidInput(subject, needs=needs, got=value)
    if number > most:
        raise InvalidInput(subject, needs=f"an integer of at most {most}", got=value)
    return number


def real(subject: str, value: Any, needs: str = "a finite number") -> float:
    """Return ``value`` as a finite float; real numbers of Python and NumPy are accepted.

    Examples
    --------
    >>> real("tau", 3)
    3.0
    >>> real("tau", "3")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: tau: needs a finite number, got '3'
    """
    if getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInput(subject, needs=needs, got=value)
    try:
        number = float(value)
    except OverflowError as problem:
        raise InvalidInput(subject, needs=needs, got="a number beyond the range of floats") from problem
    if not math.isfinite(number):
        raise InvalidInput(subject, needs=needs, got=number)
    return number


def positive(subject: str, value: Any) -> float:
    """Return ``value`` as a float above 0.

    Examples
    --------
    >>> positive("tau", 0)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: tau: needs a positive number, got 0.0
    """
    number = real(subject, value, "a positive number")
    if number <= 0:
        raise InvalidInput(subject, needs="a positive number", got=number)
    return number


def table(subject: str, values: Any) -> np.ndarray:
    """Return ``values`` as a finite float64 matrix with at least one row and one column.

    Examples
    --------
    >>> table("centres", [[1, 2]]).tolist()
    [[1.0, 2.0]]
    """
    needs = "a matrix of finite real numbers with at least one row and one column"
    try:
        given = np.asarray(values)
        array = given.astype(float) if given.dtype.kind in "fiub" else np.full((), np.nan)
    except (TypeError, ValueError, OverflowError) as problem:
        raise InvalidInput(subject, needs=needs, got=type(values).__name__) from problem
    if array.ndim != 2 or array.size == 0 or not np.isfinite(array).all():
        raise InvalidInput(subject, needs=needs, got=f"shape {given.shape}, {given.dtype.name}")
    return array


def require_stream(stream: Any) -> None:
    """Raise unless this is a stream of random numbers; the message says how to make one.

    Examples
    --------
    >>> require_stream(7)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: stream: needs a Stream, got 7; write Stream.named("my experiment", seed=7)
    """
    if not (hasattr(stream, "normals") and hasattr(stream, "child")):
        raise InvalidInput(
            "stream", needs="a Stream", got=stream, hint='write Stream.named("my experiment", seed=7)'
        )


def block_range(blocks: Any) -> range:
    """Return ``blocks`` if it is a non-empty range of block indices with step 1.

    Examples
    --------
    >>> block_range(range(2, 5))
    range(2, 5)
    """
    if not isinstance(blocks, range) or blocks.step != 1:
        raise InvalidInput("blocks", needs="a range with step 1", got=blocks, hint="write range(start, stop)")
    if not 0 <= blocks.start < blocks.stop <= MAX_BLOCK:
        raise InvalidInput("blocks", needs="0 <= start < stop <= 2**64", got=blocks)
    return blocks


def vectors(subject: str, values: Array, xp: Namespace, *, dim: int | None = None) -> Array:
    """Return ``values`` as an (n, d) array of finite floats with n, d >= 1 and finite squared norms.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.arrays import namespace
    >>> vectors("x", np.array([[3, 4]]), namespace("numpy"))
    array([[3., 4.]])
    """
    array = numbers(subject, values, xp)
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInput(subject, needs="shape (n, d) with n, d >= 1", got=tuple(array.shape))
    if dim is not None and array.shape[1] != dim:
        raise InvalidInput(subject, needs=f"vectors of dimension {dim}", got=tuple(array.shape))
    require_finite(subject, array, xp)
    return array


def numbers(subject: str, values: Array, xp: Namespace) -> Array:
    """Return ``values`` as an array of floats, of any shape; integers become float64.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.arrays import namespace
    >>> numbers("x", np.array(["one"]), namespace("numpy"))
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: x: needs real numbers, got '<U3'
    """
    if hasattr(values, "mask"):
        raise InvalidInput(subject, needs="an array without a mask", got="a masked array", hint="fill it")
    try:
        array = xp.asarray(values)
    except (TypeError, ValueError) as problem:
        raise InvalidInput(subject, needs="an array of real numbers", got=values) from problem
    if not xp.isdtype(array.dtype, ("real floating", "integral")):
        raise InvalidInput(subject, needs="real numbers", got=str(array.dtype))
    return array if xp.isdtype(array.dtype, "real floating") else xp.astype(array, xp.float64)


def require_finite(subject: str, array: Array, xp: Namespace) -> None:
    """Raise unless every entry is finite, and small enough for squared norms to be finite too.

    Examples
    --------
    >>> import numpy as np
    >>> require_finite("x", np.array([1.0, np.inf]), np)
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: x: needs finite numbers, got 'NaN or infinity'
    """
    if not bool(xp.all(xp.isfinite(array))):
        raise InvalidInput(subject, needs="finite numbers", got="NaN or infinity")
    largest = float(xp.max(xp.abs(array)))
    if largest > MAX_ENTRY:
        raise InvalidInput(subject, needs=f"entries of at most {MAX_ENTRY:g} in size", got=largest)


MAX_ENTRY = 1e15
"""Largest entry of an input vector; beyond it, a projection has no correct digit after the decimal point."""


def vector(subject: str, values: Array, xp: Namespace, *, dim: int | None = None) -> Array:
    """Return ``values`` of shape (d,) as a (1, d) array, checked like :func:`vectors`.

    Examples
    --------
    >>> import numpy as np
    >>> vector("x", np.array([1.0, 2.0]), np).shape
    (1, 2)
    """
    shape = getattr(values, "shape", None)
    if shape is None or len(shape) != 1:
        raise InvalidInput(subject, needs="shape (d,)", got=shape if shape is not None else values)
    return vectors(subject, values[None, :], xp, dim=dim)


def least_dim(subject: str, d: int, least: int) -> None:
    """Raise :class:`OutsideDomain` if the dimension is below the least for which a law exists.

    Examples
    --------
    >>> least_dim("simplex", 1, 2)
    Traceback (most recent call last):
        ...
    rftheory.errors.OutsideDomain: simplex: needs d >= 2, got 1
    """
    if d < least:
        raise OutsideDomain(subject, needs=f"d >= {least}", got=d)


def kernels(module: str, library: str, extra: str) -> Any:
    """Return the module ``rftheory.sample.<module>`` of compiled kernels, or raise with the extra that installs it.

    Examples
    --------
    >>> kernels("shapes", "NumPy", "fast").__name__
    'rftheory.sample.shapes'
    """
    try:
        return importlib.import_module(f"rftheory.sample.{module}")
    except ImportError as problem:
        raise BackendUnavailable(
            library,
            reason="it is not installed",
            hint=f"pip install 'rftheory[{extra}]', or use engine='array'",
        ) from problem


def numba_missing() -> bool:
    """Return whether the library of the compiled kernels is missing, without importing it.

    Examples
    --------
    >>> numba_missing() in (True, False)
    True
    """
    return importlib.util.find_spec("numba") is None


def made(name: str, maker: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    """Call a maker with parameters given by name.

    Raises
    ------
    InvalidInput : unknown or missing parameters, or values that the maker cannot take.

    Examples
    --------
    >>> made("power", lambda base, exponent: base**exponent, {"base": 2, "exponent": 3})
    8
    >>> made("half", lambda of: float(of) / 2, {"of": "a"})
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: parameters of half: needs others, got "of='a'"; could not convert string to float: 'a'
    """
    signature = inspect.signature(maker)
    try:
        signature.bind(**parameters)
    except TypeError:
        known = [one for one in signature.parameters if one != "name"]
        wanted = ", ".join(known)
        if parameters and set(parameters) <= set(known):
            wanted = ", ".join(one for one in known if one not in parameters) + " as well"
        raise InvalidInput(f"parameters of {name}", needs=wanted, got=", ".join(parameters) or None) from None
    try:
        return maker(**parameters)
    except RFTheoryError:
        raise
    except (TypeError, ValueError) as error:
        given = ", ".join(f"{one}={value!r}" for one, value in parameters.items())
        raise InvalidInput(f"parameters of {name}", needs="others", got=given, hint=str(error)) from error
