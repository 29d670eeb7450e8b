"""Python functions that a C library calls back: what they raise comes out of the library's call.

Not every library passes exceptions on. python-flint's quadrature notices ValueError and TypeError alone; after any
other exception, an interrupt or the signal of a time limit among them, it goes on with whatever the result held before
and may return a wrong number. :func:`guarded_call` is the only way by which this package hands a function to it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_raise_pending = ctypes.pythonapi.PyErr_Occurred
"""Raises the exception that a C library has left pending in this thread: ctypes looks for one after each call."""
_raise_pending.argtypes, _raise_pending.restype = (), ctypes.c_void_p


def guarded_call(
    routine: Callable[..., T], function: Callable[..., Any], *arguments: Any, failure: Any, after: Any
) -> T:
    """``routine(function, *arguments)``, where every exception of ``function`` is raised by this call.

    Parameters
    ----------
    routine : calls its first argument from C code.
    function : any Python function.
    failure : what the call that raised gives to the routine: a non-finite value, which spoils its result.
    after : what every later call gives: a value with which the routine soon comes to an end (a quadrature would halve
        an interval of NaN for seconds). The result of the routine is thrown away in any case.

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
        # A signal that came while C code ran is answered at the first instruction of this function, before `try`:
        # the library then leaves the exception pending and calls again, and that call raises it here.
        try:
            _raise_pending()
            return after if raised else function(*values)
        except BaseException as error:
            raised.append(error)
            return failure

    try:
        value = routine(callback, *arguments)
    except BaseException as error:
        # Pending to the end, it is the cause of the SystemError by which Python notices.
        lost = error.__cause__ if isinstance(error, SystemError) else error
        if not raised:
            raise lost or error from None
        raise raised[0] from None
    if raised:
        raise raised[0]
    return value
