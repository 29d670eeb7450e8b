"""LaTeX of expressions and relations, as papers print them."""

from __future__ import annotations

from functools import lru_cache

import sympy
from sympy.printing.conventions import split_super_sub
from sympy.printing.latex import (
    LatexPrinter,
    greek_letters_set,
    modifier_dict,
    other_symbols,
    tex_greek_dictionary,
    translate,
)

SIGNS = {"<=": r"\le", ">=": r"\ge", "~": r"\sim", "!=": r"\ne"}
"""How the signs of relations are printed, if not as they are written."""

SHORT = {"eps": r"\varepsilon", "lam": r"\lambda"}
"""Letters under their usual short names."""

WORDS = frozenset({"imag"})
"""Names that would be read as a letter with an accent."""

GREEK = greek_letters_set | frozenset(tex_greek_dictionary) | other_symbols


def _letter_or_word(name: str, shortest: int = 2) -> str:
    """A letter in italics, with its accent; a word upright, since in italics it would be a product of letters."""
    if name in SHORT:
        return SHORT[name]
    if name.isalpha() and len(name) >= shortest and (name in WORDS or not _is_letter(name)):
        return rf"\mathrm{{{name}}}"
    return str(translate(name))


def _is_letter(name: str) -> bool:
    """Whether the name is a letter, or one with accents such as xbar."""
    if len(name) == 1 or name in GREEK or name.lower() in GREEK:
        return True
    return any(name.endswith(accent) and _is_letter(name[: -len(accent)]) for accent in modifier_dict
               if len(name) > len(accent))  # fmt: skip


class _Typeset(LatexPrinter):  # type: ignore[misc]
    """LaTeX as papers print it: substituted values are shown below a bracket, limits stand beside their sign."""

    def _print(self, expression: object, **settings: object) -> str:
        """Parts are kept too: the lines of a proof have most of theirs in common."""
        if isinstance(expression, sympy.Basic) and not settings:
            return typeset(expression)
        return str(super()._print(expression, **settings))

    def _print_Symbol(self, expression: sympy.Symbol, style: str = "plain") -> str:
        name, above, below = split_super_sub(expression.name)
        if above or style != "plain":
            return str(super()._print_Symbol(expression, style))
        places = " ".join(_letter_or_word(place, shortest=3) for place in below)  # x_ij has two indices
        return _letter_or_word(name) + (f"_{{{places}}}" if places else "")

    def _print_Subs(self, expression: sympy.Subs) -> str:
        old = {symbol: sympy.Symbol(str(symbol.name).removesuffix("_0"), **symbol.assumptions0)
               for symbol in expression.variables}  # fmt: skip
        values = ",\\ ".join(
            f"{self._print(old[symbol])} = {self._print(value)}"
            for symbol, value in zip(expression.variables, expression.point, strict=True)
        )
        return rf"\left[ {self._print(expression.expr.xreplace(old))} \right]_{{{values}}}"

    def _print_Integral(self, expression: sympy.Integral) -> str:
        return str(super()._print_Integral(expression)).replace(r"\int\limits", r"\int")

    def _print_hyper(self, expression: sympy.Expr, exp: str | None = None) -> str:
        above, below = (", ".join(map(self._print, args)) for args in (expression.ap, expression.bq))
        said = rf"\,{{}}_{{{len(expression.ap)}}}F_{{{len(expression.bq)}}}"
        said += rf"\left({above};\ {below};\ {self._print(expression.argument)}\right)"
        return said if exp is None else rf"{{\left({said}\right)}}^{{{exp}}}"

    def _print_RisingFactorial(self, expression: sympy.Expr, exp: str | None = None) -> str:
        base, order = expression.args
        said = rf"\left({self._print(base)}\right)_{{{self._print(order)}}}"
        return said if exp is None else rf"{{{said}}}^{{{exp}}}"


_PRINTER = _Typeset({"fold_short_frac": False})


@lru_cache(maxsize=1 << 15, typed=True)
def typeset(expression: sympy.Expr) -> str:
    """LaTeX of an expression.

    Examples
    --------
    >>> from rftheory.exact.proof.steps import at
    >>> x = sympy.Symbol("x", real=True)
    >>> typeset(at(x**2 - 1, {x: 3}))
    '\\\\left[ x^{2} - 1 \\\\right]_{x = 3}'
    """
    return str(super(_Typeset, _PRINTER)._print(expression))
