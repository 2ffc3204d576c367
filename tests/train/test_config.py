"""Configs: read from files and the command line, and refused before any work is done."""

from pathlib import Path

import pytest

from envwright.core.errors import EnvwrightError
from envwright.training.config import Config, ConfigError, Network, changed, for_env, from_plain, load, with_settings


@pytest.mark.parametrize(
    "name", ["pong", "cartpole", "half_cheetah", "walker2d", "inverted_pendulum", "inverted_double_pendulum"]
)
def test_tuned_configs_ship_and_survive_json(name: str) -> None:
    config = for_env(name)
    assert config != Config()
    assert from_plain(config.plain()) == config
    assert config.batch % config.minibatches == 0


def test_an_unknown_environment_has_no_config() -> None:
    with pytest.raises(EnvwrightError, match="did you mean 'Pong-v0'"):
        for_env("pnog")


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "ppo.toml"
    path.write_text('steps = 16\ngamma = 1\n[network]\nkind = "gru"\nhidden = [8]\n[env_options]\nframeskip = 4\n')
    config = load(path)
    assert (config.steps, config.gamma, config.network) == (16, 1, Network("gru", (8,)))
    assert config.env_options == {"frameskip": 4}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("steps = = 3", "is not valid TOML"),
        (b"\xff\xfe", "is not valid TOML"),
        ("stepps = 3", "there is no setting 'stepps'; there are total_steps, num_envs"),
        ("[network]\nwidth = 3", "there is no setting 'network.width'; there are kind, hidden, activation, features"),
        ("steps = 1.5", "'steps' must be a whole number, but is 1.5"),
        ("steps = true", "'steps' must be a whole number, but is True"),
        ('gamma = "high"', "'gamma' must be a number, but is 'high'"),
        ("anneal = 1", "'anneal' must be true or false, but is 1"),
        ("[network]\nkind = 3", "'network.kind' must be a string, but is 3"),
        ('[network]\nkind = "lstm"', "network.kind must be one of mlp, gru, scorer, but is 'lstm'"),
        ('[network]\nactivation = "gelu"', "network.activation must be one of tanh, relu, silu, but is 'gelu'"),
        ("[network]\nhidden = 64", "network.hidden lists the widths of the layers"),
        ("[network]\nhidden = []", "network.hidden lists the widths of the layers"),
        ("[network]\nhidden = [8, 0]", "network.hidden lists the widths of the layers"),
        ("[network]\nlog_std = inf", "network.log_std must be a number, but is inf"),
        ('network = "gru"', "'network' holds settings of its own"),
        ("env_options = 3", "'env_options' holds settings of its own"),
        ("num_envs = 0", "num_envs must be at least 1, but is 0"),
        ("learning_rate = nan", "learning_rate must be a positive number, but is nan"),
        ("clip = inf", "clip must be a positive number, but is inf"),
        ("gamma = 1.01", "gamma must be between 0 and 1, but is 1.01"),
        ("entropy = -0.1", "entropy must not be negative, but is -0.1"),
    ],
)
def test_a_mistake_in_a_file_is_a_sentence_that_names_it(tmp_path: Path, content: str | bytes, sentence: str) -> None:
    path = tmp_path / "ppo.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert sentence in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml cannot be read: No such file or directory"):
        load(tmp_path / "none.toml")


def test_settings_are_changed_one_by_one() -> None:
    given = ["network.hidden=[8,8]", "network.kind=gru", 'autoreset="cached"', "gamma = 1", "env_options.frameskip=8"]
    config = with_settings(Config(env_options={"paddle": 2}), given)
    assert config.network == Network("gru", (8, 8))
    assert (config.autoreset, config.gamma, config.steps) == ("cached", 1, Config().steps)
    assert config.env_options == {"paddle": 2, "frameskip": 8}
    assert with_settings(Config(), ["steps=8", "steps=16"]).steps == 16


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("steps", "'steps' is not a setting; write NAME=VALUE"),
        ("a.b=1", "'a.b=1' is not a setting"),
        ("network.hidden.x=1", "is not a setting"),
        ("=3", "there is no setting ''"),
        ("stepps=3", "there is no setting 'stepps'"),
        ("steps=", "'steps' must be a whole number, but is ''"),
        ("steps=many", "'steps' must be a whole number, but is 'many'"),
        ("total_steps=1e6", "'total_steps' must be a whole number, but is 1000000.0"),
        ("network=gru", "'network' holds settings of its own, written network.NAME=VALUE; it cannot be 'gru'"),
        ("env_options=8", "'env_options' holds settings of its own"),
        ("network.hidden=64", "network.hidden lists the widths"),
    ],
)
def test_a_wrong_setting_is_a_sentence(setting: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        with_settings(Config(), [setting])
    assert sentence in str(refused.value)


def test_what_is_not_given_is_not_changed() -> None:
    assert changed(Config(), total_steps=None) == Config()
    assert changed(Config(), total_steps=7).total_steps == 7
    with pytest.raises(ConfigError, match="total_steps must be at least 1"):
        changed(Config(), total_steps=0)
