"""What is written: the file and the picture."""

import dataclasses
import importlib.util
import json

import numpy as np
import pytest
from made_up import findings

from envwright.bench import plots, report, text
from envwright.bench.plan import RANDOM
from envwright.bench.report import Findings

pytest.importorskip("matplotlib")


def test_the_file_has_everything_that_a_reader_needs(tmp_path):
    path = tmp_path / "bench.json"
    report.write(findings(), path)
    read = json.loads(path.read_text())
    assert read["version"] == report.VERSION
    assert set(read) >= {"env", "options", "step", "machine", "versions", "load", "rounds", "sweeps", "finals"}
    assert read["batches"][0]["ratios"]["gymnax"]["median"] > 1
    assert set(read) >= {"shares", "roof", "fastest_layout", "left_out"}
    assert read["machine"]["processor"]
    assert {"python", "jax", "numpy", "envwright"} <= set(read["versions"])
    assert read["load"]["before"] == [0.5, 0.4, 0.3]
    first = read["sweeps"]["random"][0]
    assert {"side", "layout", "cores", "num_envs", "rates", "compile_seconds", "memory_bytes"} <= set(first)
    assert len(first["rates"]) == 3
    assert first["steps_a_second"]["median"] == sorted(first["rates"])[1]
    duel = read["finals"]["random"][0]
    assert set(duel["ratios"]["gymnax"]) == {"median", "low", "high"}
    assert set(read["roof"]["reached"]) == set(read["roof"]["limits"])
    assert read["shares"][0]["parameters"] == 2_000_000


def test_a_kill_while_writing_leaves_no_half_file(tmp_path, monkeypatch):
    def killed(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", killed)
    for write in (report.write, plots.draw):
        with pytest.raises(KeyboardInterrupt):
            write(findings(), tmp_path / "bench.out")
    assert not (tmp_path / "bench.out").exists()


def test_the_picture_shows_something_in_every_panel(tmp_path):
    from matplotlib import image

    path = plots.draw(findings(), tmp_path / "bench.png")
    assert path is not None
    pixels = image.imread(path)[..., :3]
    for half in np.array_split(pixels, 3):
        for panel in np.array_split(half, 2, axis=1):
            assert (panel.std(axis=-1) > 0.1).mean() > 0.002  # coloured, so not only axes and letters
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_not_measured_is_not_drawn(tmp_path):
    found = findings()
    assert plots.draw(Findings(found.plan), tmp_path / "nothing.png") is None
    some = Findings(found.plan, finals={RANDOM: found.finals[RANDOM]})
    assert plots.draw(some, tmp_path / "some.png") == tmp_path / "some.png"


def test_without_matplotlib_there_is_no_picture_and_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None)
    assert plots.draw(findings(), tmp_path / "bench.png") is None


def test_sides_whose_steps_are_something_else_are_named_once():
    found = findings().sweeps[RANDOM]
    assert text.exceptions(found) == []
    other = [dataclasses.replace(r, facts={"counted": "physics alone"}) for r in found if r.job.side == "gymnax"]
    assert text.exceptions([*found, *other]) == ["  A step of gymnax is physics alone."]


def test_tables_say_who_how_fast_and_how_sure():
    found = findings()
    rows = text.final_rows(found.finals[RANDOM])
    peer, ours, ratio = (rows[1].find(said) for said in ("10 M (9-10.5)", "70 M (63-73.5)", "7 [7, 7]"))
    assert 0 < peer < ours < ratio
    assert "plain" in rows[1], "the layout that was best"
    assert "8,192" in text.sweep_row(found.sweeps[RANDOM][10])
    assert found.roof is not None
    assert "20% [20, 20]" in text.roof_rows(found.roof)[1]
    assert "0.25% [0.25, 0.25]" in text.share_row(found.shares[0])


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (12.34, "12.3"), (999.0, "999"), (1234.0, "1.23 k"), (2.52e8, "252 M"), (1e9, "1 G")],
)
def test_numbers_have_three_digits_and_a_unit(value, said):
    assert text.number(value) == said
