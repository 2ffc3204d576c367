"use strict";
// What of the rules has been played, counted: moves, moves beside what was active then, two moves in one turn, what the
// log told, and where numbers were drawn.

const VOLATILES = ["substitute", "confusion", "reflect", "mustrecharge", "twoturnmove", "flinch"];

class Coverage {
  counts = { move: {}, pair: {}, effect: {}, log: {}, draw: {} };

  add(table, key) {
    const counts = this.counts[table];
    counts[key] = (counts[key] ?? 0) + 1;
  }

  /** Watch the moves of a battle. The method is wrapped; it does what it did. */
  watch(battle) {
    const actions = battle.actions;
    const useMove = actions.useMove;
    const self = this;
    let turn = -1;
    let first = "";
    actions.useMove = function (move, pokemon, options) {
      const id = typeof move === "string" ? move : move.id;
      self.add("move", id);
      if (battle.turn === turn && first) self.add("pair", `${first} then ${id}`);
      [turn, first] = [battle.turn, id];
      for (const tag of tags(pokemon)) self.add("effect", `${id} with ${tag}`);
      const foe = pokemon.side.foe.active[0];
      if (foe) for (const tag of tags(foe)) self.add("effect", `${id} against ${tag}`);
      return useMove.call(this, move, pokemon, options);
    };
  }

  /** Count what an update wrote. */
  read(lines) {
    for (const line of lines) {
      const [, kind, , what] = line.split("|");
      if (!kind || kind === "t:" || kind === "split") continue;
      const detail = /^-(status|start|end|activate|curestatus|boost|unboost|sidestart)$|^cant$/.test(kind);
      const plain = detail ? (what ?? "") : "";
      const source = /\[from\] ([^|]*)/.exec(line)?.[1] ?? "";
      this.add("log", [kind, plain, kind.startsWith("-") ? source : ""].filter(Boolean).join(" "));
    }
  }
}

function tags(pokemon) {
  const found = VOLATILES.filter((name) => pokemon.volatiles[name]);
  if (pokemon.status) found.push(pokemon.status);
  if (pokemon.transformed) found.push("transformed");
  if (pokemon.moveSlots.some((slot) => slot.virtual) && !pokemon.transformed) found.push("mimicked");
  const boosts = Object.values(pokemon.boosts);
  if (boosts.some((boost) => boost > 0)) found.push("raised");
  if (boosts.some((boost) => boost < 0)) found.push("lowered");
  return found;
}

module.exports = { Coverage };
