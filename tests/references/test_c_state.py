"""Pendulum in C, state behind a pointer, from the page that documents it: verified, and faults in it found."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from loading import play, replays

from envwright.core.errors import ReferenceUnavailableError
from envwright.references import c_library
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.plain import same
from envwright.references.protocol import TapeError
from envwright.references.python import PythonReference
from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.engine import verify
from envwright.verifier.session import Effort
from envwright.verifier.verdict import Verdict

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "verify.md"
BLOCK = re.compile(r"```\w+\n((?://|#) (\S+\.\w+)\n.*?)```", re.DOTALL)  # those that begin with the name of a file
SMALL = Effort(episodes=4, limit=60, states=150, corners=40, pool=100, draws=400, watched=30)

Change = tuple[str, str, str]  # in a file, what becomes what


@pytest.fixture(autouse=True)
def _compiler() -> None:
    try:
        c_library.find_compiler()
    except ReferenceUnavailableError as error:
        pytest.skip(str(error))


def written(folder: Path, changes: Sequence[Change] = ()) -> Path:
    """The files of the page and the candidate in a folder, with some of it changed."""
    for text, name in BLOCK.findall(PAGE.read_text()):
        (folder / name).write_text(text)
    for name in ("jax_pendulum.py", "jax_pendulum.toml"):
        shutil.copy(HERE / name, folder)
    for name, old, new in changes:
        text = (folder / name).read_text()
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {name}"
        (folder / name).write_text(text.replace(old, new))
    return folder


def judged(contract: Path, levels: Sequence[str] = ("L0", "L1", "L2", "L3"), apart: bool = False) -> Verdict:
    agreed = contracts.load(contract)
    host = pairs.make_host(agreed, apart=apart)
    try:
        return verify(agreed, host, pairs.make_candidate(agreed), effort=SMALL, levels=levels)
    finally:
        host.close()


def c_pendulum(folder: Path) -> PythonReference:
    return gymnasium_reference(f"{folder / 'c_pendulum.py'}:CPendulum")


def test_the_page_is_true(tmp_path: Path) -> None:
    verdict = judged(written(tmp_path) / "c_pendulum.toml", apart=True)
    assert verdict.passed, verdict.text()


def test_it_is_verified_phase_by_phase(tmp_path: Path) -> None:
    verdict = judged(written(tmp_path) / "jax_pendulum.toml")
    assert verdict.passed, verdict.text()
    passed = {(check.level, check.name) for check in verdict.checks if check.status == "pass"}
    assert passed >= {
        ("L0", "the reference repeats itself"),
        ("L0", "params are the reference's constants"),
        ("L1", "single steps in float64"),
        ("L2", "phases in float64"),
        ("L2", "phases in float32"),
        ("L3", "episodes in float32, free running"),
    }


@dataclass(frozen=True)
class Fault:
    module: str
    old: str
    new: str


FAULTS = (
    Fault("torque", "-params.max_torque, params.max_torque)", "-params.max_torque, 0.9 * params.max_torque)"),
    Fault("acceleration", "15 * jnp.sin(state.theta)", "15 * jnp.sin(-state.theta)"),
    Fault(
        "integration", "theta=state.theta + theta_dot * params.dt", "theta=state.theta + state.theta_dot * params.dt"
    ),
    Fault("reward", "0.001 * torque**2", "0.01 * torque**2"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.module)
def test_a_fault_is_blamed_on_its_phase(fault: Fault, tmp_path: Path) -> None:
    written(tmp_path, [("jax_pendulum.py", fault.old, fault.new)])
    verdict = judged(tmp_path / "jax_pendulum.toml", ("L1", "L2"))
    assert verdict.modules == (fault.module,), verdict.text()
    assert {check.level for check in verdict.checks if not check.passed} == {"L1", "L2"}


FORGETFUL = "values[name] for name in STATE", "{**values, 'theta_dot': now(env)['theta_dot']}[name] for name in STATE"


def test_an_adapter_that_forgets_a_field_is_found_out(tmp_path: Path) -> None:
    rename = "def values(env):", "def now(env):\n    return values(env)\n\n\ndef values(env):"
    written(tmp_path, [("c_pendulum.py", *FORGETFUL), ("c_pendulum.py", *rename)])
    verdict = judged(tmp_path / "jax_pendulum.toml", ("L0",))
    check = next(check for check in verdict.checks if check.name == "the reference repeats itself")
    assert check.status == "fail"
    assert "does not repeat a call after its snapshot is put back: `theta" in str(check.divergences[0].got)


# Both sides lose digits on the way, in float32 only, where no nudge of the state shows it.
LOSSY = (
    ("pendulum.c", "r(3 * p->torque)", "r(3 * r(r(p->torque + 30000) - 30000))"),
    ("jax_pendulum.py", "3 * torque", "3 * (jax.lax.optimization_barrier(torque + 30000) - 30000)"),
)


@pytest.mark.parametrize("rounds", [True, False])
def test_what_rounding_does_on_the_way_is_asked_of_the_adapter(rounds: bool, tmp_path: Path) -> None:
    off = [] if rounds else [("c_pendulum.py", "c.pendulum_round(seed + 1 if", "c.pendulum_round(0 if")]
    written(tmp_path, [*LOSSY, *off])
    verdict = judged(tmp_path / "jax_pendulum.toml", ("L1",))
    single = {check.name: check.status for check in verdict.checks if check.name.startswith("single steps")}
    assert single == {"single steps in float64": "pass", "single steps in float32": "pass" if rounds else "fail"}


def test_rounding_ends_where_it_began(tmp_path: Path) -> None:
    with c_pendulum(written(tmp_path)) as reference:
        reference.restore({"theta": 0.3, "theta_dot": 0.1})
        before = reference.snapshot()
        results = []
        for seed in (None, 0, 1, 2, 3, None):
            reference.restore(before)
            if seed is None:
                results.append(reference.step([0.7]).reward)
                continue
            way = reference.rounding(seed, "float32")
            assert way is not None
            with way:
                results.append(reference.step([0.7]).reward)
        assert results[0] == results[-1]
        assert len(set(results)) > 2
        assert max(abs(result - results[0]) for result in results) < 1e-7


# Wind, drawn by a generator in C that asks whoever has been put in its place.
WINDY = (
    ("pendulum.c", "static double clip(", """static double (*ask)(void);
static unsigned long long state;

EXPORT double pendulum_rand(void) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) / 2147483648.0;
}
EXPORT void pendulum_wind(double (*draw)(void), unsigned seed) { ask = draw ? draw : ask; state = seed; }

static double clip("""),
    ("pendulum.c", "r(3 * p->torque))", "r(3 * p->torque)) + ask()"),
    ("c_pendulum.py", "        put(self, theta, theta_dot, 0.05)", """        c.pendulum_wind(None, seed or 0)
        put(self, theta, theta_dot, 0.05)"""),
    ("c_pendulum.py", "    def files(self, env):", """    def record_draws(self, env, draw):
        def wind():
            return draw("rand", c.pendulum_rand)

        env.asked = ctypes.CFUNCTYPE(c_double)(wind)
        c.pendulum_wind(env.asked, 0)

    def files(self, env):"""),
    ("c_pendulum.py", "c.pendulum_new.restype", "c.pendulum_rand.restype = c_double\nc.pendulum_new.restype"),
    ("c_pendulum.py", 'opaque = ("pointer",)', 'opaque = ("pointer", "asked")'),
)  # fmt: skip


def test_random_draws_outside_of_python_are_recorded_and_replayed(tmp_path: Path) -> None:
    with c_pendulum(written(tmp_path, WINDY)) as reference:
        told = play(reference, 20)
        draws = [draw for _, outcome, _ in told[1:] for draw in outcome.draws]
        assert len(draws) == len({draw.value for draw in draws}) == 19
        assert {(draw.site.rpartition(" ")[2], draw.method) for draw in draws} == {("wind", "rand")}
        assert replays(reference, told)
        action, outcome, _ = told[4]
        reference.restore(told[3][2])
        assert not same(reference.step(action).obs, outcome.obs)  # another wind
        reference.restore(told[3][2])
        calm = outcome.draws[0]._replace(value=0.0)
        assert reference.step(action, [calm]).draws == (calm,)
        with pytest.raises(TapeError, match=r"asked for rand at c_pendulum\.py.*tape ends after 0 draws"):
            reference.step(action, [])
        assert len(reference.step(action).draws) == 1


def test_another_library_is_another_reference(tmp_path: Path) -> None:
    with c_pendulum(written(tmp_path)) as reference:
        one = reference.provenance()["sha256"]
    (tmp_path / "heavier").mkdir()
    with c_pendulum(written(tmp_path / "heavier", [("pendulum.c", "15 *", "16 *")])) as reference:
        assert reference.provenance()["sha256"] != one
