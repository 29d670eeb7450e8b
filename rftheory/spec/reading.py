"""What a declaration says for all d, read from the source text of its functions.

A function that is run in finitely many dimensions says nothing of the others. So its text is read, and only what has
no conditions is understood: for cosines, one expression of sums, products and exact fractions; for rows, lists of
loops over ``range(...)`` and over tuples of numbers, and loops that append to a list. Everything else, a slice or a
call of ``min``, is not read.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import operator
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import sympy

from rftheory.spec.dimension import checked_dimension
from rftheory.spec.dimension import d as D
from rftheory.spec.relation import Row

Names = Mapping[str, Any]
_UNUSABLE = object()
_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


class NotReadable(Exception):
    """The text of a function is not there, or not of the form that is read; the part at fault, if there is one."""

    def __init__(self, what: str, part: ast.AST | None = None) -> None:
        super().__init__(what if part is None else f"{what}: {ast.unparse(part)}")


class Family(NamedTuple):
    """Rows with axis i + axis and norm i + norm, i = 0..length-1; with ``one_norm`` all of them have the same norm.

    Examples
    --------
    >>> from rftheory.spec import frame
    >>> rows_of(frame, 1)
    (Family(length=d, axis=0, norm=0, sign=1, reflected=False, one_norm=False),)
    """

    length: sympy.Expr
    axis: sympy.Expr
    norm: sympy.Expr
    sign: int
    reflected: bool
    one_norm: bool = False


def rows_of(function: Any, min_dim: int) -> tuple[Family, ...]:
    """The rows of a block as families of rows, for all d >= min_dim.

    Raises
    ------
    NotReadable : they are not loops over ``range(...)`` with the axis i + a and the norm i + b, or b alone.

    Examples
    --------
    >>> rows_of(lambda d: [Row(i, i) for i in range(d)][:32], 1)
    Traceback (most recent call last):
    ...
    rftheory.spec.reading.NotReadable: no list of loops: [Row(i, i) for i in range(d)][:32]
    """
    return tuple(map(_family, _rows_in(function, min_dim)))


def size_of(function: Any, min_dim: int) -> sympy.Expr:
    """The number of rows of a block for all d >= min_dim; only the loops are read.

    Examples
    --------
    >>> size_of(lambda d: [Row(i, i // 2) for i in range(d)], 1)
    d
    """
    return sympy.expand(sympy.Add(*(one.length for one in _rows_in(function, min_dim))))


def value_of(function: Any, *arguments: Any) -> Any:
    """What a function returns, as an expression in the symbols that it is given; an argument None must not be used.

    Examples
    --------
    >>> value_of(lambda i, j, d: Fraction(-1, d - 1), None, None, D)
    -1/(d - 1)
    """
    return _value(*_expression(function, *arguments))


def divisors_in(function: Any, *arguments: Any) -> list[sympy.Expr]:
    """What is divided by in an expression that `value_of` reads, also where it cancels.

    Examples
    --------
    >>> divisors_in(lambda i, j, d: 0 * Fraction(1, d - 50), None, None, D)
    [d - 50]
    """
    value, names = _expression(function, *arguments)
    found = []
    for node in ast.walk(value):
        match node:
            case ast.BinOp(op=ast.Div(), right=divisor) | ast.Call(args=[_, divisor]):
                found.append(_number(divisor, names))
            case ast.BinOp(left=base, op=ast.Pow(), right=power):
                if not _number(power, names).is_nonnegative:
                    found.append(_number(base, names))
    return found


def _expression(function: Any, *arguments: Any) -> tuple[ast.expr, Names]:
    """The one expression that a function returns, and what its names stand for; an argument None for nothing."""
    text = _text_of(function)
    given = [_UNUSABLE if one is None else one for one in arguments or [None] * len(text.arguments)]
    match text.body:
        case [] | [ast.Return(value=None)]:
            return ast.Constant(None), text.called_with(*given)
        case [ast.Return(value=ast.expr() as value)]:
            return value, text.called_with(*given)
    raise NotReadable("more than one expression")


def never_negative(expression: sympy.Expr, min_dim: int) -> bool:
    """Whether an expression in d is proved to be at least 0 for all d >= min_dim, by its coefficients there.

    Examples
    --------
    >>> never_negative(1 - 1 / D, 1), never_negative(18 - D, 9)
    (True, False)
    """
    t = sympy.Dummy("t", integer=True, nonnegative=True)
    parts = sympy.fraction(sympy.cancel(sympy.sympify(expression).subs(D, min_dim + t)))
    if not all(part.is_polynomial(t) for part in parts) or parts[1].subs(t, 0) == 0:
        return False
    return all(c.is_nonnegative for part in parts for c in sympy.Poly(part, t).all_coeffs())


def never_zero(expression: sympy.Expr, min_dim: int) -> bool:
    """Whether an expression in d is proved not to vanish for any d >= min_dim.

    Examples
    --------
    >>> never_zero(D - 1, 2), never_zero(D - 50, 2)
    (True, False)
    """
    if expression.is_nonzero:
        return True
    keeps_its_sign = any(never_negative(sign * expression, min_dim) for sign in (1, -1))
    return keeps_its_sign and bool(expression.subs(D, min_dim).is_nonzero)


@dataclass(frozen=True)
class _Text:
    """A function as statements: the names of its arguments, and what other names mean."""

    function: types.FunctionType
    arguments: tuple[str, ...]
    body: list[ast.stmt]

    def called_with(self, *values: Any) -> Names:
        """What names stand for; those that the function itself assigns, and later leaves behind, for nothing."""
        own, code = self.function, self.function.__code__
        defaults = own.__defaults__ or ()
        if not 0 <= len(self.arguments) - len(values) <= len(defaults):
            raise NotReadable("other arguments than it is called with")
        values += defaults[len(defaults) - len(self.arguments) + len(values) :]
        cells = zip(code.co_freevars, own.__closure__ or (), strict=True)
        around: Names = {**own.__builtins__, **own.__globals__}  # type: ignore[attr-defined]
        known = {
            name for one in (code, *_codes(code)) for name in one.co_names
        }  # in a class __k is another name
        return {
            **{name: around[name] for name in known if name in around},
            **{name: cell.cell_contents for name, cell in cells if cell != types.CellType()},
            **dict.fromkeys((*code.co_varnames, *code.co_cellvars), _UNUSABLE),
            **dict(zip(self.arguments, values, strict=True)),
        }


def _text_of(function: Any) -> _Text:
    if not isinstance(function, types.FunctionType):
        raise NotReadable("not a function")
    code = function.__code__
    lines = "".join(linecache.getlines(code.co_filename, function.__globals__))
    try:
        tree = ast.parse(lines)
        compiled = compile(tree, code.co_filename, "exec", code.co_flags & _FUTURE, dont_inherit=True)
        current = code in _codes(compiled)
    except (SyntaxError, ValueError) as problem:
        raise NotReadable("no source") from problem
    here = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda | ast.FunctionDef) and _is_place(node, code)
    ]
    if not current or len(here) != 1:
        raise NotReadable("no source that is unchanged, or two functions in one place")
    return _Text(function, code.co_varnames[: code.co_argcount], _body(here[0]))


def _is_place(node: ast.Lambda | ast.FunctionDef, code: types.CodeType) -> bool:
    """Whether the text of a function is that of the code: where it begins, and where a lambda's expression stands."""
    if _plain_arguments(node) != code.co_varnames[: code.co_argcount]:
        return False
    if isinstance(node, ast.FunctionDef):
        first = min((node.lineno, *(one.lineno for one in node.decorator_list)))
        return (node.name, first) == (code.co_name, code.co_firstlineno)
    body = node.body
    place = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    return code.co_name == "<lambda>" and place in set(code.co_positions())


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for inside in code.co_consts:
        if isinstance(inside, types.CodeType):
            yield inside
            yield from _codes(inside)


def _plain_arguments(node: ast.Lambda | ast.FunctionDef) -> tuple[str, ...] | None:
    """Their names; None if there are other kinds than positional ones."""
    given = node.args
    other = given.vararg or given.kwarg or given.kwonlyargs
    return None if other else tuple(one.arg for one in (*given.posonlyargs, *given.args))


def _body(node: ast.Lambda | ast.FunctionDef) -> list[ast.stmt]:
    """The statements, without the docstring."""
    if isinstance(node, ast.Lambda):
        return [ast.Return(node.body)]
    match node.body:
        case [ast.Expr(value=ast.Constant()), *rest]:
            return rest
    return node.body


def _value(node: ast.expr, names: Names) -> Any:
    """A number or an expression, True, False, None, or a tuple of these."""
    match node:
        case ast.Constant(value=value):
            return _exact(value)
        case ast.Name():
            return _exact(_named(node, names))
        case ast.Tuple(elts=parts):
            return tuple(_value(part, names) for part in parts)
        case ast.UnaryOp(op=ast.USub(), operand=inside):
            return -_number(inside, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            found = _OPERATIONS[type(op)](_number(left, names), _number(right, names))
        case ast.Call(func=called, args=arguments, keywords=[]):
            found = _called(_named(called, names), [_number(one, names) for one in arguments])
        case _:
            found = None
    if found is None:
        raise NotReadable("not read", node)
    return found


def _number(node: ast.expr, names: Names) -> sympy.Expr:
    found = _value(node, names)
    if not isinstance(found, sympy.Expr):
        raise NotReadable("no number", node)
    return found


def _exact(value: Any) -> Any:
    """The value; not of a class that may count in its own way."""
    if value is None or type(value) is bool:
        return value
    if type(value) is tuple:
        return tuple(map(_exact, value))
    if type(value) in (int, Fraction):
        return sympy.sympify(value)
    if isinstance(value, sympy.Expr) and type(value).__module__.startswith("sympy."):
        return value
    raise NotReadable(f"a value of the type {type(value).__name__}")


def _named(node: ast.expr, names: Names) -> Any:
    """What a name, or a name in a module, stands for."""
    match node:
        case ast.Name(id=name) if name in names and names[name] is not _UNUSABLE:
            return names[name]
        case ast.Attribute(value=ast.Name(id=name), attr=word) if not word.startswith("__"):
            module = names.get(name)
            if type(module) is types.ModuleType and word in vars(module):
                return vars(module)[word]
    raise NotReadable("a name that is not defined, or may change", node)


def _quotient(one: sympy.Expr, other: sympy.Expr) -> sympy.Expr | None:
    """None for integers, whose quotient Python rounds."""
    return None if one.is_integer and other.is_integer else one / other


def _power(one: sympy.Expr, other: sympy.Expr) -> sympy.Expr | None:
    rounded = one.is_integer and other.is_integer and not other.is_nonnegative
    return None if rounded else one**other


_OPERATIONS: Mapping[type[ast.operator], Callable[[sympy.Expr, sympy.Expr], sympy.Expr | None]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: _quotient, ast.Pow: _power,
}  # fmt: skip


def _called(function: Any, arguments: list[sympy.Expr]) -> sympy.Expr | None:
    match arguments:
        case [over, under] if function is Fraction or function is sympy.Rational:
            return over / under
        case [argument] if function is checked_dimension:
            return argument
        case [argument] if _is_root(function):
            return sympy.sqrt(argument)
    return None


def _is_root(function: Any) -> bool:
    """Whether it is the exact square root, of sympy or of `rftheory.author`."""
    words = sys.modules.get("rftheory.statement.words")  # which imports this module
    return function is sympy.sqrt or (words is not None and function is vars(words).get("sqrt"))


class _Loop(NamedTuple):
    """The rows that one Row(...) in the text gives, as a counter runs from 0 to length - 1."""

    row: ast.expr
    names: Names
    length: sympy.Expr
    counter: sympy.Symbol | None


def _rows_in(function: Any, min_dim: int) -> list[_Loop]:
    try:
        found = _called_rows(function, D)
        for one in found:
            _require_row(one)
    except RecursionError as problem:
        raise NotReadable("a function that calls itself") from problem
    for one in found:
        if not _only_grows(one.length, min_dim):
            raise NotReadable(f"a loop over {one.length} values, which may be none or get fewer as d grows")
    return found


class _Rows(tuple[_Loop, ...]):
    """What a name stands for that is a list of rows."""


def _called_rows(function: Any, *values: Any) -> list[_Loop]:
    """What is returned by statements that make lists of rows, and add to them at their ends."""
    text = _text_of(function)
    names = text.called_with(*values)
    for one in text.body:
        _require_no_division(one, names)
        match one:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                names = {**names, name: _number_or_rows(value, names)}
            case (
                ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value)
                | ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="extend"), args=[value])
                )
            ) if isinstance(names.get(name), _Rows):
                names = {**names, name: _Rows((*names[name], *_loops(value, names)))}
            case ast.Expr() | ast.For():
                name, row, loops = _appended(one)
                if not isinstance(names.get(name), _Rows):
                    raise NotReadable("a list that is not made here", one)
                more = _looped(row, loops, _Loop(row, names, sympy.S.One, None))
                left = dict.fromkeys(_names_in(*(loop.target for loop in loops)), _UNUSABLE)
                names = {**names, name: _Rows((*names[name], *more)), **left}
            case ast.Return(value=ast.expr() as value):
                return list(_loops(value, names))
            case _:
                raise NotReadable("not read", one)
    raise NotReadable("nothing is returned")


def _number_or_rows(node: ast.expr, names: Names) -> Any:
    try:
        return _value(node, names)
    except NotReadable:
        if isinstance(node, ast.Name):  # two names of one list, which grows under both
            raise
        found = _Rows(_loops(node, names))
        if _is_generator(node, names):  # it runs later, and once
            raise NotReadable("rows that are not listed where they are written", node) from None
        return found


def _is_generator(node: ast.expr, names: Names) -> bool:
    if isinstance(node, ast.Call):
        text = _text_of(_named(node.func, names))
        inside = text.called_with(*[_UNUSABLE] * len(text.arguments))
        last = text.body[-1]
        return isinstance(last, ast.Return) and last.value is not None and _is_generator(last.value, inside)
    return isinstance(node, ast.GeneratorExp)


_PLAIN = (
    ast.Call, ast.keyword, ast.Name, ast.Attribute, ast.Constant, ast.Tuple, ast.List, ast.Starred, ast.Compare,
    ast.UnaryOp, ast.BinOp, ast.expr_context, ast.unaryop, ast.operator, ast.cmpop,
)  # fmt: skip
"""What an expression without conditions consists of."""


def _require_row(loop: _Loop) -> None:
    """Refuse what is no call of Row, or may do more, or give no row for some numbers."""
    match loop.row:
        case ast.Call(func=called) if _named(called, loop.names) is Row and _is_plain(loop.row, loop.names):
            return
    raise NotReadable("no plain Row(...)", loop.row)


def _is_plain(node: ast.expr, names: Names) -> bool:
    """Whether an expression changes no list and no name, and has a value for all numbers."""
    _require_no_division(node, names)
    parts = list(ast.walk(node))
    calls = [part for part in parts if isinstance(part, ast.Call)]
    return all(isinstance(part, _PLAIN) for part in parts) and all(
        _is_plain_call(one, names) for one in calls
    )


def _is_plain_call(node: ast.Call, names: Names) -> bool:
    function = _named(node.func, names)
    if function is min or function is max:
        return len(node.args) > 1
    if any(function is known for known in (Row, checked_dimension, abs, int, bool)):
        return True
    return _is_plain(*_expression(function))


def _require_no_division(node: ast.AST, names: Names) -> None:
    """Refuse what rows are not written with for all d: a divisor may be 0 in one dimension, also where it cancels."""
    for part in ast.walk(node):
        match part:
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
                continue
            case ast.BinOp(op=ast.FloorDiv() | ast.Mod(), right=other) if _is_integer(other, names, 1):
                continue
            case ast.BinOp(op=ast.Pow(), right=other) if _is_integer(other, names, 0):
                continue
            case ast.BinOp():
                raise NotReadable("rows with a quotient, or a power of another kind than a whole one", part)
            case ast.Call(func=called):
                try:
                    function = _named(called, names)
                except NotReadable:  # a method of a list, or what is refused elsewhere
                    continue
                if function is Fraction or function is sympy.Rational:
                    raise NotReadable("rows with a quotient", part)


def _is_integer(node: ast.expr, names: Names, least: int) -> bool:
    """Whether it is written as a number that is at least this one."""
    try:
        found = _value(node, names)
    except NotReadable:
        return False
    return isinstance(found, sympy.Integer) and found >= least


def _appended(statement: ast.stmt) -> tuple[str, ast.expr, list[ast.comprehension]]:
    """The list that a row is appended to, the row, and the loops around it, from the outermost."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[row])):
            return name, row, []
        case ast.For(target=target, iter=given, body=[inner], orelse=[]):
            name, row, loops = _appended(inner)
            return name, row, [ast.comprehension(target, given, [], 0), *loops]
    raise NotReadable("no loop that appends one row", statement)


def _only_grows(length: sympy.Expr, min_dim: int) -> bool:
    """Whether a length is a whole number, at least 0 and not falling, in all dimensions from min_dim on."""
    whole = bool(length.is_integer and length.free_symbols <= {D} and length.is_polynomial(D))
    return whole and never_negative(length, min_dim) and never_negative(length.diff(D), min_dim)


def _loops(node: ast.expr, names: Names) -> Iterator[_Loop]:
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                if isinstance(part, ast.Starred):
                    yield from _loops(part.value, names)
                else:
                    yield _Loop(part, names, sympy.S.One, None)
        case ast.Name(id=name) if isinstance(names.get(name), _Rows):
            yield from names[name]
        case ast.ListComp(elt=row, generators=loops) | ast.GeneratorExp(elt=row, generators=loops):
            yield from _looped(row, loops, _Loop(row, names, sympy.S.One, None))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            if any(_is_generator(part, names) for part in (left, right)):
                raise NotReadable("a sum of what are no lists", node)
            yield from _loops(left, names)
            yield from _loops(right, names)
        case ast.Call(func=called, args=given, keywords=[]):
            yield from _called_rows(_named(called, names), *(_number(one, names) for one in given))
        case _:
            raise NotReadable("no list of loops", node)


def _looped(row: ast.expr, loops: list[ast.comprehension], outer: _Loop) -> Iterator[_Loop]:
    if not loops:
        yield outer
        return
    loop, *inner = loops
    for number, one in enumerate(inner):  # in the second round these names have what the first one left
        if _names_in(one.iter) & _names_in(*(later.target for later in inner[number:])):
            raise NotReadable("a loop that changes what it runs over", one.iter)
    if loop.ifs or loop.is_async:
        raise NotReadable("a loop with a condition over", loop.iter)
    if outer.counter is not None:  # the rows would alternate
        raise NotReadable("a loop inside one over range", loop.iter)
    match loop.iter:
        case ast.Call(func=called, args=ends, keywords=[]) if _named(called, outer.names) is range:
            low, high = _ends([_whole_number(end, outer.names) for end in ends])
            counter = sympy.Dummy("i", integer=True)
            names = {**outer.names, **_bound(loop.target, low + counter)}
            yield from _looped(row, inner, _Loop(row, names, high - low, counter))
        case given:
            values = _value(ast.Tuple(given.elts) if isinstance(given, ast.List) else given, outer.names)
            if not isinstance(values, tuple):
                raise NotReadable("a loop over something else than range(...) or a tuple", given)
            for value in values:
                yield from _looped(
                    row, inner, outer._replace(names={**outer.names, **_bound(loop.target, value)})
                )


def _names_in(*nodes: ast.expr) -> set[str]:
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def _whole_number(node: ast.expr, names: Names) -> sympy.Expr:
    """An end of a range, which is a sum or a product of integers; divisions have been refused before."""
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    if any(_named(one.func, names) is not checked_dimension for one in calls):
        raise NotReadable("no sum or product of integers", node)
    return _number(node, names)


def _ends(given: list[sympy.Expr]) -> tuple[sympy.Expr, sympy.Expr]:
    if len(given) not in (1, 2):
        raise NotReadable("a range with a step")
    return (sympy.S.Zero, given[0]) if len(given) == 1 else (given[0], given[1])


def _bound(target: ast.expr, value: Any) -> Names:
    match target:
        case ast.Name(id=name):
            return {name: value}
        case ast.Tuple(elts=parts) if isinstance(value, tuple) and len(value) == len(parts):
            return {
                n: v for part, one in zip(parts, value, strict=True) for n, v in _bound(part, one).items()
            }
    raise NotReadable("no loop variable", target)


def _family(loop: _Loop) -> Family:
    axis, norm, sign, reflected = _row(loop)
    one_norm = loop.counter is not None and loop.counter not in norm.free_symbols
    counter = loop.counter or sympy.S.Zero
    axis, norm = sympy.expand(axis - counter), sympy.expand(norm if one_norm else norm - counter)
    if not all(part.is_integer and part.free_symbols <= {D} for part in (axis, norm)):
        raise NotReadable("an axis other than i + a, or a norm other than i + b or b", loop.row)
    return Family(loop.length, axis, norm, sign, reflected, one_norm)


def _row(loop: _Loop) -> tuple[sympy.Expr, sympy.Expr, int, bool]:
    """The axis, the norm, the sign, and whether the norm is reflected."""
    match loop.row:
        case ast.Call(func=called, args=parts, keywords=named) if _named(called, loop.names) is Row:
            given = [_value(part, loop.names) for part in parts]
            words = {str(one.arg): _value(one.value, loop.names) for one in named}
            try:
                axis, norm, sign, reflected = Row(*given, **words)
            except TypeError as problem:
                raise NotReadable("no row", loop.row) from problem
            whole = all(isinstance(part, sympy.Expr) for part in (axis, norm))
            if whole and sign in (1, -1) and isinstance(reflected, bool):
                return sympy.sympify(axis), sympy.sympify(norm), int(sign), reflected
    raise NotReadable("no Row(axis, norm, sign, reflected) of whole numbers", loop.row)
