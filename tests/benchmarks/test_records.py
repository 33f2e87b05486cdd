"""The benchmark of many records, on few: what it counts, and that it notices what is not there."""

import shutil

from recombine.benchmarks.records import SIZES, _check, disk_usage, measure, scale_page
from recombine.benchmarks.synthetic import simulate

NAMES = ("commit", "driver", "size", "index", "check", "table")


def test_every_number_is_of_the_runs_that_are_there(tmp_path):
    _, plain = _check(tmp_path / "none")
    found = measure(simulate(tmp_path / "seven", 7), 7, 1, plain)
    assert [each.name for each in found] == [f"records-7-{name}" for name in NAMES]
    assert all(each.agrees for each in found)
    assert all(each.ratio > 0 for each in found)
    short = simulate(tmp_path / "short", 7)
    shutil.rmtree(next(short.runs.iterdir()))
    agrees = {each.name.removeprefix("records-7-"): each.agrees for each in measure(short, 7, 1, "other words")}
    assert agrees == {"commit": True, "driver": True, "size": False, "index": False, "check": False, "table": False}


def test_disk_usage_counts_whole_blocks_of_files_and_folders(tmp_path):
    empty = disk_usage(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"x" * 10_000)
    assert disk_usage(tmp_path) >= empty + 10_000


def test_the_page_is_made_of_the_numbers_it_is_given():
    results = [
        {"name": f"records-{size}-{name}", "ratio": ratio, "low": ratio, "high": ratio, "agrees": True}
        for size in SIZES
        for name, ratio in zip(NAMES, (2.0, 50.0, 23.0, 17.0, 2.25, 3.5), strict=True)
    ]
    page = scale_page({"provenance": {"cpus": 3, "platform": "Plan 9"}, "results": results})
    assert "| records a second, by the clock, waiting for the disk | 50 | 50 | 50 |" in page
    assert "3 shared cores (Plan 9)" in page
    words = " ".join(page.split())
    assert "under 60 s (here 17 CPU seconds)" in words
    assert "managed 50 records a second here, by the clock; its own work would allow 500" in words
    assert "make 17 records a second, 33% of what was measured; runs must be shorter than 20.0 s" in words
    assert "about 23.0 GB of disk" in words
