"""Compiled CPU kernel for one vector (extra ``fast``): each block needs a point of the sphere, no frame.

It gives the estimates of `rftheory.sample.kernels_numba` for orthogonal and simplex blocks, from the same words of the
portable stream and to rounding, in seven to eight tenths of the time:

* two groups of words are computed side by side, since one alone waits for its own multiplications; the first two
  rounds of Philox are shared by all groups of a lane, because they see the block number through three words;
* directions are drawn, squared and summed in chunks of rows that stay in the fastest cache, and scaled when they are
  used;
* norms, values and exponentials follow in such chunks, in short loops one after the other: a loop that does all of it
  is a tenth slower. Exponentials are powers of two. Where some could overflow, the largest value so far is carried
  from chunk to chunk.

A lane is one block; a row holds one number of every lane.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from rftheory.sample.chi import SMOOTH_FROM, polynomial, polynomial32
from rftheory.sample.compiler import Compiler
from rftheory.sample.kernels_numba import (
    LENGTHS,
    LOW_WORD,
    MULTIPLIERS,
    POSITIVE,
    SIMPLEX,
    TRIGONOMETRIC,
    WORD_BITS,
    Functions,
    by_length,
    eight_rounds,
    horner,
    key_schedule,
    padded,
    shared_functions,
)
from rftheory.sample.stream import DIRECTIONS, NORMS

WIDTHS = {"float32": 512, "float64": 256}
"""The most lanes in a row."""

_STEP = 32
"""Lanes come in multiples of this, so that every loop consists of whole vectors."""

_CHUNK = 8
"""Number of rows of directions or norms processed at a time."""


def _fitted(function: Callable[[np.ndarray], np.ndarray], degree: int) -> np.ndarray:
    """Coefficients of a polynomial that approximates the function on [0, 1/4]."""
    series = chebyshev.Chebyshev.interpolate(function, degree, domain=[0, 0.25])
    return series.convert(kind=np.polynomial.Polynomial).coef.astype(np.float32)


_SINE = _fitted(lambda z: np.pi * np.sinc(np.sqrt(z)), 4)
"""sin(pi t) / t in powers of t^2, for t within 1/2."""

_COSINE = _fitted(lambda z: np.cos(np.pi * np.sqrt(z)), 5)


class _Drawing:
    """Words of the portable stream, and their uniforms and angles."""

    def __init__(self, functions: Functions, real: Any) -> None:
        compiled, (first_factor, second_factor) = functions.compiled, MULTIPLIERS
        log, wide_uniform, wide_cos_sin = functions.log, functions.uniform, functions.cos_sin
        cell, half_cell, wide = np.float32(2.0**-31), np.float32(2.0**-32), real is np.float64
        one, two, bit = np.float32(1), real(2), np.uint64(1)
        sine_degree, cosine_degree = _SINE.size - 1, _COSINE.size - 1

        @compiled.inline
        def space(words, numbers, width):  # type: ignore[no-untyped-def]
            """Rows of words and at least as many of numbers as asked for, in one piece.

            A load waits for an earlier store whose address ends in the same twelve bits, and rows at chance distances
            have many such pairs: that costs up to a fifth of the time.
            """
            whole = np.empty((words + numbers, width), np.uint64)
            return whole[:words], whole[words:].view(real).reshape(-1, width)

        @compiled
        def two_rounds(seen, start, lane, key):  # type: ignore[no-untyped-def]
            """The first two rounds, as far as they depend on the block numbers start + l, (3, lanes)."""
            crossed, high, low = seen[0], seen[1], seen[2]
            for l in range(crossed.size):
                right = ((start + np.uint64(l)) & LOW_WORD) * second_factor
                left = (((right >> WORD_BITS) ^ lane ^ key[0]) & LOW_WORD) * first_factor
                crossed[l] = right & LOW_WORD
                high[l] = (left >> WORD_BITS) ^ key[3]
                low[l] = left & LOW_WORD

        @compiled.inline
        def of_group(group, high, key):  # type: ignore[no-untyped-def]
            """The first two rounds, as far as they depend on the group and the high word of the block number."""
            left = group * first_factor
            right = (((left >> WORD_BITS) ^ high ^ key[1]) & LOW_WORD) * second_factor
            return (right >> WORD_BITS) ^ key[2], right & LOW_WORD, left & LOW_WORD

        @compiled.inline
        def uniform(word, next_word):  # type: ignore[no-untyped-def]
            """31 bits, in the middle of their cells of (0, 1); signed words are converted in one instruction."""
            if wide:
                return wide_uniform(word, next_word)
            return np.float32(np.int32(word >> bit)) * cell + half_cell

        @compiled.inline
        def turns(word, next_word):  # type: ignore[no-untyped-def]
            """The same cells as an angle in turns from -1/2 to 1/2; in float64 from 0 to 1."""
            if wide:
                return wide_uniform(word, next_word)
            return np.float32(np.int32(word)) * half_cell

        @compiled
        def two_groups(rows, i, seen, group, high, key):  # type: ignore[no-untyped-def]
            first, second, third, fourth = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
            crossed, upper, lower = seen[0], seen[1], seen[2]
            a0, a1, a3 = of_group(group, high, key)
            b0, b1, b3 = of_group(group + bit, high, key)
            for l in range(first.size):
                w0, w1, w2, w3 = eight_rounds(crossed[l] ^ a0, a1, upper[l] ^ a3, lower[l], key)
                v0, v1, v2, v3 = eight_rounds(crossed[l] ^ b0, b1, upper[l] ^ b3, lower[l], key)
                first[l], second[l] = uniform(w0, w1), turns(w2, w3)
                third[l], fourth[l] = uniform(v0, v1), turns(v2, v3)

        @compiled
        def draw(rows, slot, count, seen, high, key):  # type: ignore[no-untyped-def]
            """Fill rows with (uniform, turns) of count slots from an even slot on, up to a multiple of four."""
            for i in range(0, count, 4):
                two_groups(rows, i, seen, np.uint64((slot + i) // 2), high, key)

        @compiled.inline
        def cos_sin(t):  # type: ignore[no-untyped-def]
            """Cosine and sine of 2 pi t, in float32 for t within 1/2, from those of half the angle."""
            if wide:
                return wide_cos_sin(t)
            z = t * t
            sine, cosine = _SINE[sine_degree], _COSINE[cosine_degree]
            for i in range(sine_degree - 1, -1, -1):
                sine = sine * z + _SINE[i]
            for i in range(cosine_degree - 1, -1, -1):
                cosine = cosine * z + _COSINE[i]
            sine = sine * t
            return one - (sine + sine) * sine, (sine + sine) * cosine

        @compiled.inline
        def normals(u, t):  # type: ignore[no-untyped-def]
            radius = np.sqrt(-two * log(u))
            cosine, sine = cos_sin(t)
            return radius * cosine, radius * sine

        @compiled
        def in_place(rows, i):  # type: ignore[no-untyped-def]
            first, second = rows[i], rows[i + 1]
            for l in range(first.size):
                first[l], second[l] = normals(first[l], second[l])

        self.compiled, self.space, self.two_rounds, self.draw = compiled, space, two_rounds, draw
        self.cos_sin, self.normals, self.in_place = cos_sin, normals, in_place


class _Summing:
    """Points and sums over features, each loop in its own function so that it becomes vector instructions."""

    def __init__(self, drawing: _Drawing, functions: Functions, real: Any) -> None:
        compiled, draw, normals = drawing.compiled, drawing.draw, drawing.normals
        cos_sin = drawing.cos_sin
        power_of_two, fading = functions.power_of_two, functions.fading
        wide_log, log_2 = shared_functions(np.float64).log, math.log(2.0)
        zero, half, per_turn = real(0), real(0.5), real(1 / (2 * math.pi))

        @compiled
        def point(rows, i, squares, sums):  # type: ignore[no-untyped-def]
            first, second = rows[i], rows[i + 1]
            for l in range(first.size):
                x, y = normals(first[l], second[l])
                first[l], second[l] = x, y
                squares[l] += x * x + y * y
                sums[l] += x + y

        @compiled
        def last_point(rows, i, squares, sums):  # type: ignore[no-untyped-def]
            first, second = rows[i], rows[i + 1]
            for l in range(first.size):
                x, _ = normals(first[l], second[l])
                first[l] = x
                squares[l] += x * x
                sums[l] += x

        @compiled
        def points(rows, slot, count, seen, high, key, squares, sums):  # type: ignore[no-untyped-def]
            """Fill rows with the normals of count slots from an even slot on, and add their squares and themselves."""
            draw(rows, slot, count, seen, high, key)
            for i in range(0, count - 1, 2):
                point(rows, i, squares, sums)
            if count % 2:
                last_point(rows, count - 1, squares, sums)

        @compiled
        def scales(squares, sums, coordinate):  # type: ignore[no-untyped-def]
            """Replace squares and sums by the factors for orthogonal directions, without shifts."""
            for l in range(squares.size):
                squares[l] = coordinate / np.sqrt(squares[l])
                sums[l] = zero

        @compiled
        def simplex_scales(squares, sums, drawn, d, coordinate, mean, own, common):  # type: ignore[no-untyped-def]
            """Factors and shifts that turn g_i into (S g)_i for i < d, and change g_d so that they do so for d too."""
            last = drawn[d - 1]
            for l in range(squares.size):
                length = coordinate / np.sqrt(squares[l])
                along = mean * (sums[l] - last[l])
                last[l] = (along + common * along) / own
                squares[l] = own * length
                sums[l] = common * along * length

        @compiled
        def rescale(total, peak, largest):  # type: ignore[no-untyped-def]
            for l in range(total.size):
                total[l] *= np.float64(fading(peak[l] - largest[l]))
                peak[l] = largest[l]

        @compiled
        def raise_to(largest, rows, i):  # type: ignore[no-untyped-def]
            row = rows[i]
            for l in range(row.size):
                largest[l] = row[l] if row[l] > largest[l] else largest[l]

        @compiled
        def shifted_power(rows, i, peak):  # type: ignore[no-untyped-def]
            row = rows[i]
            for l in range(row.size):
                row[l] = fading(row[l] - peak[l])

        @compiled
        def four_powers(rows, i):  # type: ignore[no-untyped-def]
            """Replace the first of four rows by the sum of their powers of two."""
            first, second, third, fourth = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
            for l in range(first.size):
                left = power_of_two(first[l]) + power_of_two(second[l])
                right = power_of_two(third[l]) + power_of_two(fourth[l])
                first[l] = left + right

        @compiled
        def one_power(rows, i):  # type: ignore[no-untyped-def]
            row = rows[i]
            for l in range(row.size):
                row[l] = power_of_two(row[l])

        @compiled
        def add(total, rows, i):  # type: ignore[no-untyped-def]
            """Apart from what makes the row: a loop with float64 has only half as many lanes in a vector."""
            row = rows[i]
            for l in range(total.size):
                total[l] += np.float64(row[l])

        @compiled
        def logarithms(total, peak, m):  # type: ignore[no-untyped-def]
            """Replace sums of powers of two by the logarithms of their means."""
            for l in range(total.size):
                total[l] = log_2 * np.float64(peak[l]) + wide_log(total[l] / m)

        @compiled
        def cosine(rows, i):  # type: ignore[no-untyped-def]
            row = rows[i]
            for l in range(row.size):
                t = row[l] * per_turn
                row[l], _ = cos_sin(t - np.floor(t + half))

        self.points, self.scales, self.simplex_scales = points, scales, simplex_scales
        self.rescale, self.raise_to, self.logarithms, self.add = rescale, raise_to, logarithms, add
        self.four_powers, self.one_power, self.shifted_power = four_powers, one_power, shifted_power
        self.cosine = cosine


def _make_value(compiled: Compiler, terms: int) -> Any:
    polynomial = horner(compiled, terms)

    @compiled
    def value(c, rows, j, drawn, i, scale, shift):  # type: ignore[no-untyped-def]
        row, direction = rows[j], drawn[i + j]
        for l in range(row.size):
            row[l] = polynomial(row[l], c) * (direction[l] * scale[l] - shift[l])

    @compiled
    def values(c, rows, count, drawn, i, scale, shift):  # type: ignore[no-untyped-def]
        """Replace normals by values: norms, by chi polynomials, times directions."""
        for j in range(count):
            value(c, rows, j, drawn, i, scale, shift)

    return values


_TYPES: dict[str, Any] = {"float32": np.float32, "float64": np.float64}


@lru_cache
def _parts(name: str) -> tuple[_Drawing, _Summing]:
    """The parts shared by all kernels of a type, compiled only once."""
    functions = shared_functions(_TYPES[name])
    drawing = _Drawing(functions, _TYPES[name])
    return drawing, _Summing(drawing, functions, _TYPES[name])


@lru_cache
def _kernel(name: str) -> Callable[..., None]:
    """The kernel for one type; compiled at its first call."""
    drawing, summing = _parts(name)
    values = by_length(_make_value, name, LENGTHS[name])
    compiled, space, two_rounds = drawing.compiled, drawing.space, drawing.two_rounds
    draw, in_place, cosine = drawing.draw, drawing.in_place, summing.cosine
    points, scales, simplex_scales = summing.points, summing.scales, summing.simplex_scales
    raise_to, rescale, logarithms, add = summing.raise_to, summing.rescale, summing.logarithms, summing.add
    four_powers, one_power, shifted_power = summing.four_powers, summing.one_power, summing.shifted_power
    real, zero = _TYPES[name], _TYPES[name](0)
    directions, norms = np.uint64(DIRECTIONS), np.uint64(NORMS)

    @compiled
    def directed(drawn, slot, seen, high, key, squares, sums, d, simplex, coordinate):  # type: ignore[no-untyped-def]
        """Draw the normals of a block; leave factors and shifts in squares and sums."""
        squares[:] = zero
        sums[:] = zero
        for i in range(0, d, _CHUNK):
            points(drawn[i:], slot + i, min(_CHUNK, d - i), seen, high, key, squares, sums)
        if simplex:
            mean = real(1.0 / np.sqrt(d - 1.0))
            own, common = real(np.sqrt(d / (d - 1.0))), real((np.sqrt(np.float64(d)) + 1.0) / (d - 1.0))
            simplex_scales(squares, sums, drawn, d, coordinate, mean, own, common)
        else:
            scales(squares, sums, coordinate)

    @compiled
    def add_shifts(total, peak, largest, rows, count):  # type: ignore[no-untyped-def]
        """Add powers of two beside the largest so far, so that nothing overflows."""
        for i in range(count):
            raise_to(largest, rows, i)
        rescale(total, peak, largest)
        for i in range(count):
            shifted_power(rows, i, peak)
            add(total, rows, i)

    @compiled
    def add_powers(total, rows, count):  # type: ignore[no-untyped-def]
        whole = count - count % 4
        for i in range(0, whole, 4):
            four_powers(rows, i)
            add(total, rows, i)
        for i in range(whole, count):
            one_power(rows, i)
            add(total, rows, i)

    @compiled.kept
    def estimates(out, start, key, d, m, simplex, cosines, moderate, coordinate, c, width):  # type: ignore[no-untyped-def]
        words, numbers = space(7, 4 + _CHUNK + d + 3, width)
        for_point, for_norms, total = words[:3], words[3:6], words[6].view(np.float64)
        squares, sums, peak, largest = numbers[0], numbers[1], numbers[2], numbers[3]
        rows, drawn = numbers[4 : 4 + _CHUNK], numbers[4 + _CHUNK :]
        high, least = start >> WORD_BITS, zero if moderate else real(-1e30)
        for tile in range(0, out.size, width):
            two_rounds(for_point, start + np.uint64(tile), directions, key)
            two_rounds(for_norms, start + np.uint64(tile), norms, key)
            peak[:] = least
            largest[:] = least
            total[:] = 0.0
            for base in range(0, m, d):
                directed(drawn, base, for_point, high, key, squares, sums, d, simplex, coordinate)
                for i in range(0, min(d, m - base), _CHUNK):
                    count = min(_CHUNK, min(d, m - base) - i)
                    draw(rows, base + i, count, for_norms, high, key)
                    for j in range(0, count, 2):
                        in_place(rows, j)
                    values(c, rows, count, drawn, i, squares, sums)
                    if cosines:
                        for j in range(count):
                            cosine(rows, j)
                            add(total, rows, j)
                    elif moderate:
                        add_powers(total, rows, count)
                    else:
                        add_shifts(total, peak, largest, rows, count)
            if not cosines:
                logarithms(total, peak, m)
            for l in range(min(width, out.size - tile)):
                out[tile + l] = total[l] / m if cosines else total[l]

    made: Callable[..., None] = estimates
    return made


def _lanes(blocks: int, name: str) -> int:
    """The lanes in a row for so many blocks."""
    return min(WIDTHS[name], -(-blocks // _STEP) * _STEP)


def takes(d: int, m: int) -> bool:
    """Return whether the kernel supports this shape: smooth chi laws, and copies of a block that start at an even slot.

    Examples
    --------
    >>> takes(65, 65), takes(64, 640), takes(65, 66), takes(15, 15)
    (True, True, False, False)
    """
    return d >= SMOOTH_FROM and (m <= d or d % 2 == 0)


def estimates(
    key: int,
    blocks: range,
    d: int,
    m: int,
    coupling: int,
    feature: int,
    coordinate: float,
    moderate: bool = False,
    name: str = "float32",
) -> np.ndarray:
    """Return log means of exp(w_i . v) (positive) or means of cos(w_i . v) over the m projections, (B,).

    Parameters
    ----------
    d, m : accepted by :func:`takes`.
    coupling, feature : as in `rftheory.sample.kernels_numba`, not independent.
    coordinate : the vector v in an orthonormal frame of one vector.
    moderate : whether all |w_i . v| are known to be at most 600 (64 in float32), so that no largest is subtracted.
    name : ``"float32"`` or ``"float64"``, the type of the arithmetic.

    Examples
    --------
    >>> from rftheory.sample.kernels_numba import ORTHOGONAL, POSITIVE
    >>> found = estimates(7, range(2000), 64, 64, ORTHOGONAL, POSITIVE, 1.0)
    >>> bool(abs(np.exp(found - 0.5).mean() - 1) < 0.02)
    True
    """
    chi = polynomial32(d) if name == "float32" else polynomial(d)
    if feature == POSITIVE:
        coordinate /= math.log(2.0)
    out = np.empty(len(blocks))
    width = _lanes(len(blocks), name)
    # The kernel assumes that all block numbers have the same high word.
    cuts = range((blocks.start // 2**32 + 1) * 2**32, blocks.stop, 2**32)
    for first, stop in pairwise([blocks.start, *cuts, blocks.stop]):
        _kernel(name)(
            out[first - blocks.start : stop - blocks.start],
            np.uint64(first),
            key_schedule(key),
            d,
            m,
            coupling == SIMPLEX,
            feature == TRIGONOMETRIC,
            moderate,
            _TYPES[name](coordinate),
            padded(chi, _TYPES[name]),
            width,
        )
    return out


@lru_cache
def _sums(name: str) -> Callable[..., None]:
    drawing, summing = _parts(name)
    compiled, space, two_rounds, points = drawing.compiled, drawing.space, drawing.two_rounds, summing.points
    real, directions = _TYPES[name], np.uint64(DIRECTIONS)

    @compiled.kept
    def fill(out, start, key, count, width):  # type: ignore[no-untyped-def]
        seen, numbers = space(3, 2 + _CHUNK, width)
        squares, sums, rows = numbers[0], numbers[1], numbers[2:]
        squares[:] = real(0)
        for tile in range(0, out.size, width):
            two_rounds(seen, start + np.uint64(tile), directions, key)
            sums[:] = real(0)
            for i in range(0, count, _CHUNK):
                points(rows, i, min(_CHUNK, count - i), seen, start >> WORD_BITS, key, squares, sums)
            for l in range(min(width, out.size - tile)):
                out[tile + l] = sums[l]

    made: Callable[..., None] = fill
    return made


def normal_sums(key: int, blocks: range, count: int, name: str = "float32") -> np.ndarray:
    """Return the sums of the first normals of the directions of each block, (B,); blocks below 2^32.

    Drawing them takes nearly all the time, so this is a lower bound on the time of any estimate from this stream.

    Examples
    --------
    >>> from rftheory.sample import Stream
    >>> exact = Stream(7).normals(range(50), 9).sum(1)
    >>> bool(np.abs(normal_sums(7, range(50), 9) - exact).max() < 1e-3)
    True
    """
    out, width = np.empty(len(blocks)), _lanes(len(blocks), name)
    _sums(name)(out, np.uint64(blocks.start), key_schedule(key), count, width)
    return out
