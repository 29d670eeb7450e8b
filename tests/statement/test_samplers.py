"""The line of each sampler says what the draws show of it, no more, and why they show nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftheory.cli import main

pytestmark = pytest.mark.usefixtures("no_trace", "undeclared")

HEAD = """
from rftheory.author import *
from rftheory.spec.feature_map import x, y
import sympy
note("{name}")

def cross(name, sign=-1, **more):
    found = coupling(name, rows=[Rows(d), Rows(d, sign=-1)], **more)
    @found.sampler
    def draw(frame, norms, xp):
        rows = norms[..., None] * frame
        return xp.concat((rows, sign * rows), axis=-2)
    return found

def exponential(name):
    found = feature_map(name, "exp(w.x)", "ours", Term(x + y, -(x**2 + y**2) / 2), norm="v")
    @found.sampler
    def draw(projected, squares, xp):
        return projected - squares / 2  # logarithms of the features
    return with_features(found)
"""
NO_PLACE = "no point with 2 <= d <= 8, 2 <= m <= 64, 0 < v <= 2 and 0 < z <= 2 was found to draw at"


def said(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, code: int = 0) -> str:
    """What is printed of a note."""
    file = tmp_path / f"{name}.py"
    file.write_text(HEAD.replace("{name}", name) + text)
    assert main(["verify", str(file), "--time-limit", "0"]) == code
    return capsys.readouterr().out


BLAMED = """
right, other, wrong = exponential("right-map"), exponential("other-map"), cross("wrong-cross", sign=1)
statement("first", "ours", mse({0}(wrong)) < mse(positive(iid, m=2*d)), over=v > 0)
"""
TOGETHER = "it and the sampler of {} together differ from their declarations in the draws for {}.first\n"


def test_of_two_samplers_none_is_blamed_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(tmp_path, capsys, "two_samplers", BLAMED.format("right"), code=2)
    assert "sampler of right-map: " + TOGETHER.format("wrong-cross", "two_samplers") in out
    assert "sampler of wrong-cross: " + TOGETHER.format("right-map", "two_samplers") in out
    assert "differs from its declaration" not in out
    assert "sampler of other-map: not tested (no judged statement is about its mean or mse)" in out


@pytest.mark.parametrize(
    ("name", "more", "map_says"),
    [
        ("cleared", "mse(right(iid, m=2*d)) == mse(positive(iid, m=2*d))", "tested by the draws for cleared.more"),
        # a mean shows less of a map than a mean squared error does
        ("not_cleared", "mean(right(iid, m=2*d)) == gaussian", None),
    ],
)  # fmt: skip
def test_a_sampler_is_blamed_alone_where_the_other_agrees_with_one_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, more: str, map_says: str | None
) -> None:
    text = BLAMED.format("right") + f'statement("more", "ours", {more}, over=v > 0)\n'
    out = said(tmp_path, capsys, name, text, code=2)
    alone = f"sampler of wrong-cross: differs from its declaration in the draws for {name}.first\n"
    assert (alone in out) is (map_says is not None)
    says = map_says or TOGETHER.format("wrong-cross", name).strip()
    assert f"sampler of right-map: {says}\n" in out


def test_a_sampler_is_blamed_alone_beside_a_map_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = said(tmp_path, capsys, "one_sampler", BLAMED.format("positive"), code=2)
    assert "sampler of wrong-cross: differs from its declaration in the draws for one_sampler.first\n" in out


def test_the_sampler_of_a_coupling_with_independent_axes_is_given_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """
right, wrong = cross("loose-pairs", cosine=None), cross("loose-twins", sign=1, cosine=None)
statement("cosh", "ours", mse(positive(right)) == gaussian**2 * (cosh(v**2) - 1) / d)
statement("twins", "ours", mse(positive(wrong)) == gaussian**2 * (cosh(v**2) - 1) / d)
"""
    out = said(tmp_path, capsys, "loose_axes", text, code=2)
    assert "loose_axes.cosh   holds (proved)" in out
    assert "sampler of loose-pairs: tested by the draws for loose_axes.cosh\n" in out
    assert "sampler of loose-twins: differs from its declaration in the draws for loose_axes.twins\n" in out


UNSEEN = """
wrong = cross("wrong-cross", sign=1)
statement("mean", "ours", mean(positive(wrong, m=1)) == gaussian)
statement("one", "ours", mse(positive(wrong, m=1)) == mse(positive(iid, m=1)), over=v > 0)
statement("two", "ours", mse(positive(wrong, m=2)) <= mse(positive(iid, m=2)), over=(d >= 2, v > 0))
right = cross("right-cross")
statement("right", "ours", mean(positive(right)) == gaussian)
own = exponential("own-map")
statement("map", "ours", mean(own(iid, m=2)) == gaussian)
"""


def test_what_draws_cannot_see_of_a_coupling_does_not_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Means, one row, or rows of a block that are orthogonal: its wrong sign is nowhere in these."""
    out = said(tmp_path, capsys, "unseen", UNSEEN)
    for name in ("wrong-cross", "right-cross"):
        assert f"sampler of {name}: not tested (only means, or part of a block, were drawn); " in out
    assert "sampler of own-map: tested by the draws for unseen.map\n" in out


WRONG_IN_ODD = """
wrong = coupling("wrong-cross", rows=[Rows(d), Rows(d, sign=-1)])
@wrong.sampler
def draw(frame, norms, xp):
    rows = norms[..., None] * frame
    return xp.concat((rows, rows if frame.shape[-2] % 2 else -rows), axis=-2)
right = cross("right-cross")
"""


@pytest.mark.parametrize("name", ["right", "wrong"])
def test_a_sampler_is_drawn_in_two_dimensions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """What is wrong where d is odd is not seen at d = 2; a claim about d = 2 alone is drawn there alone."""
    claims = f"""
statement("all", "ours", mse(positive({name})) < mse(positive(iid, m=2*d)), over=v > 0)
statement("two", "ours", mse(positive({name})).at(d=2) < mse(positive(iid, m=4)).at(d=2), over=v > 0)
"""
    out = said(tmp_path, capsys, f"{name}_in_odd", WRONG_IN_ODD + claims, code=2 if name == "wrong" else 0)
    tested = f"sampler of {name}-cross: tested by the draws for {name}_in_odd.all, {name}_in_odd.two\n"
    differs = f"sampler of {name}-cross: differs from its declaration in the draws for {name}_in_odd.all\n"
    assert (tested in out, differs in out) == (name == "right", name == "wrong")


LEFT_OUT = """
a, b, c = map(cross, ("cross-a", "cross-b", "cross-c"))
statement("three", "ours", mse(positive(a)) + mse(positive(b)) == 2 * mse(positive(c)), over=v > 0)
far, flat, large = cross("far"), cross("flat"), cross("large")
statement("far", "ours", mse(positive(far)) < mse(positive(iid, m=2*d)), over=(d >= 9, v > 0))
statement("flat", "ours", mse(positive(flat)).at(z=0) < mse(positive(iid, m=2*d)).at(z=0), over=(d >= 2, v > 0))
statement("large", "ours", mse(positive(large, m=100)) < mse(positive(iid, m=100)), over=(d >= 2, v > 0))
bare = with_features(feature_map("bare-map", "exp(w.x)", "ours", Term(x + y, -(x**2 + y**2) / 2), norm="v"))
beside = cross("beside")
statement("beside", "ours", mse(bare(beside)) > 0, over=v > 0)
A = sympy.Symbol("A", real=True)
tuned = cross("tuned")
fewer = cross("fewer")
statement("fewer", "ours", mse(positive(fewer, m=d-2)) >= 0, over=d >= 3)
statement("tuned", "ours", mse(gerf(tuned, A=A)) >= 0, over=(-1 < A, A < Rational(1, 8)))
"""


def test_why_a_sampler_was_not_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(tmp_path, capsys, "left_out", LEFT_OUT)
    for name, why in {
        "cross-c": "only 2 quantities of a statement are drawn",
        "far": NO_PLACE, "flat": NO_PLACE, "large": NO_PLACE,
        "beside": "the other part of the mechanism has no sampler",
    }.items():  # fmt: skip
        assert f"sampler of {name}: not tested ({why}); " in out, name
    assert "sampler of cross-a: tested by the draws for left_out.three\n" in out
    for name in ("tuned", "fewer"):
        assert (
            f"sampler of {name}: not tested (a mechanism is drawn only if it exists where every variable is 2: "
            in out
        )


RAISES = """
broken = coupling("broken", rows=[Rows(d), Rows(d, sign=-1)])
@broken.sampler
def draw(frame, norms, xp):
    if frame.shape[0] > 50:
        raise ValueError("no")
    rows = norms[..., None] * frame
    return xp.concat((rows, -rows), axis=-2)
statement("proved", "ours", mse(positive(broken)) < mse(positive(iid, m=2*d)), over=v > 0)
"""


@pytest.mark.parametrize("limit", ["0", "60"])
def test_a_sampler_that_raises_leaves_proofs_standing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], limit: str
) -> None:
    name = f"raising_{limit}"
    file = tmp_path / f"{name}.py"
    file.write_text(HEAD.replace("{name}", name) + RAISES)
    assert main(["verify", str(file), "--time-limit", limit, "--explain", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert f"{name}.proved  holds (certified)" in out
    assert "undecided: mse(positive x broken, m = 2*d): the sampler failed: blocks 0..8191: raised" in out
    assert "sampled   mse(positive x iid, d = 2" in out
    why = "blocks 0..8191: raised ValueError: no"
    assert f"sampler of broken: the draws for {name}.proved failed ({why})\n" in out


def test_draws_in_small_dimensions_support_no_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At v = 0 the ratio has no value, so that nothing is decided; draws of both sides agree with their laws."""
    ratio, most = "mse(positive(orthogonal)) / mse(positive(simplex))", "(exp(v**2) - 1 - v**4 / 2)"
    claim = f"limit({ratio}, d, oo) == {most} / ({most} - v**2)"
    out = said(tmp_path, capsys, "drawn_limit", f'statement("limit", "ours", {claim})\n')
    assert "undecided" in out
    assert "supported" not in out


PAIRS = """
pairs = coupling("{0}-pairs", rows=Rows(d, norm=i // 2, reflected=i % 2))
@pairs.sampler(axes=lambda d: {axes}, norms=lambda d: d + d % 2, norm_law=ANTIMONOTONE)
def draw(frame, norms, xp):
    return {rows}
statement("less", "ours", mse(positive(pairs)) <= mse(positive(iid, m=d)), over=v > 0)
statement("ours", "ours", mse(positive(orthogonal)) <= mse(positive(iid, m=d)), over=v > 0)
"""
EVEN = "norms[..., None] * xp.concat((frame, -frame[..., :norms.shape[-1] - frame.shape[-2], :]), axis=-2)"
MOST_AT_2 = "norms[..., :frame.shape[-2], None] * frame"
OTHER_ROWS = {
    "right": ("d", MOST_AT_2, ""),
    "odd": ("d", EVEN, "2 rows at d = 1, and 1 as declared"),
    "fewer": ("min(d, 2)", MOST_AT_2, "2 rows at d = 3, and 3 as declared"),
    "more": ("d", f"({EVEN}) if frame.shape[-2] == 5 else {MOST_AT_2}", "6 rows at d = 5, and 5 as declared"),
}


@pytest.mark.parametrize("name", OTHER_ROWS)
def test_the_rows_that_a_sampler_returns_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """In dimensions in which nothing is drawn, too."""
    axes, rows, says = OTHER_ROWS[name]
    text = PAIRS.format(name, axes=axes, rows=rows)
    out = said(tmp_path, capsys, f"{name}_rows", text, code=2 if says else 0)
    line = f"sampler of {name}-pairs: differs from its declaration: a block has {says}\n"
    assert (line in out) == bool(says)
    assert ("the sampler and the declaration differ: a block has" in out) == bool(says)


def test_rows_are_counted_where_no_statement_is_about_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PAIRS.format("unused", axes="min(d, 2)", rows=MOST_AT_2).replace("mse(positive(pairs))", "0")
    out = said(tmp_path, capsys, "unused_rows", text, code=2)
    assert "unused-pairs: differs from its declaration: a block has 2 rows at d = 3, and 3 as" in out


def test_the_evidence_says_whose_sampler_agrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "whose.py"
    more = "\nown = cross('whose')\nstatement('own', 'ours', mse(positive(own)) >= 0, over=v > 0)"
    file.write_text(HEAD.replace("{name}", "whose") + PAIRS.format("whose", axes="d", rows=MOST_AT_2) + more)
    assert main(["verify", str(file), "--time-limit", "0", "--explain"]) == 0
    out = capsys.readouterr().out
    agree = [line.split()[1:] for line in out.splitlines() if "declaration agree" in line]
    assert len(agree) > 2
    for line in map(" ".join, agree):
        assert ("built-in sampler and declaration agree" in line) == ("x whose" not in line), line


ODD = """
def sampler_of(name, change):
    found = coupling(name, rows=[Rows(d), Rows(d, sign=-1)])
    @found.sampler
    def draw(frame, norms, xp):
        return change(frame, norms, xp)
    statement(name, "ours", mse(positive(found)) < mse(positive(orthogonal, m=2*d)), over=(d >= 2, v > 0))

def pairs(frame, norms, xp):
    half = norms[..., None] * frame
    return xp.concat((half, -half), axis=-2)
"""
IN_PLACE = """
def in_place(frame, norms, xp):
    {0} *= 1
    return pairs(frame, norms, xp)
sampler_of("fine", pairs)
sampler_of("in-place", in_place)
"""


@pytest.mark.parametrize("array", ["frame", "norms"])
def test_a_sampler_writes_into_nothing_that_it_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], array: str
) -> None:
    """Norms that it changed gave rows other lengths than those that it returned; frames were protected at times."""
    out = said(tmp_path, capsys, f"writes_into_{array}", ODD + IN_PLACE.format(array), code=2)
    assert "sampler 'in-place': ValueError: output array is read-only" in out
    assert "make new arrays, do not change these" in out
    assert f"sampler of fine: tested by the draws for writes_into_{array}.fine" in out


RAISING = """
import numpy as np

def raising(frame, norms, xp):
    np.seterr(all="raise")
    return pairs(frame, norms, xp)

def small(frame, norms, xp):
    np.float64(1e-300) * np.float64(1e-300)  # rounded to 0
    return pairs(frame, norms, xp)

sampler_of("raising", raising)
sampler_of("small", small)
"""


def test_what_a_sampler_has_numpy_raise_is_not_raised_in_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = said(tmp_path, capsys, "raises", ODD + RAISING)
    for name in ("raising", "small"):
        assert f"sampler of {name}: tested by the draws for raises.{name}" in out


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("* (1 + 0j)", "rows of type complex128; return real numbers"),
        ("* float('nan')", "entries are NaN or infinite;"),
    ],
)
def test_rows_that_are_no_real_numbers_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, problem: str
) -> None:
    """Of NaN the shape was said to be wrong, which was right; imaginary parts were dropped."""
    text = f"sampler_of('fine', pairs)\nsampler_of('odd', lambda *given: pairs(*given) {change})\n"
    out = said(tmp_path, capsys, f"odd_{len(change)}", ODD + text, code=2)
    assert problem in out
    assert "sampler of fine: tested" in out
