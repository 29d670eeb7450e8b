"""Central moments of any order for rows on a frame, from the declaration, by patterns of coinciding rows.

They are for maps with terms a exp(q |w|^2 + n u.w), with integers n and one real or imaginary vector u. Rows that share
an axis or a norm form a *cluster*; clusters of the same kind are interchangeable. A pattern says how often each row of
some clusters occurs in a product. Its mean is E exp(u.S) for a sum S of multiples of the rows, from the moments of each
axis:

    S = sum_k T_k s_k with unit vectors s_k at equal angles, T_k a sum of multiples of independent chi norms,

as in :class:`~rftheory.exact.special.JointMoments`, where each axis has one row.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import sympy
from flint import arb, arb_poly

from rftheory.errors import NotKnown
from rftheory.exact.laws import Exponential, Law
from rftheory.exact.moments import cumulants_of, moments_of, partitions
from rftheory.exact.pair_law import cosine_ball
from rftheory.exact.special import JointMoments
from rftheory.spec import Coupling, Row

Cluster = tuple[Row, ...]
"""Rows of one cluster, axes and norms counted from 0."""
Powers = tuple[int, ...]
"""How often each row of a cluster occurs."""
AxisName = tuple[tuple[int, int], ...]
"""For each norm of an axis, its multiple, and how often rows with this norm occur."""


class Harmonics(NamedTuple):
    """The estimate from one row, over its largest term: a sum of weight exp(q |w|^2 + n u.w), u.u = ``square``.

    Attributes
    ----------
    weights : weights by the integer n.
    square : u.u, negative for waves.
    q : factor of |w|^2.
    scale : the common factor.
    noise : the amplitude, over that factor, of a cosine of a uniform angle independent of the row.

    Examples
    --------
    >>> Harmonics({1: arb(1)}, arb(1), arb(0), arb(1)).weights
    {1: 1.00000000000000}
    """

    weights: Mapping[int, arb]
    square: arb
    q: arb
    scale: arb
    noise: arb = arb(0)


def harmonics(law: Law) -> Harmonics:
    """The estimate from one row in that form.

    Raises
    ------
    NotKnown : it does not have this form: complex parameters, diagonal or complex matrices, random counts.

    Examples
    --------
    >>> from rftheory.exact.inputs import Inputs
    >>> from rftheory.spec import find_coupling, find_map
    >>> law = Law(find_map("trigonometric"), find_coupling("iid"), 1, Inputs.of_norms(4, difference_norm="1"))
    >>> sorted(harmonics(law).weights), harmonics(law).square
    ([-1, 1], -1.00000000000000)
    """
    every = list(zip(law.declared_terms, law.terms(), strict=True))
    waves = [(declared, term) for declared, term in every if not term.phase]
    phased = [term for _, term in every if term.phase]
    if not waves:
        raise NotKnown("a moment beyond the second", law.name, "all its terms have a random phase")
    first, lead = waves[0]
    slopes = [sympy.simplify(declared.b / first.b) if first.b != 0 else sympy.nan for declared, _ in waves]
    square = lead.dot(lead)
    proper = all(t.scalar and t.line is not None and t.line == lead.line for _, t in waves)
    proper &= all(slope.is_Integer for slope in slopes)
    proper &= all(sympy.simplify(declared.q - first.q) == 0 for declared, _ in waves)
    proper &= len(phased) <= 1 and all(_is_wave(t) for t in phased)  # of modulus 1: its angle is uniform
    proper &= square.imag.is_zero() and lead.q[0].imag.is_zero()
    if not proper or not all(t.log.imag.is_zero() for _, t in every):
        because = (
            "its terms are not real multiples of waves or exponentials of integer multiples of one vector"
        )
        raise NotKnown("a moment beyond the second", law.name, because)
    weights: dict[int, arb] = defaultdict(lambda: arb(0))
    for slope, (_, term) in zip(map(int, slopes), waves, strict=True):
        weight = (term.log - lead.log).real.exp()
        if square.real < 0:  # the real part
            weights[slope] += weight / 2
            weights[-slope] += weight / 2
        else:
            weights[slope] += weight
    noise = sum(((t.log - lead.log).real.exp() for t in phased), arb(0))
    return Harmonics(dict(weights), square.real, lead.q[0].real, lead.log.real.exp(), noise)


def _is_wave(term: Exponential) -> bool:
    return all(b.real.is_zero() for b in term.b) and all(q.is_zero() for q in term.q)


# ---- clusters and patterns ---------------------------------------------------------------------------


def clusters(rows: Sequence[Row]) -> Counter[Cluster]:
    """The kinds of clusters of some rows, with their numbers.

    Examples
    --------
    >>> from rftheory.spec import find_coupling
    >>> [(len(kind), n) for kind, n in clusters(find_coupling("orthogonal").block(5)).items()]
    [(1, 5)]
    """
    parent = list(range(len(rows)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    seen: dict[tuple[str, int], int] = {}
    for i, row in enumerate(rows):
        for key in (("axis", row.axis), ("norm", row.norm)):
            parent[root(i)] = root(seen.setdefault(key, i))
    groups: dict[int, list[Row]] = defaultdict(list)
    for i, row in enumerate(rows):
        groups[root(i)].append(row)
    return Counter(_canonical(group) for group in groups.values())


def _canonical(group: Sequence[Row]) -> Cluster:
    axes = {axis: n for n, axis in enumerate(dict.fromkeys(row.axis for row in group))}
    norms = {norm: n for n, norm in enumerate(dict.fromkeys(row.norm for row in group))}
    return tuple(Row(axes[row.axis], norms[row.norm], row.sign, row.reflected) for row in group)


class Pattern(NamedTuple):
    """The clusters in a product, each with the powers of its rows, and the number of ways.

    Examples
    --------
    >>> Pattern((((Row(0, 0),), (2,)),), 5).ways
    5
    """

    parts: tuple[tuple[Cluster, Powers], ...]
    ways: int


@lru_cache(maxsize=256)
def patterns(kinds: tuple[tuple[Cluster, int], ...], order: int) -> tuple[Pattern, ...]:
    """All ways to distribute ``order`` factors, each a row of a block with these clusters, over clusters.

    Examples
    --------
    >>> alone = (Row(0, 0),)
    >>> sum(pattern.ways for pattern in patterns(((alone, 5),), 4)) == 5**4
    True
    """
    found = []
    for sizes in partitions(order):
        for choice in _assignments(sizes, kinds):
            ways = math.factorial(order)
            for (_, powers), times in Counter(choice).items():
                ways //= math.prod(map(math.factorial, powers)) ** times * math.factorial(times)
            for kind, available in kinds:
                ways *= math.perm(available, sum(part[0] == kind for part in choice))
            if ways:
                found.append(Pattern(choice, ways))
    return tuple(found)


def _assignments(
    sizes: tuple[int, ...], kinds: tuple[tuple[Cluster, int], ...]
) -> Iterator[tuple[tuple[Cluster, Powers], ...]]:
    """Multisets of clusters with powers whose sums are the sizes."""
    options = {
        n: [(kind, powers) for kind, _ in kinds for powers in _powers(len(kind), n)] for n in set(sizes)
    }
    groups = [
        combinations_with_replacement(options[n], times)
        for n, times in sorted(Counter(sizes).items(), reverse=True)
    ]
    for chosen in product(*groups):
        yield tuple(part for group in chosen for part in group)


def _powers(rows: int, total: int) -> Iterator[Powers]:
    if rows == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in _powers(rows - 1, total - first):
            yield (first, *rest)


# ---- moments of sums of rows -------------------------------------------------------------------------


class AxisMoments(JointMoments):
    """E exp(u.S), S = sum_k T_k s_k, for axes with given moments E T_k^n instead of rows with weights.

    Examples
    --------
    >>> from rftheory.exact.special import joint_moment
    >>> table = AxisMoments(5, arb(1), arb(0), arb(2))
    >>> table.of_axes([table.axis([arb(1)]), table.axis([arb(1)])]).overlaps(joint_moment((1, 1), 5, arb(1), arb(0)))
    True
    """

    def axis(self, weights: Sequence[arb]) -> tuple[arb, ...]:
        """Moments E T^n of T = sum of weights times independent chi norms."""
        moments = [arb(1)] + [arb(0)] * (len(self.norms) - 1)
        for weight in weights:
            own = [weight**n * moment / arb.fac_ui(n) for n, moment in enumerate(self.norms)]
            known = arb_poly([m / arb.fac_ui(n) for n, m in enumerate(moments)])
            joined = (known * arb_poly(own)).coeffs() + [arb(0)] * len(moments)
            moments = [part * arb.fac_ui(n) for n, part in enumerate(joined[: len(moments)])]
        return tuple(moments)

    def of_axes(self, axes: Sequence[tuple[arb, ...]]) -> arb:
        """The moment for these axes."""
        polynomials = []
        for ladder in self._ladders:
            polynomial = arb_poly([1])
            for moments in axes:
                own = arb_poly([m * e for m, e in zip(moments, ladder, strict=True)])
                polynomial = (polynomial * own).truncate(2 * self.order + 1)
            polynomials.append(polynomial)
        return self._mean(polynomials, 2)


class RowMoments:
    """Raw moments of the sum of the estimates from the rows of a block, over the scale of one estimate.

    Parameters
    ----------
    coupling, d : the rows.
    row : the estimate from one row.
    order : the highest moment that will be needed.

    Examples
    --------
    >>> from rftheory.spec import find_coupling
    >>> positive = Harmonics({1: arb(1)}, arb(1), arb(0), arb(1))
    >>> rows = find_coupling("orthogonal")
    >>> RowMoments(rows, 4, positive, 2).raw(rows.block(4)[:1], 2)[2].overlaps(arb(2).exp())
    True
    """

    def __init__(self, coupling: Coupling, d: int, row: Harmonics, order: int) -> None:
        self.coupling, self.d, self.row = coupling, d, row
        self.reach = max(map(abs, row.weights)) * order / (1 - 2 * order * row.q.max(arb(0))).sqrt()
        axes = list(dict.fromkeys(row.axis for row in coupling.block(d)))
        cosine = 0 if len(axes) == 1 else coupling.cosine_of(axes[0], axes[1], d)
        self.independent = cosine is None
        self.cosine = arb(0) if cosine is None else cosine_ball(cosine).real
        self._known: dict[object, arb] = {}
        self._weights: dict[AxisName, list[arb]] = {}
        self._axes: dict[AxisName, tuple[arb, ...]] = {}

    @cached_property
    def table(self) -> AxisMoments:
        """Moments of several axes."""
        return AxisMoments(self.d, self.row.square, self.cosine, self.reach)

    def raw(self, rows: Sequence[Row], order: int) -> list[arb]:
        """E (f_1 + ... + f_n)^k, k = 0..order, for these rows."""
        kinds = tuple(clusters(rows).items())
        found = [arb(1)]
        for k in range(1, order + 1):
            found.append(sum((p.ways * self._of(p.parts) for p in patterns(kinds, k)), arb(0)))
        return found

    def _of(self, parts: tuple[tuple[Cluster, Powers], ...]) -> arb:
        """The product over harmonics of every row."""
        key = tuple(sorted(parts))
        if key not in self._known:
            choices = [self._powered(n) for _, powers in parts for n in powers]
            total = arb(0)
            for chosen in product(*choices):
                weight = arb(1)
                for _, one in chosen:
                    weight *= one
                total += weight * self._exponential(parts, [slope for slope, _ in chosen])
            self._known[key] = total
        return self._known[key]

    def _powered(self, power: int) -> list[tuple[int, arb]]:
        """A power of the estimate from one row, averaged over its own angle, as harmonics."""
        if self.row.noise.is_zero():
            return _composed(self.row.weights, power)
        total: dict[int, arb] = defaultdict(lambda: arb(0))
        for even in range(0, power + 1, 2):  # E cos^k of a uniform angle is C(k, k/2)/2^k for even k, else 0
            angle = self.row.noise**even * math.comb(even, even // 2) / arb(2) ** even
            for slope, weight in _composed(self.row.weights, power - even):
                total[slope] += math.comb(power, even) * angle * weight
        return list(total.items())

    def _exponential(self, parts: tuple[tuple[Cluster, Powers], ...], slopes: Sequence[int]) -> arb:
        axes, factor, place = [], arb(1), 0
        for cluster, powers in parts:
            own = slopes[place : place + len(cluster)]
            place += len(cluster)
            loads: Counter[int] = Counter()
            for row, power in zip(cluster, powers, strict=True):
                loads[row.norm] += power
            spread = {norm: 1 - 2 * load * self.row.q for norm, load in loads.items()}
            for s in spread.values():
                factor *= (s.log() * arb(-self.d) / 2).exp()
            by_axis: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
            for row, slope in zip(cluster, own, strict=True):
                by_axis[row.axis][row.norm] += row.sign * slope
            self._refuse(cluster, by_axis)
            for weights in by_axis.values():
                axes.append(
                    self._axis(
                        tuple((n, loads[norm]) for norm, n in sorted(weights.items()) if n), spread, weights
                    )
                )
        if self.independent:
            for axis in axes:
                factor *= self._value((axis,))
            return factor
        return factor * self._value(tuple(axes))

    def _axis(
        self, key: Sequence[tuple[int, int]], spread: Mapping[int, arb], weights: Mapping[int, int]
    ) -> AxisName:
        name = tuple(sorted(key))
        if name not in self._weights:
            self._weights[name] = [n / spread[norm].sqrt() for norm, n in sorted(weights.items()) if n]
        return name

    def _value(self, names: Sequence[AxisName]) -> arb:
        kept = tuple(sorted(name for name in names if name))  # axes without weight do not matter
        if not kept or self.row.square.is_zero():
            return arb(1)
        flipped = tuple(sorted(tuple(sorted((-n, load) for n, load in name)) for name in kept))
        key = min(kept, flipped)  # u and -u have the same law
        if key not in self._known:
            alone = self._weights[kept[0]] if len(kept) == 1 else []
            if len(alone) == 1:  # a multiple of one row, which is normal
                self._known[key] = (alone[0] ** 2 * self.row.square / 2).exp()
            else:
                self._known[key] = self.table.of_axes([self._moments(name) for name in kept])
        return self._known[key]

    def _moments(self, name: AxisName) -> tuple[arb, ...]:
        if name not in self._axes:
            self._axes[name] = self.table.axis(self._weights[name])
        return self._axes[name]

    def _refuse(self, cluster: Cluster, by_axis: Mapping[int, Mapping[int, int]]) -> None:
        if any(row.reflected for row in cluster):
            raise NotKnown("a moment beyond the second", self.coupling.name, "norms at opposite quantiles have no joint"
                           " moments in closed form")  # fmt: skip
        norms = [norm for weights in by_axis.values() for norm in weights]
        if len(set(norms)) < len(norms):
            raise NotKnown(
                "a moment beyond the second", self.coupling.name, "a norm is shared by different axes"
            )


@lru_cache(maxsize=4096)
def _ways(slopes: tuple[int, ...], power: int) -> tuple[tuple[int, tuple[int, ...], int], ...]:
    """For a sum of ``power`` slopes: the sum, how often each occurs, and in how many orders."""
    found = []
    for counts in _powers(len(slopes), power):
        total = sum(n * s for n, s in zip(counts, slopes, strict=True))
        ways = math.factorial(power) // math.prod(map(math.factorial, counts))
        found.append((total, counts, ways))
    return tuple(found)


def _composed(weights: Mapping[int, arb], power: int) -> list[tuple[int, arb]]:
    """The power of a sum of harmonics, as harmonics."""
    slopes = tuple(sorted(weights))
    total: dict[int, arb] = defaultdict(lambda: arb(0))
    for slope, counts, ways in _ways(slopes, power):
        weight = arb(ways)
        for n, s in zip(counts, slopes, strict=True):
            weight *= weights[s] ** n
        total[slope] += weight
    return list(total.items())


def central_moments_of(law: Law, order: int) -> list[arb]:
    """Central moments 0..order of the estimate of a mechanism.

    Raises
    ------
    NotKnown : the declaration does not determine them, or no route computes them; the message says why.

    Examples
    --------
    >>> from rftheory.exact.inputs import Inputs
    >>> from rftheory.spec import find_coupling, find_map
    >>> law = Law(find_map("trigonometric"), find_coupling("simplex"), 5, Inputs.of_norms(4, difference_norm="1"))
    >>> central_moments_of(law, 2)[2].overlaps(law.variance())
    True
    """
    if law.constant:
        return [arb(1)] + [arb(0)] * order
    if law.coupling.pairs_unknown or not law.coupling.marginal or not law.coupling.equal_angles:
        raise NotKnown("a moment beyond the second", law.name,
                       law.coupling.pairs_unknown or "its axes are at different angles")  # fmt: skip
    if law.coupling.norms == "fixed":
        raise NotKnown("a moment beyond the second", law.name, "there is no route for fixed norms")
    d, row = law.inputs.d, harmonics(law)
    law.require_moment(order)
    block = law.coupling.block(d)
    full, rest = divmod(law.m, len(block))
    moments = RowMoments(law.coupling, d, row, order)
    cumulants = [arb(0)] * (order + 1)
    for rows, times in ((block, full), (block[:rest], 1 if rest else 0)):
        if times:
            for n, value in enumerate(cumulants_of(moments.raw(rows, order))):
                cumulants[n] += times * value
    scale = row.scale / law.m
    return moments_of([arb(0), arb(0), *(cumulants[n] * scale**n for n in range(2, order + 1))])
