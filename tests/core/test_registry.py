"""Environments by name: found in any case, suggested when misspelt, imported only when made."""

import subprocess
import sys
import textwrap

import pytest

import envwright
from envwright.core import registry
from envwright.core.errors import DuplicateEnvError, EnvwrightError, UnknownEnvError


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_specs", dict(registry._specs))


def run(code: str) -> str:
    """What `code` prints in a Python of its own."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("id", ["Pong-v0", "pong", "PONG", "pong-V0"])
def test_an_id_or_its_short_name_is_found_in_any_case(id: str) -> None:
    assert registry.spec(id).id == "Pong-v0"


@pytest.mark.parametrize(("id", "meant"), [("Pogn-v0", "Pong-v0"), ("pong-v1", "Pong-v0"), ("cartpol", "CartPole-v1")])
def test_a_misspelt_id_suggests_the_nearest_in_one_sentence(id: str, meant: str) -> None:
    with pytest.raises(UnknownEnvError) as error:
        envwright.make(id)
    assert str(error.value) == f"There is no environment '{id}'; did you mean '{meant}'?"


def test_an_id_like_nothing_else_points_to_the_list() -> None:
    with pytest.raises(UnknownEnvError, match=r"There is no environment 'xyzzyqqq'; see: envwright list$"):
        envwright.make("xyzzyqqq")


@pytest.mark.parametrize("id", ["Pong", "Pong-v", "-v0", "Pong v0", "Pong-v0 ", "9Pong-v0", "ALE/Pong-v5"])
def test_a_bad_id_is_refused(id: str) -> None:
    with pytest.raises(EnvwrightError, match="is not an environment id; write it like 'Pong-v0'"):
        envwright.register(id, "counting:Counting")


@pytest.mark.parametrize("entry_point", ["counting", "counting.Counting", ""])
def test_a_bad_entry_point_is_refused(entry_point: str) -> None:
    with pytest.raises(EnvwrightError, match="is not an entry point; write it like"):
        envwright.register("Counting-v0", entry_point)


def test_a_taken_id_is_refused_and_the_first_stays() -> None:
    with pytest.raises(DuplicateEnvError, match=r"'Pong-v0' is registered already, as envwright\.envs\.pong:Pong"):
        envwright.register("Pong-v0", "counting:Counting")
    assert registry.spec("Pong-v0").entry_point == "envwright.envs.pong:Pong"


def test_a_registered_environment_is_made_with_its_kwargs_and_those_given() -> None:
    envwright.register("Counting-v0", "counting:Counting", kwargs={"size": 7})
    assert repr(envwright.make("counting")) == "Counting(size=7)"
    assert repr(envwright.make("counting", size=9)) == "Counting(size=9)"


def test_a_time_limit_belongs_to_the_id_unless_another_is_given() -> None:
    envwright.register("Counting-v0", "counting:Counting", max_episode_steps=50)
    assert repr(envwright.make("Counting-v0")) == "TimeLimit(env=Counting(size=2), max_episode_steps=50)"
    assert (
        repr(envwright.make("Counting-v0", max_episode_steps=9))
        == "TimeLimit(env=Counting(size=2), max_episode_steps=9)"
    )


def test_equal_calls_make_equal_environments() -> None:
    assert envwright.make("Pong-v0", frameskip=4) == envwright.make("pong", frameskip=4)


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(EnvwrightError, match=r"Pong-v0 cannot be made with .*'frames'"):
        envwright.make("Pong-v0", frames=3)


def test_registering_imports_nothing() -> None:
    envwright.register("Missing-v0", "there_is_no_such_module:Thing")
    assert registry.spec("missing").summary == ""


def test_an_entry_point_that_cannot_be_imported_is_one_sentence() -> None:
    envwright.register("Missing-v0", "there_is_no_such_module:Thing")
    with pytest.raises(EnvwrightError, match="there_is_no_such_module:Thing"):
        envwright.make("Missing-v0")


def test_an_entry_point_without_its_class_is_one_sentence() -> None:
    envwright.register("Missing-v0", "counting:Nothing")
    with pytest.raises(EnvwrightError, match="counting:Nothing"):
        envwright.make("Missing-v0")


def test_a_refused_value_is_one_sentence() -> None:
    with pytest.raises(EnvwrightError, match="frameskip must be at least 1"):
        envwright.make("Pong-v0", frameskip=0)


def test_a_short_name_is_the_newest_version() -> None:
    envwright.register("Counting-v9", "counting:Counting")
    envwright.register("Counting-v10", "counting:Counting")
    assert registry.spec("counting").id == "Counting-v10"


def test_all_are_listed_in_order_of_their_ids() -> None:
    ids = [spec.id for spec in registry.registered()]
    assert ids == sorted(ids, key=str.lower)
    assert "Pong-v0" in ids


def test_importing_envwright_imports_no_environment_and_starts_no_backend() -> None:
    loaded = run("""
        import sys, envwright
        from jax._src import xla_bridge
        print(sorted(m for m in sys.modules if m.startswith("envwright.envs.")), xla_bridge.backends_are_initialized())
        envwright.make("Pong-v0")
        print("envwright.envs.pong" in sys.modules)
    """)
    assert loaded.split("\n") == ["[] False", "True"]


def test_without_gymnasium_only_jax_numpy_and_the_standard_library_are_imported() -> None:
    ours = run("""
        import sys
        sys.modules["gymnasium"] = None  # as if it were not installed
        import jax, jax.numpy, jax.extend, jax.extend.random, jax.extend.core, jax.experimental.xla_metadata
        before = {m.partition(".")[0] for m in sys.modules}
        import envwright
        envwright.make("Pong-v0")
        after = {m.partition(".")[0] for m in sys.modules}
        print(sorted(after - before - set(sys.stdlib_module_names)))
    """)
    assert ours == "['envwright']"
