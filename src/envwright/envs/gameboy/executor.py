"""Single instructions on either side: a small program waits for code in work RAM, runs it and notes what came of it.

So every instruction can be asked for with registers and memory of all kinds by nothing but reading and writing RAM.
Addresses that an instruction uses are kept within one page and high RAM, and jumps lead to a place that shows whether
they were taken, so that each call leaves everything else as it was.
"""

import functools
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from envwright.envs.gameboy.core import machines
from envwright.envs.gameboy.micro.builder import Cartridge
from envwright.envs.gameboy.pyboy_machine import PyBoyMachine

GO, COUNT, RESULT, PROGRAM, PAGE, HIGH = 0xC000, 0xC001, 0xC020, 0xC040, 0xC800, 0xFF80
NOTES, PAGE_SIZE, HIGH_SIZE = 12, 0x100, 0x40  # bytes that are looked at: registers and timer, the page, high RAM
_ILLEGAL = {0xD3, 0xDB, 0xDD, 0xE3, 0xE4, 0xEB, 0xEC, 0xED, 0xF4, 0xFC, 0xFD}
_WAITING = {0x10, 0x76}  # STOP and HALT, which test programs look at
CB = 0xCB
SAFE = [op for op in range(256) if op not in _ILLEGAL | _WAITING | {CB}]
INSTRUCTIONS = [*((op,) for op in SAFE), *((CB, op) for op in range(256))]

_JUMPS = {0xC3, 0xC2, 0xCA, 0xD2, 0xDA, 0xCD, 0xC4, 0xCC, 0xD4, 0xDC}  # to an address that follows
_RELATIVE = {0x18, 0x20, 0x28, 0x30, 0x38}
_RETURNS = {0xC9, 0xD9, 0xC0, 0xC8, 0xD0, 0xD8}
_ABSOLUTE = {0x08, 0xEA, 0xFA}  # memory at an address that follows
_HIGH = {0xE0, 0xF0}
_THREE = {0x01, 0x11, 0x21, 0x31} | _JUMPS | _ABSOLUTE
_TWO = {0x06, 0x0E, 0x16, 0x1E, 0x26, 0x2E, 0x36, 0x3E, 0xC6, 0xCE, 0xD6, 0xDE, 0xE6, 0xEE, 0xF6, 0xFE, 0xE8, 0xF8}
_BY_BC, _BY_DE, _BY_C, _JP_HL = {0x02, 0x0A}, {0x12, 0x1A}, {0xE2, 0xF2}, 0xE9


@functools.cache
def rom() -> tuple[bytes, int]:
    """The program, and where code goes on to when it is done."""
    made = Cartridge("EXECUTOR")
    code = made.at
    for vector in range(0x00, 0x40, 8):
        made.org(vector).jp("finish")
    made.org(code).set(0x40, 0).set(0xFF, 0).set(0x07, 0x05)
    made.label("wait").load(GO).raw(0xB7).near("wait", 0x28)  # or a; jr z
    made.poke(GO, 0).set(0x05, 0).set(0x06, 0).put(0x04).raw(0xC3, PROGRAM & 0xFF, PROGRAM >> 8)
    made.label("finish")
    finish = made.at
    made.raw(0x08, RESULT & 0xFF, RESULT >> 8).raw(0x31, (RESULT + 10) & 0xFF, RESULT >> 8)  # ld (nn), sp; ld sp, nn
    made.raw(0xF5, 0xC5, 0xD5, 0xE5)  # push af, bc, de, hl
    made.get(0x05).store(RESULT + 10).get(0x04).store(RESULT + 11).raw(0xF3).count(COUNT).jp("wait")
    return made.done(), finish


def program(index: int, operands: Sequence[int], registers: Sequence[int], stack: int, delay: int) -> bytes:
    """Code that sets A F B C D E H L and the stack, waits `delay` cycles of the processor, and runs one instruction."""
    instruction = INSTRUCTIONS[index % len(INSTRUCTIONS)]
    op = instruction[0]
    a, f, b, c, d, e, h, low = (int(number) & 0xFF for number in registers)
    page, high = PAGE >> 8, 0x80
    if _uses_hl(instruction):
        h = page
    if op in _BY_BC:
        b = page
    if op in _BY_DE:
        d = page
    if op in _BY_C:
        c = high | c & 0x3F
    prologue = [0x31, 0xF0, 0xCF, 0x21, f & 0xF0, a, 0xE5, 0xF1, 0x01, c, b, 0x11, e, d]
    end = PROGRAM + len(prologue) + 6 + delay % 4 + _length(op) + 1  # where the code ends: the jump behind `inc b`
    first, second = (int(number) & 0xFF for number in operands)
    if op in _JUMPS:
        first, second = end & 0xFF, end >> 8
    elif op in _RELATIVE:
        first = 1
    elif op in _ABSOLUTE:
        second = page
    elif op in _HIGH:
        first = high | first & 0x3F
    if op == _JP_HL:
        h, low = end >> 8, end & 0xFF
    code = [*instruction, *(first, second)[: _length(op) - len(instruction)]]
    setting = [0x21, low, h, 0x31, _stack(stack), page]
    _, finish = rom()
    return bytes([*prologue, *setting, *[0x00] * (delay % 4), *code, 0x04, 0xC3, finish & 0xFF, finish >> 8])


def page_of(index: int, stack: int, fill: int, end: int) -> NDArray[np.uint8]:
    """What is in the page before: a row of numbers, and where an instruction returns to, if it does."""
    page = (fill + 7 * np.arange(PAGE_SIZE)).astype(np.uint8)
    if INSTRUCTIONS[index % len(INSTRUCTIONS)][0] in _RETURNS:
        place = _stack(stack)
        page[place], page[place + 1] = end & 0xFF, end >> 8
    return page


class _Machine(Protocol):
    def poke(self, address: int, data: NDArray[np.uint8]) -> None: ...
    def memory(self, low: int, high: int) -> NDArray[np.uint8]: ...
    def run(self, ticks: int) -> None: ...
    def close(self) -> None: ...


class Executor:
    """The program on one side."""

    def __init__(self, machine: _Machine) -> None:
        self._machine = machine
        machine.run(120)

    @staticmethod
    def on_pyboy() -> "Executor":
        return Executor(_OnPyBoy())

    @staticmethod
    def on_ours(hardware: bool = False) -> "Executor":
        return Executor(_OnOurs(hardware))

    def run(
        self, index: Any, operands: Sequence[int], registers: Sequence[int], stack: Any, delay: Any, fill: Any
    ) -> NDArray[np.int64]:
        """SP, HL, DE, BC, AF, TIMA and DIV after the instruction, byte by byte, then the page and high RAM."""
        index, stack, delay, fill = int(index), int(stack), int(delay), int(fill)
        code = np.frombuffer(program(index, operands, registers, stack, delay), np.uint8)
        end = PROGRAM + len(code) - 3
        machine = self._machine
        machine.poke(PROGRAM, code)
        machine.poke(PAGE, page_of(index, stack, fill, end))
        machine.poke(HIGH, (fill + 5 * np.arange(HIGH_SIZE)).astype(np.uint8))
        machine.poke(GO, np.array([1, 0], np.uint8))
        machine.run(1)
        parts = (RESULT, NOTES), (PAGE, PAGE_SIZE), (HIGH, HIGH_SIZE), (COUNT, 1)
        return np.concatenate([machine.memory(at, at + size) for at, size in parts]).astype(np.int64)

    def close(self) -> None:
        self._machine.close()


class _OnPyBoy:
    def __init__(self) -> None:
        self._pyboy = PyBoyMachine(rom()[0])
        self.poke, self.memory, self.close = self._pyboy.poke, self._pyboy.memory, self._pyboy.close

    def run(self, ticks: int) -> None:
        self._pyboy.tick(0, ticks, draw=False)


class _OnOurs:
    def __init__(self, hardware: bool) -> None:
        self._batch = machines(rom()[0], 1, threads=1, hardware=hardware)

    def poke(self, address: int, data: NDArray[np.uint8]) -> None:
        self._batch.write_memory(0, address, data.tobytes())

    def memory(self, low: int, high: int) -> NDArray[np.uint8]:
        return np.frombuffer(self._batch.memory(0, low, high), np.uint8)

    def run(self, ticks: int) -> None:
        self._batch.step(np.zeros(1, np.uint8), ticks=ticks)

    def close(self) -> None:
        """Nothing to end."""


def cases(each: int = 6, seed: int = 0) -> list[dict[str, Any]]:
    """Arguments for every instruction: corners first, then random numbers."""
    rng = np.random.default_rng(seed)
    corners = np.array([0, 1, 0x0F, 0x10, 0x7F, 0x80, 0x99, 0xFF])
    found: list[dict[str, Any]] = []
    for index in range(len(INSTRUCTIONS)):
        for number in range(each):
            draw = rng.integers(256, size=10)
            chosen = np.where(rng.random(10) < 0.5, corners[rng.integers(8, size=10)], draw) if number % 2 else draw
            found.append(
                {
                    "index": index,
                    "operands": chosen[:2].tolist(),
                    "registers": chosen[2:].tolist(),
                    "stack": int(rng.integers(256)),
                    "delay": number % 4,
                    "fill": int(rng.integers(256)),
                }
            )
    return found


def _length(op: int) -> int:
    return 3 if op in _THREE else 2 if op in _TWO | _RELATIVE | _HIGH | {CB} else 1


def _stack(stack: int) -> int:
    """Within the page, with room on both sides."""
    return 0x10 + stack % 0xE0


def _uses_hl(instruction: Sequence[int]) -> bool:
    """Whether it uses the memory at HL."""
    op = instruction[-1]
    if len(instruction) == 2:
        return op & 7 == 6
    indirect = op in {0x22, 0x2A, 0x32, 0x3A, 0x34, 0x35, 0x36}
    return indirect or (0x40 <= op < 0xC0 and op & 7 == 6) or 0x70 <= op < 0x78
