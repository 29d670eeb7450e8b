"""SVG pictures for pages: graphs of dependencies, and curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

WIDTH, HEIGHT, GAP, STEP = 210, 18, 90, 24


def layers(edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The distance of each node from the nodes without dependencies; cycles are cut where they close.

    Examples
    --------
    >>> layers([("lemma", "theorem"), ("theorem", "corollary"), ("lemma", "corollary")])
    {'lemma': 0, 'theorem': 1, 'corollary': 2}
    """
    before: dict[str, list[str]] = {}
    for a, b in edges:
        before.setdefault(a, [])
        before.setdefault(b, []).append(a)
    found: dict[str, int] = {}

    def depth(node: str, path: frozenset[str]) -> int:
        if node not in found:
            inner = [
                depth(other, path | {node}) for other in before[node] if other not in path and other != node
            ]
            found[node] = 1 + max(inner, default=-1)
        return found[node]

    for node in before:
        depth(node, frozenset())
    return {node: found[node] for node in before}


def drawn(
    edges: Sequence[tuple[str, str]],
    link: Callable[[str], tuple[str, str]],
    decision: Callable[[str], str],
) -> str:
    """A graph as SVG, with a column for each layer and a link for each node.

    Parameters
    ----------
    edges : pairs of a node and one that uses it.
    link : gives the label and the address of a node.
    decision : gives the class of a node, for its colour.

    Examples
    --------
    >>> drawn([("a", "b")], link=lambda n: (n, n + ".html"), decision=lambda n: "holds").count("<a ")
    2
    """
    edges = list(dict.fromkeys(edges))
    columns: dict[int, list[str]] = {}
    for node, layer in layers(edges).items():
        columns.setdefault(layer, []).append(node)
    place: dict[str, tuple[int, float]] = {}
    for layer in sorted(columns):
        nodes = columns[layer]
        pulled = {
            node: [place[a][1] for a, b in edges if b == node and a in place] or [float(n)]
            for n, node in enumerate(nodes)
        }
        nodes.sort(key=lambda node: sum(pulled[node]) / len(pulled[node]))
        for row, node in enumerate(nodes):
            place[node] = (layer, float(row))
    wide = max(columns, default=0) * (WIDTH + GAP) + WIDTH + 20
    high = max((len(nodes) for nodes in columns.values()), default=0) * STEP + 20
    out = [
        f'<svg class="graph" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" style="max-width:none" role="img" aria-label="dependencies">'
    ]
    for a, b in edges:
        (xa, ya), (xb, yb) = place[a], place[b]
        x1, x2 = xa * (WIDTH + GAP) + WIDTH + 10, xb * (WIDTH + GAP) + 10
        y1, y2 = ya * STEP + 10 + HEIGHT / 2, yb * STEP + 10 + HEIGHT / 2
        out.append(f'<path d="M{x1} {y1}C{x1 + GAP / 2} {y1} {x2 - GAP / 2} {y2} {x2} {y2}"/>')
    for node, (column, line) in place.items():
        label, address = link(node)
        short = label if len(label) <= 33 else label[:32] + "…"
        x, y = float(column * (WIDTH + GAP) + 10), line * STEP + 10
        out.append(
            f'<a href="{escape(address)}" class="{decision(node)}"><title>{escape(label)}</title>'
            f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="3"/>'
            f'<text x="{x + 5}" y="{y + 13}">{escape(short)}</text></a>'
        )
    return "".join([*out, "</svg>"])


COLOURS = ("#1f4fa3", "#b3261e", "#1d6f42")


def curves(x: Sequence[float], found: Mapping[str, Sequence[float]], axis: str, title: str) -> str:
    """Curves of decimal logarithms as SVG, with their names at the ends.

    Examples
    --------
    >>> curves([0.0, 1.0], {"a": [-1.0, 0.0]}, "v", "error").count("<polyline")
    1
    """
    values = [y for ys in found.values() for y in ys if math.isfinite(y)]
    low, high = math.floor(min(values)), max(math.ceil(max(values)), math.floor(min(values)) + 1)
    wide, tall, left, bottom = 560, 300, 60, 40

    def at(u: float, y: float) -> str:
        across = left + (u - x[0]) / (x[-1] - x[0]) * (wide - left - 130)
        return f"{across:.1f},{20 + (high - y) / (high - low) * (tall - bottom - 20):.1f}"

    step = max(1, math.ceil((high - low) / 6))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" '
        f'role="img" aria-label="{escape(title)}" font-size="12" fill="currentColor">',
        f'<text x="{left}" y="12">{escape(title)}</text>',
    ]
    for tick in range(low, high + 1, step):
        across, line = at(x[0], tick).split(",")
        end = at(x[-1], tick).split(",")[0]
        out.append(
            f'<line x1="{across}" x2="{end}" y1="{line}" y2="{line}" stroke="currentColor" stroke-opacity=".15"/>'
        )
        out.append(f'<text x="{left - 8}" y="{float(line) + 4}" text-anchor="end">1e{tick}</text>')
    for tick in range(math.ceil(x[0]), math.floor(x[-1]) + 1):
        across = at(tick, low).split(",")[0]
        out.append(f'<text x="{across}" y="{tall - bottom + 18}" text-anchor="middle">{tick}</text>')
    middle = at((x[0] + x[-1]) / 2, low).split(",")[0]
    out.append(f'<text x="{middle}" y="{tall - 4}" text-anchor="middle">{escape(axis)}</text>')
    ends: list[float] = []
    for (label, ys), colour in zip(found.items(), COLOURS, strict=False):
        points = " ".join(at(u, y) for u, y in zip(x, ys, strict=True) if math.isfinite(y))
        right, up = (float(one) for one in at(x[-1], ys[-1]).split(","))
        while any(abs(up - other) < 14 for other in ends):
            up += 7
        ends.append(up)
        dashes = "" if not ends[1:] else ' stroke-dasharray="5 3"'
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}/>')
        out.append(
            f'<text x="{right + 5}" y="{up + 4}" fill="{colour}" font-size="11">{escape(label)}</text>'
        )
    return "".join([*out, "</svg>"])
