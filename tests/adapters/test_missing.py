"""A library that is not installed is named in one sentence, with the command that installs it."""

import importlib
import sys

import pytest

from envwright.core.errors import MissingExtraError

ADAPTERS = {
    "gymnasium_spaces": ("gymnasium", "gymnasium"),
    "gymnasium_env": ("gymnasium", "gymnasium"),
    "gymnasium_vec": ("gymnasium", "gymnasium"),
    "gymnasium_registration": ("gymnasium", "gymnasium"),
    "gymnax": ("gymnax", "gymnax"),
    "gymnax_legacy": ("gymnax", "gymnax"),
    "brax": ("brax", "brax"),
    "sb3": ("stable_baselines3", "sb3"),
}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_importing_an_adapter_without_its_library_says_what_to_install(
    adapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, extra = ADAPTERS[adapter]
    for name in list(sys.modules):
        if name.startswith("envwright.adapters") or name.partition(".")[0] == package:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"'{package}.*pip install 'envwright\[{extra}\]'"):
        importlib.import_module(f"envwright.adapters.{adapter}")
