"""Python before, JAX after: small pieces of an original, translated and run beside it.

Here are functions of numbers and arrays; whole environments are in small_games.py.
"""

import ast
import importlib.util
import itertools
import sys
import tempfile
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import jax
import numpy as np
import pytest

from envwright.compiler.back import printing
from envwright.compiler.back.cleanup import clean_up
from envwright.compiler.back.entry_points import write_functions
from envwright.compiler.back.printing import module_text
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.middle.calls import call
from envwright.verifier.codecs import Count, Padded, Plain
from envwright.verifier.interface import Field, Signature

FAST = {"xla_backend_optimization_level": 0}  # to compile
NAMES = itertools.count()


class Refused(Exception):  # noqa: N818 - the answer of the translator, not a mistake
    """The translator says no; its sentences."""


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="before_and_after_"))


def written(text: str) -> Path:
    """A file with this text: the translator reads sources from files."""
    path = _folder() / f"original_{next(NAMES)}.py"
    path.write_text(text)
    return path


def module(text: str, name: str) -> types.ModuleType:
    made = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), made.__dict__)
    return made


def body_of(text: str, name: str) -> str:
    """The lines of a function below its docstring."""
    tree = ast.parse(text)
    node = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    has_doc = ast.get_docstring(node) is not None
    first = (node.body[0].end_lineno or 0) if has_doc else node.body[0].lineno - 1
    return textwrap.dedent("\n".join(text.splitlines()[first : node.end_lineno]))


def plain(text: str) -> str:
    """A text of a test without the indentation and the empty lines around it."""
    return textwrap.dedent(text).strip("\n").rstrip()


# ---- functions ----


@dataclass(frozen=True)
class Function:
    """A function of an original and its translation."""

    expected: list[np.ndarray]  # what the original gives for the examples
    translation: Callable[..., Any]
    text: str  # of the module


def function(text: str, *, top: str = "", **examples: Any) -> Function:
    """The translation of `text`, an expression or the body of a function of the examples' names. An example is an array
    with a row a case; a list of lists is a variable-length list."""
    lines = plain(text)  # Python has `;` on one line, too
    if "return" not in lines:
        lines = f"return {lines}"
    head = f"import math\nimport numpy as np\n{plain(top)}\n\n\ndef rule({', '.join(examples)}):\n"
    original = _import(written(head + textwrap.indent(lines, "    ") + "\n"))
    arguments = [field for name, rows in examples.items() for field in _fields(name, rows)]
    given = zip(*([row(rows, i) for i in range(len(rows))] for rows in examples.values()), strict=False)
    expected = [np.asarray(original.rule(*case)) for case in given]
    result = Field("result", expected[0].shape, np.result_type(*expected).name)
    signature = Signature("rules", "rules.rule", "rule", tuple(arguments), result)
    program, refusals = TranslationUnit(), []
    for _ in range(2):  # as `translate` does
        program, refusals = TranslationUnit(flowing=set(program.flowing), tables=program.constants), []
        program.call, program.chance = call, {"start": {}, "step": {}}
        reference: Any = SimpleNamespace(driver=SimpleNamespace(parts=lambda made: [made]), object=original)
        wanted: Any = SimpleNamespace(functions=[signature])
        write_functions(program, wanted, SimpleNamespace(reference=reference), refusals)  # pyright: ignore
    if refusals:
        raise Refused("\n".join(r.sentence for r in refusals))
    for one in program.functions.values():
        clean_up(one, {*program.functions, *program.constants})
    made = module_text("Rules.", "rules", [*program.functions.values()], program.constants, {})
    return Function(expected, module(made, f"after_{next(NAMES)}").rule, made)


def _import(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def _fields(name: str, rows: Any) -> list[Field]:
    if isinstance(rows, np.ndarray):
        return [Field(name, rows.shape[1:], rows.dtype.name, name, Plain((name,)))]
    room = max(map(len, rows)) + 4
    inner = np.asarray(max(rows, key=len))
    return [
        Field(name, (room, *inner.shape[1:]), inner.dtype.name, f"pad({name}, {room})", Padded(Plain((name,)), room)),
        Field(f"{name}_count", (), "int64", f"len({name})", Count(Plain((name,)))),
    ]


def row(rows: Any, i: int) -> Any:
    """A case as the original gets it."""
    if not isinstance(rows, np.ndarray):
        return [list(one) if isinstance(one, list) else one for one in rows[i]]
    return rows[i].copy() if rows.ndim > 1 else rows[i].item()


def _columns(rows: Any) -> list[Any]:
    if isinstance(rows, np.ndarray):
        return [narrow(rows)]
    room = max(map(len, rows)) + 4
    inner = np.asarray(max(rows, key=len))
    padded = np.zeros((len(rows), room, *inner.shape[1:]), inner.dtype)
    for i, one in enumerate(rows):
        padded[i, : len(one)] = np.asarray(one, inner.dtype).reshape(-1, *inner.shape[1:])
    return [narrow(padded), np.array([len(one) for one in rows], np.int32)]


def narrow(rows: np.ndarray) -> np.ndarray:
    return rows.astype({"int64": np.int32, "float64": np.float32}.get(rows.dtype.name, rows.dtype))


def after(text: str, *, top: str = "", **examples: Any) -> str:
    """The lines of the translation of a function."""
    return body_of(function(text, top=top, **examples).text, "rule")


class Cases:
    """Functions that get the same examples. They are translated one by one and compiled together, for that is what
    takes the time; `assert_same` says whether one of them gives what the original gives. Results of different ranks
    had better be compiled apart: fused into one kernel, they can make XLA stop the process."""

    def __init__(
        self, texts: Mapping[str, str] | Sequence[str], *, top: str = "", together: int = 12, **examples: Any
    ) -> None:
        self.texts = texts if isinstance(texts, Mapping) else dict(zip(texts, texts, strict=True))
        self.top, self.together, self.examples = top, together, examples

    def parameters(self, wrong: Mapping[str, str], gaps: Mapping[str, str]) -> list[Any]:
        """The names of the cases for pytest; some are known to be `wrong`, and some are refused, which are `gaps`."""
        assert {*wrong, *gaps} <= self.texts.keys(), {*wrong, *gaps} - self.texts.keys()
        bad = (AssertionError, IndexError, ValueError)  # another value, or none that JAX can compute
        marks = {name: pytest.mark.xfail(reason=why, strict=True, raises=bad) for name, why in wrong.items()}
        marks |= {name: pytest.mark.xfail(reason=why, strict=True, raises=Refused) for name, why in gaps.items()}
        return [pytest.param(name, marks=marks.get(name, ()), id=name) for name in self.texts]

    @cached_property
    def results(self) -> dict[str, Any]:
        """For each case the function and its values, or why there are none."""
        inputs = [column for rows in self.examples.values() for column in _columns(rows)]
        found: dict[str, Any] = {}
        with mock.patch.object(printing, "formatted", str), loosely():
            for name, text in self.texts.items():
                try:
                    found[name] = function(text, top=self.top, **self.examples)
                    jax.eval_shape(jax.vmap(found[name].translation), *inputs)
                except Exception as error:  # of this case, and told by its test
                    found[name] = error
            good = [(name, f.translation) for name, f in found.items() if isinstance(f, Function)]
            values: dict[str, Any] = {}
            for i in range(0, len(good), self.together):
                some = dict(good[i : i + self.together])
                run = jax.jit(jax.vmap(partial(_each, some)), compiler_options=FAST)
                values |= run(*inputs)
        return {name: (f, values[name]) if name in values else f for name, f in found.items()}

    def assert_same(self, name: str) -> None:
        """A function and its translation give the same for all examples."""
        result = self.results[name]
        if isinstance(result, Exception):
            raise result
        pair, got = result
        got = np.stack([np.asarray(g) for g in got], 1) if isinstance(got, tuple) else np.asarray(got)
        for i, wanted in enumerate(pair.expected):
            case = {key: row(rows, i) for key, rows in self.examples.items() if key in self.texts[name]}
            told = f"{case}: Python gives {wanted!r}, the translation {got[i]!r}\n{pair.text}"
            assert wanted.shape == got[i].shape, told
            if wanted.dtype.kind == "f":
                np.testing.assert_allclose(got[i], wanted, rtol=1e-5, atol=1e-6, err_msg=told)
            else:
                assert np.array_equal(wanted, got[i]), told


def _each(functions: Mapping[str, Callable[..., Any]], *inputs: Any) -> dict[str, Any]:
    return {name: function(*inputs) for name, function in functions.items()}


@contextmanager
def loosely() -> Iterator[None]:
    """Types and ranks as users have them; the tests of our own code are stricter."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield
