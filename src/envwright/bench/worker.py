"""A process that runs one side of a race and waits, without using the processor, while the others have their turn.

It speaks JSON, a line a message, on standard input and output. First comes a job (job.py); the answer is
`{"ready": ..., "compile_seconds": ...}`, or `{"error": ...}`. Then `{"go": calls, "part": name}` is answered with
`{"amount": ...}`, `{"memory": true}` with `{"bytes": ...}`; at the end of the input it leaves.

The parent starts it held to its cores, so that whatever counts cores while it is imported counts right.
"""

import importlib
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from envwright.bench.job import Built, Job


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it as well, and closes our input
    answers = _private_stdout()
    idle = peak_memory()
    built: Built | None = None
    for line in sys.stdin:
        try:
            if built is None:
                built, answer = start(Job.from_json(line))
            else:
                answer = reply(built, json.loads(line), idle)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {_first_line(error)}"}
        print(json.dumps(answer), file=answers, flush=True)
        if "error" in answer:
            raise SystemExit(1)


def start(job: Job) -> tuple[Built, dict[str, Any]]:
    """Build a side and run each of its parts once, which is when JAX compiles."""
    from envwright.bench.sides import module_name

    side = importlib.import_module(module_name(job.side))
    side.set_up(job)
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    built: Built = side.build(job)
    for name, part in built.parts.items():
        part(1)
        seconds[name] = time.perf_counter() - began
        began = time.perf_counter()
    return built, {"ready": list(built.parts), "compile_seconds": seconds, "facts": built.facts}


def reply(built: Built, message: dict[str, Any], idle: int = 0) -> dict[str, Any]:
    """Do what a message asks."""
    if "go" in message:
        return {"amount": built.parts[message["part"]](message["go"])}
    if "memory" in message:
        return {"bytes": peak_memory() - idle}  # Python and JAX were imported before, whoever races
    raise ValueError(f"a worker does not understand {message}")


def peak_memory() -> int:
    """The most memory this process ever held, in bytes."""
    try:  # getrusage would count what the parent held when it started us
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024  # macOS counts bytes, others KiB


def _private_stdout() -> TextIO:
    """Standard output for answers alone; whatever libraries print goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0]


if __name__ == "__main__":
    main()
