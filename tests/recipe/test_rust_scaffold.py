"""The text of a Rust translation's given files."""

import json
import re
import tomllib
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete
from envwright.recipe.targets import find_target
from envwright.recipe.targets.rust import called, scaffold, shown, signatures, written
from envwright.recipe.targets.rust.names import identifier, rust_type
from envwright.recipe.targets.rust.python_side import space_text
from envwright.verifier.interface import Field, Interface, Signature

CARDS = Field("hand", (22,), "int64", "pad(hand,\n 22)")
GAME = Interface(
    package="fast_cards",
    title="Cards",
    state=(
        Field("hand", (22,), "int64", "pad(hand, 22)"),
        Field("inner.type", (), "float64", "kind"),
        Field("board", (2, 3), "uint8"),
        Field("open", (), "bool", "open"),
    ),
    start_luck=(Field("cards", (4,), "int32"),),
    step_luck=(),
    observation=Field("observation", (3,), "float32", "obs"),
    info=(Field("info.prob", (), "float64"),),
    action_space=Discrete(2),
    observation_space=Box(0, (1.0, 2.5, np.inf), (3,)),
    functions=(
        Signature("hands", "sum_hand", "sum_hand", (CARDS,), Field("result", (), "int64")),
        Signature(
            "dealer", "Dealer.best", "Dealer.best", (CARDS, Field("n", (), "bool")), Field("result", (2,), "int64")
        ),
    ),
    phases=(("hit", (Field("hand", (22,), "int64"),)), ("pay out", (Field("reward", (), "float64"),))),
)


def test_every_file_is_there_and_only_modules_are_to_be_written() -> None:
    files = scaffold(GAME, ["hands", "rules"])
    given = {
        "batch",
        "buffer",
        "functions",
        "games",
        "hands",
        "lib",
        "rng",
        "rules",
        "state",
        "timed",
        "value",
        "verify",
    }
    package = {"__init__", "env", "spaces", "vector"}
    assert set(files) == {
        *(f"src/{name}.rs" for name in given),
        *(f"python/fast_cards/{name}.py" for name in package),
        "Cargo.toml", "pyproject.toml", "README.md", "rustfmt.toml", ".gitignore",
    }  # fmt: skip
    assert {path for path, text in files.items() if "todo!(" in text} == {"src/hands.rs", "src/rules.rs"}
    assert not [path for path, text in files.items() if "__PACKAGE__" in text or "__TITLE__" in text]


def test_the_manifests_are_pinned_and_alone() -> None:
    files = scaffold(GAME, ["rules"])
    cargo, python = tomllib.loads(files["Cargo.toml"]), tomllib.loads(files["pyproject.toml"])
    assert cargo["lib"] == {"name": "fast_cards_native", "crate-type": ["cdylib"]}
    versions = [d if isinstance(d, str) else d["version"] for d in cargo["dependencies"].values()]
    assert all(re.fullmatch(r"=\d+\.\d+\.\d+", version) for version in versions)
    assert cargo["workspace"] == {}
    assert cargo["package"]["build"] is False
    assert cargo["profile"]["release"]["panic"] == "unwind"
    assert python["tool"]["maturin"]["module-name"] == "fast_cards.fast_cards_native"


def test_a_field_has_its_type_its_column_and_its_expression() -> None:
    state = scaffold(GAME, ["rules"])["src/state.rs"]
    assert '/// In the reference: `pad(hand, 22)`\n        pub hand: [i64; 22] = "hand",' in state
    assert 'pub inner_type: f64 = "inner.type",' in state
    assert 'pub board: [[u8; 3]; 2] = "board",' in state
    assert 'pub open: bool = "open",' in state
    assert 'pub cards: [i32; 4] = "cards",' in state
    assert "pub struct StepLuck {}" in state
    assert 'pub prob: f64 = "info.prob",' in state
    assert 'pub pay_out_reward: f64 = "pay out\\0reward",' in state
    assert "pub type Action = i64;" in state
    assert "pub type Observation = [f32; 3];" in state


def test_names_that_rust_would_not_take_are_changed() -> None:
    assert identifier("type") == "r#type"
    assert identifier("self") == "x_self"
    assert identifier("2nd") == "x_2nd"
    assert identifier("inner.x") == "inner_x"
    assert rust_type(Field("x", (2, 3), "bool")) == "[[bool; 3]; 2]"


def test_a_box_of_actions_keeps_its_type() -> None:
    wide = replace(GAME, action_space=Box(-1, 1, (6,)))
    assert "pub type Action = [f32; 6];" in scaffold(wide, ["rules"])["src/state.rs"]


def test_a_function_is_in_its_modules_file_or_else_in_the_rules() -> None:
    files = scaffold(GAME, ["hands"])
    assert "pub fn sum_hand(hand: &[i64; 22]) -> i64 {" in files["src/hands.rs"]
    assert "pub fn best(hand: &[i64; 22], n: bool) -> [i64; 2] {" in files["src/rules.rs"]
    assert (
        '"sum_hand" => put::<i64>(&hands::sum_hand(&get::<[i64; 22]>(given[0], row)), out, at),'
        in (files["src/functions.rs"])
    )
    assert '"Dealer.best" => put::<[i64; 2]>(&rules::best(' in files["src/functions.rs"]
    assert "mod hands;" in files["src/lib.rs"]
    assert "mod dealer;" not in files["src/lib.rs"]


def test_phases_are_asked_for_only_where_there_are_any() -> None:
    plain = scaffold(replace(GAME, phases=()), ["rules"])
    assert "pub fn phases(" in scaffold(GAME, ["rules"])["src/rules.rs"]
    assert "pub fn phases(" not in plain["src/rules.rs"]
    assert "Phases {}\n" in plain["src/functions.rs"]


def test_a_time_limit_is_counted_outside_of_the_rules() -> None:
    counted = replace(GAME, state=(*GAME.state, Field("t", (), "int64", "elapsed_steps")), max_episode_steps=50)
    files = scaffold(counted, ["rules"])
    assert "pub const LIMIT: Option<i64> = Some(50);" in files["src/lib.rs"]
    assert 'pub const CLOCK: &str = "t";' in files["src/lib.rs"]
    assert "elapsed_steps" not in files["src/state.rs"]
    unlimited = scaffold(replace(counted, max_episode_steps=None), ["rules"])
    assert "pub const LIMIT: Option<i64> = None;" in unlimited["src/lib.rs"]
    assert "elapsed_steps" in unlimited["src/state.rs"]


def test_the_library_knows_its_spaces() -> None:
    found = re.search(r"const ABOUT: &str = (\".*\");", scaffold(GAME, ["rules"])["src/lib.rs"])
    assert found
    about = json.loads(json.loads(found[1]))
    assert about["action_space"] == {"n": 2}
    assert about["observation_space"]["high"] == [1.0, 2.5, np.inf]


@pytest.mark.parametrize(
    "space",
    [
        Discrete(7),
        Box(-np.inf, np.inf, (2, 2)),
        Box(0, 255, (4,), np.dtype(np.uint8)),
        Box(0, (1.0, 2.5, np.inf), (3,)),
        Box(0, 1, (2,), np.dtype(np.bool_)),
        Box(-(2**31), 2**31 - 1, (), np.dtype(np.int32)),
    ],
)
def test_a_space_is_the_same_in_gymnasium(space: Any) -> None:
    theirs = eval(space_text(space), {"spaces": gymnasium.spaces, "np": np})
    assert theirs.shape == space.shape
    if isinstance(space, Discrete):
        assert theirs.n == space.n
        return
    assert theirs.dtype == space.dtype
    assert np.array_equal(theirs.low, np.broadcast_to(np.asarray(space.low, space.dtype), space.shape))
    assert np.array_equal(theirs.high, np.broadcast_to(np.asarray(space.high, space.dtype), space.shape))


def test_the_python_side_is_python() -> None:
    written = {path: text for path, text in scaffold(GAME, ["rules"]).items() if path.endswith(".py")}
    assert written
    for path, text in written.items():
        compile(text, path, "exec")


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ({"state": (Field("x", (), "float16"),)}, "x is float16"),
        ({"state": (Field("a.b", (), "bool"), Field("a_b", (), "bool"))}, "'a.b' and 'a_b' are both called a_b"),
        ({"state": (Field("time", (), "int64", "t"),), "max_episode_steps": 9}, "a field 'time'"),
    ],
)
def test_what_cannot_be_written_in_rust_is_a_sentence(broken: dict[str, Any], sentence: str) -> None:
    with pytest.raises(EnvwrightError, match=re.escape(sentence)):
        scaffold(replace(GAME, **broken), ["rules"])


@pytest.mark.parametrize(("module", "sentence"), [("state", "is given"), ("match", "in Rust"), ("a b", "in Rust")])
def test_a_module_with_an_impossible_name_is_a_sentence(module: str, sentence: str) -> None:
    with pytest.raises(EnvwrightError, match=f"called {module}.*{sentence}"):
        scaffold(GAME, [module])


def test_it_is_a_target() -> None:
    target = find_target("rust")
    assert (target.NAME, target.LAST) == ("rust", "rules")
    assert written(GAME, "hands") == "src/hands.rs"
    assert called(GAME) == "rust:python/fast_cards"
    files = scaffold(GAME, ["hands", "dealer"])
    assert set(shown(GAME)) < set(files)
    assert "pub fn sum_hand(hand: &[i64; 22]) -> i64;  // `sum_hand` of the reference" in signatures(GAME, "hands")
    for line in ("draw_start", "start", "draw", "apply", "phases"):
        assert f"pub fn {line}(" in signatures(GAME, "rules")
