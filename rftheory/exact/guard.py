"""Safe callbacks from C libraries: exceptions of a Python function are raised by the library's call.

Not every library passes exceptions on. python-flint's quadrature notices only ValueError and TypeError; after any
other exception, such as an interrupt or the signal of a time limit, it continues with whatever the result held before
and may return a wrong number. This package passes functions to it only through :func:`guarded_call`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_raise_pending = ctypes.pythonapi.PyErr_Occurred
"""Raise the exception that a C library has left pending in this thread; ctypes looks for one after each call."""
_raise_pending.argtypes, _raise_pending.restype = (), ctypes.c_void_p


def guarded_call(
    routine: Callable[..., T],
    function: Callable[..., Any],
    *arguments: Any,
    failure: Any,
    after: Any,
    **options: Any,
) -> T:
    """Call ``routine(function, *arguments, **options)`` and raise every exception of ``function``.

    Parameters
    ----------
    routine : calls its first argument from C code.
    function : any Python function.
    failure : returned to the routine by the call that raised: a non-finite value, which spoils its result.
    after : returned by every later call: a value with which the routine ends soon (a quadrature would halve an
        interval of NaN for seconds). The result of the routine is discarded in any case.

    Examples
    --------
    >>> from flint import acb, arb
    >>> def broken(x, analytic):
    ...     raise RuntimeError("an integrand that fails")
    >>> guarded_call(acb.integral, broken, acb(0), acb(1), failure=acb(arb.nan()), after=acb(0))
    Traceback (most recent call last):
        ...
    RuntimeError: an integrand that fails
    """
    raised: list[BaseException] = []

    def callback(*values: Any) -> Any:
        # A signal that arrives while C code runs is handled at the first instruction of this function, before `try`:
        # the library then leaves the exception pending and calls again, and that call raises it here.
        try:
            _raise_pending()
            return after if raised else function(*values)
        except BaseException as error:
            raised.append(error)
            return failure

    try:
        value = routine(callback, *arguments, **options)
    except BaseException as error:
        # If it is pending to the end, Python notices and raises a SystemError with this cause.
        lost = error.__cause__ if isinstance(error, SystemError) else error
        if not raised:
            raise lost or error from None
        raise raised[0] from None
    if raised:
        raise raised[0]
    return value
