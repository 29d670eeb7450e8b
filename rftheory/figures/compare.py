"""Compare printed numbers with ours: differences in standard errors, and orderings confirmed or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from rftheory.figures.style import rounded

ERRORS = {"printed": "printed_error", "ours": "ours_error", "difference": "error"}
"""Columns whose standard error is another column: a text shows them side by side."""
DECIDED = 3.0
"""How many standard errors confirm or contradict an ordering."""


def mean_and_error(per_split: np.ndarray) -> tuple[float, float, float]:
    """Return mean, standard error and standard deviation of numbers, one for each split."""
    spread = float(per_split.std(ddof=1))
    return float(per_split.mean()), spread / per_split.size**0.5, spread


def beside(
    printed: float | str, error: float | str | None, per_split: np.ndarray, *, single: bool = True
) -> dict[str, Any]:
    """Return a printed number, ours, and the difference in standard errors.

    The error of the difference combines the printed error, ours and, where the printed number belongs to a
    ``single`` unknown split, the spread over splits.
    """
    mean, own, spread = mean_and_error(per_split)
    total = (float(error or 0) ** 2 + own**2 + (spread**2 if single else 0.0)) ** 0.5
    return {
        "printed": float(printed), **({} if error is None else {"printed_error": float(error)}),
        "ours": rounded(mean), "ours_error": rounded(own), "spread_of_splits": rounded(spread),
        "difference_in_errors": rounded((mean - float(printed)) / total) if total > 0 else 0,
    }  # fmt: skip


def ordering(says: str, where: str, difference: np.ndarray, printed: bool | None = None) -> dict[str, Any]:
    """Return whether ``difference``, one number for each split, is positive as the paper says.

    ``printed`` says whether the printed numbers themselves are in that order.
    """
    mean, error, _ = mean_and_error(difference)
    return ordered(says, where, mean, error, printed)


def ordered(says: str, where: str, mean: float, error: float, printed: bool | None = None) -> dict[str, Any]:
    """Return whether a difference with this standard error is positive, as the paper says."""
    found = {"says": says, "where": where, "difference": rounded(mean), "error": rounded(error),
             "verdict": decided(mean, error)}  # fmt: skip
    return found if printed is None else {**found, "printed_agrees": printed}


def equality(says: str, where: str, difference: np.ndarray) -> dict[str, Any]:
    """Return whether ``difference``, one number for each split, is zero within its error, as the paper says."""
    found = ordering(says, where, difference)
    return {**found, "verdict": "no difference seen" if found["verdict"] == "undecided" else "contradicted"}


def decided(mean: float, error: float) -> str:
    """Return what a difference with this standard error says about an ordering.

    Examples
    --------
    >>> decided(0.5, 0.1), decided(-0.5, 0.1), decided(0.1, 0.1)
    ('confirmed', 'contradicted', 'undecided')
    """
    if abs(mean) <= DECIDED * error or mean == 0:
        return "undecided"
    return "confirmed" if mean > 0 else "contradicted"


def markdown(data: dict[str, Any]) -> str:
    """Return the rows and orderings of a figure as Markdown; empty if it has none."""
    parts = [f"# {data['figure']}", f"Differs from the paper: {data['differs']}."]
    if "finds" in data:
        parts.append(f"What it shows: {data['finds']}.")
    heading = len(parts)
    for title, key in (("Printed and recomputed", "rows"), ("Orderings", "orderings")):
        rows = data.get(key, [])
        if rows:
            columns = [c for c in dict.fromkeys(c for row in rows for c in row) if c not in ERRORS.values()]
            lines = [" | ".join(columns), " | ".join("---" for _ in columns)]
            lines += [" | ".join(_with_error(row, column) for column in columns) for row in rows]
            parts += [f"## {title}", "\n".join(f"| {line} |" for line in lines)]
    return "\n\n".join(parts) + "\n" if len(parts) > heading else ""


def _with_error(row: dict[str, Any], column: str) -> str:
    """A cell, with the standard error of the number where the row has one."""
    cell, error = _cell(row.get(column, "–")), row.get(ERRORS.get(column, ""))
    return cell if error is None else f"{cell} ± {error:.2g}"


def _cell(value: Any) -> str:
    """A number to four digits, a truth value as a word, a dash for nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
