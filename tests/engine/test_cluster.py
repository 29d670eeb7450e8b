"""Runs on a dask cluster: the same bits as here, also when a worker is killed in the middle."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from functools import partial

import numpy as np
import pytest

from rftheory.engine import Moments, cluster_map, collect, run
from rftheory.errors import BackendUnavailable, InvalidInput, SamplerFailed
from rftheory.sample import Mechanism, Stream

X, Y = np.array([0.3, -0.1, 0.2]), np.array([0.1, 0.25, -0.15])


def estimates(blocks: range, pause: float = 0.0) -> np.ndarray:
    time.sleep(pause)
    return Mechanism("positive", "simplex", 3).estimate(Stream.named("cluster"), blocks, X, Y)


def broken(blocks: range) -> np.ndarray:
    raise ValueError("nothing to draw")


@pytest.fixture
def client(tmp_path):
    distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    options["local_directory"] = str(tmp_path)
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as found:
        found.wait_for_workers(2, timeout=120)
        yield found
    gc.collect()  # what the killed worker left open is warned of here, not in a later test


# A killed worker and a closing cluster warn, which is what is tested.
@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_changes_no_bit(client):
    here = run(estimates, 4000, leaf=100)
    processes = list(client.run(os.getpid).values())
    assert len(set(processes)) == 2
    assert os.getpid() not in processes
    killed = []

    def kill_once(done: int, blocks: int) -> None:
        if not killed and done >= blocks // 4:
            os.kill(processes[0], signal.SIGKILL)
            killed.append(done)

    options = {"leaf": 100, "chunk_leaves": 2, "map": cluster_map(client), "progress": kill_once}
    there = run(partial(estimates, pause=0.05), 4000, **options)
    assert there == here
    assert len(killed) == 1
    assert killed[0] < 4000
    assert run(estimates, 3900, leaf=100) != there

    # The same cluster: an early end, and a statistic that fails.
    ended = collect(
        Moments, estimates, 4000, leaf=100, chunk_leaves=1, map=cluster_map(client), stop=lambda m: m.n >= 500
    )
    assert ended == run(estimates, 500, leaf=100)
    with pytest.raises(SamplerFailed, match="nothing to draw"):
        run(broken, 100, map=cluster_map(client))


def test_only_a_client_will_do():
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    with pytest.raises(InvalidInput, match="Client"):
        cluster_map("tcp://somewhere")


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BackendUnavailable, match="cluster"):
        cluster_map(None)
