"""Plugin for pytest: the kernels of nbval are forks of one process that has imported what notebooks import.

    python -m pytest -p tools.warm_kernels --nbval ...

Each notebook still has a kernel of its own, which no cell of another one has touched. Started from nothing, a kernel
computes for three seconds before its first cell, and for one or two to read the statements of a source.
"""

from __future__ import annotations

import multiprocessing
import os
from typing import Any

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.provisioning import LocalProvisioner

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__, "tools.notebook_imports"])


class Kernel(FORKS.Process):
    """A process with what Jupyter uses of a ``subprocess.Popen``."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """The exit status, if it has ended."""
        return self.exitcode

    def wait(self) -> int | None:
        """Wait for its end; returns the exit status."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal to the kernel and to the processes that it has started, unless it has ended."""
        if self.is_alive():
            os.killpg(self.pid, number)


def serve(arguments: list[str], folder: str) -> None:
    """Run a kernel in this process until it is stopped, or the process that it was forked from ends."""
    os.setpgrp()  # no session of its own: Linux shares the processors out among sessions, whatever `nice` says
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # nbval wants nothing of what a kernel says about itself
    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])


async def launch(self: LocalProvisioner, cmd: list[str], **settings: Any) -> dict[str, Any]:
    """Launch a kernel as a fork, in place of a new interpreter."""
    self.process = Kernel(target=serve, args=(cmd[cmd.index("-f") :], settings["cwd"]))
    self.process.start()
    self.pid = self.process.pid
    return self.connection_info


LocalProvisioner.launch_kernel = launch
