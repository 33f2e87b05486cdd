"""Benchmarks of analyses: that what is timed is right, and is found to be wrong where it is."""

import numpy as np
import pytest

from recombine.benchmarks import Result, analyses, run_benchmarks, scenes
from recombine.benchmarks.measuring import loaded
from recombine.cli.benching import bench
from recombine.core.seeds import stream
from recombine.theory import clusters


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(analyses, "POINTS", 20_000)
    monkeypatch.setattr(analyses, "LANDMARKS", 80)


@pytest.mark.parametrize("name", ["homology", "percolation"])
def test_seconds_are_told_with_what_was_checked(name, quick):
    (found,) = run_benchmarks([name], rounds=2)
    assert found.name == name
    assert found.agrees
    assert 0 < found.low <= found.ratio <= found.high
    assert "Lower is better." in loaded()[name].__doc__.splitlines()[0]


def test_a_cloud_without_the_loops_of_a_torus_does_not_agree(quick, monkeypatch):
    monkeypatch.setattr(analyses, "clifford_torus", lambda *shape: stream(0, "test").normal(size=(*shape, 4)))
    assert not run_benchmarks(["homology"], rounds=1)[0].agrees


def test_wrong_clusters_do_not_agree(quick, monkeypatch):
    monkeypatch.setattr(analyses, "clusters", lambda points, radius: clusters(points, 0.9 * radius))
    assert not run_benchmarks(["percolation"], rounds=1)[0].agrees


def test_the_plain_search_finds_the_chains():
    points = np.array([[0.0, 0.0], [9.0, 9.0], [0.0, 2.0], [0.0, 1.0], [9.0, 9.5], [5.0, 0.0]])
    assert analyses.searched(points, 1.1).tolist() == [0, 1, 0, 0, 1, 5]
    assert analyses.searched(points, 1.0).tolist() == [0, 1, 2, 3, 1, 5]  # strictly nearer


def test_clusters_are_compared_whatever_their_numbers():
    assert analyses._first_members(np.array([7, 3, 7, 5, 3])).tolist() == [0, 1, 0, 3, 1]


def test_a_support_is_checked_at_as_many_scenes_as_are_told(monkeypatch):
    monkeypatch.setattr(scenes, "ANCHORS", 3)
    monkeypatch.setattr(scenes, "COMPLETIONS", 8)
    (found,) = run_benchmarks(["support-check"], rounds=1)
    assert found.agrees
    assert found.unit == "CPU s"


def test_the_command_tells_the_unit_of_what_is_no_ratio(monkeypatch, capsys):
    results = [Result("startup", 0.5, 0.4, 0.6, True, "CPU s"), Result("data", 20.0, 15.0, 25.0, True)]
    monkeypatch.setattr("recombine.benchmarks.run_benchmarks", lambda names, rounds: results)
    bench(["startup", "data"])
    lines = capsys.readouterr().out.splitlines()
    assert any("startup" in line and "0.5 CPU s" in line for line in lines)
    assert not any("data" in line and "CPU s" in line for line in lines)
