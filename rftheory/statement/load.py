"""Load files of mechanisms and statements, ours and anyone's, by path."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from rftheory import names
from rftheory.errors import DeclarationFailed, InvalidInput, near, need


def load(path: str | Path) -> ModuleType:
    """Read a file of declarations; from then on its mechanisms are known by name, here and in worker processes.

    The file becomes a module named like the file without its ending, and can import from its folder.

    Raises
    ------
    DeclarationFailed : there is no such file, or it raises an error; the message gives the line.

    Examples
    --------
    >>> load("no_such_file.py")
    Traceback (most recent call last):
    ...
    rftheory.errors.DeclarationFailed: no_such_file.py: no such file
    """
    try:
        file = Path(path).resolve()
        there = file.is_file()
    except (TypeError, ValueError) as error:
        raise DeclarationFailed(repr(path), problem="it is not the path of a file") from error
    if not there:
        raise DeclarationFailed(str(path), problem="it is a folder" if file.is_dir() else "no such file")
    if (known := loaded(file)) is not None:
        return known
    if sys.modules.get(file.stem) is not None or _is_elsewhere(file):
        raise DeclarationFailed(str(path), problem=f"there is another module named {file.stem!r}",
                                hint="rename the file")  # fmt: skip
    names.load_declared()
    found = source_of(file)
    module = importlib.util.module_from_spec(found)
    sys.modules[file.stem] = module  # so that its objects can be pickled; workers find it by the path
    sys.path.append(str(file.parent))
    try:
        found.loader.exec_module(module)  # type: ignore[union-attr]
    except BaseException as problem:
        del sys.modules[file.stem]
        sys.path.remove(str(file.parent))
        if not isinstance(problem, Exception | SystemExit):
            raise  # an interrupt, or a time limit
        raise DeclarationFailed(str(path), line=line_of(problem, file), problem=_said(problem),
                                hint=_instead(problem)) from problem  # fmt: skip
    return module


class _FromSource(SourceFileLoader):
    """Compiles the text each time: stored bytecode counts as current if the file was changed in the same second."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def source_of(file: Path) -> ModuleSpec:
    """How the module in a file is imported: always from its text.

    Examples
    --------
    >>> source_of(Path("own.py")).name
    'own'
    """
    loader = _FromSource(file.stem, str(file.absolute()))
    found = importlib.util.spec_from_file_location(file.stem, loader.path, loader=loader)
    assert found is not None
    return found


def loaded(path: str | Path) -> ModuleType | None:
    """The module of a file, if `load` has read it.

    Examples
    --------
    >>> loaded("no_such_file.py") is None
    True
    """
    need("path", path, (str, Path), "a path of a file")
    if "\0" in str(path):
        raise InvalidInput("path", needs="a path without null bytes", got=path)
    file = Path(path).resolve()
    found = sys.modules.get(file.stem)
    return found if found is not None and getattr(found, "__file__", None) == str(file) else None


def _is_elsewhere(file: Path) -> bool:
    """Whether another module has the name of the file; in its own folder the file itself is found."""
    known = importlib.util.find_spec(file.stem)
    return known is not None and (known.origin is None or Path(known.origin).resolve() != file)


def _said(problem: BaseException) -> str:
    text = problem.msg if isinstance(problem, SyntaxError) else str(problem)
    return f"{type(problem).__name__}: {text}".removesuffix(": ")


def _instead(problem: BaseException) -> str:
    """What to write where Python joined relations between symbols, or a name has a typing error."""
    if isinstance(problem, TypeError) and "truth value of Relational" in str(problem):
        joined = "as two conditions, (0 < v, v < 1), or as one claim, (0 < v) & (v < 1)"
        return f"write 0 < v < 1, or 0 < v and v < 1, {joined}"
    if isinstance(problem, TypeError) and "for &" in str(problem):
        return "put each relation in parentheses: (d >= 2) & (v > 0)"
    if isinstance(problem, NameError) and problem.__traceback__ is not None:
        *_, (frame, _) = traceback.walk_tb(problem.__traceback__)
        found = near(problem.name, list(frame.f_globals))
        return f"did you mean {found[0]!r}?" if found else ""
    return ""


def line_of(problem: BaseException, file: Path) -> int:
    """The line of the file that was running, or that cannot be parsed; 0 if there is none.

    Examples
    --------
    >>> line_of(ValueError(), Path("mine.py"))
    0
    """
    if isinstance(problem, SyntaxError) and problem.filename == str(file):
        return problem.lineno or 0
    lines = [
        step.lineno for step in traceback.extract_tb(problem.__traceback__) if step.filename == str(file)
    ]
    return lines[-1] or 0 if lines else 0
