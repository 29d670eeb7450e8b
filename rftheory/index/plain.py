"""Formulas as plain text: LaTeX turned into characters for a terminal."""

from __future__ import annotations

import re

_NAMES = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "vartheta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ",
    "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "to": "→", "rightarrow": "→",
    "Rightarrow": "⇒", "leftarrow": "←", "gets": "←", "mapsto": "↦", "in": "∈", "notin": "∉", "subset": "⊂",
    "infty": "∞",
    "sum": "Σ", "prod": "Π", "int": "∫", "partial": "∂", "nabla": "∇", "cdot": "·", "times": "×", "approx": "≈",
    "sim": "~", "pm": "±", "mp": "∓", "propto": "∝", "top": "T", "ldots": "…", "dots": "…", "cdots": "…", "forall": "∀",
    "exists": "∃", "otimes": "⊗", "odot": "⊙", "circ": "∘", "ll": "≪", "gg": "≫", "equiv": "≡", "lVert": "‖",
    "rVert": "‖", "perp": "⊥",
    "lvert": "|", "rvert": "|", "|": "‖", "mid": "|", "cup": "∪", "cap": "∩", "setminus": "∖", "ell": "ℓ", "star": "*",
    "ast": "*", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "iff": "⇔",
    "dagger": "†", "bullet": "•", "emptyset": "∅", "succeq": "⪰", "preceq": "⪯", "prime": "'",
    "quad": "  ", "qquad": "  ", ",": " ", ";": " ", ":": " ", "!": "", "{": "{", "}": "}", "%": "%", "&": "&",
    "_": "_", "\\": ", ", "supseteq": "⊇", "subseteq": "⊆", "vee": "∨", "wedge": "∧",
}  # fmt: skip
_DROPPED = {"left", "right", "bigl", "bigr", "Bigl", "Bigr", "big", "Big", "biggl", "biggr", "displaystyle", "limits",
            "textstyle", "nolimits"}  # fmt: skip
_STYLES = {"mathrm", "mathbf", "boldsymbol", "text", "operatorname", "mathcal", "rm", "bf", "mathsf", "mbox", "tfrac",
           "mathit", "textrm", "substack", "textit", "overline", "underline", "bar"}  # fmt: skip
_ACCENTS = {"hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303"}
_RAISED = dict(zip("0123456789+-=()nijkmdT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱʲᵏᵐᵈᵀ", strict=True))
_LOWERED = dict(zip("0123456789+-=()ijkmn", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ᵢⱼₖₘₙ", strict=True))
_RELATIONS = "=<>≤≥≠≈→∈⇒←"
_SERIES = re.compile(r"\\begin\{matrix\}\s*(.*?)\s*\\\\(.*?)\\end\{matrix\}\s*\\middle\|", re.DOTALL)
"""The parameters of a hypergeometric function, one row above the other."""
_CASES = re.compile(r"\\begin\{cases\}((?:(?!\\begin\{cases\}).)*?)\\end\{cases\}", re.DOTALL)
"""A value for each of several conditions; the innermost first."""
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}^_]|\s+|[^\\{}^_\s]", re.DOTALL)


def plain(text: str) -> str:
    """A sentence with formulas between dollars, as plain text.

    Examples
    --------
    >>> plain(r"$\\mathrm{MSE}(\\hat K)\\le\\frac{e^{-2x^2}}m$ for $m\\ge2$")
    'MSE(K̂) ≤ (e^(-2x²))/m for m ≥ 2'
    """
    return "".join(
        formula(piece) if number % 2 else piece for number, piece in enumerate(re.split(r"(?<!\\)\$", text))
    )


def formula(latex: str) -> str:
    """A formula in LaTeX as plain text.

    Examples
    --------
    >>> formula(r"\\sum_{i\\ne j}\\mathbb E[b_ib_j]")
    'Σ_(i ≠ j)E[bᵢbⱼ]'
    >>> formula(r"\\mathrm{mse}(m) \\geq \\mathrm{mse}(n)")
    'mse(m) ≥ mse(n)'
    >>> formula(r"{}_1F_1\\left(\\begin{matrix} d \\\\ \\frac{d}{2} \\end{matrix}\\middle| {v} \\right)")
    '₁F₁(d; d/2; v)'
    >>> formula(r"\\begin{cases} 1 & \\text{for}\\: x = 0 \\\\0 & \\text{otherwise} \\end{cases} \\geq v")
    '(1 for x = 0; 0 otherwise) ≥ v'
    """
    while _CASES.search(latex):
        latex = _CASES.sub(
            lambda found: "(" + re.sub(r"\\\\|&", _between_cases, found[1].strip()) + ")", latex
        )
    tokens = _TOKEN.findall(_SERIES.sub(r"\1; \2; ", latex))
    found = re.sub(rf"(?<=[^\s(])\s*([{_RELATIONS}]+)\s*(?=[^\s)])", r" \1 ", _row(tokens, 0)[0])
    found = re.sub(r"\s+([)\],.;:²])", r"\1", re.sub(r"\s{2,}", " ", found))
    return re.sub(r"(^|[(\[]|[=<>≤≥~] )- (?=[\w(√Σ∫])", r"\1-", found.strip())


def _between_cases(found: re.Match[str]) -> str:
    return " " if found[0] == "&" else "; "


def _row(tokens: list[str], start: int) -> tuple[str, int]:
    """The text of the tokens up to the closing brace, and where they end."""
    out = ""
    while start < len(tokens) and tokens[start] != "}":
        piece, start = _piece(tokens, start)
        out += piece
    return out, start + 1


def _piece(tokens: list[str], start: int) -> tuple[str, int]:
    if start >= len(tokens):
        return "", start
    token = tokens[start]
    start += 1
    if token == "{":
        return _row(tokens, start)
    if token in "^_":
        inner, start = _piece(tokens, _next(tokens, start))
        return _script(inner.strip(), token), start
    if not token.startswith("\\"):
        return (" " if token.isspace() else token), start
    name = token[1:].rstrip("*")
    if name in ("frac", "tfrac", "dfrac", "binom"):
        above, start = _piece(tokens, _next(tokens, start))
        below, start = _piece(tokens, _next(tokens, start))
        if name == "binom":
            return f"C({above}, {below})", start
        return f"{_grouped(above)}/{_grouped(below)} ", start
    if name == "sqrt":
        inner, start = _piece(tokens, _next(tokens, start))
        return f"√{_grouped(inner)}", start
    if name in _ACCENTS:
        inner, start = _piece(tokens, _next(tokens, start))
        return (inner + _ACCENTS[name] if len(inner) == 1 else inner), start
    if name == "mathbb":
        inner, start = _piece(tokens, _next(tokens, start))
        return {"R": "ℝ", "N": "ℕ", "C": "ℂ", "Z": "ℤ"}.get(inner, inner), start
    if name in _STYLES:
        return _piece(tokens, _next(tokens, start))
    if name in _DROPPED:
        following = _next(tokens, start)
        return ("", following + 1) if following < len(tokens) and tokens[following] == "." else ("", start)
    if name in _NAMES:
        sign = _NAMES[name]
        return sign, _next(tokens, start) if sign in _RELATIONS else start
    return (name, start)  # names of functions, and unknown commands


def _next(tokens: list[str], start: int) -> int:
    while start < len(tokens) and tokens[start].isspace():
        start += 1
    return start


def _script(inner: str, sign: str) -> str:
    letters = _RAISED if sign == "^" else _LOWERED
    if inner and all(c in letters for c in inner) and len(inner) <= 3:
        return "".join(letters[c] for c in inner)
    return sign + (inner if len(inner) <= 1 or (inner.isalnum() and sign == "_") else f"({inner})")


def _grouped(inner: str) -> str:
    inner = inner.strip()
    return inner if re.fullmatch(r"\d+|\w[\u0302\u0303₀-₉ᵢⱼₖ²³]*|\w\([^()]*\)", inner) else f"({inner})"
