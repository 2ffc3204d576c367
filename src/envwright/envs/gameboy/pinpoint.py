"""The instruction at which PyBoy and ours part, and the first line of the screen that differs.

PyBoy cannot be stepped by instructions, but calls back wherever it is told to. So ours goes through the step by
instructions first, then PyBoy is told of every address that it came by.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.gameboy import layout
from envwright.envs.gameboy.columns import GameBoyColumns, instructions, registers
from envwright.envs.gameboy.env import GameBoy
from envwright.envs.gameboy.reference import PyBoyGame

Moment = tuple[NDArray[np.uint16], int]  # registers and cycles before an instruction


def pinpoint(state: Mapping[str, Any], action: int, options: Mapping[str, Any]) -> str:
    """A sentence; empty if the two do not part in this step."""
    ours = _ours(state, action, options)
    addresses = {int(moment[0][-1]) for moment in ours}
    watched = {address for address in addresses if address < 0x4000}
    theirs = _theirs(state, action, options, watched)
    found = first_apart([one for one in ours if int(one[0][-1]) in watched], theirs)
    return found or _lines(state, action, options)


def first_apart(ours: list[Moment], theirs: list[Moment]) -> str:
    """Where two ways through a step part."""
    for number, (here, there) in enumerate(zip(ours, theirs, strict=False)):
        if here[1] == there[1] and np.array_equal(here[0], there[0]):
            continue
        before = f"after the instruction at {ours[number - 1][0][-1]:#06x}" if number else "before the first one"
        wrong = [
            f"{name} {want:#x} and not {have:#x}"
            for name, want, have in zip(layout.REGISTERS, there[0].tolist(), here[0].tolist(), strict=True)
            if want != have
        ]
        wrong += [f"{there[1]:,} cycles and not {here[1]:,}"] if there[1] != here[1] else []
        return f"they part {before}, {number:,} instructions into the step: {', '.join(wrong)}"
    if len(ours) != len(theirs):
        return f"they part after {min(len(ours), len(theirs)):,} instructions: {len(theirs):,} and not {len(ours):,}"
    return ""


def _ours(state: Mapping[str, Any], action: int, options: Mapping[str, Any]) -> list[Moment]:
    env = GameBoy(**{**options, "boot": "pyboy"})
    games = GameBoyColumns(env)
    batch = games.machines_at(_as_column(state))
    steps = instructions(batch, 0, env.buttons[action], env.ticks)
    return [(registers(file), file["cycles"]) for file in steps]


def _theirs(state: Mapping[str, Any], action: int, options: Mapping[str, Any], addresses: set[int]) -> list[Moment]:
    game = PyBoyGame(**options)
    game.restore(state)
    seen: list[Moment] = []
    machine = game.machine()
    ends = [machine.on(address, lambda: seen.append((machine.registers(), machine.cycles))) for address in addresses]
    game.step(action)
    for end in ends:
        end()
    game.close()
    return seen


def _lines(state: Mapping[str, Any], action: int, options: Mapping[str, Any]) -> str:
    """Every instruction is the same; the screen?"""
    game = PyBoyGame(**{**options, "observation": "grey"})
    game.restore(state)
    want = game.step(action).obs
    game.close()
    env = GameBoy(**{**options, "observation": "grey", "boot": "pyboy"})
    have = GameBoyColumns(env).step(_as_column(state), np.array([action]))["observation"][0]
    wrong = np.argwhere(want != have)
    if not len(wrong):
        return ""
    y, x = wrong[0].tolist()
    lines = len(np.unique(wrong[:, 0]))
    return f"every instruction is the same; {lines} lines of the screen differ, the first is {y}, from dot {x}"


def _as_column(state: Mapping[str, Any]) -> layout.Columns:
    return {name: np.asarray(value)[None] for name, value in state.items()}
