"""Moments of averages of coupled features, against enumeration of discrete laws."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from flint import arb, fmpq

from rftheory.exact.moments import (
    arrangements,
    block_sizes,
    central_moments,
    coupled_pairs,
    cumulants_of,
    moments_of,
    partitions,
)

# An exchangeable law: a shared sign flips all features, each of which has its own value.
OWN, SHARED = (Fraction(0), Fraction(1), Fraction(3)), (Fraction(1), Fraction(-2))


def ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def toy_joint(weights: Sequence[int]) -> arb:
    total = Fraction(0)
    for shared in SHARED:
        term = Fraction(1, len(SHARED))
        for a in weights:
            term *= sum((shared * x) ** a for x in OWN) / len(OWN)
        total += term
    return ball(total)


def toy_blocks(size: int) -> Counter[Fraction]:
    law: Counter[Fraction] = Counter()
    for shared in SHARED:
        for own in product(OWN, repeat=size):
            law[shared * sum(own)] += 1
    return law


def enumerated(order: int, sizes: list[int]) -> Fraction:
    law: Counter[Fraction] = Counter({Fraction(0): 1})
    for size in sizes:
        step: Counter[Fraction] = Counter()
        for (a, n), (b, k) in product(law.items(), toy_blocks(size).items()):
            step[a + b] += n * k
        law = step
    count, m = sum(law.values()), sum(sizes)
    mean = sum(x * n for x, n in law.items()) / (count * m)
    return sum(((x / m - mean) ** order * n for x, n in law.items()), Fraction(0)) / count


@pytest.mark.parametrize("sizes", [[1], [1, 1, 1], [3], [2, 2], [3, 3, 1]])
def test_central_moments_by_enumeration(sizes: list[int]) -> None:
    found = central_moments(6, Counter(sizes), toy_joint)
    assert len(found) == 7
    for order, value in enumerate(found):
        exact = ball(enumerated(order, sizes))
        assert value.overlaps(exact)
        assert not value.overlaps(exact + arb("1e-9"))  # the twin: a shift that must be seen


def test_wrong_joint_moments_are_seen() -> None:
    def independent(weights: Sequence[int]) -> arb:
        return math.prod((toy_joint((a,)) for a in weights), start=arb(1))

    assert not central_moments(2, {3: 1}, independent)[2].overlaps(ball(enumerated(2, [3])))
    assert central_moments(2, {1: 2}, independent)[2].overlaps(ball(enumerated(2, [1, 1])))


@pytest.mark.parametrize(("order", "m"), [(1, 1), (4, 2), (4, 5), (6, 3)])
def test_arrangements_by_enumeration(order: int, m: int) -> None:
    seen = Counter(
        tuple(sorted(Counter(indices).values(), reverse=True)) for indices in product(range(m), repeat=order)
    )
    assert {a: arrangements(a, m) for a in partitions(order) if arrangements(a, m)} == dict(seen)


def test_number_of_partitions() -> None:
    assert [len(partitions(n)) for n in range(9)] == [1, 1, 2, 3, 5, 7, 11, 15, 22]


@pytest.mark.parametrize(("m", "d"), [(1, 1), (1, 64), (10, 4), (64, 64), (65, 64), (7, 2)])
def test_blocks_and_coupled_pairs(m: int, d: int) -> None:
    block = [i // d for i in range(m)]
    assert block_sizes(m, d) == Counter(Counter(block).values())
    assert coupled_pairs(m, d) == sum(i != j and block[i] == block[j] for i in range(m) for j in range(m))


def test_cumulants_of_a_poisson_variable_and_back() -> None:
    bell = [1, 1, 2, 5, 15, 52, 203, 877, 4140]  # raw moments of Poisson(1); all its cumulants are 1
    cumulants = cumulants_of([arb(b) for b in bell])
    assert all(value == 1 for value in cumulants[1:])
    assert cumulants[0] == 0
    assert [int(x.unique_fmpz()) for x in moments_of(cumulants)] == bell
