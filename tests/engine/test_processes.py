"""Runs over processes: the same bits as here, also when one is killed, and errors that say what to do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

from rftheory.engine import Moments, Processes, collect, processes, run
from rftheory.errors import InvalidInput, SamplerFailed
from rftheory.sample import Fused, Mechanism, Stream
from tests.engine.work import (
    Unreadable,
    X,
    broken,
    deadly,
    device_of_the_process,
    estimates,
    late_and_deadly,
    oddly_broken,
    prepare,
    prepared,
    process,
    process_or_sleep,
)

JOB = {"stream": "processes"}
HERE = run(estimates, 4000, leaf=100)


@pytest.fixture(scope="module")
def pool():
    with Processes(2) as found:
        yield found


@pytest.mark.parametrize("chunk_leaves", [None, 1, 7, 100])
def test_processes_do_not_change_a_bit(pool, chunk_leaves):
    assert run(estimates, 4000, leaf=100, chunk_leaves=chunk_leaves, map=pool) == HERE
    assert run(estimates, 3900, leaf=100, map=pool) != HERE


def test_work_is_done_elsewhere_and_the_engine_knows_by_how_many(pool):
    assert os.getpid() not in set(pool(process, [range(1)] * 8))
    chunks = []
    # a Fused holds its array namespace, a module, which goes by name
    fused = Fused(Mechanism("positive", "simplex", 16), Stream.named("processes"), X, X)
    assert run(fused, 4000, leaf=100, map=pool, progress=lambda done, blocks: chunks.append(done)) == HERE
    assert len(chunks) == 20  # of 40 // (8 * 2) leaves


def test_a_killed_process_changes_no_bit_and_loses_what_it_computed(pool, tmp_path):
    victim, killed, computed = next(iter(pool(process, [range(1)]))), [], []

    def kill_once(done: int, blocks: int) -> None:
        computed.append(done)
        if not killed and done >= blocks // 4:
            os.kill(victim, signal.SIGKILL)
            killed.append(done)

    path = tmp_path / "run.jsonl"
    options = {"leaf": 100, "chunk_leaves": 2, "record": path, "job": JOB}
    there = run(partial(estimates, pause=0.02), 4000, map=pool, progress=kill_once, **options)
    assert there == HERE
    assert killed == [1000]
    assert len(computed) == 20
    leaves = sorted(json.loads(line)["leaf"] for line in path.read_bytes().splitlines()[1:])
    assert leaves == list(range(0, 40, 2))
    assert victim not in set(pool(process, [range(1)] * 8))


def test_a_chunk_that_a_dying_pool_forgets_is_repeated(monkeypatch):
    """A pool that ends its futures because a process died may overlook one that is being submitted."""

    class Forgetful(ProcessPoolExecutor):
        submitted = 0

        def submit(self, *arguments):
            Forgetful.submitted += 1
            if Forgetful.submitted == 5:
                return Future()  # of which nobody knows
            return super().submit(*arguments)

    def kill(done: int, blocks: int) -> None:
        if done == 1000:
            os.kill(victim, signal.SIGKILL)

    monkeypatch.setattr("rftheory.engine.processes.ProcessPoolExecutor", Forgetful)
    with Processes(2) as pool:
        victim = next(iter(pool(process, [range(1)])))
        assert run(estimates, 4000, leaf=100, chunk_leaves=2, map=pool, progress=kill) == HERE
    assert Forgetful.submitted > 20 + 1


def test_a_chunk_that_kills_every_process_is_given_up(tmp_path):
    with Processes(1, retries=0) as pool, pytest.raises(SamplerFailed, match="died 1 times") as caught:
        run(deadly, 100, leaf=100, map=pool)
    assert "__main__" in str(caught.value)


def test_a_pool_that_dies_late_ends_all_its_processes(monkeypatch):
    """Python's own thread that ends them must not fail at what the pool was asked with."""
    monkeypatch.setattr(processes, "ASKING", 0.05)
    with Processes(1, retries=0) as pool, pytest.raises(SamplerFailed, match="died 1 times"):
        run(late_and_deadly, 100, leaf=100, map=pool)


def test_an_interrupted_run_leaves_the_pool_and_its_record(pool, tmp_path):
    def interrupt(done: int, blocks: int) -> None:
        if done >= 1000:
            raise KeyboardInterrupt

    path = tmp_path / "run.jsonl"
    options = {"leaf": 100, "record": path, "job": JOB, "map": pool}
    with pytest.raises(KeyboardInterrupt):
        run(estimates, 4000, chunk_leaves=1, progress=interrupt, **options)
    assert len(path.read_bytes().splitlines()) == 1 + 10
    again = []
    assert run(estimates, 4000, progress=lambda done, blocks: again.append(done), **options) == HERE
    assert again[0] > 1000  # goes on where it was


def test_an_early_end(pool):
    ended = collect(Moments, estimates, 4000, leaf=100, chunk_leaves=1, map=pool, stop=lambda m: m.n >= 500)
    assert ended == run(estimates, 500, leaf=100)


def test_failures_name_the_blocks(pool):
    with pytest.raises(SamplerFailed, match=r"blocks 0\.\.99: raised ValueError: nothing to draw"):
        run(broken, 100, map=pool)
    with pytest.raises(SamplerFailed, match=r"worker process.*nothing to draw"):
        list(pool(broken, [range(3)]))


def test_an_error_that_pickle_cannot_rebuild_is_no_death():
    with Processes(1) as pool:
        (before,) = pool(process, [range(1)])
        with pytest.raises(SamplerFailed, match=r"worker process.*TwoParts: nothing to draw"):
            list(pool(oddly_broken, [range(3)]))
        assert list(pool(process, [range(1)])) == [before]


@pytest.mark.parametrize("statistic", [lambda blocks: np.zeros(len(blocks)), Unreadable()])
def test_what_cannot_be_sent_is_refused_with_advice(pool, statistic):
    with pytest.raises(InvalidInput, match="at the top of a module"):
        run(statistic, 100, map=pool)
    assert run(estimates, 4000, leaf=100, map=pool) == HERE


def test_options_and_closed_pools_are_refused():
    assert Processes(np.int64(2), retries=np.int64(0)).workers == 2
    for options in ({"workers": 0}, {"workers": True}, {"workers": 1.5}, {"workers": 1, "retries": -1}):
        with pytest.raises(InvalidInput):
            Processes(**options)
    pool = Processes(1)
    pool.close()
    with pytest.raises(InvalidInput, match="open"):
        run(estimates, 100, map=pool)


def failed_amid_work() -> int:
    """A process that still computes when the statement is left by an error."""
    worker = 0
    try:
        with Processes(1) as pool:
            worker = next(pool(process_or_sleep, [range(1), range(1, 301)]))
            raise ZeroDivisionError
    except ZeroDivisionError:
        return worker


def test_an_error_leaves_the_with_statement_at_once():
    begin = time.monotonic()
    assert ended(failed_amid_work())
    assert time.monotonic() - begin < 250


SCRIPT = """
import signal
from functools import partial
import tests.engine.work as t
from rftheory.engine import Processes, forks_of, run

if __name__ == "__main__":
    from tests.engine.test_threads import interrupted_everywhere

    here, start = run(t.estimates, 4000, leaf=100), {START}
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
    with Processes(1, start=start) as pool:
        (worker,) = pool(t.process, [range(1)])
        slow = partial(t.estimates, pause=0.2)
        try:
            begun = lambda done, blocks: done == 100 and print(worker, flush=True)
            run(slow, 4000, leaf=100, chunk_leaves=1, map=pool, progress=begun)
        except KeyboardInterrupt:
            print("interrupted", run(t.estimates, 4000, leaf=100, map=pool) == here, flush=True)
        work = lambda: run(t.estimates, 4000, leaf=100, map=pool)
        interrupted_everywhere(work, 997)
        print("and again", work() == here, flush=True)
        run(slow, 10**6, leaf=100, map=pool)
"""


@pytest.mark.parametrize("start", ["None", 'forks_of("tests.engine.work")'])
def test_an_interrupt_is_the_parents_affair_and_no_process_outlives_it(tmp_path, start):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("{START}", start))
    root = Path(__file__).parents[2]
    options = {"cwd": root, "env": os.environ | {"PYTHONPATH": str(root)}, "start_new_session": True}
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, **options
    ) as here:
        watch = Timer(120, here.kill)  # a script that hangs fails the test by its missing line
        watch.start()
        try:
            worker = int(here.stdout.readline())
            os.killpg(here.pid, signal.SIGINT)
            lines = [here.stdout.readline() for _ in range(3)]
            assert lines == ["interrupted True\n", "reached the end\n", "and again True\n"]
            os.kill(worker, 0)
        finally:
            watch.cancel()
            here.kill()
    assert ended(worker)


def ended(process: int) -> bool:
    """Whether a process is gone, or goes within ten seconds."""
    for _ in range(100):
        try:
            os.kill(process, 0)
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True  # nobody waits for it
        except OSError:
            return True
        time.sleep(0.1)
    return False


STARTED = """
import multiprocessing
import tests.engine.work as t
from rftheory.engine.processes import forks_of, starting

if __name__ == "__main__":
    for begin in (multiprocessing.get_context("spawn"), forks_of("tests.engine.work")):
        with starting():
            process = begin.Process(target=t.blocked_from_the_start)
            process.start()
        process.join()
        print(process.exitcode)
"""


def test_a_process_hears_no_interrupt_while_it_starts(tmp_path: Path) -> None:
    """Not even the first one of a run, before which another process is started that unblocks interrupts."""
    script, root = tmp_path / "script.py", Path(__file__).parents[2]
    script.write_text(STARTED)
    run_ = partial(subprocess.run, capture_output=True, text=True, timeout=60, check=True, cwd=root)
    found = run_([sys.executable, str(script)], env=os.environ | {"PYTHONPATH": str(root)})
    assert found.stdout.split() == ["0", "0"]


BESIDE_RANDOM = """
import os
import tests.engine.work as t
from rftheory.engine import Processes, forks_of

if __name__ == "__main__":
    for begin in (None, forks_of("tests.engine.work")):
        with Processes(1, start=begin) as pool:
            print(*pool(t.safe_path, [range(1)]), os.environ.get("PYTHONSAFEPATH", "unset"))
"""


def test_no_file_in_the_current_folder_hides_a_standard_module(tmp_path: Path) -> None:
    """A file random.py there ended every process. What they start themselves sees the environment of the script."""
    here, root = tmp_path / "here", Path(__file__).parents[2]
    here.mkdir()
    (here / "random.py").write_text("raise SystemExit('another random')")
    (tmp_path / "script.py").write_text(BESIDE_RANDOM)
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    run_ = partial(subprocess.run, capture_output=True, text=True, timeout=120, cwd=here)
    done = run_([sys.executable, str(tmp_path / "script.py")], env=settings | {"PYTHONPATH": str(root)})
    assert (done.stdout.splitlines(), done.stderr) == (["unset unset"] * 2, "")
    kept = run_(
        [sys.executable, str(tmp_path / "script.py")],
        env=settings | {"PYTHONPATH": str(root), "PYTHONSAFEPATH": "mine"},
    )
    assert kept.stdout.splitlines() == ["mine mine"] * 2


IMPORTED = """
import os
from pathlib import Path

with Path(os.environ["IMPORTS"]).open("a") as file:
    file.write("once ")
"""


def test_what_forks_share_is_imported_once(tmp_path) -> None:
    (tmp_path / "shared_by_forks.py").write_text(IMPORTED)
    script = tmp_path / "script.py"
    script.write_text(
        "from rftheory.engine import Processes, forks_of\n"
        "if __name__ == '__main__':\n"
        "    with Processes(2, start=forks_of('shared_by_forks')) as pool:\n"
        "        print(sum(pool(len, [range(n) for n in range(40)])))\n"
    )
    root, imports = Path(__file__).parents[2], tmp_path / "imports"
    settings = os.environ | {"PYTHONPATH": f"{root}:{tmp_path}", "IMPORTS": str(imports)}
    done = subprocess.run(
        [sys.executable, str(script)], env=settings, capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, imports.read_text()) == ("780\n", "once ")


def test_processes_are_prepared() -> None:
    for how, found in ((prepare, "yes"), (None, "no")):
        with Processes(1, prepare=how) as pool:
            assert list(pool(prepared, [range(1)])) == [found]


def test_processes_take_turns_with_environments(tmp_path: Path) -> None:
    """Each of two processes has a device of its own; what is drawn does not depend on which."""
    settings = [{"RFTHEORY_TEST_DEVICE": "3"}, {"RFTHEORY_TEST_DEVICE": "8"}]
    with Processes(2, environments=settings) as pool:
        found = run(partial(device_of_the_process, folder=tmp_path), 64, leaf=1, chunk_leaves=1, map=pool)
        share = (found.mean[0] - 3) / 5
        assert 0 < share < 1
        assert found.m2[0] == pytest.approx(64 * 25 * share * (1 - share))  # 3 and 8 alone
        assert run(estimates, 10_000, map=pool) == run(estimates, 10_000)
