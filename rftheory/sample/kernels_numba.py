"""Compiled CPU kernels (extra ``fast``): draw, project, exponentiate and sum without leaving the cache.

The draws are those of the portable stream: Philox4x32-10, Box-Muller, chi as a smooth function of a normal or, for
fewer than 16 degrees of freedom, from logarithms of uniforms, frames by Gram-Schmidt. In float64 they equal the array
path to rounding; in float32 the uniforms keep 32 bits, the arithmetic is float32 and the sums are float64.
`rftheory.sample.fused` holds the array version and chooses.

Blocks are processed side by side, one in each lane of a row of numbers, so that every arithmetic loop runs over
contiguous numbers and the compiler turns it into vector instructions. For the same reason the elementary functions
are written without branches. In float64 each is accurate to a few units in the last place over its range of use.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.polynomial import chebyshev
from scipy import special

from rftheory.sample.chi import LONGEST
from rftheory.sample.compiler import Compiler
from rftheory.sample.simplex_plus import LOPSIDED, first_sweep_apart
from rftheory.sample.stream import DIRECTIONS, NORMS, RESIDUALS, WORD, round_keys

LANES = {"float32": 128, "float64": 64}
"""Numbers in a row; known to the compiler, which makes short loops of them in this way."""

LENGTHS = {"float32": (6, 9, 14), "float64": (14, 20, 28, LONGEST)}
"""Numbers of coefficients for which chi polynomials are unrolled; shorter ones are padded with zeros."""

_CHI_ROWS = 18
"""Uniforms of two chis of 15 degrees of freedom: seven each, and two for a normal."""

INDEPENDENT, ORTHOGONAL, SIMPLEX = range(3)
POSITIVE, TRIGONOMETRIC, VALUES, FRAMES = range(4)

WORD_BITS, LOW_WORD = np.uint64(32), np.uint64(0xFFFFFFFF)
MULTIPLIERS = _M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_U12, _U20 = np.uint64(12), np.uint64(20)

_words, _sweeps = Compiler("words"), Compiler("float64")


def _bitcast(source: Any, target: Any, llvm: Any) -> Any:
    """An intrinsic that reads the bits of one type as another."""

    @intrinsic  # type: ignore[untyped-decorator]
    def cast(typing_context: Any, x: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], llvm)

        return target(source), code

    return cast


_BITS = {
    "float64": (_bitcast(types.float64, types.uint64, ir.IntType(64)),
        _bitcast(types.uint64, types.float64, ir.DoubleType())),
    "float32": (_bitcast(types.float32, types.uint32, ir.IntType(32)),
        _bitcast(types.uint32, types.float32, ir.FloatType()))}  # fmt: skip


@_words.inline
def _philox_round(c0, c1, c2, c3, k0, k1):  # type: ignore[no-untyped-def]
    """One round; only the low halves of the words matter."""
    left, right = (c0 & LOW_WORD) * _M0, (c2 & LOW_WORD) * _M1
    return (right >> WORD_BITS) ^ c1 ^ k0, right, (left >> WORD_BITS) ^ c3 ^ k1, left


@_words.inline
def eight_rounds(c0, c1, c2, c3, k):  # type: ignore[no-untyped-def]
    """The last eight of the ten rounds, with the key schedule k, (20,), from counter words to 32-bit words.

    Examples
    --------
    >>> words = eight_rounds(*np.zeros(4, dtype=np.uint64), key_schedule(0))
    >>> len(words), max(words) < 2**32
    (4, True)
    """
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[4], k[5])
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[6], k[7])
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[8], k[9])
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[10], k[11])
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[12], k[13])
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[14], k[15])
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[16], k[17])
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[18], k[19])
    return c0 & LOW_WORD, c1 & LOW_WORD, c2 & LOW_WORD, c3 & LOW_WORD


@_words.inline
def _philox(c0, c1, c2, c3, k):  # type: ignore[no-untyped-def]
    """Philox4x32-10 with the key schedule k, (20,)."""
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[0], k[1])
    c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k[2], k[3])
    return eight_rounds(c0, c1, c2, c3, k)


def _powers_of_two(degree: int) -> np.ndarray:
    """Coefficients of a polynomial for 2^x, |x| <= 1/2: relative errors 2e-16 for degree 10, 8e-8 for degree 5.

    They are those of its Chebyshev series, whose coefficients are modified Bessel functions of log(2) / 2.
    """
    series = special.iv(range(degree + 1), math.log(2.0) / 2) * np.where(np.arange(degree + 1), 2, 1)
    exact = chebyshev.cheb2poly(np.array([Fraction(c) for c in series], dtype=object))
    return np.array([float(c * 2**n) for n, c in enumerate(exact)])


class Functions:
    """Branch-free elementary functions of one floating type, np.float64 or np.float32.

    uniform takes two words, log a normal number above 0, cos_sin an angle in turns, power_of_two an exponent of at most
    1000 (100 in float32) in size. fading is the same for any exponent up to 0: those below are cut off at -1000 (-100).

    Examples
    --------
    >>> f = Functions(np.float64)
    >>> bool(abs(f.log(2.5) - np.log(2.5)) < 1e-15), bool(abs(f.power_of_two(1.3) - 2**1.3) < 1e-15)
    (True, True)
    """

    def __init__(self, real: Any) -> None:
        compiled, wide = Compiler(real.__name__), real is np.float64
        bits_of, number_of = _BITS[real.__name__]
        word = np.uint64 if wide else np.uint32
        shift, bias = word(52 if wide else 23), 1023 if wide else 127
        mantissa_mask = word((1 << int(shift)) - 1)
        one_bits = word(bias << int(shift))
        whole = 2.0 ** int(shift)
        whole_bits = word((bias + int(shift)) << int(shift))
        whole_and_bias = real(whole + bias)
        below_one = 1.0 - 2.0**-53  # of the double 1 + n 2^-52 it leaves (n + 1/2) 2^-52, exactly
        double_of, double_one = _BITS["float64"][1], np.uint64(0x3FF0000000000000)
        half, one, two, four, quarter = (real(x) for x in (0.5, 1, 2, 4, 0.25))
        high = real(6.93147180369123816490e-01 if wide else 0.693359375)
        low = real(math.log(2.0) - float(high)) if not wide else real(1.90821492927058770002e-10)
        root2, turn = real(math.sqrt(2.0)), real(2 * math.pi)
        least, rounds = real(-1000 if wide else -100), real(1.5 * whole)
        half_unit = real(2.0**-32)
        atanh = np.array([1 / (2 * i + 1) for i in range(1, 11 if wide else 6)], dtype=real)
        sines = np.array(
            [(-1) ** i / math.factorial(2 * i + 1) for i in range(1, 9 if wide else 5)], dtype=real
        )
        cosines = np.array(
            [(-1) ** i / math.factorial(2 * i) for i in range(1, 9 if wide else 6)], dtype=real
        )
        powers = _powers_of_two(10 if wide else 5).astype(real)
        last_atanh, last_sine, last_cosine = (array.size - 1 for array in (atanh, sines, cosines))
        exponential = horner(Compiler(f"{real.__name__}-{powers.size}"), powers.size)

        @compiled.inline
        def uniform(first, second):  # type: ignore[no-untyped-def]
            if wide:
                return double_of((first << _U20) | (second >> _U12) | double_one) - below_one
            # 31 bits in the middle of their cells; the conversion of a signed word is one instruction
            return (np.float32(np.int32(first >> np.uint64(1))) + half) * (two * half_unit)

        @compiled.inline
        def log(x):  # type: ignore[no-untyped-def]
            """log x for normal x > 0: 2 atanh((m - 1) / (m + 1)) with m in (sqrt(1/2), sqrt(2)]."""
            bits = bits_of(x)
            exponent = number_of(word(bits >> shift) | whole_bits) - whole_and_bias
            mantissa = number_of(word(bits & mantissa_mask) | one_bits)
            large = mantissa > root2
            mantissa = half * mantissa if large else mantissa
            exponent = exponent + one if large else exponent
            s = (mantissa - one) / (mantissa + one)
            z = s * s
            p = atanh[last_atanh]
            for i in range(last_atanh - 1, -1, -1):
                p = p * z + atanh[i]
            return exponent * high + (two * s + (two * s * z * p + exponent * low))

        @compiled.inline
        def cos_sin(turns):  # type: ignore[no-untyped-def]
            """Cosine and sine of 2 pi turns."""
            steps = np.floor(four * turns + half)
            angle = turn * (turns - quarter * steps)
            z = angle * angle
            sine, cosine = sines[last_sine], cosines[last_cosine]
            for i in range(last_sine - 1, -1, -1):
                sine = sine * z + sines[i]
            for i in range(last_cosine - 1, -1, -1):
                cosine = cosine * z + cosines[i]
            sine, cosine = angle + angle * z * sine, one + z * cosine
            odd = steps - two * np.floor(half * steps)
            place = steps - four * np.floor(quarter * steps)
            c, s = (cosine if odd < half else sine), (sine if odd < half else cosine)
            # minus the cosine in the second and third quarter, minus the sine in the last two
            c = -c if np.abs(place - (one + half)) < one else c
            s = -s if place > one + half else s
            return c, s

        @compiled.inline
        def power_of_two(x):  # type: ignore[no-untyped-def]
            shifted = x + rounds  # the nearest whole number, in the last bits
            p = exponential(x - (shifted - rounds), powers)
            return number_of(word(bits_of(p) + word(bits_of(shifted) << shift)))

        @compiled.inline
        def fading(x):  # type: ignore[no-untyped-def]
            return power_of_two(x if x > least else least)

        self.compiled, self.uniform, self.log, self.cos_sin = compiled, uniform, log, cos_sin
        self.power_of_two, self.fading = power_of_two, fading


@lru_cache
def shared_functions(real: Any) -> Functions:
    """Return the functions of a type, compiled once for all kernels that are compiled in a process.

    Examples
    --------
    >>> shared_functions(np.float64) is shared_functions(np.float64)
    True
    """
    return Functions(real)


class _Rows:
    """Loops over the lanes of one or two rows, each in its own function so that it becomes vector instructions.

    Inside the loops over rows they would share one check for overlapping memory with all rows of an array,
    which do overlap, and none of them would be vectorised.
    """

    def __init__(self, f: Functions, real: Any) -> None:
        compiled, uniform, log, cos_sin, fading = f.compiled, f.uniform, f.log, f.cos_sin, f.fading
        one, two, per_turn, lanes = real(1), real(2), real(1 / (2 * math.pi)), LANES[real.__name__]
        wide, tiny = real is np.float64, real(1e-18)

        @compiled
        def uniforms(first, second, group, start, lane, key):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                block = start + np.uint64(l)
                w0, w1, w2, w3 = _philox(group, lane, block, block >> WORD_BITS, key)
                first[l] = uniform(w0, w1)
                second[l] = uniform(w2, w3)

        @compiled
        def radius(u):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                u[l] = np.sqrt(-two * log(u[l]))

        @compiled
        def polar(first, second):  # type: ignore[no-untyped-def]
            """(radius, turns) to Cartesian coordinates, in place."""
            for l in range(lanes):
                length = first[l]
                cosine, sine = cos_sin(second[l])
                first[l] = length * cosine
                second[l] = length * sine
                # In float32 a radius, a sine or a cosine may be 0, and a row of zeros has no direction; other
                # numbers are too large to change.
                if not wide:
                    first[l] += tiny
                    second[l] += tiny

        @compiled
        def scaled(row, source, factor):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                row[l] = factor * source[l]

        @compiled
        def add_scaled(row, source, factor):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                row[l] += factor * source[l]

        @compiled
        def times(row, factors):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                row[l] *= factors[l]

        @compiled
        def add_product(row, first, second):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                row[l] += first[l] * second[l]

        @compiled
        def subtract_product(row, first, second):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                row[l] -= first[l] * second[l]

        @compiled
        def lengthened(row, other):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                row[l] = np.sqrt(row[l] * row[l] + other[l] * other[l])

        @compiled
        def inverse_root(row):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                row[l] = one / np.sqrt(row[l])

        @compiled
        def mixed(row, last, own, common):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                row[l] = own * row[l] - common * last[l]

        @compiled
        def raise_to(largest, row):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                largest[l] = row[l] if row[l] > largest[l] else largest[l]

        @compiled
        def rescale(total, peak, largest):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                total[l] *= np.float64(fading(peak[l] - largest[l]))
                peak[l] = largest[l]

        @compiled
        def add_power(total, row, largest):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                total[l] += np.float64(fading(row[l] - largest[l]))

        @compiled
        def add_cos(total, row):  # type: ignore[no-untyped-def]
            for l in range(lanes):
                cosine, _ = cos_sin(row[l] * per_turn)
                total[l] += np.float64(cosine)

        self.compiled, self.uniforms, self.radius, self.polar, self.scaled, self.add_scaled = (
            compiled,
            uniforms,
            radius,
            polar,
            scaled,
            add_scaled,
        )
        self.times, self.add_product, self.subtract_product = times, add_product, subtract_product
        self.lengthened, self.inverse_root = lengthened, inverse_root
        self.mixed, self.raise_to = mixed, raise_to
        self.rescale, self.add_power, self.add_cos = rescale, add_power, add_cos


def _make_normals(rows: _Rows) -> Any:
    compiled, uniforms, radius, polar = rows.compiled, rows.uniforms, rows.radius, rows.polar

    @compiled
    def normals(out, start, count, lane, key):  # type: ignore[no-untyped-def]
        """Fill out[:count] with the normals of a lane's first slots, for blocks start + l; count + 1 rows."""
        for p in range((count + 1) // 2):
            first, second = out[2 * p], out[2 * p + 1]
            uniforms(first, second, np.uint64(p), start, lane, key)
            radius(first)
            polar(first, second)

    return normals


def horner(compiled: Compiler, terms: int) -> Any:
    """Return a function for polynomials of exactly this many coefficients.

    Horner's rule in z^2: each step waits for the one before, and there are half as many.

    Examples
    --------
    >>> polynomial = horner(Compiler("example"), 3)
    >>> polynomial(2.0, np.array([1.0, 0.0, 1.0]))
    5.0
    """
    odd = terms % 2

    @compiled.inline
    def polynomial(z, c):  # type: ignore[no-untyped-def]
        square = z * z
        value = c[terms - 1] if odd else c[terms - 1] * z + c[terms - 2]
        for k in range(terms - 4 + odd, -1, -2):
            value = value * square + (c[k + 1] * z + c[k])
        return value

    return polynomial


def by_length(make: Callable[[Compiler, int], Any], real: str, lengths: tuple[int, ...]) -> Any:
    """Return a function of coefficients and more: that of ``make`` for the first of at most four lengths to be enough.

    Examples
    --------
    >>> def make(compiled, terms):
    ...     @compiled
    ...     def count(c, out):
    ...         out[0] = terms
    ...
    ...     return count
    >>> out = np.zeros(1)
    >>> by_length(make, "example", (2, 5))(np.zeros(4), out), out
    (None, array([5.]))
    """
    functions = [make(Compiler(f"{real}-{terms}"), terms) for terms in lengths]
    first, second, third, last = (*functions, *3 * functions[-1:])[:4]
    shorter = (*lengths, *3 * lengths[-1:])[:3]

    @Compiler(f"{real}-{lengths}")
    def chosen(c, *more):  # type: ignore[no-untyped-def]
        if c.size <= shorter[0]:
            first(c, *more)
        elif c.size <= shorter[1]:
            second(c, *more)
        elif c.size <= shorter[2]:
            third(c, *more)
        else:
            last(c, *more)

    return chosen


def padded(series: tuple[float, ...], real: Any) -> np.ndarray:
    """Return coefficients with zeros after them, as many as the next of `LENGTHS`.

    Examples
    --------
    >>> padded((1.0, 2.0), np.float32).size, padded((), np.float32).size
    (6, 0)
    """
    array = np.zeros(min(size for size in (0, *LENGTHS[real.__name__]) if size >= len(series)), dtype=real)
    array[: len(series)] = series
    return array


def _make_smooth(lanes: int, compiled: Compiler, terms: int) -> Any:
    polynomial = horner(compiled, terms)

    @compiled
    def smooth(c, row):  # type: ignore[no-untyped-def]
        for l in range(lanes):
            row[l] = polynomial(row[l], c)

    return smooth


def _make_chis(rows: _Rows, normals: Any, real: Any) -> Any:
    compiled, uniforms, radius, polar = rows.compiled, rows.uniforms, rows.radius, rows.polar
    scaled, times, lengthened = rows.scaled, rows.times, rows.lengthened
    lanes, lengths, zero, one = LANES[real.__name__], LENGTHS[real.__name__], real(0), real(1)
    smooth = by_length(partial(_make_smooth, lanes), real.__name__, lengths)

    @compiled
    def chi(out, u, half, odd):  # type: ignore[no-untyped-def]
        """The root of twice a sum of ``half`` exponential variables and, if odd, the square of a normal."""
        if half:
            scaled(out, u[0], one)
            for i in range(1, half):
                times(out, u[i])
            radius(out)
        else:
            out[:] = zero
        if odd:
            radius(u[half])
            polar(u[half], u[half + 1])
            lengthened(out, u[half])

    @compiled
    def chis(out, u, start, count, lane, dof, series, key):  # type: ignore[no-untyped-def]
        """Fill out[:count] with a lane's first chis, for blocks start + l; count + 1 rows, and `_CHI_ROWS` of u."""
        if series.size:
            normals(out, start, count, lane, key)
            for i in range(count):
                smooth(series, out[i])
            return
        half, odd = dof // 2, dof % 2
        width = half + 2 * odd
        for i in range(0, count, 2):  # two of them begin at an even slot
            for p in range(width):
                uniforms(u[2 * p], u[2 * p + 1], np.uint64(i // 2 * width + p), start, lane, key)
            chi(out[i], u, half, odd)
            if i + 1 < count:
                chi(out[i + 1], u[width:], half, odd)

    return chis


def _make_frames(rows: _Rows, real: Any) -> tuple[Any, Any]:
    compiled, zero = rows.compiled, real(0)
    add_product, subtract_product, times, inverse_root = (
        rows.add_product,
        rows.subtract_product,
        rows.times,
        rows.inverse_root,
    )
    scaled, add_scaled, mixed = rows.scaled, rows.add_scaled, rows.mixed

    @compiled
    def orthonormalise(g, inner, k, d):  # type: ignore[no-untyped-def]
        """Gram-Schmidt of the k vectors g[j, :d] in every lane, each projected twice."""
        for j in range(k):
            for _ in range(2 if j else 0):
                for i in range(j):
                    inner[:] = zero
                    for a in range(d):
                        add_product(inner, g[i, a], g[j, a])
                    for a in range(d):
                        subtract_product(g[j, a], inner, g[i, a])
            inner[:] = zero
            for a in range(d):
                add_product(inner, g[j, a], g[j, a])
            inverse_root(inner)
            for a in range(d):
                times(g[j, a], inner)

    @compiled
    def combine(values, frame, coordinates, j, k, d, simplex):  # type: ignore[no-untyped-def]
        """values[i] = (S R x_j)_i for the vector with these coordinates in the frame."""
        for a in range(d):
            scaled(values[a], frame[0, a], coordinates[0, j])
            for i in range(1, k):
                add_scaled(values[a], frame[i, a], coordinates[i, j])
        if simplex:
            last = values[d - 1]
            last[:] = zero
            scale = real(1.0 / np.sqrt(d - 1.0))
            own, common = real(np.sqrt(d / (d - 1.0))), real((np.sqrt(np.float64(d)) + 1.0) / (d - 1.0))
            for a in range(d - 1):
                add_scaled(last, values[a], scale)
            for a in range(d - 1):
                mixed(values[a], last, own, common)

    return orthonormalise, combine


def _make_accumulate(rows: _Rows, real: Any) -> tuple[Any, Any]:
    compiled, scaled, raise_to, rescale = rows.compiled, rows.scaled, rows.raise_to, rows.rescale
    add_power, add_cos, one = rows.add_power, rows.add_cos, real(1)

    @compiled
    def keep(out, values, tile, base, place, width):  # type: ignore[no-untyped-def]
        """Write rows to out[tile + lane, (base + row) * width + place]."""
        for l in range(min(values.shape[1], out.shape[0] - tile)):
            for i in range(values.shape[0]):
                out[tile + l, (base + i) * width + place] = values[i, l]

    @compiled
    def accumulate(peak, total, largest, values, count, feature):  # type: ignore[no-untyped-def]
        """Add the features of these rows to the running sums, as powers of two beside the largest for positive ones."""
        if feature == TRIGONOMETRIC:
            for i in range(count):
                add_cos(total, values[i])
            return
        scaled(largest, peak, one)
        for i in range(count):
            raise_to(largest, values[i])
        rescale(total, peak, largest)
        for i in range(count):
            add_power(total, values[i], largest)

    return keep, accumulate


@lru_cache
def _kernel(real: Any) -> Callable[..., None]:
    """The complete kernel for one floating type; compiled at its first call."""
    rows = _Rows(shared_functions(real), real)
    lanes, normals = LANES[real.__name__], _make_normals(rows)
    chis, (keep, accumulate) = _make_chis(rows, normals, real), _make_accumulate(rows, real)
    orthonormalise, combine = _make_frames(rows, real)
    compiled, add_product, inverse_root = rows.compiled, rows.add_product, rows.inverse_root
    times, add_scaled = rows.times, rows.add_scaled
    zero, lowest, log_2 = real(0), real(-1e30), math.log(2.0)

    @compiled
    def independent(drawn, rest, scratch, start, key, m, d, k, residuals):  # type: ignore[no-untyped-def]
        """Set drawn[i * k : (i + 1) * k] to the coordinates, in the frame, of the direction of projection i."""
        if k < d:
            chis(rest, scratch, start, m, np.uint64(RESIDUALS), d - k, residuals, key)
            for i in range(m):
                times(rest[i], rest[i])
        else:
            rest[:] = zero
        for i in range(m):
            for a in range(k):
                add_product(rest[i], drawn[i * k + a], drawn[i * k + a])
            inverse_root(rest[i])
            for a in range(k):
                times(drawn[i * k + a], rest[i])

    @compiled.kept
    def estimates(out, lengths, start, key, d, m, coupling, feature, coordinates, series, residuals):  # type: ignore[no-untyped-def]
        k, n = coordinates.shape
        apart = coupling == INDEPENDENT
        size = m if apart else d
        slots = m * k if apart else -(-m // d) * k * d
        drawn, norms = np.empty((slots + 1, lanes), real), np.empty((m + 1, lanes), real)
        rest, scratch = np.empty((m + 1 if apart else 1, lanes), real), np.empty((_CHI_ROWS, lanes), real)
        values, inner = np.empty((size, lanes), real), np.empty(lanes, real)
        peak, total = np.empty((n, lanes), real), np.empty((n, lanes))
        for tile in range(0, out.shape[0], lanes):
            first = start + np.uint64(tile)
            peak[:] = lowest
            total[:] = 0.0
            normals(drawn, first, slots, np.uint64(DIRECTIONS), key)
            if feature != FRAMES:
                chis(norms, scratch, first, m, np.uint64(NORMS), d, series, key)
            if apart:
                independent(drawn, rest, scratch, first, key, m, d, k, residuals)
            for base in range(0, m, size):
                count = min(size, m - base)
                frame = drawn[base * k : (base + size) * k].reshape(k, size, lanes)
                if not apart:
                    orthonormalise(frame, inner, k, d)
                if feature == FRAMES:
                    for j in range(k):
                        keep(out, frame[j], tile, base * k + j * d, 0, 1)
                for j in range(n):
                    if apart:
                        values[:] = zero
                        for i in range(m):
                            for a in range(k):
                                add_scaled(values[i], drawn[i * k + a], coordinates[a, j])
                    else:
                        combine(values, frame, coordinates, j, k, d, coupling == SIMPLEX)
                    for i in range(count):
                        times(values[i], norms[base + i])
                    if feature == VALUES:
                        keep(out, values[:count], tile, base, j, n)
                    else:
                        accumulate(peak[j], total[j], inner, values, count, feature)
            if feature == VALUES:
                keep(lengths, norms[:m], tile, 0, 0, 1)
            if feature >= VALUES:
                continue
            for l in range(min(lanes, out.shape[0] - tile)):
                for j in range(n):
                    if feature == TRIGONOMETRIC:
                        out[tile + l, j] = total[j, l] / m
                    else:
                        out[tile + l, j] = log_2 * np.float64(peak[j, l]) + np.log(total[j, l] / m)

    made: Callable[..., None] = estimates
    return made


def key_schedule(key: int) -> tuple[np.uint64, ...]:
    """Return the keys of the ten rounds, two words each: a tuple, which no row of numbers can overlap in memory.

    Examples
    --------
    >>> [hex(int(word)) for word in key_schedule(1)[:4]]
    ['0x1', '0x0', '0x9e3779ba', '0xbb67ae85']
    """
    return tuple(np.array(round_keys((key & WORD, key >> 32)), dtype=np.uint64).ravel())


def estimates(
    key: int,
    blocks: range,
    d: int,
    m: int,
    coupling: int,
    feature: int,
    coordinates: np.ndarray,
    chis: tuple[float, ...],
    residuals: tuple[float, ...],
    real: str = "float64",
) -> np.ndarray:
    """Return log means of exp(w_i . v_j) (positive) or means of cos(w_i . v_j) over the m projections, (B, n).

    Parameters
    ----------
    coordinates : (k, n), the vectors v_j in an orthonormal frame, k >= 1.
    chis, residuals : polynomials (`rftheory.sample.chi`) of the chi laws of the norms and, for independent projections
        and k < d, of the part of a projection outside the frame; those for float32 if ``real`` is. Empty ones stand
        for fewer than 16 degrees of freedom.
    real : ``"float64"`` or ``"float32"``, the type of the arithmetic; sums are float64.

    Examples
    --------
    >>> from rftheory.sample.chi import polynomial
    >>> v = np.array([[0.5]])
    >>> found = estimates(7, range(2000), 64, 64, SIMPLEX, TRIGONOMETRIC, v, polynomial(64), ())
    >>> found.shape, bool(abs(found.mean() - np.exp(-0.125)) < 0.01)
    ((2000, 1), True)
    """
    if feature == POSITIVE:
        coordinates = coordinates / math.log(2.0)
    out = np.empty((len(blocks), coordinates.shape[1]))
    _run(out, np.empty((0, 0)), key, blocks, d, m, coupling, feature, coordinates, chis, residuals, real)
    return out


def projections(
    key: int,
    blocks: range,
    d: int,
    m: int,
    coupling: int,
    coordinates: np.ndarray,
    chis: tuple[float, ...],
    residuals: tuple[float, ...],
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values w_i . v_j, (B, m, n), and the norms of the w_i, (B, m), with the parameters of `estimates`.

    Examples
    --------
    >>> values, norms = projections(7, range(2000), 3, 2, ORTHOGONAL, np.array([[0.5]]), (), ())
    >>> values.shape, norms.shape, bool(abs((norms**2).mean() - 3) < 0.2)
    ((2000, 2, 1), (2000, 2), True)
    """
    n = coordinates.shape[1]
    values, norms = np.empty((len(blocks), m * n)), np.empty((len(blocks), m))
    _run(values, norms, key, blocks, d, m, coupling, VALUES, coordinates, chis, residuals, "float64")
    return values.reshape(len(blocks), m, n), norms


def frames(key: int, blocks: range, copies: int, k: int, d: int) -> np.ndarray:
    """Return orthonormal frames of k vectors, the directions of the portable stream, (B, copies, k, d).

    Examples
    --------
    >>> found = frames(7, range(4), 1, 2, 3)
    >>> found.shape, bool(np.abs((found[..., 0, :] * found[..., 1, :]).sum(-1)).max() < 1e-15)
    ((4, 1, 2, 3), True)
    """
    out, none = np.empty((len(blocks), copies * k * d)), np.empty((k, 0))
    _run(out, np.empty((0, 0)), key, blocks, d, copies * d, ORTHOGONAL, FRAMES, none, (), (), "float64")
    return out.reshape(len(blocks), copies, k, d)


def _run(
    out: np.ndarray, lengths: np.ndarray, key: int, blocks: range, d: int, m: int, coupling: int, feature: int,
    coordinates: np.ndarray, chis: tuple[float, ...], residuals: tuple[float, ...], real: str,
) -> None:  # fmt: skip
    """Call the kernel."""
    kind: Any = np.float64 if real == "float64" else np.float32
    head = out, lengths, np.uint64(blocks.start), key_schedule(key), d, m, coupling, feature
    frame = np.ascontiguousarray(coordinates, dtype=kind)
    _kernel(kind)(*head, frame, padded(chis, kind), padded(residuals, kind))


@_sweeps
def _vertices(z):  # type: ignore[no-untyped-def]
    """S z for the simplex S; the arithmetic of `rftheory.sample.shapes.simplex_multiply`."""
    d, k = z.shape
    out = np.empty((d, k))
    own, common = np.sqrt(d / (d - 1.0)), (np.sqrt(np.float64(d)) + 1.0) / (d - 1.0)
    out[d - 1] = 0.0
    for i in range(d - 1):
        for j in range(k):
            out[d - 1, j] += z[i, j]
    for j in range(k):
        out[d - 1, j] /= np.sqrt(d - 1.0)
    for i in range(d - 1):
        for j in range(k):
            out[i, j] = own * z[i, j] - common * out[d - 1, j]
    return out


@_sweeps.kept
def _first_sweep(out, left, z, norms):  # type: ignore[no-untyped-def]
    blocks, d, k = z.shape
    along = np.empty(k)
    for n in range(blocks):
        start, rows = _vertices(z[n]), out[n]
        total, squares = 0.0, 0.0
        along[:] = 0.0
        for i in range(d):
            w = norms[n, i]
            total += w
            squares += w * w
            for j in range(k):
                along[j] += w * start[i, j]
        a, b = d / (d - 1.0), -total / (d - 1.0)
        square = a * squares + b * total
        left[n] = np.nan  # the caller sweeps this set one direction at a time
        if not 1e-100 < total < 1e100:
            continue
        for i in range(d):
            w = norms[n, i]
            excess = square - 2.0 * w * (a * w + b)
            length = np.sqrt(max(excess + w * w, 0.0))
            if not LOPSIDED * length > w:
                break
            c, toward, stay = excess / (length * (length + w)), -1.0 / length, w / length
            own, square = -c * w, (c * length) ** 2
            for j in range(k):
                vertex = start[i, j]
                rows[i, j] = toward * along[j] + stay * vertex
                along[j] = c * along[j] + own * vertex
            a, b = c * a, c * (b + w / (d - 1.0))
        else:
            left[n] = np.sqrt(square)


def first_sweep(z: np.ndarray, norms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what `rftheory.sample.simplex_plus.first_sweep` returns, in float64; d >= 2.

    Examples
    --------
    >>> from rftheory.sample import simplex_plus
    >>> norms, z = np.array([1.0, 2.0, 2.5, 2.0]), np.arange(4.0)[:, None]
    >>> bool(np.abs(first_sweep(z, norms)[0] - simplex_plus.first_sweep(z, norms)[0]).max() < 1e-14)
    True
    """
    *shape, d, k = z.shape
    columns = np.ascontiguousarray(z, dtype=np.float64).reshape(-1, d, k)
    weights = np.ascontiguousarray(np.broadcast_to(norms, (*shape, d)), dtype=np.float64).reshape(-1, d)
    out, left = np.empty(columns.shape), np.empty(columns.shape[0])
    _first_sweep(out, left, columns, weights)
    (again,) = np.nonzero(np.isnan(left))
    if len(again):
        out[again], left[again] = first_sweep_apart(columns[again], weights[again])
    return out.reshape(z.shape), left.reshape(shape)
