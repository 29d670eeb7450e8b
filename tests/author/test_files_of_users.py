"""A coupling and a map from a file of a user, or of an installed package: known everywhere, with no edit of ours."""

from __future__ import annotations

import importlib.metadata
import logging
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rftheory import author, names
from rftheory.check import check
from rftheory.cli import main
from rftheory.engine import Processes, run
from rftheory.errors import DeclarationFailed, InvalidInput, SamplerFailed, UnknownName
from rftheory.judge import Outcome
from rftheory.sample import (
    COUPLINGS,
    FromFrame,
    FromFunction,
    Fused,
    Mechanism,
    Stream,
    angular_hybrid,
    coupling,
    feature_map,
    linear_attention,
    softmax_attention,
)
from rftheory.spec import find_coupling, find_map
from tests.statistical.declared import held_to

pytestmark = pytest.mark.usefixtures("no_trace")
ROOT = Path(__file__).resolve().parents[2]
MINE = """
from rftheory.author import OPPOSITE, ORTHOGONAL, Rows, Term, coupling, d, feature_map, x, y

PAIRS = coupling(
    "user-pairs", "a row and its opposite, with a norm of its own each", "nobody",
    rows=[Rows(1), Rows(1, norm=1, sign=-1)], aliases=("up",),
)


@PAIRS.sampler(axes=lambda d: 1, norms=lambda d: 2)
def pairs(frame, norms, xp):
    return norms[..., None] * xp.concat((frame, -frame), axis=-2)


HALF = feature_map("user-half", "exp(w.x - |x|^2/2)", "nobody", Term(x + y, -(x**2 + y**2) / 2), norm="v")


@HALF.sampler
def half(projected, squares):
    return projected - squares / 2


def rows(m, d, seed):
    from rftheory.sample import Stream, coupling

    return coupling("user-pairs").draw(Stream.named("mine", seed=seed), range(1), d, m).projections[0]


def wrong(m, d, seed):
    import numpy as np

    return np.random.default_rng(seed).standard_normal((m, d))
"""
X, Y = np.array([0.4, -0.2, 0.1]), np.array([0.1, 0.3, -0.2])
KERNEL = float(np.exp(-((X - Y) ** 2).sum() / 2))


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("user") / "mechanisms_of_a_user.py"
    path.write_text(MINE, encoding="utf-8")
    author.load(path)
    return path


def test_a_file_is_read_once(mine):
    assert author.load(mine) is author.load(str(mine))
    assert coupling("UP") is coupling("user_pairs")
    assert find_coupling("user-pairs").size(5) == 2
    assert find_map("user-half").isotropic


@pytest.mark.parametrize(("d", "m"), [(1, 3), (3, 2), (3, 7), (5, 1)])
def test_the_sampler_keeps_the_declaration(mine, d, m):
    block = coupling("user-pairs").draw(Stream.named("user"), range(1500), d, m)
    found = held_to(find_coupling("user-pairs"), block)
    assert (found.gram < 1e-13, found.norms, found.p > 1e-9) == (True, 0.0, True)


def test_estimates_hybrids_and_attention(mine):
    stream, blocks = Stream.named("user"), range(4000)
    mechanism = Mechanism("user-half", "user-pairs", 8)
    same = Mechanism("positive", "user-pairs", 8)
    own, positive = (one.gram(stream, range(3), X[None], Y[None]) for one in (mechanism, same))
    assert np.abs(own - positive).max() < 1e-14
    for found in (mechanism, angular_hybrid(8, 4, coupling="user-pairs")):
        values = found.estimate(stream, blocks, X, Y)
        assert abs(values.mean() - KERNEL) < 6 * values.std() / np.sqrt(len(values))
    q, k, v = np.random.default_rng(1).standard_normal((3, 20, 3)) / 2
    many = Mechanism("user-half", "user-pairs", 8192)
    assert np.abs(linear_attention(many, stream, q, k, v) - softmax_attention(q, k, v)).max() < 0.1


def test_eval_has_the_exact_error_and_the_sampler_keeps_it(mine, capsys):
    point = [f"{name}={','.join(map(str, vector))}" for name, vector in (("x", X), ("y", Y))]
    names_of = ["feature=user_half", "coupling=user_pairs", "d=3", "m=8"]
    assert main(["eval", "mse", *names_of, *point, "--digits", "12", "--with", str(mine)]) == 0
    exact = float(capsys.readouterr().out)
    values = Mechanism("user-half", "user-pairs", 8).estimate(Stream.named("eval"), range(40_000), X, Y)
    squares = (values - KERNEL) ** 2
    assert abs(squares.mean() - exact) < 6 * squares.std() / 200
    independent = Mechanism("user-half", "iid", 8).estimate(Stream.named("eval"), range(40_000), X, Y)
    assert abs(((independent - KERNEL) ** 2).mean() - exact) > 6 * squares.std() / 200


def test_check_holds_code_to_the_declaration(mine, end_after):
    right, wrong = (
        check(f"{mine}:{name}", coupling="user-pairs", d=3, m=8, intervals=False)
        for name in ("rows", "wrong")
    )
    assert right.decision is not Outcome.REFUTED
    assert right.verdicts["coupling"] is Outcome.AGREES
    assert wrong.decision is Outcome.REFUTED


def test_objects_of_a_file_are_pickled(mine):
    mechanism = Mechanism("user-half", "user-pairs", 8)
    again = pickle.loads(pickle.dumps(mechanism))
    assert np.array_equal(
        again.estimate(Stream(1), range(3), X, Y), mechanism.estimate(Stream(1), range(3), X, Y)
    )


def test_workers_know_them(mine):
    fused = Fused(Mechanism("user-half", "user-pairs", 8), Stream(1), X[None], Y[None])
    with Processes(1) as pool:
        assert run(fused, 64, map=pool) == run(fused, 64)


def test_the_command_line_reads_a_file_first(mine):
    """In a process of its own, where nothing has been read before."""
    code = (
        "import sys; from rftheory.cli import main; "
        f"sys.exit(main(['check', {str(mine)!r} + ':rows', '--as', 'user-pairs', '--arg', 'd=3', '--arg', 'm=8', "
        f"'--with', {str(mine)!r}, '--seconds', '1']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "unknown" not in done.stderr
    assert done.returncode in (0, 2), done.stderr


# ---- errors


BAD = {
    "raises": ("\nRwo(1, 2)\n", 2, "NameError: name 'Rwo' is not defined"),
    "leaves": ("import sys\nsys.exit(0)\n", 2, "SystemExit: 0"),
    "is no Python": ("\n\ndef (:\n", 3, "SyntaxError"),
    "takes a name": (
        "from rftheory.author import coupling\n\ncoupling('mirrored', 'says', 'source')\n", 3, "a name of its own",
    ),
    "strange symbol": (
        "from rftheory.author import *\nfeature_map('user-strange', 'says', 'source', Term(x + Symbol('q')))\n", 2,
        "needs terms in x, y and its parameters",
    ),
}  # fmt: skip


@pytest.mark.parametrize("which", BAD)
def test_errors_name_file_and_line(which, tmp_path, capsys):
    text, line, said = BAD[which]
    path = tmp_path / f"bad_{which.replace(' ', '_')}.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DeclarationFailed, match=re.escape(said)) as caught:
        author.load(path)
    assert caught.value.line == line
    assert str(path) in str(caught.value)
    assert main(["eval", "--list", "--with", str(path)]) == 2
    assert f"line {line}" in capsys.readouterr().err


def test_a_file_named_like_a_module_is_refused(tmp_path):
    path = tmp_path / "json.py"
    path.write_text("", encoding="utf-8")
    with pytest.raises(DeclarationFailed, match="rename the file"):
        author.load(path)


def test_samplers_that_give_no_block_say_so(mine):
    law = FromFrame("no block", lambda frame, norms, xp: frame[0])
    with pytest.raises(SamplerFailed, match="return \\(B, copies, rows, n\\)"):
        law.draw(Stream(1), range(2), 3, 4)
    with pytest.raises(SamplerFailed, match="ValueError"):
        FromFrame("bad", lambda frame, norms, xp: norms[..., None] * xp.concat((frame, frame), axis=-2)).draw(
            Stream(1), range(2), 3, 4
        )
    meets = author.coupling("meets", rows=author.Rows(author.d, norm=0))
    with pytest.raises(SamplerFailed, match="could not be broadcast"):  # in time to be named with its line
        meets.sampler(norms=lambda d: 1)(lambda frame, norms, xp: norms * frame)
    meets.sampler(norms=lambda d: 1)(lambda frame, norms, xp: norms[..., None] * frame)
    author.forget("meets")
    with pytest.raises(InvalidInput, match=r"sampler\(norms=...\)"):
        author.coupling("counted", rows=author.Rows(1), norms=lambda d: 1)
    with pytest.raises(InvalidInput, match=r"Term\(...\), Term\(...\)"):
        author.feature_map("tuple", "two terms", "ours", (author.Term(author.x), author.Term(author.y)))
    with pytest.raises(InvalidInput, match="missing a required argument: 'a'"):
        FromFunction("needs a", lambda projected, a: projected)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (
            {"norm_law": "ANTIMONOTONE"},
            "needs a law of norms: CHI, FIXED or ANTIMONOTONE, got 'ANTIMONOTONE'; import it",
        ),
        ({"norm_law": None}, "got None; import it from rftheory.author"),
        ({"norm_law": type(author.ANTIMONOTONE)}, "needs a law of norms"),
        (
            {"norms": 4},
            "norms of the sampler of options: needs a function of d, got 4; write norms=lambda d: ...",
        ),
        ({"axes": "d"}, "axes of the sampler of options: needs a function of d"),
    ],
)
def test_the_options_of_a_sampler_are_refused_where_they_are_written(option, said):
    options = author.coupling("options", rows=author.Rows(author.d))
    try:
        with pytest.raises(InvalidInput, match=re.escape(said)):
            options.sampler(**option)(lambda frame, norms, xp: norms[..., None] * frame)
    finally:
        author.forget("options")


# ---- installed packages


class Entry:
    name, value = "theirs", "their.package"

    def __init__(self, load):
        self.load = load


def test_entry_points_are_read_when_a_name_is_not_known(monkeypatch):
    read = []
    monkeypatch.setattr(names, "_loaded", [])
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Entry(lambda: read.append(group))])
    coupling("simplex")
    assert read == []
    with pytest.raises(UnknownName):
        coupling("their-coupling")
    assert read == ["rftheory.mechanisms"]
    with pytest.raises(UnknownName):
        coupling("their-coupling")
    assert len(read) == 1


def test_a_broken_package_is_named(monkeypatch):
    def broken():
        raise ImportError("no module named 'their'")

    monkeypatch.setattr(names, "_loaded", [])
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Entry(broken)])
    with pytest.raises(DeclarationFailed, match=r"theirs = their.package .*ImportError"):
        coupling("their-coupling")


# ---- the documentation


def test_the_examples_of_the_documentation_run():
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    scope: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(code, scope)
    assert np.array_equal(
        coupling("my-cross").draw(Stream(1), range(3), 3, 7).projections,
        COUPLINGS["cross-polytope"].draw(Stream(1), range(3), 3, 7).projections,
    )
    assert feature_map("my-one-sided").positive
    values = Mechanism("positive", "my-normal", 8).estimate(Stream.named("docs"), range(4000), X, Y)
    assert abs(values.mean() - KERNEL) < 6 * values.std() / np.sqrt(len(values))
    assert scope["CROSS"].pairs(3, 8) == scope["CROSS_BY_RELATION"].pairs(3, 8)


FILES = sorted((ROOT / "rftheory" / "mechanisms").glob("[a-z]*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_mechanism_is_a_file_of_forty_lines_of_code(path):
    """Without the docstring at its top, comments and empty lines."""
    body = path.read_text(encoding="utf-8").split('"""', 2)[2]
    code = [line for line in body.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert len(code) <= 40


def test_nothing_is_said_of_what_is_served(caplog, mine):
    with caplog.at_level(logging.WARNING, "rftheory"):
        Fused(Mechanism("positive", "simplex", 8), Stream(1), X[None], Y[None])(range(4))
    assert not caplog.records


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda frame, norms, xp: norms[..., None] * xp.concat((frame, -frame), axis=-2), "has 4 norms: say"),
        (
            lambda frame, norms, xp: norms[..., None] * frame,
            "needs 4 rows at d = 2, as declared, got '2 rows'",
        ),
    ],
)
def test_a_sampler_returns_as_many_rows_as_are_declared(build, match: str) -> None:
    rows = [author.Rows(author.d), author.Rows(author.d, norm=author.i + author.d, sign=-1)]
    two = author.coupling("two-norms", rows=rows)
    try:
        with pytest.raises((InvalidInput, SamplerFailed), match=match):
            two.sampler(build)
    finally:
        author.forget("two-norms")
