"""Formulas in LaTeX, and sentences with them, as MathML or Markdown."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

_WORD = re.compile(
    r"\\(?:text|math[a-z]+|operatorname\*?|begin|end)\s*\{[^{}]*\}(?:\{[a-z]*\})?|\\[A-Za-z]+"
    r"|(?<![A-Za-z])([a-z]{3,})(?![A-Za-z])"
)
"""A command with its text, or a word: the converter would make a product of its letters, and a length of ``4 sp``."""


@cache
def mathml(latex: str, display: bool = False) -> Markup:
    """A formula in LaTeX as MathML.

    Examples
    --------
    >>> "<msup><mi>x</mi><mn>2</mn></msup>" in mathml("x^2"), "4sp" in mathml("4 spread")
    (True, False)
    """
    from html import unescape

    from latex2mathml.converter import convert
    from markupsafe import Markup, escape

    mended = latex.replace(r"\arg", r"\mathrm{arg}\,").replace(r"\mathsf j", r"\mathsf{j}")
    mended = _WORD.sub(lambda m: rf"\mathrm{{{m[1]}}}" if m[1] else m[0], mended)
    mended = re.sub(r"(?<=[}\w])(?<!\\rm) (?=\\mathrm)", r"\\,", mended)
    try:
        found = convert(mended, display="block" if display else "inline")
    except Exception:  # formulas that the converter does not know are shown as written
        return Markup("<code>{}</code>").format(latex)
    # numeric character references become letters, so that the page can be searched
    whole = re.sub(r"&#x([0-9A-Fa-f]+);", lambda m: str(escape(unescape(m[0]))), found)
    return Markup(whole)


@cache
def prose(text: str) -> Markup:
    """A sentence with formulas between dollars as HTML.

    Examples
    --------
    >>> print(prose("a < b"))
    a &lt; b
    """
    from markupsafe import Markup, escape

    pieces = re.split(r"(?<!\\)\$", text)
    if len(pieces) % 2 == 0:  # a dollar without a closing one
        return escape(text)
    return Markup("").join(mathml(piece) if n % 2 else escape(piece) for n, piece in enumerate(pieces))


def in_markdown(text: str) -> str:
    """A sentence with formulas between dollars as Markdown, on one line; outside of them, nothing is markup.

    Examples
    --------
    >>> print(in_markdown("a_b\\n<i> $x_1$"))
    a\\_b \\<i\\> $x_1$
    """
    parts = re.split(r"(\$[^$]*\$)", " ".join(text.split()))
    return "".join(part if n % 2 else re.sub(r"([*_`<>\[\]])", r"\\\1", part) for n, part in enumerate(parts))


def with_dollars(text: str) -> str:
    """The words of a source with dollars in the place of the brackets of LaTeX around formulas.

    Examples
    --------
    >>> with_dollars(r"for \\(x\\)")
    'for $x$'
    """
    return re.sub(r"\\[()\[\]]", "$", text)
