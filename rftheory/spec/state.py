"""What the functions of a declaration depend on besides their arguments.

A function looks up the names around it each time that it runs. In a loop that declares one coupling for each value of
a variable, all of them would in the end be those of the last value, mixed with what was kept of the first ones.
"""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import sympy

MISSING = object()
"""Of a name that is not there yet: it may be defined until the functions first run."""
DEEPEST, LONGEST = 20, 1000
"""Beyond this, objects are the same if they are one object; and so are those that a function itself fills."""
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_FILLING = {"append", "add", "extend", "insert", "setdefault", "update", "pop", "clear"}
_LIBRARIES = {*sys.stdlib_module_names, "rftheory", "sympy", "numpy", "scipy", "flint"} - {"__main__"}
"""The names that their functions look up are taken to keep what they stand for."""


def state_of(**values: Any) -> dict[str, Any]:
    """What names stand for in functions, and in the functions and objects that these use, as far as it can be seen.

    Examples
    --------
    >>> one, other = (state_of(rows=lambda d: [(i, s) for i in range(d)]) for s in (1, -1))
    >>> changed(one, one), one["rows s"] == other["rows s"]
    (None, False)
    """
    found: dict[str, Any] = {}
    known: dict[int, Any] = {}
    for name, value in values.items():
        found.update(_parts(name, value, known))
    found[""] = tuple(known.values())  # kept, so that no other object has its identity
    return found


def changed(before: Mapping[str, Any], now: Mapping[str, Any], may_appear: bool = False) -> str | None:
    """The name that stands for something else than before.

    Examples
    --------
    >>> changed({"K": 1, "L": MISSING}, {"K": 1, "L": 2}, may_appear=True), changed({"K": 1}, {"K": 2})
    (None, 'K')
    """
    for name, value in before.items():
        if may_appear and value is MISSING:
            continue
        if name and now.get(name) != value:
            return _last_name(name)
    new = [] if may_appear else [name for name in now if name not in before]
    return _last_name(new[0]) if new else None


def _last_name(path: str) -> str:
    return next(word for word in reversed(path.split(" ")) if word.isidentifier())


def _parts(
    name: str, value: Any, known: dict[int, Any], depth: int = 0, filled: bool = False
) -> Iterator[tuple[str, Any]]:
    """Each part by its path, with what it is compared by."""
    kind = type(value)
    if value is MISSING:
        yield name, MISSING
        return
    if value is None or kind in (bool, int, float, complex, str, bytes, Fraction):
        yield name, (kind, repr(value))
        return
    if isinstance(value, sympy.Basic):
        yield name, (kind, value)
        return
    if kind.__module__ == "numpy" and hasattr(value, "tolist"):
        yield name, (kind, repr(value.tolist()))
        return
    listed = kind in (tuple, list, dict, set, frozenset) and len(value) <= LONGEST
    yield name, (kind, len(value) if listed and not filled else id(value))
    if id(value) in known:
        return
    known[id(value)] = value
    if depth > DEEPEST:
        return
    if filled or (not listed and isinstance(value, tuple | list | dict | set | frozenset)):
        return
    own = _filled(value.__code__) if isinstance(value, FunctionType) else frozenset()
    for word, inside in _inside(value):
        fills = isinstance(inside, list | dict | set) and (type(inside), word) in own
        yield from _parts(f"{name} {word}", inside, known, depth + 1, fills)


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple | list):
        yield from ((f"[{number}]", one) for number, one in enumerate(value))
    elif isinstance(value, dict):
        for number, (key, one) in enumerate(value.items()):
            yield f"key[{number}]", key
            yield f"[{number}]", one
    elif isinstance(value, set | frozenset):
        yield "members", tuple(sorted(map(repr, value)))
    elif isinstance(value, FunctionType):
        yield from _around(value)
    elif isinstance(value, partial):
        yield from (("func", value.func), ("args", value.args), ("keywords", value.keywords))
    elif isinstance(value, MethodType):
        yield from ((value.__func__.__name__, value.__func__), ("self", value.__self__))
    elif isinstance(value, type):
        if not _is_library(value.__module__):
            yield from _attributes(vars(value))
    elif not isinstance(value, ModuleType | BuiltinFunctionType | CodeType):
        yield "type", type(value)
        yield from _attributes(getattr(value, "__dict__", {}))


def _attributes(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((word, one) for word, one in values.items() if word not in _OWN)


_OWN = ("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "_as_declared")


def _around(function: FunctionType) -> Iterator[tuple[str, Any]]:
    code = function.__code__
    yield "code", code
    yield "defaults", function.__defaults__
    yield "keyword defaults", function.__kwdefaults__
    for word, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        yield word, MISSING if cell == CellType() else cell.cell_contents
    yield from _attributes(function.__dict__)
    if _is_library(function.__module__):
        return
    for word in _looked_up(code):
        value = function.__globals__.get(word, vars(builtins).get(word, MISSING))
        yield word, value
        if isinstance(value, ModuleType) and not _is_library(value.__name__):
            yield from ((f"{word}.{w}", vars(value)[w]) for w in _attributes_in(code) if w in vars(value))


def _is_library(module: str | None) -> bool:
    return str(module).partition(".")[0] in _LIBRARIES


@lru_cache(maxsize=1024)
def _looked_up(code: CodeType) -> tuple[str, ...]:
    """The names that a function, and those inside it, look up among the globals."""
    own = (one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    inside = (name for one in code.co_consts if isinstance(one, CodeType) for name in _looked_up(one))
    return tuple(dict.fromkeys((*own, *inside)))


@lru_cache(maxsize=1024)
def _filled(code: CodeType) -> frozenset[tuple[type, str]]:
    """The containers that a function, or one inside it, itself puts something into, by kind and name."""
    steps = list(dis.get_instructions(code))
    called = ((one.argval, after.argval) for one, after in pairwise(steps) if after.opname in _ATTRIBUTES)
    found = {(kind, name) for name, word in called if word in _FILLING for kind in (list, dict, set)}
    if any(one.opname == "STORE_SUBSCR" for one in steps):  # results that are kept
        loaded = (one.argval for one in steps if one.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"))
        found.update((dict, name) for name in loaded)
    inside = (_filled(one) for one in code.co_consts if isinstance(one, CodeType))
    return frozenset(found).union(*inside)


@lru_cache(maxsize=1024)
def _attributes_in(code: CodeType) -> tuple[str, ...]:
    inside = (name for one in code.co_consts if isinstance(one, CodeType) for name in _attributes_in(one))
    return tuple(dict.fromkeys((*code.co_names, *inside)))
