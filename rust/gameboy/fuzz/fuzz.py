"""Random ROMs, states and inputs: nothing may panic, hang or leave other environments changed.

`python fuzz.py SECONDS [SEED]`; prints its count. A panic ends the run with the seed of the case, a case of more than ten
seconds is a hang and ends it with a traceback.
"""

import faulthandler
import random
import sys
import time

import envwright_gameboy as gameboy
import numpy as np

HEADER = 25  # magic, version, hardware, hash of the ROM, checksum
MASK = (1 << 64) - 1
KINDS = (0x00, 0x01, 0x03, 0x06, 0x08, 0x0F, 0x10, 0x13, 0x19, 0x1B, 0x1E)
# What sets chips going: writes to I/O, EI, HALT, STOP, calls, stack in odd places.
SPICE = (b"\xe0", b"\xfb", b"\x76", b"\x10\x00", b"\xe0\x40", b"\xe0\x46", b"\xe0\x07", b"\xe0\x02", b"\x31", b"\xc9", b"\xd9")


def checksum(body: bytes) -> int:
    value = 0x9E3779B97F4A7C15 ^ len(body)
    for at in range(0, len(body), 8):
        word = int.from_bytes(body[at : at + 8], "little")
        value = (value ^ word) * 0x2545F4914F6CDD1D & MASK
        value = (value << 29 | value >> 35) & MASK
    return value


def random_rom(rng: random.Random) -> bytes:
    size = rng.choice((0, 0, 0, 1, 2))
    rom = bytearray(rng.randbytes(0x8000 << size))
    for _ in range(rng.randrange(4000)):
        spice = rng.choice(SPICE)
        at = rng.randrange(len(rom) - 2)
        rom[at : at + len(spice)] = spice
    rom[0x147:0x14A] = bytes((rng.choice(KINDS), size, rng.randrange(6)))
    if rng.random() < 0.05:
        rom[0x147 + rng.randrange(3)] = rng.randrange(256)
    if rng.random() < 0.02:
        rom = rom[: rng.randrange(len(rom))]
    return bytes(rom)


def corrupt(rng: random.Random, state: bytes) -> bytes:
    """Some bytes changed, mostly of the chips' fields, mostly with a checksum that fits again."""
    body = bytearray(state[HEADER:])
    for _ in range(rng.choice((1, 2, 5, 50))):
        body[rng.randrange(min(len(body), rng.choice((250, len(body)))))] = rng.randrange(256)
    if rng.random() < 0.1:
        body = body[: rng.randrange(len(body))]
    kept = state[: HEADER - 8]
    check = checksum(bytes(body)) if rng.random() < 0.9 else rng.getrandbits(64)
    return kept + check.to_bytes(8, "little") + bytes(body)


def one(rng: random.Random, count: dict[str, int]) -> None:
    rom = random_rom(rng)
    boot = rng.randbytes(256) if rng.random() < 0.2 else None
    try:
        batch = gameboy.Batch(rom, 3, frame_skip=rng.randrange(1, 4), boot=boot, hardware=rng.random() < 0.3, threads=1,
                              addresses=[rng.randrange(0x10000) for _ in range(8)], skip_idle=rng.random() < 0.7)
    except gameboy.RomError:
        count["refused ROMs"] += 1
        return
    count["ROMs"] += 1
    obs, ram = np.zeros((3, 144, 160), np.uint8), np.zeros((3, 8), np.uint8)
    for _ in range(rng.randrange(1, 12)):
        buttons = np.frombuffer(rng.randbytes(3), np.uint8)
        batch.step(buttons, obs if rng.random() < 0.5 else None, ram)
        count["ticks"] += 3 * batch.frame_skip
    for _ in range(rng.randrange(6)):
        state = corrupt(rng, batch.save(0))
        others = batch.save(1), batch.save(2)
        try:
            batch.load(0, state)
            count["changed states run"] += 1
        except gameboy.StateError:
            count["changed states refused"] += 1
        batch.step_some([0], np.frombuffer(rng.randbytes(1), np.uint8), ticks=3)
        batch.run_instruction(0)
        batch.memory(0, 0, 0x10000)
        batch.write_memory(0, rng.randrange(0x10000), b"\x01")
        count["ticks"] += 3
        assert others == (batch.save(1), batch.save(2)), "another environment changed"


def main() -> None:
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    count = dict.fromkeys(("ROMs", "refused ROMs", "ticks", "changed states run", "changed states refused"), 0)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        faulthandler.dump_traceback_later(10, exit=True)
        try:
            one(random.Random(seed), count)
        except BaseException:
            print(f"failed with seed {seed}", file=sys.stderr)
            raise
        seed += 1
    faulthandler.cancel_dump_traceback_later()
    print(f"{seed} seeds, {count}")


if __name__ == "__main__":
    main()
