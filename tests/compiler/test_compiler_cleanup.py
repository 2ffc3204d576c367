"""The passes that put a page in order, each by itself."""

import ast

import numpy as np

from envwright.compiler.back.cleanup import clean_up, eliminate_dead_code, forward_substitute, renamed
from envwright.compiler.back.cse import eliminate_common_subexpressions
from envwright.compiler.back.loop_carries import prune_carries
from envwright.compiler.back.printing import constant_text, function_text
from envwright.compiler.ir.code import Assign, Define, Note, Statement, Written


def value(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def assign(target: str, text: str, auto: bool = False, line: int = 0) -> Assign:
    return Assign([target], value(text), line=line, auto=auto)


def lines(body: list[Statement]) -> list[str]:
    found: list[str] = []
    for statement in body:
        if isinstance(statement, Note):
            found.append(statement.text)
        elif isinstance(statement, Assign):
            found.append(f"{', '.join(statement.targets)} = {ast.unparse(statement.value)}")
        else:
            inner = [*lines(statement.body), f"return {ast.unparse(statement.result)}"]
            found += [f"def {statement.name}({', '.join(statement.parameters)}):", *(f"    {line}" for line in inner)]
    return found


def test_what_leads_to_nothing_goes() -> None:
    body: list[Statement] = [assign("a", "x + 1"), assign("b", "a * 2"), assign("c", "a * 3"), assign("d", "b + c")]
    assert lines(eliminate_dead_code(body, {"c"})) == ["a = x + 1", "c = a * 3"]


def test_inside_of_a_loop_too() -> None:
    inner: list[Statement] = [assign("p", "n + 1"), assign("q", "n + 2")]
    body: list[Statement] = [assign("k", "x"), Define("body", ["n"], inner, value("q + k")), assign("r", "run(body)")]
    assert lines(eliminate_dead_code(body, {"r"})) == [
        "k = x",
        "def body(n):",
        "    q = n + 2",
        "    return q + k",
        "r = run(body)",
    ]


def taking(names: str) -> Assign:
    return Assign(names.split(), value("carry"), unpack=True)


def test_a_loop_carries_what_changes_and_what_is_needed() -> None:
    inner: list[Statement] = [taking("best size x y"), assign("now", "a[i] * size"), assign("far", "y + now")]
    body: list[Statement] = [
        Define("body", ["i", "carry"], inner, value("(maximum(best, now), size, a[i], far)")),
        Assign(["b", "s", "last", "sum"], value("jax.lax.fori_loop(0, 5, body, (0, n + 1, 0, 1))"), unpack=True),
    ]
    assert lines(prune_carries(body, {"b", "s"})) == [
        "s = n + 1",
        "def body(i, carry):",
        "    best = carry",
        "    now = a[i] * s",
        "    far = y + now",  # for `needed` to take away
        "    return (maximum(best, now),)",
        "b = jax.lax.fori_loop(0, 5, body, (0,))",
    ]


def test_what_a_loop_needs_to_know_when_to_stop_is_carried() -> None:
    body: list[Statement] = [
        Define("body", ["carry"], [taking("at left sum")], value("(at + left, left - 1, sum + at)")),
        Define("test", ["carry"], [taking("here more total")], value("more > 0")),
        Assign(["a", "l", "s"], value("jax.lax.while_loop(test, body, (0, 9, 0))"), unpack=True),
    ]
    assert lines(prune_carries(body, {"a"}))[-1] == "a, l = jax.lax.while_loop(test, body, (0, 9))"
    assert "    here, more = carry" in lines(body)


def test_a_loop_that_changes_nothing_goes() -> None:
    body: list[Statement] = [
        Define("body", ["i", "carry"], [taking("p q")], value("(p, q)")),
        Assign(["a", "b"], value("jax.lax.fori_loop(0, n, body, (x, y + 1))"), unpack=True),
    ]
    assert lines(eliminate_dead_code(prune_carries(body, {"a", "b"}), {"a", "b"})) == ["a = x", "b = y + 1"]


def test_a_comment_goes_with_its_statement() -> None:
    body: list[Statement] = [
        Note("# kept", line=1, end=1),
        assign("a", "x + 1", line=1),
        Note("# gone", line=2, end=2),
        assign("b", "x + 2", line=2),
    ]
    assert lines(eliminate_dead_code(body, {"a"})) == ["# kept", "a = x + 1"]


def test_a_short_value_that_is_used_once_moves() -> None:
    body: list[Statement] = [assign("a", "x + 1", auto=True), assign("b", "a * y", auto=False)]
    kept, result = forward_substitute(body, value("b + 1"))
    assert lines(kept) == ["b = (x + 1) * y"]
    assert ast.unparse(result) == "b + 1"


def test_a_value_that_the_original_named_or_that_is_used_twice_stays() -> None:
    body: list[Statement] = [assign("a", "x + 1"), assign("b", "x + y + 2", auto=True)]
    kept, result = forward_substitute(body, value("a + b * b"))
    assert lines(kept) == ["a = x + 1", "b = x + y + 2"]
    assert ast.unparse(result) == "a + b * b"


def test_names_constants_and_fields_always_move() -> None:
    body: list[Statement] = [assign("a", "x"), assign("b", "3"), assign("c", "state.pos")]
    kept, result = forward_substitute(body, value("a + a + b + b + c + c"))
    assert kept == []
    assert ast.unparse(result) == "x + x + 3 + 3 + state.pos + state.pos"


def test_what_a_loop_would_compute_again_and_again_stays_outside() -> None:
    body: list[Statement] = [assign("a", "f(x)", auto=True), Define("body", ["n"], [], value("n + a"))]
    kept, _ = forward_substitute(body, value("run(body)"))
    assert lines(kept) == ["a = f(x)", "def body(n):", "    return n + a"]


def test_a_moved_value_keeps_its_brackets() -> None:
    kept, result = forward_substitute([assign("a", "x - y", auto=True)], value("z - a"))
    assert kept == []
    assert ast.unparse(result) == "z - (x - y)"


def test_a_name_is_taken_over_when_nobody_needs_the_old_value() -> None:
    body: list[Statement] = [assign("n·1", "x + 1"), assign("n·2", "n·1 * 2"), assign("n·3", "n·2 - 1")]
    changed, result, _ = renamed(body, value("n·3"), ["x"], {f"n·{i}": "n" for i in (1, 2, 3)}, set())
    assert lines(changed) == ["n = x + 1", "n = n * 2", "n = n - 1"]
    assert ast.unparse(result) == "n"


def test_a_name_is_not_taken_over_while_the_old_value_is_needed() -> None:
    body: list[Statement] = [assign("n·1", "x + 1"), assign("n·2", "n·1 * 2")]
    changed, result, _ = renamed(body, value("n·1 + n·2"), ["x"], {"n·1": "n", "n·2": "n"}, set())
    assert lines(changed) == ["n = x + 1", "n_2 = n * 2"]
    assert ast.unparse(result) == "n + n_2"


def test_a_parameter_is_taken_over_like_any_other() -> None:
    changed, result, names = renamed([assign("x·1", "x + 1")], value("x·1"), ["x"], {"x·1": "x"}, set())
    assert (lines(changed), ast.unparse(result), names) == (["x = x + 1"], "x", ["x"])


def test_no_variable_has_the_name_of_a_function() -> None:
    changed, result, names = renamed(
        [assign("move·1", "move(x)")], value("move·1"), ["x"], {"move·1": "move"}, {"move"}
    )
    assert (lines(changed), ast.unparse(result), names) == (["move_2 = move(x)"], "move_2", ["x"])


def test_the_body_of_a_loop_reads_a_name_when_the_loop_runs() -> None:
    body: list[Statement] = [
        assign("n·1", "x + 1"),
        Define("body", ["i"], [], value("i + n·1")),
        assign("n·2", "x + 2"),
        assign("r", "run(body, n·2)"),
    ]
    changed, _, _ = renamed(body, value("r"), ["x"], {"n·1": "n", "n·2": "n"}, set())
    assert lines(changed) == ["n = x + 1", "def body(i):", "    return i + n", "n_2 = x + 2", "r = run(body, n_2)"]


def written(body: list[Statement], result: str) -> str:
    function = Written("rule", [("x", "jax.Array")], body, value(result), "jax.Array", "", "rule", bases={})
    clean_up(function, {"rule"})
    return function_text(function).splitlines()[-1].strip()


def test_three_wheres_in_a_row_are_a_select() -> None:
    text = "jnp.where(x == 0, 1, jnp.where(x == 1, 2, jnp.where(x == 2, 3, 4)))"
    assert written([], text) == "return select([x == 0, x == 1, x == 2], [1, 2, 3], 4)"


def test_a_choice_that_is_used_twice_gets_a_name() -> None:
    choice = "jnp.where(going, x + 1, state.speed)"
    body: list[Statement] = [assign("a", f"{choice} + 2"), assign("b", f"a * ({choice} - 1)")]
    kept, result = eliminate_common_subexpressions(body, value(f"b + {choice}"), {})
    assert lines(kept) == [f"speed·0 = {choice}", "a = speed·0 + 2", "b = a * (speed·0 - 1)"]
    assert ast.unparse(result) == "b + speed·0"


def test_a_choice_that_has_a_name_is_called_by_it() -> None:
    choice = "jnp.where(going, x + 1, state.speed)"
    body: list[Statement] = [assign("a", choice), assign("b", f"a * ({choice} - 1)")]
    kept, result = eliminate_common_subexpressions(body, value("b"), {})
    assert lines(kept) == [f"a = {choice}", "b = a * (a - 1)"]
    assert ast.unparse(result) == "b"


def test_a_long_table_fills_its_lines() -> None:
    text = constant_text(np.arange(60).reshape(2, 30) % 7)
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) < 15
    assert np.array_equal(eval(text.partition("#")[0], {"np": np}), np.arange(60).reshape(2, 30) % 7)


def test_two_wheres_stay() -> None:
    text = "jnp.where(x == 0, 1, jnp.where(x == 1, 2, 4))"
    assert written([], text) == f"return {text}"


def test_a_where_in_the_middle_is_no_chain() -> None:
    text = "jnp.where(x == 0, jnp.where(x == 1, jnp.where(x == 2, 3, 4), 5), 6)"
    assert written([], text) == f"return {text}"
