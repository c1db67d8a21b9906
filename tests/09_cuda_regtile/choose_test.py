"""Tests of choose.py: the costs that it finds of times which follow the model."""
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("numpy")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "09_cuda_regtile/search"))
import choose  # noqa: E402
import shapes  # noqa: E402

HEADER = "m,n,k,kernel,parts,rows,microseconds"


def test_the_costs_of_times_that_follow_the_model(tmp_path, capsys):
    kernels = {
        "64x128x8": (choose.of_tiles, (0.3, 0.5, 2), (64, 128, 8, 4)),
        "stream_k_128x256x16": (choose.of_stream_k, (2.6, 1.3, 17), (128, 256, 16, 1)),
    }
    lines = [HEADER]
    for shape in shapes.shapes(1, 100):
        m, n, k = (4 * int(side) for side in shape.split("x"))
        for name, (model, costs, tiling) in kernels.items():
            for parts in (1, 4) if model is choose.of_tiles else (1,):
                time = model(costs, tiling, m, n, k, parts, 0)
                lines.append(f"{m},{n},{k},{name},{parts},aligned,{time}")
    file = tmp_path / "costs.csv"
    file.write_text("\n".join(lines).replace("aligned", "others") + "\n" + "\n".join(lines[1:]))
    choose.main(file)
    found = dict(re.findall(r'{"(.*?)", {(.*?)}', capsys.readouterr().out))
    for name, (_, costs, _) in kernels.items():
        assert [float(cost) for cost in found[name].split(",")] == pytest.approx(costs, rel=0.15)


def test_the_table_is_that_of_the_reference(capsys):
    def costs(text):
        return re.findall(r'"(.*?)"', text), [
            float(cost) for cost in re.findall(r"[ {]([\d.]+)", text)
        ]

    choose.main(ROOT / "plots/reference/h200/costs.csv")
    names, found = costs(capsys.readouterr().out)
    written = costs((ROOT / "09_cuda_regtile/search/costs.inc").read_text(encoding="utf-8"))
    assert names == written[0] and found == pytest.approx(written[1], rel=0.1)


def test_a_file_without_rows(tmp_path):
    file = tmp_path / "costs.csv"
    file.write_text(HEADER)
    with pytest.raises(SystemExit, match="has no row of the search; make search"):
        choose.main(file)
