"""Notebooks and documents as HTML: Markdown with formulas, code, and stored outputs."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from rftheory.report.formulas import mathml

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markupsafe import Markup

_FORMULA = re.compile(
    r"(```.*?```|`[^`\n]*`)|(?<![\\$])\$\$(.+?)\$\$|(?<![\\$\w])\$(?!\s)([^$\n]+?)(?<!\s)\$(?!\w)", re.DOTALL
)


@cache
def _engine() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def markdown(text: str, drop_links: bool = False) -> Markup:
    """Markdown as HTML, formulas between dollars as MathML.

    Parameters
    ----------
    text : the Markdown.
    drop_links : links become their text, but for those to a page beside this one: the others lead to files that are
        not on the site.

    Examples
    --------
    >>> print(markdown("**a** [b](c.md) [d](e.html)", drop_links=True), end="")
    <p><strong>a</strong> b <a href="e.html">d</a></p>
    """
    from markupsafe import Markup

    found: list[str] = []

    def kept(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        found.append(str(mathml(match[2] or match[3], display=bool(match[2]))))
        return f"XFORMULA{len(found) - 1}X"

    out = _engine().render(_FORMULA.sub(kept, text))
    out = re.sub(r"XFORMULA(\d+)X", lambda m: found[int(m[1])], out)
    if drop_links:
        out = re.sub(r'<a (?!href="[\w-]+\.html")[^>]*>(.*?)</a>', r"\1", out, flags=re.DOTALL)
        out = re.sub(r"<img [^>]*>", "", out)
    return Markup(out)


def notebook(content: Mapping[str, Any]) -> tuple[str, Markup]:
    """Title and body of a notebook, with its stored outputs.

    Examples
    --------
    >>> cell = {"cell_type": "markdown", "source": ["# A title"]}
    >>> notebook({"cells": [cell]})[0]
    'A title'
    >>> print(notebook({"cells": [{"cell_type": "markdown", "source": ["[b](14_b.ipynb)"]}]})[1])
    <div class="cell"><p><a href="14_b.html">b</a></p>
    </div>
    """
    from markupsafe import Markup

    title, parts = "", []
    for cell in content["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            if not title and text.startswith("# "):
                title, _, text = text[2:].partition("\n")
            parts.append(f'<div class="cell">{markdown(_beside(text), drop_links=True)}</div>')
        elif cell["cell_type"] == "code":
            outputs = "".join(_output(one) for one in cell.get("outputs", ()))
            shown = f'<div class="out">{outputs}</div>' if outputs else ""
            parts.append(f'<div class="cell"><pre><code>{html.escape(text)}</code></pre>{shown}</div>')
    return title.strip(), Markup("\n".join(parts))


def _beside(text: str) -> str:
    """Links to other notebooks as links to their pages."""
    return re.sub(r"\]\((\d\d_\w+)\.ipynb\)", r"](\1.html)", text)


def _output(output: Mapping[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"<pre>{html.escape(''.join(output['text']))}</pre>"
    data = output.get("data", {})
    if "image/png" in data:
        return f'<img alt="output of the cell above" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">'
    if "image/svg+xml" in data:
        return re.sub(r"^.*?(?=<svg)", "", "".join(data["image/svg+xml"]), flags=re.DOTALL)
    if "text/latex" in data:
        return str(markdown("".join(data["text/latex"])))
    if "text/markdown" in data:
        return str(markdown(_beside("".join(data["text/markdown"])), drop_links=True))
    if "text/html" in data:
        return "".join(data["text/html"])
    if "text/plain" in data:
        return f"<pre>{html.escape(''.join(data['text/plain']))}</pre>"
    return ""
