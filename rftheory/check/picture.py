"""The picture of a report: every effect with its interval, in units of the goal, as SVG without scripts."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from rftheory.check.findings import Finding
from rftheory.judge import Outcome

COLOURS = {Outcome.AGREES: "#2b6cb0", Outcome.REFUTED: "#c53030", Outcome.UNDECIDED: "#b7791f"}
EDGE = 4.0
"""Effects beyond this many goals are drawn at the edge, with an arrow."""
LEFT, WIDTH, LINE, TOP = 470, 420, 18, 26
"""Pixels: of the labels, of the plot, from line to line, above the first."""
LETTERS = 74
"""The most letters of a label."""


def picture(findings: Sequence[Finding]) -> str:
    """The findings that measure an effect and have a goal, one a line; the band holds effects below the goal.

    Examples
    --------
    >>> found = Finding("blocks", "a test", Outcome.AGREES, 900, 0.1, "relative", (-0.1, 0.3), 0.15, 0.2, 0.5)
    >>> picture([]), picture([found]).count("<circle")
    ('', 1)
    """
    shown = [f for f in findings if f.goal > 0 and math.isfinite(f.effect)]
    if not shown:
        return ""
    height = TOP + LINE * len(shown) + 8
    ticks = "".join(
        f'<text x="{_at(k)}" y="{TOP - 12}" text-anchor="middle">{k:+d}</text>' if k else ""
        for k in (-4, -1, 1, 4)
    )
    band = f'<rect x="{_at(-1)}" y="{TOP - 6}" width="{_at(1) - _at(-1)}" height="{height - TOP}" fill="#edf2f7"/>'
    zero = f'<line x1="{_at(0)}" x2="{_at(0)}" y1="{TOP - 6}" y2="{height - 6}" stroke="#a0aec0"/>'
    lines = "\n".join(_line(f, TOP + LINE * i + 8) for i, f in enumerate(shown))
    return (
        f'<figure><svg viewBox="0 0 {LEFT + WIDTH + 20} {height}" width="{LEFT + WIDTH + 20}" role="img" '
        f'font-family="sans-serif" font-size="12">\n{band}{zero}{ticks}\n{lines}\n</svg>\n<figcaption>Effects, with '
        "intervals of what is not refuted, in units of the goal of each test, the effect that it must see (the edge of "
        "the band). Blue: agrees; red: an effect of 0 is refuted; brown: undecided.</figcaption></figure>"
    )


def _at(share: float) -> float:
    """Where an effect of so many goals is drawn."""
    return round(LEFT + WIDTH / 2 * (1 + max(-EDGE, min(EDGE, share)) / EDGE), 1)


def _line(found: Finding, y: float) -> str:
    colour, share = COLOURS[found.outcome], found.effect / found.goal
    low, high = (end / found.goal for end in found.interval)
    bar = ""
    if not math.isnan(low) and low < high:
        bar = f'<line x1="{_at(low)}" x2="{_at(high)}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
    label = found.test if len(found.test) <= LETTERS else f"{found.test[: LETTERS - 3]}..."
    mark = f'<circle cx="{_at(share)}" cy="{y}" r="3.5" fill="{colour}"/>'
    if abs(share) > EDGE:
        tip, back = _at(share), _at(share) - math.copysign(9, share)
        mark = f'<polygon points="{tip},{y} {back},{y - 4} {back},{y + 4}" fill="{colour}"/>'
    return f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end" fill="{colour}">{html.escape(label)}</text>{bar}{mark}'
