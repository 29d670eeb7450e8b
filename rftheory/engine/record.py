"""Checkpoints: append-only files of JSON lines that belong to one job and survive a kill.

The first line names the job, the processor and the versions of the libraries; each further line holds the leaves
of one finished chunk. Every line carries the key of the job and a hash of its content. A last line that was cut by
a kill is dropped; any other foreign or changed line is refused, so that no other numbers are ever merged into this
job's. Only one process may write a record at a time: where the system can lock files, a second one is refused.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import inspect
import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CellType, CodeType, TracebackType
from typing import Any, BinaryIO

import numpy as np

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

import rftheory
from rftheory.errors import InvalidInput, writing

SCHEMA = "rftheory.record/3"
LIBRARIES = ("rftheory", "numpy", "scipy", "numba", "sympy", "python-flint")
"""The libraries whose versions a record names."""

_ROOMS = ("sample", "engine", "mechanisms")
"""Folders of the package whose files determine what is drawn."""

_NAMED = 4
"""Lists up to this length are written out in a refusal."""


def key_of(job: Mapping[str, object]) -> str:
    """32 hexadecimal digits that name a job: a hash of its description.

    Examples
    --------
    >>> key_of({"name": "a", "sizes": [4, 8]}) == key_of({"sizes": [4, 8], "name": "a"})
    True
    >>> key_of({"name": "a"}) == key_of({"name": "b"})
    False
    """
    return hashlib.blake2b(_text(job).encode(), digest_size=16).hexdigest()


def code_version(*parts: object) -> str:
    """The version of everything that determines the bits of a run.

    It consists of the versions of the package and of NumPy and a hash of the sources of the sampling side, of the
    engine, of our mechanisms, and of the files in which ``parts`` (the statistic, the accumulator) and what they hold
    are defined: arguments of a `functools.partial`, what a function closes over, attributes of objects. Of what has no
    file, as in a notebook, the compiled code is taken. Other libraries are not entered.

    Examples
    --------
    >>> import ast
    >>> code_version() == code_version(Record), code_version() == code_version(ast.NodeVisitor)
    (True, False)
    """
    house = Path(rftheory.__file__).parent
    files = {path for room in _ROOMS for path in sources_of(house / room)}
    digest = hashlib.blake2b(digest_size=8)
    for thing in dict.fromkeys(_reached(parts, {})):
        if (path := _source_of(thing)) is not None:
            files.add(path)
        else:
            digest.update(_compiled(thing).encode())
    for path in sorted(files, key=lambda path: (path.name, str(path))):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return f"rftheory {rftheory.__version__}, numpy {np.__version__}, sources {digest.hexdigest()}"


def sources_of(folder: Path) -> Iterator[Path]:
    """The files of a room, and of the rooms in it, that determine results: Python's and those of CUDA.

    Examples
    --------
    >>> room = Path(rftheory.__file__).parent / "sample"
    >>> {"fused.py", "fused.cu"} <= {path.name for path in sources_of(room)}
    True
    """
    return (path for path in folder.rglob("*") if path.suffix in (".py", ".cu"))


def machine() -> dict[str, object]:
    """What determines the last bits of a run besides its code: library versions and the processor's instructions.

    NumPy and the compiled kernels use different instructions on different processors, which round differently.

    Examples
    --------
    >>> sorted(machine())
    ['cpu', 'versions']
    """
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "cpu": [platform.machine(), *simd.get("baseline", ()), *simd.get("found", ())],
        "versions": {"python": platform.python_version(), **{name: version_of(name) for name in LIBRARIES}},
    }


def version_of(library: str) -> str:
    """The version of a distribution, or ``not installed``.

    Examples
    --------
    >>> version_of("no-such-library")
    'not installed'
    """
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


class Record:
    """The open checkpoint file of one job; a context manager.

    Parameters
    ----------
    path : the file; created if it does not exist.
    job : a description, as JSON, of everything that the leaves depend on.
    decode : turns a leaf's dictionary back into its value.

    Raises
    ------
    InvalidInput
        if the file is the record of another job or not a record (it is then left untouched), if another
        process is writing it, or if it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "run.jsonl"
    >>> with Record(path, {"name": "coin"}, int) as record:
    ...     record.leaves
    {}
    >>> Record(path, {"name": "die"}, int)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: record run.jsonl: needs the record of this job, got ...
    >>> folder.cleanup()
    """

    def __init__(
        self, path: str | os.PathLike[str], job: Mapping[str, object], decode: Callable[[Any], Any]
    ) -> None:
        job = {**job, "machine": machine()}
        self.path, self.job, self.key = _plain_file(path), json.loads(_text(job)), key_of(job)
        self._header = _line({"schema": SCHEMA, "key": self.key, "job": self.job})
        self._decode = decode
        self.leaves: dict[int, Any] = {}
        try:
            self._file: BinaryIO = self.path.open("a+b")
        except OSError as error:
            raise InvalidInput(
                f"record {self.path.name}", needs="a file that can be written", got=error.strerror
            ) from error
        try:
            self._lock()
            whole = self._read()
            self._file.truncate(whole)
            if whole == 0:
                self._write(self._header)
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> Record:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def append(self, first: int, values: Sequence[Any]) -> None:
        """Write the leaves ``first, first + 1, ...`` of one chunk and flush them to the system."""
        content = [value.to_dict() for value in values]
        entry = json.loads(_text({"key": self.key, "leaf": first, "values": content}))
        self._write(_line(entry | {"check": key_of(entry)}))

    def _lock(self) -> None:
        """Keep other processes out until the file is closed or this process ends."""
        if fcntl is None:
            return
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            hint = "wait until that run has ended, or choose another file"
            raise self._refusal("a record that no other run is writing", "one in use", hint) from error
        except OSError:
            return  # a file system without locks

    def _write(self, line: bytes) -> None:
        with writing(self.path):
            self._file.write(line)
            self._file.flush()

    def _close(self) -> None:
        with writing(self.path):  # a line that did not fit is tried once more
            self._file.close()

    def _read(self) -> int:
        """Load the leaves; return the length of the intact part of the file."""
        self._file.seek(0)  # opening the file a second time would release the lock on closing
        content = self._file.read()
        if self._header.startswith(content):  # empty, or killed while the first line was written
            return len(content) if content == self._header else 0
        *lines, torn = content.split(b"\n")
        if not lines:
            raise self._refusal("a record", "a file of another kind")
        self._check_header(lines[0])
        for number, line in enumerate(lines[1:], start=2):
            try:
                self._load(line)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise self._refusal("intact lines", f"line {number}, which cannot be read") from error
        return len(content) - len(torn)

    def _check_header(self, line: bytes) -> None:
        try:
            header = json.loads(line)
            schema, job = header["schema"], dict(header["job"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self._refusal("a record", "a file of another kind") from error
        if schema != SCHEMA:
            raise self._refusal(f"schema {SCHEMA}", schema)
        if job != self.job:
            words = ", ".join(_differences(job, self.job))
            raise self._refusal("the record of this job", f"the record of another job: {words}")

    def _load(self, line: bytes) -> None:
        entry = json.loads(line)
        if entry["key"] != self.key:
            raise ValueError("line of another job")
        if entry.pop("check") != key_of(entry):
            raise ValueError("line that was changed")
        for offset, value in enumerate(entry["values"]):
            self.leaves[int(entry["leaf"]) + offset] = self._decode(value)

    def _refusal(
        self, needs: str, got: str, hint: str = "choose another file or remove this one"
    ) -> InvalidInput:
        return InvalidInput(f"record {self.path.name}", needs=needs, got=got, hint=hint)


def _differences(there: Mapping[str, Any], here: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """The differences between two descriptions, entry by entry."""
    for name in sorted(there.keys() | here.keys()):
        old, new = there.get(name), here.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new, f"{before}{name}: ")
        elif old != new:
            yield f"{before}{name} {_brief(old, new)} instead of {_brief(new, old)}"


def _brief(value: object, other: object) -> str:
    """A value as an error names it: of a long list the length, and one entry that the other list does not have."""
    if not isinstance(value, list) or len(value) <= _NAMED:
        return repr(value)
    own = [entry for entry in value if not isinstance(other, list) or entry not in other]
    return f"{len(value)} of them" + (f", among them {own[0]!r}," if own else "")


def _plain_file(path: object) -> Path:
    """The path of an ordinary file, existing or not; devices and pipes are refused, since their end cannot be read."""
    try:
        file = Path(path)  # type: ignore[arg-type]
        plain = not file.exists() or file.is_file()
    except (TypeError, ValueError):
        plain = False
    if not plain:
        raise InvalidInput(
            "record", needs="an ordinary file that can be written", got=path, hint="choose another file"
        )
    return file


def _text(content: Mapping[str, object]) -> str:
    try:
        return json.dumps(content, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput("job", needs="a description that JSON can hold", got=str(error)) from error


def _line(content: Mapping[str, object]) -> bytes:
    return _text(content).encode() + b"\n"


def _reached(part: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """The functions and classes of which a part consists; ``seen`` is what was reached before."""
    if id(part) in seen:
        return
    seen[id(part)] = part
    kind = part if inspect.isclass(part) else type(part)
    if inspect.isroutine(part):
        yield part
    elif kind is not functools.partial and (kind is part or _is_own(kind) or _source_of(kind)):
        yield from (kind, *filter(_is_own, kind.__mro__))
    for one in _held(part):
        yield from _reached(one, seen)


def _held(part: Any) -> Iterable[Any]:
    """What a part consists of, one step down."""
    if hasattr(part, "__wrapped__"):
        return (part.__wrapped__,)
    if isinstance(part, functools.partial):
        return (part.func, *part.args, *part.keywords.values())
    if isinstance(part, list | tuple):
        return part
    if isinstance(part, Mapping):
        return part.values()
    if inspect.ismethod(part):
        return (part.__func__, part.__self__)
    if inspect.isfunction(part):
        cells = (cell.cell_contents for cell in part.__closure__ or () if cell != CellType())
        return (*cells, part.__defaults__, part.__kwdefaults__)
    return vars(part).values() if hasattr(part, "__dict__") and _is_own(type(part)) else ()


def _is_own(kind: type) -> bool:
    """Whether a class is ours or the user's. The insides of other libraries change with use; they have versions."""
    root = kind.__module__.partition(".")[0]
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    installed = not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)
    return root == "rftheory" or not (installed or root in sys.stdlib_module_names - {"__main__"})


def _compiled(thing: Any) -> str:
    """The code of a function, and of all in a class, without lines and names of files; empty for built-ins."""
    if isinstance(thing, CodeType):
        return f"{thing.co_code.hex()} {thing.co_names} {[_compiled(one) for one in thing.co_consts]}"
    if isinstance(thing, frozenset):  # its order is not that of another process
        return str(sorted(map(_compiled, thing)))
    if inspect.isclass(thing):
        return str([(name, _compiled(one)) for name, one in vars(thing).items() if inspect.isroutine(one)])
    if inspect.isroutine(thing):
        code = getattr(inspect.unwrap(getattr(thing, "__func__", thing)), "__code__", None)
        return "" if code is None else _compiled(code)
    return repr(thing)


def _source_of(thing: Any) -> Path | None:
    """The file in which a function or a class is defined; None if there is none, as for built-ins."""
    try:
        name = inspect.getsourcefile(thing)
    except (TypeError, OSError):
        return None
    return Path(name) if name is not None and Path(name).is_file() else None
