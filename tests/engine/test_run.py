"""Runs: the same bits for any way to split the work, checkpoints, and failures that name their blocks."""

from __future__ import annotations

import json
import multiprocessing
import re
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from rftheory.engine import Moments, WithComoment, collect, run
from rftheory.engine import record as record_module
from rftheory.engine.gap import Controlled
from rftheory.engine.record import code_version
from rftheory.engine.run import _to_host
from rftheory.errors import InvalidInput, SamplerFailed
from rftheory.report.judging import sources_hash
from rftheory.sample import Fused, Mechanism, Stream
from rftheory.sample.from_function import FromFunction

JOB = {"stream": 7, "d": 4}


def noise(blocks: range, key: int = 7, columns: int = 2) -> np.ndarray:
    """Two columns of lognormal noise; each row is a function of (key, block)."""
    rows = [np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, i])) for i in blocks]
    return np.array([np.exp(rng.standard_normal(columns)) for rng in rows])


def fast(blocks: range) -> np.ndarray:
    """A cheap deterministic statistic with an irrational spread of values."""
    return np.sin(np.arange(blocks.start, blocks.stop) * 1.234567) * 1e3


REFERENCE = run(noise, 1000, leaf=64)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("chunk_leaves", [None, 1, 3, 100])
def test_chunks_and_workers_do_not_change_a_bit(workers, chunk_leaves):
    assert run(noise, 1000, leaf=64, workers=workers, chunk_leaves=chunk_leaves) == REFERENCE


@pytest.mark.parametrize("memory", [1, 8192 * 10, 2**40])
def test_memory_budget_does_not_change_a_bit(memory):
    sizes = []

    def watched(blocks: range) -> np.ndarray:
        sizes.append(len(blocks))
        return noise(blocks)

    assert run(watched, 1000, leaf=64, memory=memory) == REFERENCE
    assert max(sizes) <= max(1, memory // 8192)


def test_a_statistic_may_hand_out_the_same_memory_at_every_call():
    memory = np.empty((1000, 2))

    def into_memory(blocks: range) -> np.ndarray:
        rows = memory[: len(blocks)]
        rows[:] = noise(blocks)
        return rows

    assert run(into_memory, 1000, leaf=64, memory=8192 * 10) == REFERENCE
    assert run(into_memory, 1000, leaf=64, chunk_leaves=4) == REFERENCE


def test_statistic_may_state_its_need_of_memory():
    sizes = []

    class Hungry:
        bytes_per_block = 2**20

        def __call__(self, blocks: range) -> np.ndarray:
            sizes.append(len(blocks))
            return noise(blocks)

    assert run(Hungry(), 1000, leaf=64, memory=2**24) == REFERENCE
    assert max(sizes) == 16


def test_the_merge_order_matters_so_equality_is_not_trivial():
    leaves = [Moments.of(noise(range(i, min(i + 64, 1000)))) for i in range(0, 1000, 64)]
    one_by_one = leaves[0]
    for value in leaves[1:]:
        one_by_one = one_by_one + value
    assert one_by_one != REFERENCE
    np.testing.assert_allclose(one_by_one.m2, REFERENCE.m2, rtol=1e-12)


def test_leaf_size_and_key_change_the_bits():
    assert run(noise, 1000, leaf=32) != REFERENCE
    assert run(partial(noise, key=8), 1000, leaf=64).mean[0] != REFERENCE.mean[0]


@pytest.fixture(scope="module")
def executor():
    # not by fork, which is the default of some systems: a process with threads that forks may hang
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as found:
        yield found


def test_processes_give_the_same_bits(executor):
    assert run(noise, 1000, leaf=64, chunk_leaves=4, map=executor.map) == REFERENCE


def test_results_may_come_in_any_order():
    def backwards(task, chunks):
        return [task(chunk) for chunk in reversed(list(chunks))]

    assert run(noise, 1000, leaf=64, chunk_leaves=1, map=backwards) == REFERENCE


def test_a_map_that_loses_chunks_is_refused():
    def lossy(task, chunks):
        return [task(chunk) for chunk in list(chunks)[:-1]]

    with pytest.raises(InvalidInput, match="one result for each chunk"):
        run(noise, 1000, leaf=64, chunk_leaves=4, map=lossy)


def test_range_of_blocks_and_values():
    rows = fast(range(50, 1234))
    moments = run(fast, range(50, 1234), leaf=100)
    assert moments.n == 1184
    assert moments.mean[0] == pytest.approx(rows.mean(), abs=1e-12 * 1e3)
    assert moments.m2[0] == pytest.approx(((rows - rows.mean()) ** 2).sum(), rel=1e-13)


def test_comoment_of_a_run():
    rows = noise(range(200))
    np.testing.assert_allclose(
        collect(WithComoment, noise, 200, leaf=16).covariance, np.cov(rows.T), rtol=1e-12
    )


def test_progress_counts_blocks():
    seen = []
    run(fast, 1000, leaf=100, chunk_leaves=3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(300, 1000), (600, 1000), (900, 1000), (1000, 1000)]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("chunk_leaves", [1, 4])
def test_stop_ends_at_the_same_leaf_for_any_split(workers, chunk_leaves):
    value = collect(
        Moments,
        noise,
        10_000,
        leaf=64,
        workers=workers,
        chunk_leaves=chunk_leaves,
        stop=lambda m: m.n >= 300,
    )
    assert value == run(noise, 320, leaf=64)


def test_device_arrays_are_copied_by_their_own_method():
    class OnDevice:
        __cuda_array_interface__: dict[str, object] = {}  # noqa: RUF012

        def __init__(self, rows: np.ndarray) -> None:
            self.rows = rows

        def get(self) -> np.ndarray:
            return self.rows

    assert run(lambda blocks: OnDevice(noise(blocks)), 1000, leaf=64) == REFERENCE
    assert run(lambda blocks: [noise(blocks)], 1000, leaf=64, to_host=lambda rows: rows[0]) == REFERENCE
    assert isinstance(_to_host([1.0]), np.ndarray)


@pytest.mark.gpu
def test_device_statistic_gives_the_host_moments():
    import cupy

    def on_device(blocks: range) -> object:
        return cupy.asarray(noise(blocks))

    assert run(on_device, 1000, leaf=64, chunk_leaves=2) == REFERENCE


# --- records ---------------------------------------------------------------------------------------------


def killed_after(chunks: int):
    """`noise`, interrupted when it is called for the chunk after ``chunks`` of them."""
    calls = []

    def noise_until(blocks: range) -> np.ndarray:
        calls.append(blocks)
        if len(calls) > chunks:
            raise KeyboardInterrupt
        return noise(blocks)

    return noise_until


def recorded(path, statistic=noise, **options):
    settings = {"leaf": 64, "chunk_leaves": 2, "record": path, "job": JOB, "name": "noise", **options}
    return run(statistic, settings.pop("blocks", 1000), **settings)


@pytest.mark.parametrize("chunks", [0, 1, 5])
def test_interrupted_run_resumes_to_the_same_bits_without_repeating_work(tmp_path, chunks):
    path, calls = tmp_path / "run.jsonl", []
    with pytest.raises(KeyboardInterrupt):
        recorded(path, killed_after(chunks))

    def watched(blocks: range) -> np.ndarray:
        calls.append(blocks)
        return noise(blocks)

    assert recorded(path, watched) == REFERENCE
    assert sum(map(len, calls)) == 1000 - 128 * chunks
    assert recorded(path, killed_after(0)) == REFERENCE  # all there: nothing is computed


def test_resume_with_other_chunks_and_workers(tmp_path):
    path = tmp_path / "run.jsonl"
    with pytest.raises(KeyboardInterrupt):
        recorded(path, killed_after(3))
    assert recorded(path, chunk_leaves=5, workers=2) == REFERENCE


def test_record_of_unordered_chunks_resumes(tmp_path):
    def odd_first(task, chunks):
        chunks = list(chunks)
        yield from map(task, chunks[1::2])
        raise KeyboardInterrupt

    path = tmp_path / "run.jsonl"
    with pytest.raises(KeyboardInterrupt):
        recorded(path, map=odd_first)
    assert recorded(path, chunk_leaves=3) == REFERENCE


def test_killed_process_loses_at_most_the_chunk_under_way(tmp_path):
    path = tmp_path / "run.jsonl"
    script = (
        "import os, signal, sys\n"
        "import tests.engine.test_run as t\n"
        "def statistic(blocks):\n"
        "    if blocks.start >= 384: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return t.noise(blocks)\n"
        "t.recorded(sys.argv[1], statistic)\n"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", script, str(path)]
    ended = subprocess.run(command, cwd=root, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL
    lines = path.read_bytes().splitlines()
    assert [json.loads(line)["leaf"] for line in lines[1:]] == [0, 2, 4]


def waits_at_384(blocks: range) -> np.ndarray:
    if blocks.start == 384:
        print("there", flush=True)
        sys.stdin.readline()
    return noise(blocks)


def test_a_record_has_one_writer(tmp_path):
    """A second process could cut the lines that the first one adds while it reads them."""
    path = tmp_path / "run.jsonl"
    script = "import sys, tests.engine.test_run as t; t.recorded(sys.argv[1], t.waits_at_384)"
    command = [sys.executable, "-c", script, str(path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"there\n"
        before = path.read_bytes()
        with pytest.raises(InvalidInput, match="in use") as refusal:
            recorded(path)
        assert "remove" not in str(refusal.value), "what the other run has reached would be lost"
        assert path.read_bytes() == before
        other.kill()
    assert recorded(path) == REFERENCE
    assert path.read_bytes().startswith(before)


@pytest.mark.parametrize("place", ["", "no/folder/run.jsonl"])
def test_a_record_that_cannot_be_written_is_refused(tmp_path, place):
    with pytest.raises(InvalidInput, match="can be written"):
        recorded(tmp_path / place)


def test_every_torn_tail_is_tolerated(tmp_path):
    path = tmp_path / "run.jsonl"
    recorded(path)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 293):
        path.write_bytes(whole[:cut])
        assert recorded(path) == REFERENCE
        assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"job": {"stream": 8, "d": 4}}, "job"),
        ({"blocks": 2000}, "blocks"),
        ({"leaf": 32}, "leaf"),
        ({"name": "other"}, "statistic"),
    ],
)
def test_record_of_another_job_is_refused_and_kept(tmp_path, change, field):
    path = tmp_path / "run.jsonl"
    recorded(path)
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match=f"another job: {field}[: ]"):
        recorded(path, **change)
    assert path.read_bytes() == before


def test_record_of_other_code_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "run.jsonl"
    recorded(path)
    monkeypatch.setattr("rftheory.__version__", "999")
    with pytest.raises(InvalidInput, match="another job: code 'rftheory 0"):
        recorded(path)


def test_the_refusal_of_a_record_names_a_difference_and_no_long_list(tmp_path):
    path = tmp_path / "run.jsonl"
    many = [f"claim {k}" for k in range(1000)]
    recorded(path, job={"claims": many})
    with pytest.raises(
        InvalidInput, match=r"1000 of them, among them 'claim 0', instead of .'claim 7'"
    ) as refused:
        recorded(path, job={"claims": ["claim 7"]})
    assert len(str(refused.value)) < 300
    with pytest.raises(InvalidInput, match="1000 of them, among them 'claim 999', instead of 999 of them"):
        recorded(path, job={"claims": many[:-1]})


def test_a_record_names_processor_and_libraries_and_is_refused_on_others(tmp_path, monkeypatch):
    path = tmp_path / "run.jsonl"
    recorded(path)
    named = json.loads(path.read_text().splitlines()[0])["job"]["machine"]
    assert named["versions"]["numpy"] == np.__version__
    assert {"python", "python-flint", "sympy", "scipy"} <= named["versions"].keys()
    assert len(named["cpu"]) > 1
    monkeypatch.setattr(record_module, "machine", lambda: {**named, "cpu": ["another"]})
    with pytest.raises(InvalidInput, match=r"another job: machine: cpu .* instead of .'another'"):
        recorded(path)


def test_record_of_another_accumulator_or_code_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    recorded(path)
    with pytest.raises(InvalidInput, match="accumulator"):
        collect(WithComoment, noise, 1000, leaf=64, record=path, job=JOB, name="noise")
    assert code_version(noise) != code_version(json.dumps)
    assert code_version(partial(noise, key=1)) == code_version(noise)
    assert code_version(len).startswith("rftheory ")


def estimates_by(slope):
    """An estimate whose feature map is a function without a file, as in a notebook."""
    cell = {}
    exec(f"def steep(projected, squares): return {slope} * (projected - squares / 2)", cell)
    x = np.full((1, 4), 0.1)
    return Fused(Mechanism(FromFunction("steep", cell["steep"]), "iid", 4), Stream(1), x, x)


@pytest.mark.parametrize(
    "made",
    [
        estimates_by,
        lambda slope: partial(noise, key=estimates_by(slope)),
        lambda slope: (lambda estimates: lambda blocks: estimates(blocks))(estimates_by(slope)),
        lambda slope: Controlled(estimates_by(slope), np.zeros(1)),
    ],
    ids=["attribute", "argument", "closure", "wrapped"],
)
def test_record_is_refused_where_the_mechanism_in_a_statistic_was_changed(made):
    assert code_version(made(1)) == code_version(made(1)) != code_version(made(2))


@pytest.mark.parametrize("file", ["mechanisms/mirrored.py", "sample/fused.cu"])
def test_record_is_refused_where_our_mechanisms_or_kernels_were_changed(monkeypatch, file):
    before, read = (code_version(), sources_hash()), Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b" " * path.as_posix().endswith(file))
    assert code_version() != before[0]
    assert sources_hash() != before[1]


@pytest.mark.parametrize(
    ("written", "changed"),
    [
        ("* 2.0", "* 3.0"),
        ("np.arange", "np.ones_like(blocks) + np.arange"),
        ("{1, 2}", "{1, 3}"),
        ("\n", "\n\n"),
    ],
)
@pytest.mark.parametrize("kind", ["function", "object"])
def test_record_of_a_cell_of_a_notebook_is_refused_where_its_code_was_changed(
    tmp_path, written, changed, kind
):
    """It has no file whose text could be hashed."""
    cells = {
        "function": "def doubled(blocks):\n    return np.arange(len(blocks)) * 2.0 + (len(blocks) in {1, 2})\n",
        "object": "class Doubled:\n    def __call__(self, blocks):\n"
        "        return np.arange(len(blocks)) * 2.0 + (len(blocks) in {1, 2})\ndoubled = Doubled()\n",
    }

    def run_cell(text):
        cell = {"np": np, "__name__": "cell_of_a_notebook"}
        exec(compile(text, "<cell>", "exec"), cell)
        return run(cell["doubled"], 1000, leaf=64, record=tmp_path / "run.jsonl", job=JOB, name="doubled")

    first = run_cell(cells[kind])
    if changed.isspace():  # other lines are no other code
        assert run_cell(cells[kind].replace(written, changed)) == first
        return
    with pytest.raises(InvalidInput, match="another job: code"):
        run_cell(cells[kind].replace(written, changed))


@pytest.mark.parametrize("content", [b"my notes\n", b"my notes", b'{"schema": "other/1", "job": {}}\n'])
def test_foreign_file_is_refused_and_kept(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="record notes"):
        recorded(path)
    assert path.read_bytes() == content


def test_damaged_line_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    recorded(path)
    lines = path.read_bytes().splitlines(keepends=True)
    for damaged in (b"garbage\n", lines[2].replace(b'"key": "', b'"key": "0')):
        path.write_bytes(b"".join([*lines[:2], damaged, *lines[3:]]))
        with pytest.raises(InvalidInput, match="line 3, which cannot be read"):
            recorded(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"leaf": 2,', b'"leaf": 1,'),
        (b'"leaf": 2,', b'"leaf": -1,'),
        (b'"n": 64', b'"n": 63'),
        (b"p+0", b"p+1"),
    ],
)
def test_a_line_that_was_changed_is_refused(tmp_path, old, new):
    """Its numbers would be taken for those of another leaf, or for what was never drawn."""
    path = tmp_path / "run.jsonl"
    recorded(path)
    whole = path.read_bytes()
    assert whole.count(old)
    path.write_bytes(whole.replace(old, new, 1))
    with pytest.raises(InvalidInput, match="intact lines"):
        recorded(path)


@pytest.mark.parametrize("header", [b'{"schema": "rftheory.record/2", "job": 5}', b"[" * 100_000, b"[]"])
def test_a_header_of_another_kind_is_refused(tmp_path, header):
    path = tmp_path / "run.jsonl"
    path.write_bytes(header + b"\n")
    with pytest.raises(InvalidInput, match="record run"):
        recorded(path)


def test_record_needs_a_description_of_the_job(tmp_path):
    with pytest.raises(InvalidInput, match="description of what is drawn"):
        run(noise, 10, record=tmp_path / "run.jsonl")
    with pytest.raises(InvalidInput, match="JSON can hold"):
        run(noise, 10, record=tmp_path / "run.jsonl", job={"stream": object()})


# --- failures --------------------------------------------------------------------------------------------


def at_130(make):
    """A statistic that is sound but for the piece that holds block 130."""

    def statistic(blocks: range):
        rows = fast(blocks)
        return make(rows, 130 - blocks.start) if 130 in blocks else rows

    return statistic


def raising(rows, at):
    raise ZeroDivisionError("by a norm of zero")


def not_a_number(rows, at):
    rows[at] = np.nan
    return rows


def infinite(rows, at):
    rows[at] = -np.inf
    return rows


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (raising, "raised ZeroDivisionError: by a norm of zero"),
        (not_a_number, r"returned nan at block 130 \(1 blocks are not finite\)"),
        (infinite, "returned -inf at block 130"),
        (lambda rows, at: rows[:-1], r"returned shape \(63,\) instead of \(64,\) or \(64, q\)"),
        (lambda rows, at: rows[:, None, None], "returned shape"),
        (lambda rows, at: rows[:, None][:, :0], "returned shape"),
        (lambda rows, at: rows.sum(), r"returned shape \(\)"),
        (lambda rows, at: rows + 0j, "returned complex128 values"),
        (lambda rows, at: None, "returned object values"),
        (lambda rows, at: 1e200 * rows, "divide the values by their exact mean"),
        (lambda rows, at: np.stack([rows, rows], 1), r"returned .*2 columns at blocks 128\.\.191"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_failures_name_the_blocks(make, words, workers):
    with pytest.raises(SamplerFailed, match=words) as caught:
        run(at_130(make), 1000, leaf=64, chunk_leaves=1, workers=workers, name="broken")
    assert "'broken'" in str(caught.value)
    assert "blocks 128..191" in str(caught.value)


def test_two_widths_are_told_in_the_order_of_blocks_whichever_came_first():
    def backwards(task, chunks):
        return (task(chunk) for chunk in reversed(chunks))

    statistic = at_130(lambda rows, at: np.stack([rows, rows], 1))
    for mapper, words in (
        (None, "returned 1 columns at blocks 0..63 and 2 columns at blocks 128..191"),
        (backwards, "returned 2 columns at blocks 128..191 and 1 columns at blocks 192..199"),
    ):
        with pytest.raises(SamplerFailed, match=re.escape(words)):
            run(statistic, 200, leaf=64, chunk_leaves=1, map=mapper)


def test_different_shapes_within_a_chunk():
    statistic = at_130(lambda rows, at: np.stack([rows, rows], 1))
    with pytest.raises(SamplerFailed, match=r"blocks 0\.\.999: returned rows of different shapes"):
        run(statistic, 1000, leaf=1000, memory=8192 * 64)


def test_cause_is_kept():
    with pytest.raises(SamplerFailed) as caught:
        run(at_130(raising), 1000)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def fails(blocks: range) -> np.ndarray:
    raise ZeroDivisionError("in another process")


def test_failure_in_another_process_names_the_blocks(executor):
    with pytest.raises(SamplerFailed, match=r"blocks 0\.\.63: raised Zero"):
        run(fails, 64, map=executor.map)


def test_failed_run_keeps_its_record(tmp_path):
    path = tmp_path / "run.jsonl"
    statistic = at_130(raising)
    with pytest.raises(SamplerFailed):
        recorded(path, statistic)
    assert [json.loads(line)["leaf"] for line in path.read_bytes().splitlines()[1:]] == [0]


@pytest.mark.parametrize(
    ("blocks", "options"),
    [
        (0, {}),
        (-1, {}),
        (True, {}),
        (1.5, {}),
        (range(0), {}),
        (range(5, 2), {}),
        (range(-5, 2), {}),
        (range(0, 10, 2), {}),
        (range(2**64), {}),
        (10**30, {}),
        (10, {"leaf": 0}),
        (10, {"workers": 0}),
        (10, {"workers": 1.5}),
        (10, {"chunk_leaves": 0}),
        (10, {"memory": 0}),
        (10, {"bytes_per_block": -1}),
        (10, {"bytes_per_block": "a"}),
        (10, {"record": "run.jsonl", "job": ["noise"]}),
    ],
)
def test_bad_options_are_refused(blocks, options):
    with pytest.raises(InvalidInput):
        run(fast, blocks, **options)


def test_an_accumulator_is_asked_for_and_numpys_integers_will_do():
    with pytest.raises(InvalidInput, match="accumulator"):
        collect(3, fast, 10)
    assert run(fast, np.int64(100), leaf=np.int64(30)) == run(fast, 100, leaf=30)


INTERRUPTED_WAIT = """
import time
from concurrent.futures import _base

import numpy as np

from rftheory.engine import run


def interrupted(self):
    for future in self.futures:
        future._condition.acquire()
    raise KeyboardInterrupt


def interrupt(done, of):
    raise KeyboardInterrupt


def statistic(blocks):
    time.sleep(0.2)
    return np.ones(len(blocks))


_base._AcquireFutures.__enter__ = interrupted
try:
    found = run(statistic, 64, leaf=1, chunk_leaves=1, workers=2, progress=interrupt)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_does_not_leave_the_threads_waiting_for_a_lock():
    """A wait for futures that is cut short may keep their locks; a run that waits so would hang here."""
    command = [sys.executable, "-c", INTERRUPTED_WAIT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


def test_a_piece_that_runs_out_of_memory_is_cut_in_two() -> None:
    asked: list[int] = []

    def hungry(blocks: range) -> np.ndarray:
        asked.append(len(blocks))
        if len(blocks) > 300:
            raise MemoryError("out of memory")
        return np.arange(blocks.start, blocks.stop, dtype=float)

    assert run(hungry, 10_000) == run(lambda b: np.arange(b.start, b.stop, dtype=float), 10_000)
    assert max(asked) > 300
    assert sum(n for n in asked if n <= 300) == 10_000


def test_a_block_that_is_too_large_for_the_memory_is_told() -> None:
    def never(blocks: range) -> np.ndarray:
        raise MemoryError("out of memory")

    with pytest.raises(SamplerFailed, match="MemoryError"):
        run(never, 10)
