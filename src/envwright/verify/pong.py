"""Pong against PufferLib's C, in each form that changes the rules: frames a step, and the kind of actions."""

import dataclasses
import platform
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from envwright.envs.pong import Pong, policies, rules
from envwright.envs.pong.reference import ARCHIVE, FLAGS, PongReference
from envwright.envs.pong.state import State
from envwright.verify.lockstep import verify_lockstep
from envwright.verify.verdict import Verdict

NUM_ENVS = 1024


def verify_pong(
    episodes: int,
    *,
    seed: int = 0,
    frameskips: Sequence[int] = (1, 8),
    controls: Sequence[str] = ("discrete", "continuous"),
    progress: Callable[[str, int], None] = lambda subject, episodes: None,
) -> Iterator[Verdict]:
    """A verdict for each combination, as it is reached."""
    for frameskip in frameskips:
        for control in controls:
            yield _verify_one(frameskip, control == "continuous", episodes, seed, progress)


def _verify_one(
    frameskip: int, continuous: bool, episodes: int, seed: int, progress: Callable[[str, int], None]
) -> Verdict:
    subject = f"Pong, frameskip {frameskip}, {'continuous' if continuous else 'discrete'} actions"
    reference = PongReference(NUM_ENVS, frameskip=frameskip, continuous=continuous)
    reference.seed(seed)
    play = policies.mixed(frameskip)
    return verify_lockstep(
        Pong(frameskip=frameskip, continuous=continuous),
        reference,
        lambda obs, rng: policies.as_actions(play(obs, rng), continuous),
        episodes=episodes,
        seed=seed,
        subject=subject,
        summarise=log_of,
        provenance=provenance(seed),
        progress=lambda done: progress(subject, done),
    )


def log_of(final: State) -> dict[str, jax.Array]:
    """What the reference adds to its log when a game ends, under its names."""
    summary = rules.summary(final)
    entries = {f"log.{field.name}": getattr(summary, field.name) for field in dataclasses.fields(summary)}
    return entries | {"log.n": jnp.float32(1)}


def provenance(seed: int) -> dict[str, Any]:
    """What the verdict was reached with."""
    return {
        "reference": ARCHIVE.requirement,
        "reference_sha256": ARCHIVE.sha256,
        "compiler_flags": list(FLAGS),
        "policies": list(policies.all_policies(1)),
        "seed": seed,
        "jax": jax.__version__,
        "backend": jax.default_backend(),
        "machine": platform.machine(),
        "python": platform.python_version(),
    }
