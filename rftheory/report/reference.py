"""The content of the API reference: the public names of a module, with signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

MODULES = ("rftheory.sample", "rftheory.exact", "rftheory.author", "rftheory.choose", "rftheory.check",
    "rftheory.testing", "rftheory.engine", "rftheory.judge", "rftheory.papers", "rftheory.report",
    "rftheory.report.cells",
    "rftheory.interop.sklearn", "rftheory.interop.torch", "rftheory.interop.gpytorch", "rftheory.errors")  # fmt: skip
"""Public modules, the most used ones first."""
WIDEST = 90
"""The most characters of a signature on one line."""
NEEDS = {f"rftheory.interop.{part}": needed for part, needed in
    (("sklearn", ("sklearn",)), ("torch", ("torch",)), ("gpytorch", ("torch", "gpytorch")))}  # fmt: skip
"""The libraries that a module needs; without them it has no page."""


@dataclass(frozen=True)
class Section:
    """A part of a docstring: its title (empty for the first part) and its lines.

    Examples
    --------
    >>> Section("Raises", "InvalidInput : no number.").rows
    (('InvalidInput', 'no number.'),)
    """

    title: str
    text: str

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The entries "name : description" of a list of parameters, errors or attributes."""
        rows: list[list[str]] = []
        for line in self.text.splitlines():
            found = re.match(r"(\S[^:]*?) : (.*)", line)
            if found:
                rows.append([found[1], found[2]])
            elif rows:
                rows[-1][1] += " " + line.strip()
            else:
                return ()
        return tuple((name, says) for name, says in rows)


@dataclass(frozen=True)
class Entry:
    """A public name: a function, a class with its methods, or a value.

    Attributes
    ----------
    kind : function, class, method, property or value.
    signature : with the types of the arguments; empty for a value.
    sections : the parts of its docstring.
    members : public methods and properties of a class that have a docstring.
    """

    name: str
    kind: str
    signature: str
    sections: tuple[Section, ...]
    members: tuple[Entry, ...] = ()

    @property
    def first(self) -> str:
        """The first sentence of the docstring."""
        return self.sections[0].text.split("\n\n")[0].replace("\n", " ") if self.sections else ""


def modules() -> Iterator[ModuleType]:
    """The public modules that can be imported here.

    Examples
    --------
    >>> next(modules()).__name__
    'rftheory.sample'
    """
    for name in MODULES:
        if all(find_spec(library) for library in NEEDS.get(name, ())):
            yield import_module(name)


def entries(module: ModuleType) -> list[Entry]:
    """The public names of a module: those in ``__all__``, or those defined in it.

    Examples
    --------
    >>> import rftheory.choose
    >>> [entry.name for entry in entries(rftheory.choose)]
    ['Advice', 'Choice', 'Pairs', 'choose', 'choose_attention', 'pairs_of', 'read_table']
    """
    names = getattr(module, "__all__", None)
    if names is None:
        own = (n for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__)
        names = [name for name in own if not name.startswith("_")]
    return [
        entry(name, getattr(module, name)) for name in names if not inspect.ismodule(getattr(module, name))
    ]


def entry(name: str, value: Any) -> Entry:
    """The entry of the reference for a public name.

    Examples
    --------
    >>> from rftheory.choose import read_table
    >>> found = entry("read_table", read_table)
    >>> found.kind, found.signature
    ('function', '(path: str | Path, columns: str | None = None) -> np.ndarray')
    """
    if inspect.isclass(value):
        return Entry(name, "class", signature(value), sections(value), tuple(_members(value)))
    if callable(value) and hasattr(value, "__name__"):
        return Entry(name, "function", signature(value), sections(value))
    return Entry(name, "value", "", ())


def _members(kind: type) -> Iterator[Entry]:
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(value, property):
            found = Entry(name, "property", "", sections(value))
        elif isinstance(value, staticmethod | classmethod):
            found = Entry(name, "method", signature(value.__func__), sections(value.__func__))
        elif inspect.isfunction(value):
            found = Entry(name, "method", signature(value), sections(value))
        else:
            continue
        if found.sections:
            yield found


def signature(value: Any) -> str:
    """The arguments with their types, as written in the code; empty if unknown."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parts = [_bare(str(one)) for one in found.parameters.values()]
    kinds = [one.kind for one in found.parameters.values()]
    star = inspect.Parameter.KEYWORD_ONLY
    if star in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parts.insert(kinds.index(star), "*")
    returns = "" if found.return_annotation is found.empty else f" -> {found.return_annotation}"
    line = f"({', '.join(parts)}){returns}"
    return (
        line if len(line) <= WIDEST else "(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"
    )


def _bare(text: str) -> str:
    """An argument without the quotes around its type, and a function by its name, wherever it lies in memory."""
    return re.sub(r"<function (\S+) at 0x[0-9a-f]+>", r"\1", re.sub(r"(: )'([^']*)'", r"\1\2", text))


def sections(value: Any) -> tuple[Section, ...]:
    """The parts of an object's own docstring, in order.

    Examples
    --------
    >>> [part.title for part in sections(sections)]
    ['', 'Examples']
    """
    text = inspect.cleandoc(value.__doc__ or "")
    if not text or text.startswith(f"{getattr(value, '__name__', '')}("):  # one that a dataclass makes up
        return ()
    parts = re.split(r"^(\w+)\n-{3,}$", text, flags=re.MULTILINE)
    found = [Section("", parts[0].strip())]
    found += [Section(title, body.strip("\n")) for title, body in zip(parts[1::2], parts[2::2], strict=True)]
    return tuple(found)
