"""Load files of mechanisms and statements, ours and anyone's, by path."""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import importlib.util
import sys
import traceback
from collections.abc import Container, Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import sympy
from sympy.core.alphabets import greeks

from rftheory import names, sample, spec
from rftheory.errors import DeclarationFailed, InvalidInput, UnknownName, meant, meant_file, need
from rftheory.sample.maps import MAKERS

ANY_LINE = range(1, sys.maxsize)
"""Every line of a file, where any may be left out."""


@dataclass(frozen=True)
class Unread:
    """A top-level statement of a file that raised an error, and was left out.

    Attributes
    ----------
    line : the line of it that was running.
    problem : what went wrong.

    Examples
    --------
    >>> print(Unread(42, "NameError: name 'Rwo' is not defined"))
    line 42: not read: NameError: name 'Rwo' is not defined
    """

    line: int
    problem: str

    def __str__(self) -> str:
        return f"line {self.line}: not read: {self.problem}"

    def refusal(self, path: str | Path) -> DeclarationFailed:
        """The error that refuses the file for this statement."""
        return DeclarationFailed(str(path), line=self.line, problem=self.problem)


_UNREAD: dict[str, tuple[Unread, ...]] = {}
"""What was left out of the files that were read, by the name of their module."""


def load(path: str | Path, leave_out: Container[int] = ()) -> ModuleType:
    """Read a file of declarations; from then on its mechanisms are known by name, here and in worker processes.

    The file becomes a module named like the file without its ending, and can import from its folder.

    Parameters
    ----------
    path : the file.
    leave_out : lines whose errors only leave out the top-level statement of the file that they belong to, and what
        it would have defined; `unread_in` lists them.

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
        problem, hint = ("it is a folder", "") if file.is_dir() else ("no such file", meant_file(Path(path)))
        raise DeclarationFailed(str(path), problem=problem, hint=hint)
    if (known := loaded(file)) is not None:
        for one in unread_in(known):
            if one.line not in leave_out:
                raise one.refusal(path)
        return known
    refuse_name_of_another(file, str(path))
    names.load_declared()
    found = source_of(file)
    module = importlib.util.module_from_spec(found)
    sys.modules[file.stem] = module  # so that its objects can be pickled; workers find it by the path
    sys.path.append(str(file.parent))
    try:
        _UNREAD[file.stem] = tuple(_run(module, file, leave_out))
    except BaseException as problem:
        drop(file)
        if not isinstance(problem, Exception | SystemExit):
            raise  # an interrupt, or a time limit
        raise DeclarationFailed(str(path), line=line_of(problem, file), problem=_said(problem),
                                hint=_instead(problem)) from problem  # fmt: skip
    return module


def read_on(path: str | Path) -> tuple[Unread, ...]:
    """Read a file for the mechanisms that it declares, and return the lines that were left out because of an error.

    Raises
    ------
    DeclarationFailed : as of `load`; a line raises an error, and no mechanism is declared apart from it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "read_on.py"
    ...     _ = file.write_text("from rftheory.author import *\\nRwo(1)\\ncoupling('apart')\\n")
    ...     [str(one) for one in read_on(file)]
    ["line 2: not read: NameError: name 'Rwo' is not defined"]
    >>> from rftheory.author import forget
    >>> forget("apart")
    """
    module = load(path, ANY_LINE)
    unread = unread_in(module)
    if unread and not _declares(module):
        drop(Path(path).resolve())
        raise unread[0].refusal(path)
    return unread


def drop(file: Path) -> None:
    """Take back that a file was read, so that it can be read again.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder).resolve() / "read_once.py"
    ...     _ = file.write_text("x = 1")
    ...     _ = load(file)
    ...     drop(file)
    ...     loaded(file) is None
    True
    """
    del sys.modules[file.stem]
    sys.path.remove(str(file.parent))


def unread_in(module: ModuleType) -> tuple[Unread, ...]:
    """What was left out of a file that `load` has read, in its order.

    Examples
    --------
    >>> unread_in(ast)
    ()
    """
    return _UNREAD.get(module.__name__, ())


def _run(module: ModuleType, file: Path, leave_out: Container[int]) -> Iterator[Unread]:
    """Run the top-level statements of a file one after the other, and tell which were left out.

    What such a statement would have defined is taken away, so that none after it takes an older value instead. If it
    may change more than what it defines, nothing after it is read.
    """
    missing: dict[str, int] = {}
    for node, code in _parts(file):
        try:
            exec(code, vars(module))
        except Exception as problem:
            first, last = lines_of(problem, file)
            if first not in leave_out:
                raise
            name = problem.name if isinstance(problem, NameError) else None
            if name in missing:
                says = f"it uses {name}, which line {missing[name]} did not define"
            else:
                place = f" (line {last})" if last != first else ""
                says = "; ".join(filter(None, (_said(problem) + place, _instead(problem))))
            defined = _defined(code)
            if ends := bool(defined & set(vars(builtins))) or not _only_defines(node, module):
                says += "; nothing after it is read, since it may need what this line changes"
            yield Unread(first, "".join(c if c.isprintable() else "?" for c in " ".join(says.split())))
            if ends:
                return
            _forget_declared(node, module)
            for one in defined:
                vars(module).pop(one, None)
                missing[one] = first


def _parts(file: Path) -> Iterator[tuple[ast.stmt, CodeType]]:
    """The top-level statements of a file, each as code of its own."""
    tree = ast.parse(file.read_bytes(), str(file))
    whole = compile(
        tree, str(file), "exec", dont_inherit=True
    )  # finds errors that a part alone does not show
    future = whole.co_flags & annotations.compiler_flag
    for node in tree.body:
        yield node, compile(ast.Module([node], []), str(file), "exec", future, dont_inherit=True)


_CHANGING = (ast.Global, ast.Nonlocal, ast.NamedExpr, ast.Delete, ast.Try, ast.With)


def _only_defines(node: ast.stmt, module: ModuleType) -> bool:
    """Whether a statement changes nothing but the names that it defines, and calls what is known to change nothing."""
    for part in _run_by(node):
        stores = isinstance(part, ast.Attribute | ast.Subscript) and not isinstance(part.ctx, ast.Load)
        star = isinstance(part, ast.ImportFrom) and any(name.name == "*" for name in part.names)
        if stores or star or isinstance(part, _CHANGING):
            return False
        if isinstance(part, ast.Call) and not _changes_nothing(part.func, module):
            return False
    return True


def _run_by(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that run when it does: of a function not its body, but what stands around it."""
    yield node
    own = node.body if isinstance(node, ast.FunctionDef) else []
    for part in ast.iter_child_nodes(node):
        if part not in own:
            yield from _run_by(part)


def _changes_nothing(function: ast.expr, module: ModuleType) -> bool:
    """Whether what is called is a word of ours, of sympy or of Python, a function that only returns, or not there."""
    match function:
        case ast.Name(id=name):
            found = vars(module).get(name, vars(builtins).get(name))
            if isinstance(found, FunctionType) and found.__module__ == module.__name__:
                return _only_returns(found.__code__)
            return name not in ("exec", "eval", "setattr", "delattr") and _home(found) in _KNOWN
        case ast.Call(func=ast.Name(id=name)):  # such as with_features("poisson")
            return _home(vars(module).get(name)) in _KNOWN[:2]
        case ast.Attribute(attr="at" | "sampler" | "subs"):
            return True
        case ast.Attribute(value=ast.Name(id=name)):
            return isinstance(vars(module).get(name), ModuleType)
    return False


def _home(found: object) -> str:
    """The package of what a name stands for."""
    return str(getattr(found, "__module__", None) or type(found).__module__).partition(".")[0]


def _only_returns(code: CodeType) -> bool:
    """Whether a function stores nothing outside itself, and calls no methods that might."""
    for step in dis.get_instructions(code):
        stores = step.opname.startswith(
            ("STORE_GLOBAL", "STORE_ATTR", "STORE_SUBSCR", "STORE_DEREF", "DELETE_")
        )
        if stores or (step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval != "at"):
            return False
    return all(_only_returns(one) for one in code.co_consts if isinstance(one, CodeType))


_KNOWN = ("rftheory", "sympy", "builtins", "fractions", "math")
_DECLARING: dict[str, tuple[dict[str, Any], ...]] = {
    "coupling": (spec.COUPLINGS, sample.COUPLINGS), "feature_map": (spec.MAPS, sample.FEATURE_MAPS, MAKERS),
}  # fmt: skip


def _forget_declared(node: ast.stmt, module: ModuleType) -> None:
    """Take the names of mechanisms away that a statement would have declared."""
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Name(id=kind), args=[ast.Constant(value=str(name)), *_]) if (
                kind in _DECLARING
            ):
                word = names.spelled(name)
                if names.DECLARED_BY.get((kind.replace("_", " "), word)) == module.__name__:
                    for registry in _DECLARING[kind]:
                        registry.pop(word, None)


def _declares(module: ModuleType) -> bool:
    """Whether a coupling or a feature map stands that a module has declared."""
    own = [key for key, home in names.DECLARED_BY.items() if home == module.__name__]
    return any(word in _DECLARING[kind.replace(" ", "_")][0] for kind, word in own)


def _defined(code: CodeType) -> set[str]:
    """The names that a top-level statement defines."""
    return {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_NAME"}


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


def refuse_name_of_another(file: Path, path: str) -> None:
    """Refuse a file, called ``path`` by its user, that has the name of another module.

    Examples
    --------
    >>> refuse_name_of_another(Path("json.py").resolve(), "json.py")
    Traceback (most recent call last):
    ...
    rftheory.errors.DeclarationFailed: json.py: there is another module named 'json'; rename the file
    """
    if sys.modules.get(file.stem) is not None or _is_elsewhere(file):
        raise DeclarationFailed(path, problem=f"there is another module named {file.stem!r}",
                                hint="rename the file")  # fmt: skip


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
        name = problem.name or ""
        of_sympy = (
            "" if name in greeks else _of_sympy(name)
        )  # beta is a variable sooner than the beta function
        return _of_author(name) or of_sympy or meant(name, frame.f_globals) or _as_symbol(name)
    if isinstance(problem, ImportError) and problem.name == "rftheory.author":
        wanted = str(problem).split("'")[1]
        return _by_name(wanted) or _of_sympy(wanted) or meant(wanted, vars(sys.modules[problem.name]))
    return ""


def _by_name(wanted: str) -> str:
    """How a note writes a feature map or a coupling for which `rftheory.author` has no word.

    Examples
    --------
    >>> print(_by_name("anisotropic"), _by_name("cross_polytope"), sep="; ")
    a feature map is with_features('anisotropic'); a coupling is a name, as in positive('cross-polytope')
    """
    for finds, says in (
        (spec.find_map, "a feature map is with_features({!r})"),
        (spec.find_coupling, "a coupling is a name, as in positive({!r})"),
    ):
        with contextlib.suppress(UnknownName, InvalidInput):
            return says.format(finds(wanted).name)
    return ""


def _of_sympy(name: str) -> str:
    """How a name of sympy that `rftheory.author` has not is imported, and an absolute value written.

    Examples
    --------
    >>> _of_sympy("tan"), _of_sympy("Abs"), _of_sympy("conformty")
    ('sympy has it: from sympy import tan', 'an absolute value is abs(...)', '')
    """
    if name == "Abs":
        return "an absolute value is abs(...)"
    return f"sympy has it: from sympy import {name}" if hasattr(sympy, name) else ""


def _of_author(name: str) -> str:
    """How a word of `rftheory.author` is imported that a file uses without having imported it."""
    author = sys.modules.get("rftheory.author")
    return f"import it: from rftheory.author import {name}" if name in getattr(author, "__all__", ()) else ""


def _as_symbol(name: str) -> str:
    """How a name that looks like a variable, of one or two small letters or a Greek one, becomes one."""
    says = f"a variable of your own is a symbol of sympy: {name} = Symbol({name!r}, real=True)"
    return says if name in greeks or (name.islower() and len(name) < 3) else ""


def line_of(problem: BaseException, file: Path) -> int:
    """The line of the file that was running, or that cannot be parsed; 0 if there is none.

    Examples
    --------
    >>> line_of(ValueError(), Path("mine.py"))
    0
    """
    if isinstance(problem, SyntaxError) and problem.filename == str(file):
        return problem.lineno or 0
    return lines_of(problem, file)[1]


def lines_of(problem: BaseException, file: Path) -> tuple[int, int]:
    """The line of the file at its top level that was running, and the one that this led to; 0 if there is none.

    Examples
    --------
    >>> lines_of(ValueError(), Path("mine.py"))
    (0, 0)
    """
    steps = traceback.extract_tb(problem.__traceback__)
    lines = [step.lineno or 0 for step in steps if step.filename == str(file)]
    return (lines[0], lines[-1]) if lines else (0, 0)
