"""Diagnoses that the rows themselves prove: repeated rows, opposite rows, fixed norms, few states, coarse entries."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from rftheory.check import drift, row_laws
from rftheory.check.diagnosis import FITS, ROUNDING, STANDARD_ERRORS, SURE, Diagnosis, fit, refuted
from rftheory.check.findings import Finding
from rftheory.check.laws import cosine_cdf
from rftheory.check.measures import FLOAT32_GAP, MANTISSA, MatrixMeasures, fixed_cosines
from rftheory.check.nets import Net
from rftheory.check.target import CONSECUTIVE

FEW_VALUES, MANY = 16, 256
"""Up to so many values are few; after so many calls second moments tell fixed angles from free ones."""
FINEST = 1 << 13
"""Entries are rounded to multiples of a step if the largest is at most this many steps."""


def few_states(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    again, calls = repeated_calls_of_all_rows(m), m.calls
    if not refuted(findings, "blocks", word="twice") or not 3 <= again < calls / 2 or recur_by_rounding(m):
        return None
    states = calls * (calls - 1) / 2 / again
    sentence = (
        f"{again} of {calls} calls repeat the draw of an earlier one with another seed: about "
        f"{states:.2g} different draws exist"
        + (", as if the seed were cut to 16 bits" if 0.5 < states / 2**16 < 2 else "")
        + ". Averages over more calls than that do not converge"
    )
    return Diagnosis("few-states", sentence, evidence={"repeated calls": again, "states": states})


def seeds_overlap(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not refuted(findings, "blocks", word="twice") or repeated_calls_of_all_rows(m) >= 3:
        return None
    marks = m.tags()
    pairs = [i for i in range(m.calls - 1) if i % CONSECUTIVE < CONSECUTIVE - 1][:200]
    shared = [len(np.intersect1d(marks[i], marks[i + 1])) for i in pairs]
    if not shared or min(shared) == 0:
        return None
    far = [len(np.intersect1d(marks[i], marks[i + CONSECUTIVE])) for i in pairs if i + CONSECUTIVE < m.calls]
    if far and np.median(far) > 0:  # calls share rows for any seeds
        return None
    sentence = (
        f"calls with the seeds s and s + 1 share {int(np.median(shared))} of {m.case.m} rows: blocks are seeded by "
        "seed + number of the block, so neighbouring seeds, which users assume to be independent, draw the same "
        "blocks. Derive the seeds of the blocks with SeedSequence or by hashing"
    )
    return Diagnosis("seeds-overlap", sentence, evidence={"shared rows": float(np.median(shared))})


def seed_ignored(findings: Sequence[Finding]) -> Diagnosis | None:
    """Draws from a generator that ignores the seed."""
    if not refuted(findings, "determinism", word="the same seed"):
        return None
    sentence = (
        "two calls with the same seed give different draws: they come from a generator that was made once, or from the "
        "global one, and the seed that is passed is ignored. No result can be reproduced. Make the generator from the "
        "seed in every call"
    )
    return Diagnosis("seed-ignored", sentence)


def few_values(m: MatrixMeasures, most: int) -> bool:
    """Whether the entries of the first rows have at most so many values."""
    return len(_values(m)) <= most


def _values(m: MatrixMeasures) -> np.ndarray:
    """The different entries of the first rows, which are rounded in a unit of their own size, a power of ten."""
    unit = 10.0 ** round(math.log10(m.unit))
    found: np.ndarray = (np.unique(np.round(m.over["lead"] / unit, 6)) + 0.0) * unit  # no -0
    return found


def discrete(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    values = _values(m)
    if (
        len(values) > FEW_VALUES
        or (m.over["lead"] == m.over["lead"][0]).all()  # one row that is the same in all calls
        or m.calls < SURE
        or m.case.coupling.hadamard  # whose rows have finitely many directions
        or (m.case.d > 1 and (np.count_nonzero(m.over["lead"], axis=1) == 1).all())  # these are axes
        or (m.case.d == 1 and _of_one_norm(m))
        or not refuted(findings, "marginal", "directions", "stability")
    ):
        return None
    repeated = 2 * repeated_calls_of_all_rows(m) > m.calls and not recur_by_rounding(m)
    if refuted(findings, "determinism", word="different draws") or repeated:
        return None
    shown = ", ".join(f"{v:.4g}" for v in values[:6]) + (", ..." if len(values) > 6 else "")
    sentence = f"the entries have only {len(values)} values ({shown}) and are not normal"
    more, closed = _of_few_values(m, values)
    return Diagnosis("discrete", sentence + more, closed, {"values": len(values)})


def _of_few_values(m: MatrixMeasures, values: np.ndarray) -> tuple[str, str]:
    """What else the draws establish about entries of a few values, and the closed form that follows."""
    if values.tolist() == [-1.0, 1.0] and _independent_signs(m):
        said = ": they are random signs. The estimated kernel is a product of cosines along the axes, right only to "
        return f"{said}second order", "E cos(w.z) = prod_j cos(z_j)"
    if not _structured(m):
        return "", ""
    norm = float(np.sqrt(m.over["squares"].mean()))
    said = (
        f". Rows are orthogonal and of the norm {norm:.4g}: this is a structured matrix, such as sqrt(d) H D H D H D "
        "with Hadamard matrices H and random signs D. The estimated kernel depends on the direction of x - y, not on "
        "its length alone; with independent signs it is right to second order. --as sorf tests it as such a matrix"
    )
    return (
        said,
        "E cos(w.z) = E prod_j cos(u_j), u = H D H D z, for sqrt(d) H D H D H D with independent signs",
    )


def _independent_signs(m: MatrixMeasures) -> bool:
    """Whether E cos(w.z) of a row of signs is the product of cosines, for vectors z along and across the axes."""
    lead = m.over["lead"]
    for z in (length * v for v in m.case.directions.values() for length in (1.0, 2.0)):
        found = np.cos(lead @ z)
        error = STANDARD_ERRORS * float(found.std()) / math.sqrt(len(found)) + ROUNDING
        if abs(float(found.mean()) - float(np.prod(np.cos(z)))) > error:
            return False
    return True


def _structured(m: MatrixMeasures) -> bool:
    """Whether rows are orthogonal inside whole blocks of d, and all have the same norm."""
    return m.case.m >= m.case.d and m.gaps.get("orthogonal", 1.0) < FLOAT32_GAP and _of_one_norm(m)


def _of_one_norm(m: MatrixMeasures) -> bool:
    norms = np.sqrt(m.over["squares"])
    return bool(norms.std() < ROUNDING * norms.mean())


def repeated_calls_of_all_rows(m: MatrixMeasures) -> int:
    """How many calls return the same draw as an earlier one."""
    return m.calls - len(np.unique(m.tags().real, axis=0))


def recur_by_rounding(m: MatrixMeasures) -> bool:
    """Whether calls recur because entries have few values: no more often than if their parts were put together anew."""
    if not (few_values(m, FEW_VALUES) or _coarse(m) or step_of(m.over["lead"])):
        return False
    parts = m.over["lead"] if m.case.m == 1 else m.tags().real
    anew = np.random.default_rng(0).permuted(parts, axis=0)
    seen, expected = (len(one) - len(np.unique(one, axis=0)) for one in (parts, anew))
    return seen <= 3 + 2 * expected


def step_of(values: np.ndarray) -> float:
    """The step of which all values are multiples, the large ones odd ones too; 0 if there is none, as for floats.

    Examples
    --------
    >>> normal = np.random.default_rng(1).standard_normal(999)
    >>> [float(step_of(one)) for one in (normal.round(2), np.rint(99 * normal), normal, normal.astype(np.float16))]
    [0.01, 1.0, 0.0, 0.0]
    """
    sizes = np.unique(np.abs(np.asarray(values, dtype=float)))
    gaps = np.diff(sizes, prepend=0.0)
    gaps = gaps[gaps > ROUNDING / FINEST * sizes[-1]]
    if len(gaps) < 2 or sizes[-1] > FINEST * gaps.min():
        return 0.0
    step = float(gaps.min())
    # the more steps a value has, the better it tells their length
    for edge in step * 2.0 ** np.arange(5, 14):
        near = sizes[sizes <= edge]
        counts = np.round(near / step)
        step = float(near @ counts / max(counts @ counts, 1.0)) or step
    counts = np.round(sizes / step)
    large = counts[2 * counts > counts[-1]]
    whole = float(np.abs(sizes / step - counts).max()) < FRACTION
    return float(f"{step:.6g}") if whole and (large % 2).mean() > 0.1 else 0.0


def rounded(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Entries on a grid: integers, or values rounded to some digits. Those of a float format have no such step."""
    step = step_of(m.over["lead"]) if m.calls >= SURE else 0.0
    if not step or _of_one_norm(m) or m.case.coupling.hadamard:  # products of signs and Hadamard matrices
        return None
    numbers = "integers" if step == 1 else f"multiples of {step:.4g}"
    sentence = (
        f"entries are {numbers}: they were rounded, or drawn as such. Small ones become 0, tails end early, rows and "
        "norms recur, and none of them has the law of a real vector. Draw real numbers and leave them as they are"
    )
    return Diagnosis("rounded", sentence, evidence={"step": step})


def zero_rows(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    zero = m.over["squares"] == 0
    # a zero row has probability 0 beyond one dimension, so that one is enough, but for products of signs that are cut
    never = m.case.d > 1 and not (m.case.coupling.hadamard and m.case.coupling.cut(m.case.d))
    certain = never and zero.any() and refuted(findings, "marginal")
    if not certain and not refuted(findings, "marginal", word="zero"):
        return None
    share, always = float(zero.mean()), np.flatnonzero(zero.all(0))
    some = f"{100 * share:.2g} % of the rows are zero"
    where = f"{_listed(always)} zero in every call" if len(always) else some
    sentence = (
        f"{where}: an array is not filled completely, or a draw is multiplied by 0. Such rows estimate the "
        "constant 1"
    )
    return Diagnosis("zero-rows", sentence, f"E K^ = K + {share:.3g} (1 - K)", {"share": share})


def precision_lost(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not refuted(findings, "stability", word="bits") or not _coarse(m):
        return None
    sentence = (
        f"{100 * _share_of_coarse(m):.0f} % of the entries need no more than {MANTISSA} bits: they were rounded, as by "
        "a 16-bit format, and the lost bits do not return with the type of the array. Tails end early and rows are not "
        "orthogonal. Draw in single precision"
    )
    return Diagnosis("precision-lost", sentence, evidence={"share": _share_of_coarse(m)})


def _coarse(m: MatrixMeasures) -> bool:
    """Whether nearly all entries need few bits: not a few values only, such as the bounds of clipping."""
    return _share_of_coarse(m) >= 0.9


def _share_of_coarse(m: MatrixMeasures) -> float:
    return float(m.over["coarse"].mean()) / max(1e-9, 1 - float((m.over["squares"] == 0).mean()))


def calls_unalike(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Squared norms whose law changes with the number of the call."""
    values = m.over["squares"].mean(1)
    change = drift.of_calls(values[:, None])
    return None if change is None else drift.named(values, "the mean of |w|^2", change.calls)


def norms_cached(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    norms = np.sqrt(m.over["squares"])
    if m.calls < SURE:
        return None
    mean = float(norms.mean())
    if float(norms.std(0).max()) > ROUNDING * mean or float(norms.std(1).max()) < ROUNDING * mean:
        return None
    sentence = (
        "every call has the same norms: they were drawn once, when the module was loaded or the object "
        "made. Averages over calls converge to another kernel, that of these norms. Draw norms in every call"
    )
    return Diagnosis("norms-cached", sentence, evidence={"calls": m.calls})


def directions_cached(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    cosines = m.over["lead_directions"]
    if m.calls < SURE or m.case.d < 2:
        return None
    if float(cosines.std(0).max()) > ROUNDING:
        return None
    sentence = (
        "every call has the same directions, with new norms: the rotation was drawn once and kept. "
        "Averages over calls do not converge to the kernel. Draw a rotation in every call"
    )
    return Diagnosis("directions-cached", sentence, evidence={"calls": m.calls})


def rows_repeated(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    pairs = _always(m, (m.same + 0) * (m.equal >= m.looked))
    if not len(pairs) or refuted(findings, "determinism", word="different draws"):
        return None
    pairs = m.compared[pairs]
    row, copy = pairs[0]
    if m.case.stacked and _of_two_matrices(m, pairs):
        return _matrices_alike(m, pairs)
    sentence = (
        f"rows occur twice in every call, with norm and direction: row {copy} equals row {row}, {len(pairs)} "
        "pairs in all. Means are right, but a copy adds nothing, and the variance is that of fewer projections. "
        "Draw every row from new values, and cut a partial block: do not fill it up with rows of another one"
    )
    return Diagnosis("rows-repeated", sentence, evidence={"pairs": len(pairs)})


def _of_two_matrices(m: MatrixMeasures, pairs: np.ndarray) -> bool:
    """Whether all pairs of equal rows belong to different matrices of a batch."""
    return bool((pairs[:, 0] // m.case.stacked < pairs[:, 1] // m.case.stacked).all())


def _matrices_alike(m: MatrixMeasures, pairs: np.ndarray) -> Diagnosis:
    """All matrices of a batch are equal, or some rows of one are rows of another."""
    size = m.case.stacked
    below = m.compared[m.compared < m.case.m // size * size]
    alike = np.triu(below[:, None] % size == below % size, k=1)
    (one, row), (other, copy) = (divmod(int(i), size) for i in pairs[0])
    equal = len(pairs) == alike.sum() and bool((pairs[:, 0] % size == pairs[:, 1] % size).all())
    what, how, title = (
        "all matrices of a batch are equal in every call", "as with one seed for all heads", "equal matrices of a batch"
    ) if equal else (
        f"matrices of a batch share rows in every call: row {copy} of matrix {other} equals row {row} of matrix {one}",
        "as where they are cut from one long draw", "matrices of a batch that share rows",
    )  # fmt: skip
    sentence = (
        f"{what}, {how}. Each matrix alone is right, and so are means, but averages over the batch vary as if it were "
        "smaller. Draw every matrix from a seed of its own, such as the children of a SeedSequence"
    )
    return Diagnosis("rows-repeated", sentence, evidence={"pairs": len(pairs), "equal": equal}, titled=title)


def rows_opposite(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    pairs = _always(m, m.opposite)
    if not len(pairs) or len(_always(m, m.same)):
        return None
    promised = m.case.coupling.gram(m.case.d)
    if promised is not None and np.nanmin(promised) == -1:
        return None
    one, other = pairs[0]
    norms = "one norm" if m.equal[one, other] >= m.looked else "norms of their own"
    apart = m.case.coupling.angle == "fixed" and _independent(m, m.same + m.opposite >= m.looked)
    axes = (
        f" The axes of different pairs are independent, not at the angles of {m.case.coupling.name}."
        if apart
        else ""
    )
    sentence = (
        f"rows come in opposite pairs with {norms}: row {m.compared[other]} points in the direction opposite to "
        f"row {m.compared[one]}.{axes} This is an antithetic coupling or the cross-polytope, not the declared one. "
        "Means are right and the variance of exp features is lower than without such pairs; that of cos features is "
        "not, because cos is even. If this is intended, declare it"
    )
    return Diagnosis(
        "rows-opposite", sentence, evidence={"pairs": len(pairs), "one norm": norms == "one norm"}
    )


def blocks_permuted(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    d, calls = m.case.d, m.looked
    if m.case.m < 2 * d or d < 2 or not refuted(findings, "blocks") or len(m.compared) < m.case.m:
        return None
    lines = (m.same + m.opposite)[:d, d : 2 * d] / calls
    if float(np.abs(lines.sum(0) - 1).max()) > 0.05 or float(np.diag(lines).min()) > 0.9:
        return None
    sentence = (
        "the second block has the directions of the first in another order: one rotation was drawn and "
        "its rows permuted or shifted where independent blocks are needed. Means are right, but more features "
        "than d do not lower the variance as they should. Draw a rotation for each block"
    )
    return Diagnosis("blocks-permuted", sentence, evidence={"largest share of one place": float(lines.max())})


def coupling_other(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    case = m.case
    promised = case.coupling.cosine(case.d)
    if not refuted(findings, "coupling") or refuted(findings, "marginal", "directions") or not m.gaps:
        return None
    several = promised is None and case.coupling.angle in ("fixed", "axes")
    if promised is None and case.coupling.angle is None:
        return None
    others = {name: c for name, c in fixed_cosines(case.d).items() if c != promised and not several}
    found = next((name for name in others if m.gaps[name] < FLOAT32_GAP), None)
    mixed = next((name for name, c in others.items() if m.regrouped.get(c) == m.calls >= SURE), None)
    if mixed is not None and found is None:
        how = f"the {mixed} coupling with its rows in another order"
        return _other(m, mixed, how, _norms_besides(m))
    if found is None and (promised is not None or several) and m.calls >= SURE:
        lines = m.same + m.opposite >= m.looked
        if _independent(m, lines) and (lines.any() or fit(m.over["pair"], cosine_cdf(case.d)) > FITS):
            if lines.any():
                return _pairs_of_independent_rows(m) if case.coupling.angle == "fixed" else None
            found = "iid"
    if found in (None, case.coupling.name):
        return None
    what = "independent rows" if found == "iid" else f"the {found} coupling: angles inside blocks are fixed"
    return _other(m, found, what, _norms_besides(m))


def _independent(m: MatrixMeasures, lines: np.ndarray) -> bool:
    """Whether all pairs of rows, but those always on one line, have the mean cosines and squares of independent ones.

    Squares of cosines average 1/d, with tails no longer than those of chi squared values over d. The mean of n of these
    exceeds 1/d by 2 (sqrt(t/n) + t/n)/d, or falls short by 2 sqrt(t/n)/d, with probability exp(-t) (Laurent, Massart
    2000).
    """
    chosen = np.triu(~lines, k=1)
    if not chosen.any() or m.calls < MANY:
        return False
    # rows of simplices cancel, and points of a sequence nearly do: this adds up what no pair shows in few calls
    together, calls = float(m.call_squares.sum() / m.sum_squares.sum()), m.case.d * m.calls
    if not lines.any() and abs(together - 1) > STANDARD_ERRORS * math.sqrt(2 / calls):
        return False
    t = math.log(4 * chosen.sum() / FITS) / m.calls
    squares, means = m.case.d * m.cosine_squares[chosen] / m.calls - 1, m.cosines[chosen] / m.calls
    near = float(np.abs(means).max()) < math.sqrt(2 * t / m.case.d) + 2 * t
    return near and bool((squares < 2 * (math.sqrt(t) + t)).all() and (squares > -2 * math.sqrt(t)).all())


def _pairs_of_independent_rows(m: MatrixMeasures) -> Diagnosis | None:
    """Opposite pairs on independent axes, where a coupling with fixed axes is declared."""
    pairs, name, promised = _always(m, m.opposite), m.case.coupling.name, m.case.coupling.gram(m.case.d)
    if not len(pairs) or len(_always(m, m.same)) or promised is None or np.nanmin(promised) > -1:
        return None  # pairs that are not promised have a name of their own
    one, other = pairs[0]
    norms = "one norm" if m.equal[one, other] >= m.looked else "norms of their own"
    sentence = (
        f"rows come in opposite pairs with {norms} (row {m.compared[other]} is opposite to row {m.compared[one]}), but "
        f"the axes of different pairs are independent, not at the angles of {name}. Each projection alone is right and "
        "means are those of the kernel; squared errors are those of independent pairs of opposite rows. Check that the "
        "step that makes the axes orthogonal is reached before rows are negated, or declare a coupling of independent "
        "axes"
    )
    evidence = {"pairs": len(pairs), "one norm": norms == "one norm", "declared": name}
    return Diagnosis("coupling-other", sentence, evidence=evidence)


def _other(m: MatrixMeasures, found: str, what: str, norms: str = "") -> Diagnosis:
    """Another coupling, by its angles or points; ``norms`` says what its norms do not have, if anything."""
    declared = m.case.coupling.name
    sentence = (
        f"angles are those of {what.partition(':')[0]}, although {declared} was declared, and besides {norms}, so that "
        "squared errors are those of neither coupling. Check how rows are coupled and how norms are drawn" if norms
        else f"this is {what}, although {declared} was declared. Each projection alone is right and means "
        f"are those of the kernel; the variance is that of {found}. Declare --as {found}, or check that the step "
        "that couples the rows is reached"
    )  # fmt: skip
    return Diagnosis("coupling-other", sentence, evidence={"found": found, "declared": declared})


def _norms_besides(m: MatrixMeasures) -> str:
    """What is seen of norms that those of independent, orthogonal and simplex rows do not have; empty if nothing."""
    if _of_one_norm(m):
        return "all norms are equal"
    largest = min(float(np.abs(np.triu(m.norm_correlations, k=1)).max()), 1 - ROUNDING)
    if row_laws.norms_hang_together(m) or math.atanh(largest) * math.sqrt(m.calls) > row_laws.CORRELATED:
        return "norms depend on each other"
    # where chi norms are promised, a name is given only if they are not refuted
    chi = (
        m.case.coupling.norm_law == "chi" or fit(m.over["squares"].ravel(), m.case.row.norm_square_cdf) > FITS
    )
    return "" if chi else "norms have another law"


def pairs_other(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Opposite pairs on orthogonal axes, as promised, but with other norms, or in another order of rows."""
    case, promised = m.case, m.case.coupling.gram(m.case.d)
    if promised is None or np.isnan(promised).any() or np.unique(promised).tolist() != [-1, 0, 1]:
        return None
    if m.calls < SURE or not refuted(findings, "coupling", "marginal") or refuted(findings, "directions"):
        return None
    size, rows = case.block, min(case.block, case.m)
    pairs = m.compared[_always(m, m.opposite)].reshape(-1, 2)
    pairs = pairs[pairs[:, 1] < rows]  # of the first block
    if len(np.unique(pairs)) != rows or len(pairs) * 2 != rows or rows < size:
        return None
    block = m.cosines[:size, :size] / m.calls
    squares = m.cosine_squares[:size, :size] / m.calls
    lines = np.eye(size)
    lines[pairs[:, 0], pairs[:, 1]] = lines[pairs[:, 1], pairs[:, 0]] = 1
    if (
        len(m.compared) < case.m
        or np.abs(squares - lines).max() > ROUNDING
        or np.abs(block[lines == 0]).max() > ROUNDING
    ):
        return None
    equal = m.equal[pairs[:, 0], pairs[:, 1]]
    if not ((equal >= m.looked).all() or (equal == 0).all()):
        return None
    shared, declared = bool(equal.all()), "shared" in case.coupling.tied(case.d, case.m)
    found = PAIRED[0 if shared else 1]
    one, other = pairs[0]
    if shared != declared:
        drawn, wanted = ("one norm", "norms of their own")[:: 1 if shared else -1]
        order = "" if m.row_gap < FLOAT32_GAP else ", and in another order of rows"
        sentence = (
            f"opposite rows have {drawn} (rows {one} and {other}), as of the {found} coupling{order}; those of "
            f"{case.coupling.name} have {wanted}. Each row alone is right, and so are means; squared errors are those "
            f"of {found}. Declare --as {found}, or draw {'a norm for each row' if shared else 'one norm for each pair'}"
        )
        return Diagnosis(
            "coupling-other", sentence, evidence={"found": found, "declared": case.coupling.name}
        )
    if m.row_gap < FLOAT32_GAP:
        return None
    sentence = (
        f"the rows of a call are those of {case.coupling.name} blocks, but in another order: row {other} is opposite "
        f"to row {one}, not row {_partner(promised, one)}. Estimates from whole blocks have the right law; those from "
        f"a part of a block, such as fewer than {size} rows, do not. Put the opposite rows after the {size // 2} axes, "
        f"or ask for multiples of {size} rows"
    )
    return Diagnosis("rows-permuted", sentence, evidence={"calls": m.calls})


def _partner(gram: np.ndarray, row: int) -> int:
    return int((gram[row] == -1).argmax())


def points_other(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Points that are not those of the promised quasi-random sequence."""
    name, seen = m.case.coupling.name, m.unevenness
    if m.calls < SURE or not refuted(findings, "coupling", word="successive rows"):
        return None
    if refuted(findings, "marginal", "directions"):  # points are read with the promised law
        return None
    found = next((other for other, net in m.nets.items() if net.holds), None)
    if found is not None:
        return _other(m, found, f"a {found} sequence")
    free = m.case.d == 1 or fit(m.over["pair"], cosine_cdf(m.case.d)) > FITS
    if free and abs(seen - 1) < STANDARD_ERRORS * math.sqrt(2 / m.calls):
        return _other(m, "iid", "independent rows", _norms_besides(m))
    what, how = _of_points(m, m.nets[name])
    sentence = (
        f"rows are not points of one {name} sequence: {what}. Averages of Phi(w_1) have {seen:.2g} times the variance "
        "of independent rows. Each row alone is right, so means are too; squared errors are not those of "
        f"{name}. {how}"
    )
    return Diagnosis("coupling-other", sentence, evidence={"ratio of variances": seen, "declared": name})


def _of_points(m: MatrixMeasures, net: Net) -> tuple[str, str]:
    """What is seen of points that are no sequence, and what to do."""
    if net.lines:
        return (
            "each coordinate alone is that of the sequence, but no two together, as if each had a generator of its own",
            "Draw all coordinates from one generator of dimension d",
        )
    if any(net.strata.values()):
        return (
            f"each of {m.case.m} intervals of a coordinate contains one of the {m.case.m} points of a call, as in a "
            "Latin hypercube or a sequence in another order, but the first 2, 4, ... points are not spread in this way",
            "If rows are only averaged, their order does no harm; otherwise keep the order of the sequence",
        )
    return (
        "successive rows do not fill cells one by one in any mapping that is known (quantiles, or pairs by Box and "
        "Muller)",
        "Look for rows that are reordered, left out, or drawn in pieces with scrambles of their own",
    )


def last_block(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """A partial last block with other angles, or other norms, means or partners, than all the others."""
    case = m.case
    rest = case.m % case.block
    if case.coupling.angle not in ("fixed", "axes") or rest == 0 or case.m < case.block:
        return None
    if m.row_gap > FLOAT32_GAP:  # the others are wrong, too
        return None
    one = rest == 1
    if m.rest_gap > FLOAT32_GAP:
        what = (
            f"do not have the angles of the others (largest gap {m.rest_gap:.2g}): they were drawn separately, or cut "
            "before they were coupled"
        )
    elif (other := _only_in_rest(m, case.m - rest)) is not None:
        what = f"{'is' if one else 'are'} unlike the others, which are right: {other}"
    else:
        return None
    sentence = (
        f"the last {'row' if one else f'{rest} rows'} of {case.m}, a partial block, {what}. Estimates are wrong by the "
        f"share of these rows, {rest}/{case.m}, and right where m is a multiple of {case.block}. Draw a whole block "
        "and cut it"
    )
    return Diagnosis("last-block", sentence, evidence={"rows": rest, "gap": m.rest_gap})


def _only_in_rest(m: MatrixMeasures, whole: int) -> str | None:
    """What only rows from ``whole`` on show: a mean, a mean square, or a tie to another row."""
    case = m.case
    if m.calls < SURE or not (case.coupling.rows and case.coupling.norms):
        return None
    root, late = math.sqrt(m.calls), m.compared >= whole
    means = np.abs(m.mean_rows).max(1) / np.sqrt(m.sum_squares / m.calls).max(1).clip(1e-300) * root
    lengths = m.sum_squares.sum(1) / m.calls
    spread = m.over["squares"].var(0)
    scores = {
        "the norms": np.abs(lengths - case.d) / math.sqrt(2 * case.d) * root,
        "the spread of norms": np.abs(spread / (2 * case.d) - 1) / math.sqrt(2 + 12 / case.d) * root,
        "the means": means,
    }
    seen = {what: (score[whole:].max(), score[:whole].max()) for what, score in scores.items()}
    between = np.abs(np.triu(m.norm_correlations, k=1)) * root
    across = np.where(m.pairs(inside=False), np.abs(m.cosines) / np.sqrt(m.cosine_squares.clip(1e-300)), 0.0)
    for what, score in (
        ("norms depend on those of other rows", between),
        ("directions depend on those of other rows", across),
    ):
        touched = late[None] | late[:, None]
        seen[what] = (score[touched].max(initial=0.0), score[~touched].max(initial=0.0))
    if any(elsewhere > NEAR for _, elsewhere in seen.values()):
        return None
    found = [what for what, (here, _) in seen.items() if here > APART]
    if not found:
        return None
    squares = ", ".join(f"{lengths[i]:.3g}" for i in range(whole, min(case.m, whole + 4)))
    more = f" (mean squares {squares}, not {case.d})" if "the norms" in found else ""
    sign = (
        " (a coordinate has one sign in every call: the signs of R's diagonal were dropped)"
        if _one_sign(m)
        else ""
    )
    return " and ".join(found) + more + sign


def _one_sign(m: MatrixMeasures) -> bool:
    """Whether the first coordinate of the first row of the last block has one sign in every call."""
    last = m.over["signs"][:, -1]
    return bool(m.case.block == m.case.d and last[0] != 0 and (last == last[0]).all())


def rows_permuted(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    ours = m.case.coupling.cosine(m.case.d)
    if (
        m.calls < SURE
        or ours is None
        or m.regrouped.get(ours) != m.calls
        or not refuted(findings, "coupling")
    ):
        return None
    # what refutes one of these gives estimates another law
    if refuted(findings, "marginal", "directions", "unbiasedness", "variance"):
        return None
    sentence = (
        f"the rows of a call are those of {m.case.coupling.name} blocks, but in another order: all angles are there, "
        f"not between rows 0 to {m.case.block - 1}. Estimates, which are averages over all rows, have the right law; "
        "a part of the rows, such as the first block, does not. Permute rows inside blocks, or whole blocks, only"
    )
    return Diagnosis("rows-permuted", sentence, evidence={"calls": m.calls})


def angles_other(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    promised, inside = m.case.coupling.gram(m.case.d), m.pairs(inside=True)
    if promised is None or m.calls < SURE or m.row_gap < FLOAT32_GAP or not refuted(findings, "coupling"):
        return None
    if refuted(findings, "marginal", "directions"):
        return None
    means = m.cosines / m.calls
    spread = np.sqrt(np.maximum(m.cosine_squares / m.calls - means**2, 0.0))
    row = m.compared % m.case.block
    gaps = np.nan_to_num(np.where(inside, np.abs(means - promised[np.ix_(row, row)]), 0.0))
    i, j = (int(k) for k in np.unravel_index(int(gaps.argmax()), gaps.shape))
    if float(spread[inside].max()) > ROUNDING or gaps[i, j] < FLOAT32_GAP:
        return None
    right, wrong = (np.degrees(np.arccos(np.clip(c, -1, 1))) for c in (promised[row[i], row[j]], means[i, j]))
    sentence = (
        f"angles inside blocks are fixed, but {int((gaps > FLOAT32_GAP).sum())} of {int(inside.sum())} are not those "
        f"of {m.case.coupling.name}: rows {m.compared[i]} and {m.compared[j]} are at {wrong:.4g} degrees in every "
        f"call, not at {right:.4g}. Each row alone is right, and so are means; squared errors are not. Look for a sum "
        "of rows that is taken after they are coupled"
    )
    return Diagnosis("angles-other", sentence, evidence={"cosine": float(means[i, j])})


def block_size(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    case = m.case
    if (
        case.coupling.angle != "fixed"
        or m.calls < SURE
        or len(m.compared) < case.m
        or not refuted(findings, "coupling")
    ):
        return None
    if refuted(findings, "marginal", "directions"):
        return None
    means = m.cosines / m.calls
    fixed = m.cosine_squares / m.calls - means**2 < ROUNDING**2
    size = next((k for k in range(1, case.m) if not fixed[:k, k].all()), case.m)
    block = np.arange(case.m) // size
    if size in (1, case.block, case.m) or (fixed != (block[:, None] == block)).any():
        return None
    simplex = size == case.d + 1 and abs(means[0, 1] + 1 / case.d) < FLOAT32_GAP
    every = ", those of all d + 1 vertices of a regular simplex" if simplex else ""
    sentence = (
        f"blocks have {size} rows at fixed angles, the first two at {np.degrees(np.arccos(means[0, 1])):.4g} "
        f"degrees{every}, but those of {case.coupling.name} have {case.block}. Each row alone is right, and so are "
        f"means; squared errors are those of other blocks. Couple {case.block} rows at a time"
    )
    return Diagnosis("block-size", sentence, evidence={"rows": size, "cosine": float(means[0, 1])})


def half_space(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    lead = np.sign(m.over["lead"])
    means = np.abs(m.mean_rows).min(0) * math.sqrt(m.case.d) / m.unit  # of coordinates of size 1
    fixed = np.flatnonzero((lead == lead[0]).all(0) & (means > 0.2))
    if m.calls < SURE or len(fixed) == 0 or not refuted(findings, "marginal"):
        return None
    which = f"coordinate {_shown(fixed)}" if len(fixed) < m.case.d else "every coordinate"
    sentence = (
        f"{which} of every row always has the same sign: half of the space is never drawn. This is harmless for "
        "cos features, but sin and exp features are biased. Look for abs, or for a fixed sign"
    )
    closed = "E exp(w.v) = exp(|v|^2/2) (1 + erf(v_j/sqrt 2))"
    return Diagnosis("half-space", sentence, closed, {"coordinates": len(fixed)})


def norms_sorted(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Norms in one order of size, inside every block or in the whole call: by chance, one in 2^SURE calls or fewer."""
    squares = m.over["squares"]
    if m.calls < SURE:
        return None
    sizes = {
        "a call": m.case.m,
        "a block": min(m.case.d if m.case.coupling.norms else m.case.block, m.case.m),
    }
    found = next((what for what, size in sizes.items() if size > 1 and _in_order(squares, size)), None)
    if found is None:
        return None
    rest = m.case.m % m.case.block if found == "a block" else 0
    cut = (
        ". The last block is cut, so that it has the smallest or the largest ones only, and means are biased"
    )
    sentence = (
        f"the norms of {found} are in order of size: they were sorted, like eigenvalues or singular values. A single "
        f"row does not have the right norm law, and norms depend on each other{cut * (rest > 0)}. Draw norms "
        "independently of the rows, and do not sort them"
    )
    return Diagnosis("norms-sorted", sentence, evidence={"sorted": found})


def _in_order(squares: np.ndarray, size: int) -> bool:
    """Whether the norms of each part of so many rows always fall, or always grow."""
    ends = np.arange(1, squares.shape[1]) % size == 0
    steps = np.diff(squares, axis=1)[:, ~ends]
    one_way = (steps >= 0).all() or (steps <= 0).all()
    return bool(one_way and (steps != 0).mean() > 0.5)  # not those that are shared


def norms_paired(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Norms that are not at opposite quantiles where they are declared so: independent, or in other pairs."""
    tied, rows = m.case.coupling.tied(m.case.d, m.case.m), m.compared.tolist()
    declared = [pair for pair in tied.get("antimonotone", ()) if set(pair) <= set(rows)]
    if not declared or m.calls < MANY or not refuted(findings, "coupling", word="opposite quantiles"):
        return None
    if refuted(findings, "marginal", "directions"):  # quantiles are those of the promised law
        return None
    ranks = m.norm_correlations
    opposite, shared = ([(rows[i], rows[j]) for i, j in np.argwhere(np.triu(found, k=1))]
                        for found in (ranks < ROUNDING - 1, ranks > 1 - ROUNDING))  # fmt: skip
    apart = [pair for pair in declared if pair not in opposite]
    if not apart:
        return None
    instead = [pair for pair in opposite if pair not in declared]
    between = [float(ranks[rows.index(i), rows.index(j)]) for i, j in apart]
    largest = max(between, key=abs)
    title, drawn = "", f"depend on each other in another way (rank correlations from {min(between):+.3g} to "
    drawn += f"{max(between):+.3g}, not -1)"
    if instead:
        drawn = f"are not; those of rows {_listed_pairs(instead)} are instead"
    elif set(apart) <= set(shared):
        title, drawn = "shared norms where opposite ones are declared", "are equal"
    elif abs(largest) * math.sqrt(m.calls) < STANDARD_ERRORS:
        title = "independent norms where pairs are declared"
        drawn = f"are independent as far as is seen (largest rank correlation {largest:+.2g})"
    which = "these" if len(apart) == len(declared) else f"those of rows {_listed_pairs(apart)}"
    sentence = (
        f"norms of rows {_listed_pairs(declared)} are declared to be in pairs at opposite quantiles; {which} {drawn}. "
        f"Each row alone is right, and so are means; {_changed_by(m, instead, declared, tied)}. Draw the norm of row "
        f"{apart[0][1]} as the one with F(r') = 1 - F(r) for the norm r of row {apart[0][0]}, and so on "
        "(rftheory.author: norm_law=ANTIMONOTONE, or opposite_norms), or declare what is drawn"
    )
    evidence = {"declared": declared, "instead": instead, "rank correlation": largest}
    return Diagnosis("norms-paired", sentence, evidence=evidence, titled=title)


def _changed_by(
    m: MatrixMeasures, drawn: list[tuple[int, int]], declared: list[tuple[int, int]], tied: Collection[str]
) -> str:
    """What other pairs change: no estimate from whole blocks, if all rows have one angle and as many are in pairs."""
    case, size = m.case, m.case.block
    known = len(m.compared) == case.m and m.row_gap < FLOAT32_GAP and case.coupling.cosine(case.d) is not None
    whole = case.m // size * size
    inside = [{pair for pair in pairs if pair[1] < whole} for pairs in (drawn, declared)]
    alone = len({row for pair in inside[0] for row in pair}) == 2 * len(inside[0])
    counts = [sorted(i // size for i, _ in pairs) for pairs in inside]
    within = all(i // size == j // size for i, j in inside[0])
    if not (known and whole and alone and within and counts[0] == counts[1] and len(tied) == 1):
        return "squared errors are not"
    return (
        "estimates from whole blocks have the declared law too, since they do not depend on the order of rows. Those "
        f"from a part of a block, such as fewer than {size} rows, have another"
    )


def _listed_pairs(pairs: Sequence[tuple[int, int]]) -> str:
    shown = ", ".join(f"{i} and {j}" for i, j in pairs[:4])
    return shown + (f", ... {pairs[-1][0]} and {pairs[-1][1]}" if len(pairs) > 4 else "")


def hadamard_factors(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not refuted(findings, "coupling", word="Hadamard factors"):
        return None
    sentence = (
        f"directions are products of {m.rounds} Hadamard factor{'s' * (m.rounds > 1)} H D where three are "
        "needed: the entries of unit rows take only a few values, and rows are far from uniform on the sphere. "
        "Multiply by three factors, each with its own signs"
    )
    return Diagnosis("hadamard-factors", sentence, evidence={"factors": m.rounds})


def rows_centred(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if m.centre > ROUNDING or m.calls < SURE:
        return None
    if m.case.coupling.centred(m.case.d, m.case.m) or _cancels_in_pairs(m) or _cancels_in_parts(m):
        return None
    if m.case.m <= m.case.block and not refuted(findings, "marginal", "directions", "unbiasedness"):
        return None  # perhaps the vertices of one simplex
    sentence = (
        "the rows of a call sum to 0 in every call: their mean is subtracted, and perhaps they are divided by their "
        "standard deviation. Rows then depend on each other and are not Gaussian. Leave the draws as they are"
    )
    closed = f"each row has the covariance (1 - 1/m) I, m = {m.case.m}, if only the mean is subtracted"
    return Diagnosis("rows-centred", sentence, closed, {"largest sum": m.centre})


def _cancels_in_pairs(m: MatrixMeasures) -> bool:
    """Whether every row has an opposite one of the same norm, so that the sum of all is 0 for this reason."""
    pairs = _always(m, m.opposite * (m.equal >= m.looked))
    return len(np.unique(pairs)) == len(m.compared)


def _cancels_in_parts(m: MatrixMeasures) -> bool:
    """Whether some of the first rows of the last call sum to 0: those of a block do, as vertices of a simplex."""
    if m.last is None:
        return False
    sums, sizes = np.cumsum(m.last, axis=0)[:-1], np.cumsum(np.linalg.norm(m.last, axis=1))[:-1]
    return bool((np.linalg.norm(sums, axis=1) < ROUNDING * sizes).any())


def rows_kept(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    spread = m.sum_squares * m.calls - m.sum_rows**2
    kept = np.flatnonzero((spread <= SAME * m.sum_squares * m.calls).all(1) & (m.sum_squares > 0).any(1))
    if m.calls < SURE or len(kept) == 0 or refuted(findings, "determinism", word="different draws"):
        return None
    sentence = (
        f"{_listed(kept)} the same in every call, whatever the seed: drawn once, or from a buffer that is not "
        "filled again. Averages over calls do not converge to the kernel. Draw all rows in every call"
    )
    return Diagnosis("rows-kept", sentence, evidence={"rows": len(kept)})


def rotation_law(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Right angles inside blocks, but rows that prefer axes, each its own."""
    d, whole = m.case.d, m.case.m // m.case.d * m.case.d
    if m.case.coupling.hadamard or m.case.coupling.cut(d):
        return None
    if refuted(findings, "directions", "marginal", "blocks") and (lines := _lines(m)) is not None:
        return _of_few_lines(m, lines)
    if not refuted(findings, "directions", "marginal"):
        return None
    if d < 3 or m.calls < SURE or whole == 0 or m.row_gap > FLOAT32_GAP or m.case.coupling.angle != "fixed":
        return None
    blocks = m.calls * whole / d
    squares = m.sum_squares[:whole].reshape(-1, d, d).mean(0) / m.calls  # by row of a block and by coordinate
    squares /= squares.mean(1, keepdims=True)  # norms may be wrong, too
    gap, noise = squares - squares.mean(0), ROTATION * _spread_of_squares(m) / float(np.sqrt(blocks))
    means = m.mean_rows[:whole].reshape(-1, d, d).mean(0)
    one_sign = (m.over["signs"] == m.over["signs"][0, 0]).all()  # as without the signs of R's diagonal
    tilt = np.abs(means - means.mean(0)).max() / float(np.sqrt(m.sum_squares.mean() / m.calls))
    tilted = tilt > noise and not one_sign
    if not (tilted or np.abs(gap).max() > noise > np.abs(squares.mean(0) - 1).max()):
        return None
    row, axis = (int(i) for i in np.unravel_index(int(np.abs(gap).argmax()), gap.shape))
    sentence = (
        "rotations are not uniform: the mean square of w_ij depends on i and j together (row "
        f"{row} of a block, coordinate {axis}: {squares[row, axis]:.3g} instead of 1). One reflection, a Cayley "
        "transform or the exponential of a random matrix gives orthogonal rows, but single rows are not Gaussian and "
        "the kernel is not radial. "
        "Factor a Gaussian matrix, with the signs of R's diagonal"
    )
    return Diagnosis("rotation-law", sentence, evidence={"mean square": float(squares[row, axis])})


def _lines(m: MatrixMeasures) -> np.ndarray | None:
    """The lines on which the first rows of all calls lie, one unit vector for each; None if they do not recur.

    Under a continuous law no two calls have a line in common, but for what rounding makes equal: in two dimensions, one
    row in 1500 of so many. A single line is that of directions which are kept.
    """
    lead = m.over["lead"][:LINED]
    norms = np.linalg.norm(lead, axis=1, keepdims=True)
    if m.calls < SURE or (norms == 0).any():
        return None
    units = np.round(lead / norms, 6)
    first = np.take_along_axis(units, (units != 0).argmax(1)[:, None], axis=1)
    found: np.ndarray = np.unique(units * np.sign(first) + 0.0, axis=0)
    return found if 1 < len(found) <= (1 - RECURRING) * len(lead) else None


def _of_few_lines(m: MatrixMeasures, lines: np.ndarray) -> Diagnosis:
    """Directions from a finite set: those of the axes, as of signed permutations, or of one matrix that is kept."""
    axes = bool((np.abs(lines).max(1) == 1).all())
    signs = np.unique(np.sign(m.over["lead"]), axis=0)
    kind = "signed permutations" if len(signs) > len(lines) else "permutations"
    what = (
        f"rows lie along the axes, as those of {kind}" if axes
        else f"the first rows of {min(m.calls, LINED)} calls lie on {len(lines)} lines only, as if the rows of one "
        "fixed matrix were permuted or got signs"
    )  # fmt: skip
    sentence = (
        f"directions are taken from a finite set: {what}. Rows may be orthogonal, but none is Gaussian and the kernel "
        "is not radial: it depends on the direction of x - y, however many features are drawn. Multiply by a uniform "
        "rotation: the Q of a Gaussian matrix with the signs of R's diagonal, drawn anew for each block"
    )
    chi = m.case.row.gaussian and fit(m.squares.ravel(), m.case.row.norm_square_cdf) > FITS
    closed = "E cos(w.z) = (1/d) sum_j 1F1(d/2; 1/2; -z_j^2/2)" if axes and chi else ""
    title = "" if m.case.coupling.angle == "fixed" else "directions from a finite set"
    return Diagnosis("rotation-law", sentence, closed, {"lines": len(lines)}, title)


def _spread_of_squares(m: MatrixMeasures) -> float:
    """Relative standard deviation of a squared entry of uniform directions times the norms that were drawn."""
    sizes, d = m.over["squares"] / m.over["squares"].mean(), m.case.d
    return float(np.sqrt(max(3 * d / (d + 2) * float((sizes**2).mean()) - 1, 0.0)))


def _always(m: MatrixMeasures, counts: np.ndarray) -> np.ndarray:
    """Pairs i < j of compared rows that were counted in every call, if chance is excluded."""
    return np.argwhere(np.triu(counts >= m.looked, k=1)) if m.calls >= SURE else np.zeros((0, 2), dtype=int)


def _listed(places: np.ndarray) -> str:
    """Rows as the subject of a sentence, with their verb."""
    return f"row {_shown(places)} is" if len(places) == 1 else f"rows {_shown(places)} are"


def _shown(places: np.ndarray) -> str:
    shown = ", ".join(str(int(i)) for i in places[:4])
    return shown + (f", ... {int(places[-1])}" if len(places) > 4 else "")


SAME = 1e-9
"""A row is the same in all calls if its variance is below this share of its mean square."""
LINED = 4096
"""In how many calls lines that recur are sought."""
RECURRING = 1 / 16
"""The share of these calls from which on lines of earlier ones do not recur by rounding."""
PAIRED = ("mirrored", "cross-polytope")
"""The couplings of opposite rows on orthogonal axes: with one norm for both, and with norms of their own."""
APART, NEAR = 7.0, 5.0
"""Standard errors from which on rows are unlike the promise, and up to which the others are like it."""
ROTATION = 6.0
"""Standard errors from which on a mean square differs from others, among all those of a block."""

FRACTION = 0.05
"""By so much of a step entries may be off multiples, because of rounding in single precision."""

RECUR = (discrete, rows_repeated, seeds_overlap, few_states, rows_kept)
FACTS = (rounded, zero_rows, precision_lost, norms_cached, directions_cached, rows_opposite, blocks_permuted,
    rows_permuted, block_size, coupling_other, pairs_other, points_other, angles_other, last_block, half_space,
    norms_sorted, norms_paired, hadamard_factors, rows_centred, rotation_law)  # fmt: skip
