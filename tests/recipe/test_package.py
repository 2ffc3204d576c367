"""The wheel of a run: the same bytes for the same run, whole, installable, and known by name."""

import base64
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import stroll

import envwright
from envwright.core import TimeLimit
from envwright.core.registry import spec
from envwright.recipe.events import Judged
from envwright.recipe.package import PackageError, build_wheel
from envwright.recipe.package.wheel import write_wheel
from envwright.verifier import contract as contracts


def build(folder: Path) -> tuple[str, bytes]:
    return build_wheel(
        stroll.project(folder), stroll.INTERFACE, stroll.files(), stroll.events(), contracts.read(stroll.CONTRACT)
    )


def unpack(folder: Path) -> Path:
    _, content = build(folder)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def read(folder: Path, path: str) -> str:
    return (unpack(folder) / path).read_text()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package where Python looks for packages, until the test is over."""
    site = unpack(tmp_path)
    monkeypatch.syspath_prepend(site)
    yield site
    for name in [name for name in sys.modules if name.partition(".")[0] == "fast_stroll"]:
        del sys.modules[name]
    gymnasium.registry.pop("fast/Stroll-v0", None)


# ---- the file ----


def test_the_same_run_gives_the_same_bytes_in_any_order_of_files(tmp_path: Path) -> None:
    turned = dict(reversed(stroll.files().items()))
    other = build_wheel(
        stroll.project(tmp_path), stroll.INTERFACE, turned, stroll.events(), contracts.read(stroll.CONTRACT)
    )
    assert build(tmp_path) == other


def test_no_time_and_no_compressor_gets_into_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(build(tmp_path)[1])) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
        assert archive.testzip() is None


def test_the_record_has_every_file_with_its_hash_and_size(tmp_path: Path) -> None:
    name, content = build(tmp_path)
    assert name == "fast_stroll-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        own = "fast_stroll-0.1.0.dist-info/RECORD"
        rows = list(csv.reader(archive.read(own).decode().splitlines()))
        assert sorted(path for path, _, _ in rows) == sorted(archive.namelist())
        for path, digest, size in rows:
            if path == own:
                assert (digest, size) == ("", "")
                continue
            data = archive.read(path)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (digest, int(size)) == (f"sha256={expected}", len(data))


def test_what_was_judged_is_what_is_shipped(tmp_path: Path) -> None:
    site = unpack(tmp_path)
    for path, text in stroll.files().items():
        if path != "fast_stroll/__init__.py":  # the package's own, which makes it known by name
            place = f"fast_stroll/{path}" if path.startswith("tests/") else path
            assert (site / place).read_text() == text


@pytest.mark.parametrize("path", ["../evil.py", "/etc/evil", "fast_stroll/../../evil.py", "a\\b.py", "", "a//b.py"])
def test_a_path_that_leads_out_of_the_package_is_refused(path: str) -> None:
    with pytest.raises(PackageError, match="is no place in a package"):
        write_wheel("fast_stroll", "0.1.0", {path: ""}, "", "")


def test_a_file_that_belongs_nowhere_is_refused(tmp_path: Path) -> None:
    files = {**stroll.files(), "notes.txt": "hello"}
    with pytest.raises(PackageError, match=r"notes\.txt is neither in fast_stroll/ nor in tests/"):
        build_wheel(
            stroll.project(tmp_path), stroll.INTERFACE, files, stroll.events(files), contracts.read(stroll.CONTRACT)
        )


def test_files_that_were_not_judged_are_refused(tmp_path: Path) -> None:
    changed = {**stroll.files(), "fast_stroll/wind.py": stroll.WIND + "\n# one more thought\n"}
    with pytest.raises(PackageError, match="not those that passed the games nobody saw"):
        build_wheel(
            stroll.project(tmp_path), stroll.INTERFACE, changed, stroll.events(), contracts.read(stroll.CONTRACT)
        )


def test_files_that_failed_unseen_games_are_refused(tmp_path: Path) -> None:
    events = [
        replace(e, passed=False) if isinstance(e, Judged) and e.stage.startswith("hidden") else e
        for e in stroll.events()
    ]
    with pytest.raises(PackageError, match="not those that passed"):
        build_wheel(stroll.project(tmp_path), stroll.INTERFACE, stroll.files(), events, contracts.read(stroll.CONTRACT))


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("cobol", "There are no packages of cobol yet; there are of jax, rust"),
        ("rust", "A wheel of Rust needs the folder that it was built in"),
    ],
)
def test_what_cannot_be_packed_says_so(target: str, sentence: str, tmp_path: Path) -> None:
    project = replace(stroll.project(tmp_path), target=target)
    with pytest.raises(PackageError, match=sentence):
        build_wheel(project, stroll.INTERFACE, stroll.files(), stroll.events(), contracts.read(stroll.CONTRACT))


# ---- what stands in it ----


def test_the_card_says_what_was_verified_and_what_was_not(tmp_path: Path) -> None:
    card = read(tmp_path, "fast_stroll/card.md")
    verified, _, rest = card.partition("## Not verified")
    not_verified, _, rest = rest.partition("## Speed")
    assert "| L1 | single steps | pass | 3,000 | 3,000 \\| steps |" in verified
    assert "plays 100 whole games" in verified
    assert "L4: no policy was trained on either side" in not_verified
    assert "L2 phases: was not checked: the contract names none." in not_verified
    assert "Equal up to rounding only: observation (float64 there, float32 here)." in not_verified
    assert "Not compared: reference.hat (only worn | for the picture)." in not_verified
    assert "2,747 [2,600, 2,900]" in rest
    assert "| claude, opus | 2 | 18,000 | 1,400 | 41 s | $0.46 | reported |" in rest
    assert "123456789" not in card  # the seed of the games that decide


def test_the_card_has_spaces_state_and_luck_as_tables(tmp_path: Path) -> None:
    card = read(tmp_path, "fast_stroll/card.md")
    assert "| action | 0 to 1 | () | int32 |" in card
    assert "| observation | -1 to 10 | (1,) | float32 |" in card
    assert "| at | () | int32 | `at` |" in card
    assert "| wind | () | int32 | `draws('step', 0)` |" in card
    assert "| time limit | 25 steps, then truncated |" in card


def test_the_verdict_is_that_of_the_files(tmp_path: Path) -> None:
    verdict = json.loads(read(tmp_path, "fast_stroll/verdict.json"))
    assert [one["stage"] for one in verdict["judged"]] == ["whole", "hidden 1"]
    assert all(one["passed"] for one in verdict["judged"])


def test_the_contract_is_word_for_word(tmp_path: Path) -> None:
    assert read(tmp_path, "fast_stroll/contract.toml") == stroll.CONTRACT


# ---- using it ----


def test_envwright_makes_it_by_name_with_the_time_limit(installed: Path) -> None:
    env = envwright.make("FastStroll-v0")
    assert isinstance(env, TimeLimit)
    assert (type(env.env).__name__, env.max_episode_steps) == ("Stroll", 25)
    assert spec("faststroll").folder == installed / "fast_stroll"


def test_importing_it_makes_it_known_to_gymnasium_with_the_time_limit(installed: Path) -> None:
    del installed
    env = gymnasium.make("fast_stroll:fast/Stroll-v0")
    assert env.spec is not None
    assert env.spec.max_episode_steps == 25
    env.reset(seed=0)
    for turn in range(25):
        obs, reward, terminated, truncated, _ = env.step(turn % 2)
        assert env.observation_space.contains(obs)
        assert (reward == -1) == terminated
        if terminated or truncated:
            break
    else:
        pytest.fail("the stroll never ended")


def test_gymnasium_makes_batches_of_it(installed: Path) -> None:
    del installed
    envs = gymnasium.make_vec("fast_stroll:fast/Stroll-v0", 4)
    obs, _ = envs.reset(seed=0)
    assert obs.shape == (4, 1)
    assert envs.unwrapped.batch.env.max_episode_steps == 25  # pyright: ignore[reportAttributeAccessIssue]
    ended = np.zeros(4, bool)
    for _ in range(30):
        _, _, terminations, truncations, _ = envs.step(np.zeros(4, np.int64))
        ended |= terminations | truncations
    assert ended.all()
    envs.close()


# ---- in a Python of its own ----


@pytest.mark.slow
def test_it_installs_and_its_tests_pass(tmp_path: Path) -> None:
    name, content = build(tmp_path)
    (tmp_path / name).write_bytes(content)
    python = _fresh_python(tmp_path / "venv")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    _run([*pip, "install", "--no-deps", "--no-index", "--quiet", str(tmp_path / name)], tmp_path)
    assert "fast_stroll" in _run([*pip, "list", "--format", "freeze"], tmp_path)
    _run([str(python), "-m", "pip", "check"], tmp_path)
    flags = ["-q", "-W", "error", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tmp_path)]
    told = _run([str(python), "-m", "pytest", *flags, "--pyargs", "fast_stroll"], tmp_path)
    assert "4 passed" in told
    code = 'import envwright; print(envwright.make("FastStroll-v0"))'
    assert _run([str(python), "-c", code], tmp_path).strip() == "TimeLimit(env=Stroll(), max_episode_steps=25)"


def _fresh_python(folder: Path) -> Path:
    """A new environment on top of the one that runs this test."""
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)], folder.parent)
    own = next(folder.glob("lib/python*/site-packages"))
    below = [path for path in sys.path if path.endswith("site-packages")]
    (own / "below.pth").write_text("".join(f"import site; site.addsitedir({path!r})\n" for path in below))
    return folder / "bin" / "python"


def _run(argv: list[str], folder: Path) -> str:
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
