"""The processes of a race: started, pinned to their cores, talked to, ended."""

import contextlib
import hashlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from envwright.bench.job import Job
from envwright.core.errors import EnvwrightError

PATIENCE = 600.0  # seconds without an answer before a worker is given up


class WorkerError(EnvwrightError):
    """A worker could not do what it was asked to."""


class Worker:
    """A process that runs one side; see worker.py for what is said to it."""

    def __init__(self, job: Job, cores: Sequence[int], compiled: Path | None = None) -> None:
        self._job = job
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the worker
        with pinned(cores):
            self._process = subprocess.Popen(
                [sys.executable, "-m", "envwright.bench.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                # Many workers are alive at a time; none may take all of a GPU's memory for itself.
                env={**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", **_cached(job, compiled)},
            )
        self.tell(job.to_json())

    def tell(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # `answer` says what happened
            self._input.write(line.encode() + b"\n")
            self._input.flush()

    def answer(self) -> dict[str, Any]:
        output = self._process.stdout
        assert output is not None
        if not select.select([output], [], [], PATIENCE)[0]:
            raise self._failure(f"no answer in {PATIENCE:.0f} s")
        line = output.readline()
        answer = json.loads(line) if line.endswith(b"\n") else {"error": self._last_words()}
        if "error" in answer:
            raise self._failure(answer["error"])
        return answer

    def close(self) -> None:
        """End the process, which is idle or of no more use."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    @property
    def _input(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def _failure(self, reason: str) -> WorkerError:
        return WorkerError(f"This could not be measured: {self._job.label}: {reason.rstrip('.')}.")

    def _last_words(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"it ended with code {code}"


def _cached(job: Job, compiled: Path | None) -> dict[str, str]:
    """Where JAX keeps what a worker compiles: a folder a program, so that only the same program is ever found there."""
    if compiled is None:
        return {}
    return {"JAX_COMPILATION_CACHE_DIR": str(compiled / hashlib.sha256(job.to_json().encode()).hexdigest()[:16])}


class Competitor:
    """The workers of a job, which run at the same moment; programs in the folder `compiled` are not compiled again."""

    def __init__(self, job: Job, cores: Sequence[int], compiled: Path | None = None) -> None:
        self.job = job
        shares = job.shares()
        a_worker = len(cores) // len(shares)
        places = [cores[i * a_worker : (i + 1) * a_worker] for i in range(len(shares))]
        self._workers: list[Worker] = []
        try:
            for share, place in zip(shares, places, strict=True):
                self._workers.append(Worker(share, place, compiled))
            self._ready = [worker.answer() for worker in self._workers]
        except BaseException:
            self.close()
            raise
        self.parts: list[str] = self._ready[0]["ready"]
        self.facts: dict[str, Any] = self._ready[0]["facts"]

    def compile_seconds(self, part: str) -> float:
        return max(ready["compile_seconds"][part] for ready in self._ready)

    def go(self, part: str, calls: int) -> tuple[int, float]:
        """Run, and how much was done in how many seconds, the slowest worker's."""
        began = time.perf_counter()
        for worker in self._workers:
            worker.tell(json.dumps({"go": calls, "part": part}))
        amount = sum(worker.answer()["amount"] for worker in self._workers)
        return amount, time.perf_counter() - began

    def memory(self) -> int:
        for worker in self._workers:
            worker.tell(json.dumps({"memory": True}))
        return sum(worker.answer()["bytes"] for worker in self._workers)

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


def available_cores() -> list[int]:
    """The cores we may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


@contextlib.contextmanager
def pinned(cores: Sequence[int]) -> Iterator[None]:
    """What is started inside may use these cores only, on systems that can do that.

    A child inherits what its parent may use. Doing it here and not in the child needs no code between fork and exec.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
