"""Tests of choose.py: what it chooses of a few rows, and that choices.inc is what it says of the
search in plots/reference."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "09_cuda_regtile/search"))
import choose  # noqa: E402


def test_the_reference(capsys):
    choose.main(ROOT / "plots/reference/h200/search.csv")
    written = (ROOT / "09_cuda_regtile/search/choices.inc").read_text(encoding="utf-8")
    assert capsys.readouterr().out == written


def test_the_fastest_by_size(tmp_path, capsys):
    rows = "a,9,8,7,0.5,right b,9,8,7,10,right c,9,8,7,0.1,wrong best,9,8,7,0.2,right "
    rows += "a,4,4,2,2,unverified b,4,4,2,3,unverified b,4,4,2,1,unverified"  # the last of b
    file = tmp_path / "search.csv"
    file.write_text("\n".join(["variant,m,n,k,median_s,verdict", *rows.split()]))
    choose.main(file)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == ['{4, 4, 2, "b"},', '{9, 8, 7, "a"},']
    file.write_text("variant,m,n,k,median_s,verdict\na,9,8,7,,right")
    with pytest.raises(SystemExit, match="has no row of the search; make search"):
        choose.main(file)
