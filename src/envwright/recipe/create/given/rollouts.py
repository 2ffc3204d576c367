"""Plays a game with random legal actions, and writes down which of its lines ran in how many episodes.

python rollouts.py FILE CLASS SETTINGS.json RESULT.json
"""

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

TWICE = 20  # episodes that are played again, to see whether they are the same


def main(file: str, name: str, settings: str, result: str) -> None:
    asked = json.loads(Path(settings).read_text())
    counts: Counter[int] = Counter()
    answer: dict[str, Any] = {"problem": "", "episodes": 0, "steps": 0, "ended": 0}
    try:
        _play(_load(file, name), file, asked, counts, answer)
    except Exception as error:  # the game's own code may raise anything
        place = error.__traceback__
        line = 0
        while place is not None:
            line = place.tb_lineno if place.tb_frame.f_code.co_filename == file else line
            place = place.tb_next
        where = f"line {line}: " if line else ""
        answer["problem"] = answer["problem"] or f"{where}{type(error).__name__}: {error}"
    answer["lines"] = dict(counts)
    Path(result).write_text(json.dumps(answer))


def _load(file: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise AttributeError(f"{Path(file).name} has no class {name}")
    return getattr(module, name)


def _play(cls: Any, file: str, asked: dict[str, Any], counts: Counter[int], answer: dict[str, Any]) -> None:
    game = cls()
    while answer["episodes"] < asked["episodes"] and answer["steps"] < asked["steps"]:
        lines: set[int] = set()
        sys.settrace(_tracer(file, lines))
        try:
            seen = _episode(game, answer["episodes"], asked, answer)
        finally:
            sys.settrace(None)
        if answer["episodes"] < TWICE:
            _compare(seen, _episode(game, answer["episodes"], asked, answer), answer["episodes"])
        answer["episodes"] += 1
        counts.update(lines)
    if not answer["ended"]:
        raise ValueError(f"none of {answer['episodes']} episodes has ended, each of up to {asked['longest']:,} steps")


def _tracer(file: str, lines: set[int]) -> Any:
    def trace(frame: Any, event: str, argument: Any) -> Any:
        del argument
        if frame.f_code.co_filename != file:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    return trace


def _compare(first: list[Any], second: list[Any], seed: int) -> None:
    for step, (one, two) in enumerate(zip(first, second, strict=False)):
        if one != two:
            when = f"after step {step - 1}" if step else "after reset"
            raise ValueError(
                f"the episode with seed {seed} is not the same when it is played again with the same seed and actions; "
                f"it differs first {when}: is every draw from self.np_random, and is all of the state set by reset?"
            )


def _episode(game: Any, seed: int, asked: dict[str, Any], answer: dict[str, Any]) -> list[Any]:
    """Plays it, and gives what was seen."""
    rng = np.random.default_rng(seed)
    observation, _ = game.reset(seed=seed)
    seen = [(np.asarray(observation).tolist(), 0.0)]
    _check(game, observation, asked, f"after reset with seed {seed}")
    for step in range(asked["longest"]):
        masks = np.asarray(game.action_masks())
        if masks.shape != (asked["actions"],) or masks.dtype != np.bool_:
            raise ValueError(f"action_masks() gives {masks.dtype} of shape {masks.shape}, not {asked['actions']} flags")
        if not masks.any():
            raise ValueError(f"no action is legal at step {step} with seed {seed}, and the episode has not ended")
        action = int(rng.choice(np.flatnonzero(masks)))
        observation, reward, terminated, truncated, _ = game.step(action)
        answer["steps"] += 1
        _check(game, observation, asked, f"after step {step} with seed {seed}")
        if not np.isfinite(float(reward)):
            raise ValueError(f"the reward of step {step} with seed {seed} is {reward}")
        seen.append((np.asarray(observation).tolist(), float(reward)))
        if terminated or truncated:
            answer["ended"] += 1
            break
    return seen


def _check(game: Any, observation: Any, asked: dict[str, Any], when: str) -> None:
    """The state is as the specification says, and the observation is made of it."""
    for field in asked["state"]:
        if not hasattr(game, field["name"]):
            raise ValueError(f"there is no attribute {field['name']} {when}")
        value = np.asarray(getattr(game, field["name"]))
        shape = (field["length"],) if field["kind"] == "list" else ()
        if value.shape != shape or value.dtype.kind not in "iub":
            raise ValueError(f"{field['name']} is {getattr(game, field['name'])!r} {when}; it is {field['told']}")
        if value.min() < field["low"] or value.max() > field["high"]:
            raise ValueError(f"{field['name']} is {value.tolist()} {when}; it is {field['told']}")
    wanted = np.concatenate([np.atleast_1d(np.asarray(getattr(game, name))).astype(int) for name in asked["seen"]])
    got = np.asarray(observation)
    if got.shape != wanted.shape or (got != wanted).any():
        raise ValueError(
            f"the observation is {got.tolist()} {when}, and {', '.join(asked['seen'])} make {wanted.tolist()}"
        )
    if not game.observation_space.contains(observation):
        raise ValueError(f"the observation {got.tolist()}, {got.dtype}, is not in observation_space {when}")
    if int(game.action_space.n) != asked["actions"]:
        raise ValueError(f"action_space has {game.action_space.n} actions, the specification {asked['actions']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
