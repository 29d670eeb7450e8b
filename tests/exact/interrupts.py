"""Certified computations of every kind, and what comes out of them when they are broken off at a random moment."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import accumulate, count
from types import FrameType
from typing import Any

import sympy
from flint import acb, arb, ctx

from rftheory.exact import find_formula
from rftheory.exact.enclosure import certified_integral, certified_sum, certify
from rftheory.exact.evaluate import evaluate
from rftheory.exact.search import (
    Box,
    Smooth,
    certified_maximum,
    holds_on_box,
    positive,
)
from tests.exact.roots import certified_root

T = sympy.Symbol("t", real=True)
U = sympy.Symbol("u", real=True)


class BrokenOff(BaseException):
    """What the signal of these tests raises; like an interrupt it is no ``Exception``."""


def formula(name: str, route: str, digits: int = 20, **values: object) -> Callable[[], arb | acb]:
    return lambda: find_formula(name).enclose(digits, route=route, **values).ball


def integral() -> arb:
    with ctx.workprec(2000):  # most of the time is spent in C, between two calls of the integrand
        return certified_integral(lambda z, _: (z * z).sin(), 0, 3)


def series() -> arb:
    terms = accumulate(count(1), lambda t, k: t * 50 / k, initial=arb(1))
    return certify(lambda: certified_sum(terms, lambda k: arb(50) / (k + 1)), 100).ball


def nested_integral() -> arb | acb:
    inner = sympy.Integral(sympy.exp(T * U), (U, 0, 1))
    return certify(lambda: evaluate(sympy.Integral(inner, (T, 0, 1))), 4).ball


def root() -> arb:
    return certified_root(Smooth.of(sympy.cos(T) - T, T), 0, 1, digits=60).ball


def maximum() -> arb:
    return certified_maximum(
        Smooth.of(T * sympy.exp(-T) * sympy.cos(T), T), Box.of((0, 3)), digits=30
    ).value.ball


def statement() -> arb:
    log = holds_on_box(positive(Smooth.of(sympy.exp(T) - 1 - T - T**2 / 3, T), strict=False), Box.of((0, 2)))
    return arb(1 if log.holds else 0)


JOBS: dict[str, Callable[[], arb | acb]] = {
    "quadrature": integral,
    "nested quadrature": nested_integral,
    "series": series,
    "root": root,
    "maximum on a box": maximum,
    "statement on a box": statement,
    "half-line integral": formula("mean_log_gain", "integral", 5, d=8, sigma=1, offset=3),
    "integral by parts": formula("mean_log_gain", "by parts", 5, d=8, sigma=1, offset=3),
    "density": formula("gerf_tail", "density", 3, d=3, A="-1/100", v=3, z=1, eps="1/2"),
    "mixture": formula("gerf_tail", "Poisson mixture", d=3, A="-1/100", v=3, z=1, eps="1/2"),
    "threshold": formula("z_crit", "series (26)", d=20),
    "Legendre transform": formula("gerf_legendre", "integral", 10, d=3, A="-1/10", v=1, z=1, eps="1/2"),
    "joint moments": formula("orf_conformity", "joint moments", d=5, v=1),
    "smallest number": formula("rr_features", "search", d=3, eps="1/10", delta="1/20", sigma=1, diam=1),
}


def shoot(job: Callable[[], Any], right: arb | acb, moments: Iterator[float]) -> Counter[str]:
    """Outcomes of a job that a signal breaks off after each of the given times."""
    found: Counter[str] = Counter()
    for moment in moments:
        try:
            with broken_off_after(moment):
                outcome = "right" if acb(job()).overlaps(acb(right)) else "WRONG"
        except BrokenOff:
            outcome = "broken off"
        except BaseException as error:  # what must not happen is what is counted
            outcome = type(error).__name__
        found[outcome] += 1
    return found


@contextmanager
def broken_off_after(seconds: float) -> Iterator[None]:
    def answer(number: int, frame: FrameType | None) -> None:
        raise BrokenOff

    before = signal.signal(signal.SIGALRM, answer)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)


def moments(job: Callable[[], Any], shots: int, seed: int) -> Iterator[float]:
    """Random moments between the start and the end of a job."""
    start = time.perf_counter()
    job()
    length = Fraction(time.perf_counter() - start)
    rng = random.Random(seed)
    return (max(float(length) * rng.random(), 1e-6) for _ in range(shots))
