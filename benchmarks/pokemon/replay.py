"""Replay what `record.js` wrote, every update by itself, and compare every field: `python replay.py FILE`."""

import itertools
import json
import sys
import time
from pathlib import Path

import envwright

envwright.tune_cpu(devices=1)

import jax  # noqa: E402
import numpy as np  # noqa: E402

from envwright.core.record import field_names  # noqa: E402
from envwright.envs.pokemon import log, rules, tables  # noqa: E402
from envwright.envs.pokemon.state import State, Team  # noqa: E402

jax.config.update("jax_numpy_dtype_promotion", "strict")
CHUNK = 4096
SHAPES = {
    **dict.fromkeys(
        (["species", "level", "speed_points", "hp", "status", "sleep", "rested", "substitute_broke", "seen", "order"]),
        (2, 6),
    ),
    **{"stats": (2, 6, 5), "moves": (2, 6, 4), "pp": (2, 6, 4), "types": (2, 2), "boosts": (2, 6)},
    **dict.fromkeys((["active_moves", "active_pp", "stored", "modified"]), (2, 4)),
    **dict.fromkeys((["last_damage", "turn", "winner", "hints"]), ()),
}
DTYPES = {
    **dict.fromkeys((["stats", "hp", "stored", "modified", "speed", "turn"]), np.int16),
    **dict.fromkeys(
        (["rested", "substitute_broke", "seen", "transformed", "recharging", "charging", "reflect", "flinched"]), bool
    ),
    **{"boosts": np.int8, "last_damage": np.int32, "seed": np.uint32},
}


def read(path: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The states' fields, and the rest: first, battle, actions, start seed, masks."""
    data = Path(path).read_bytes()
    end = data.index(b"\n") + 1
    header = json.loads(data[:end])
    width = 28 + sum(size * (2 if wide else 1) for _, size, wide in header)
    rows = np.frombuffer(data[end:], np.int16).reshape(-1, width)
    fields, at = {}, 28
    for name, size, wide in header:
        part = rows[:, at : at + size * (2 if wide else 1)]
        at += part.shape[1]
        if wide:
            words = part.astype(np.int64) & 0xFFFF
            part = words[:, ::2] << 16 | words[:, 1::2]
        part = part.astype(DTYPES.get(name, np.uint8)).reshape(len(rows), *SHAPES.get(name, (2,)))
        fields[name] = part
    return fields, rows[:, :28]


def padded(tree, chunk):  # type: ignore[no-untyped-def]
    return jax.tree.map(
        lambda a: np.concatenate([a, np.repeat(a[:1], chunk - len(a), 0)]) if len(a) < chunk else a, tree
    )


def main() -> int:
    fields, rest = read(sys.argv[1])
    names = field_names(State)
    states = {name: fields[name] for name in names}
    first, actions = rest[:, 0] == 1, rest[:, 2:4].astype(np.int32)
    words = rest[:, 4:8].astype(np.int64) & 0xFFFF
    seeds = np.stack([words[:, 0] << 16 | words[:, 1], words[:, 2] << 16 | words[:, 3]], 1).astype(np.uint32)
    masks = rest[:, 8:].reshape(-1, 2, 10).astype(bool)
    at = np.flatnonzero(~first)
    begins = np.flatnonzero(first)
    began = time.perf_counter()
    step = jax.jit(jax.vmap(lambda s, a: rules.advance(s, a, s.seed)))
    mask = jax.jit(jax.vmap(rules.legal))
    start = jax.jit(jax.vmap(rules.start))
    wrong: dict[str, list[int]] = {}

    def compare(got: State, index: np.ndarray) -> None:
        for name in names:
            found = np.asarray(getattr(got, name))[: len(index)]
            assert found.dtype == states[name].dtype, (name, found.dtype)
            bad = (found != states[name][index]).reshape(len(index), -1).any(1)
            if bad.any():
                wrong.setdefault(name, []).extend(index[bad].tolist())

    for i in range(0, len(at), CHUNK):
        index = at[i : i + CHUNK]
        before = State(**{name: padded(states[name][index - 1], CHUNK) for name in names})
        compare(step(before, padded(actions[index], CHUNK)), index)
    for i in range(0, len(first), CHUNK):
        index = np.arange(i, min(i + CHUNK, len(first)))
        got = np.asarray(mask(State(**{name: padded(states[name][index], CHUNK) for name in names})))[: len(index)]
        bad = (got != masks[index]).any((1, 2))
        if bad.any():
            wrong.setdefault("legal", []).extend(index[bad].tolist())
    for i in range(0, len(begins), CHUNK):
        index = begins[i : i + CHUNK]
        teams = Team(**{name: padded(states[name][index], CHUNK) for name in field_names(Team)})
        compare(start(teams, padded(seeds[index], CHUNK)), index)
    if Path(sys.argv[1] + ".log").exists():
        wrong["log"] = unlike_logs(states, actions, at)
    rows = sorted({n for found in wrong.values() for n in found})
    print(f"{len(begins)} battles, {len(at)} updates, {len(rows)} wrong, {time.perf_counter() - began:.0f} s")
    for name, found in wrong.items():
        print(" ", name, len(found))
    shown = 0
    for n in rows:
        if shown >= int(sys.argv[2] if len(sys.argv) > 2 else 3):
            break
        shown += 1
        print(f"-- row {n}, actions {actions[n]}")
        if first[n]:
            continue
        before = State(**{name: states[name][n - 1 : n] for name in names})
        got = rules_step(step, before, actions[n : n + 1])
        for side in (0, 1):
            b = {name: getattr(before, name)[0] for name in names}
            moves = [tables.MOVES[m] for m in b["active_moves"][side]]
            who = b["order"][side, 0]
            print(
                "  ",
                tables.SPECIES[b["active_species"][side]],
                moves,
                "hp",
                b["hp"][side, who],
                "status",
                b["status"][side, who],
                {
                    k: b[k][side].tolist()
                    for k in (
                        "substitute",
                        "confusion",
                        "recharging",
                        "charging",
                        "flinched",
                        "boosts",
                        "speed",
                        "active_pp",
                    )
                },
                {k: tables.MOVES[b[k][side]] for k in ("selected", "selected_for_foe", "used_for_foe", "last_move")},
            )
        for name in names:
            a, b = np.asarray(getattr(got, name))[0], states[name][n]
            if (a != b).any():
                print(f"   {name}: before {states[name][n - 1].tolist()} ours {a.tolist()} theirs {b.tolist()}")
    return bool(rows)


def unlike_logs(states, actions, at):  # type: ignore[no-untyped-def]
    """The updates whose log is not Showdown's."""
    logs = [json.loads(line) for line in Path(sys.argv[1] + ".log").read_text().splitlines()]
    tell = jax.jit(jax.vmap(lambda s, a: rules.advance_and_tell(s, a, s.seed)[1]))
    found = []
    for i in range(0, len(at), CHUNK):
        index = at[i : i + CHUNK]
        before = State(**{name: padded(states[name][index - 1], CHUNK) for name in states})
        events = np.asarray(tell(before, padded(actions[index], CHUNK)))
        for k, n in enumerate(index):
            one = State(**{name: states[name][n - 1] for name in states})
            got = log.lines(one, events[k], ("A", "B"))
            if got != logs[n]:
                found.append(int(n))
                if len(found) < 6:
                    print("\n".join(f"{a!s:70} {b}" for a, b in itertools.zip_longest(got, logs[n])), "\n")
    return found


def rules_step(step, before, actions):  # type: ignore[no-untyped-def]
    return step(jax.tree.map(lambda a: np.repeat(a, CHUNK, 0), before), np.repeat(actions, CHUNK, 0))


if __name__ == "__main__":
    raise SystemExit(main())
