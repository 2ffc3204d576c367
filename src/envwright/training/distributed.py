"""Several processes, on one machine or many, as one run: each brings its devices, and the gradients are averaged."""

from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils

from envwright.core.errors import EnvwrightError


def join(coordinator: str | None, processes: int | None, process: int | None) -> None:
    """Meet the other processes at `coordinator` (host:port). Call it before JAX runs anything."""
    if coordinator is None and processes is None and process is None:
        return
    if coordinator is None or processes is None or process is None:
        raise EnvwrightError("A run of several processes needs --coordinator HOST:PORT, --processes N and --process I.")
    if not 0 <= process < processes:
        raise EnvwrightError(f"Processes count from 0 to {processes - 1} here, but --process is {process}.")
    host, _, port = coordinator.rpartition(":")
    if not host or not port.isdecimal():
        raise EnvwrightError(f"'{coordinator}' is not an address; write --coordinator HOST:PORT.")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    try:
        jax.distributed.initialize(coordinator, processes, process, initialization_timeout=60)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[0]
        raise EnvwrightError(f"The {processes} processes did not meet at {coordinator}: {reason}") from None


def gathered(tree: Any) -> Any:
    """All of it in this process's memory, wherever its parts live."""
    if jax.process_count() == 1:
        return jax.device_get(tree)
    return multihost_utils.process_allgather(tree, tiled=True)


def wait_for_all(what: str) -> None:
    """Go on when every process has come to this point."""
    if jax.process_count() > 1:
        multihost_utils.sync_global_devices(what)


def agreed(mine: bool) -> bool:
    """What the first process says: clocks differ, and all must save together."""
    return mine if jax.process_count() == 1 else bool(multihost_utils.broadcast_one_to_all(np.asarray(mine)))
