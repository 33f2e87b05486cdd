"""The section on speed: from a saved file, from a damaged one, from none."""

import json
from pathlib import Path

from recombine.records import Store
from recombine.reports.speed import speed_section

SAVED = {
    "provenance": {"cpus": 2},
    "results": [{"name": "<data>", "ratio": 20.0, "low": 15.0, "high": 25.0, "agrees": True}],
}


def test_saved_benchmarks_are_shown_and_escaped(tmp_path: Path):
    (tmp_path / "benchmarks.json").write_text(json.dumps(SAVED))
    section = speed_section([Store(tmp_path / "nothing"), Store(tmp_path)])
    assert "&lt;data&gt;" in section
    assert "<td>20</td>" in section
    assert "15 to 25" in section


def test_without_or_with_damaged_ones_it_says_how_to_measure(tmp_path: Path):
    for text in (None, "", "{", "[]", "{}", '{"results": []}'):
        if text is not None:
            (tmp_path / "benchmarks.json").write_text(text)
        assert "recombine bench" in speed_section([Store(tmp_path)])


def test_what_is_no_ratio_has_its_unit(tmp_path: Path):
    numbers = {"ratio": 2.5, "low": 2.0, "high": 3.0, "agrees": True}
    results = [{"name": name, **numbers} for name in ("startup", "gflops-gemm", "data")]
    results += [{"name": "support-check", "unit": "CPU s", **numbers}, {"name": "stack-cnn", "unit": "", **numbers}]
    (tmp_path / "benchmarks.json").write_text(json.dumps({"provenance": {}, "results": results}))
    section = speed_section([Store(tmp_path)])
    assert section.count("<td>2.5 CPU s</td>") == 2
    assert section.count("<td>2.5 GFLOP/s</td>") == 1
    assert section.count("<td>2.5</td>") == 2
