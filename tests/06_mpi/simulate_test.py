"""Tests of simulate.py that need no SimGrid: what paper says, worked out by hand, and what it does
with what smpirun says."""
import csv
import os
import sys
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "06_mpi/cluster"))
import simulate  # noqa: E402


def test_the_reference_has_these_figures_and_the_simulation_stays_below():
    rows = simulate.rows_of(ROOT / "plots/reference/simulated/simulated.csv")
    assert len(rows) == 2 * 6 * len(simulate.CURVES)
    for row in rows:
        curve = row["variant"], row["bcast"], int(row["block"])
        assert (row["curve"], *curve) in simulate.CURVES
        seconds = simulate.alpha_beta(row["platform"], *curve, *map(int, row["grid"].split("x")))
        ideal = 2 * simulate.N**3 / int(row["ranks"]) / simulate.FLOPS
        assert row["alpha_beta_s"] == f"{seconds:.6g}"
        assert row["alpha_beta"] == f"{ideal / seconds:.4f}"
        efficiency = float(row["efficiency"])
        assert efficiency == pytest.approx(ideal / float(row["seconds"]), abs=1e-4)
        assert efficiency <= float(row["alpha_beta"])
        if row["platform"] == "fast" and row["bcast"] == "ring":
            assert efficiency > 0.97 * float(row["alpha_beta"])


@pytest.fixture
def simulated(tmp_path, monkeypatch):
    """simulate.py with an smpirun that says 281.475 seconds and 7 words, without charts."""
    smpirun = tmp_path / "smpirun"
    smpirun.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/called\necho 281.475 7\n')
    smpirun.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(simulate, "draw", mock.Mock())
    given = [str(smpirun), "--out", str(tmp_path / "report")]
    return lambda *arguments: simulate.main([*given, *arguments])


def test_each_curve_once_and_what_is_there_not_again(simulated, tmp_path):
    for _ in range(2):
        assert simulated("--ranks", "2") == 0
        called = (tmp_path / "called").read_text().splitlines()
        assert len(called) == len(simulate.PLATFORMS) * len(simulate.CURVES)
    assert called[0].startswith("-np 2 -platform ") and called[0].endswith(
        f"--cfg=smpi/bcast:binomial_tree {tmp_path}/smpirun summa_blocking 65536 512 1 2"
    )
    with open(tmp_path / "report/simulated.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["platform"], row["curve"]) for row in rows] == [
        (name, curve[0]) for name in simulate.PLATFORMS for curve in simulate.CURVES
    ]
    paper = simulate.alpha_beta("fast", *simulate.CURVES[0][1:], 1, 2)
    seconds = ["281.475", "1.0000", "7", f"{paper:.6g}", f"{281.474976710656 / paper:.4f}"]
    assert [*rows[0].values()][5:] == ["2", "1x2", "65536", *seconds]


def test_a_simulation_that_fails(simulated, tmp_path, capsys):
    (tmp_path / "smpirun").write_text("#!/bin/sh\necho no memory >&2\nexit 3\n")
    assert simulated("--ranks", "2") == 1
    assert capsys.readouterr().err == "simulate.py: summa_blocking on 1x2: no memory\n"


@pytest.mark.parametrize("ranks", ["0", "1025", "4,", "x"])
def test_what_is_refused(simulated, ranks, capsys):
    assert simulated("--ranks", ranks) == 2
    assert f"--ranks: '{ranks}' is not numbers from 1 to 1024" in capsys.readouterr().err


def test_without_simgrid(simulated, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert simulated("--draw") == 0
    assert simulated() == 77
    assert "there is no SimGrid here" in capsys.readouterr().err
