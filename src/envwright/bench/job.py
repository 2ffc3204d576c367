"""What a worker is asked to do, and what a side gives it to do it with."""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Part = Callable[[int], int]  # make this many calls; how much was done: steps, or whatever the job counts


@dataclass(frozen=True)
class Job:
    """One competitor: whose environment, doing what, in which layout, with how many environments on how many cores."""

    side: str
    env: str  # one of our ids
    what: str  # "random", "ppo", "share" or "roof"
    layout: str
    cores: int
    num_envs: int  # over all cores
    options: dict[str, Any] = field(default_factory=dict)  # fields of the environment, such as frameskip
    sizes: dict[str, int] = field(default_factory=dict)  # what else sets the size of the work: rollout, parameters, ...

    @property
    def workers(self) -> int:
        """A process a core, or one."""
        return self.cores if self.layout.startswith("processes") else 1

    @property
    def label(self) -> str:
        """The competitor in a few words."""
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        return f"{self.side}, {self.layout}, {self.num_envs:,} envs, {cores}"

    def shares(self) -> "list[Job]":
        """The job of each worker."""
        share = dataclasses.replace(self, cores=self.cores // self.workers, num_envs=self.num_envs // self.workers)
        return [share] * self.workers

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @staticmethod
    def from_json(text: str) -> "Job":
        return Job(**json.loads(text))


@dataclass(frozen=True)
class Built:
    """A side that is ready to run."""

    parts: dict[str, Part]  # most have one, called "run"; those that are compared within a process have several
    facts: dict[str, Any] = field(default_factory=dict)  # what else is known of it, for the report
