"use strict";
// The middle of an update: the state at places between Showdown's methods, which are wrapped while the update lasts.
//
//     choices    both sides have committed their choices
//     order      actions are sorted, and the event BeforeTurn has run where a turn begins
//     switches   all who were chosen have entered
//     first      the first of two moves has run
//     second     the second of two moves has run, or the only one
//     end        Showdown asks again, or the battle is over

const { columns } = require("./columns.js");

const PLACES = ["choices", "order", "switches", "first", "second", "end"];

/** Do `act`, an update, and tell what is known whenever one of the points is passed. */
function watch(game, points, act) {
  const { battle } = game;
  const glimpses = [];
  const undo = [];
  for (const point of points) {
    if (!PLACES.includes(point.function)) throw new Error(`an update has no place ${point.function}; it has ${PLACES}`);
  }
  const tell = (place) => {
    for (const point of points) {
      if (point.function === place) glimpses.push({ phase: point.phase, names: columns(battle) });
    }
  };
  const after = (object, method, then) => {
    const isOwn = Object.hasOwn(object, method);
    const original = object[method];
    object[method] = function (...given) {
      const result = original.apply(this, given);
      then(...given);
      return result;
    };
    undo.push(() => (isOwn ? (object[method] = original) : delete object[method]));
  };
  let [enter, moves, moved] = [0, 0, 0]; // what is due, and what has been done
  after(battle.sides[1], "commitChoices", () => tell("choices"));
  after(battle.queue, "sort", () => {
    if (moves || enter) return; // of a later one
    moves = battle.queue.list.filter((action) => action.choice === "move").length;
    enter = battle.queue.list.filter((action) => /switch$/.test(action.choice)).length;
    if (battle.midTurn) tell("order");
  });
  after(battle, "runAction", ({ choice }) => {
    if (choice === "beforeTurn") tell("order");
    if (choice === "runSwitch") {
      enter -= 1;
      if (enter === 0) tell("switches");
    }
    if (choice === "move") {
      moved += 1;
      tell(moves === 2 && moved === 1 ? "first" : "second");
    }
  });
  try {
    const outcome = act();
    tell("end");
    return { outcome, glimpses };
  } finally {
    undo.forEach((one) => one());
  }
}

module.exports = { watch };
