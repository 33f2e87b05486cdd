"""Accuracy, directions and distances in the course of training."""

import numpy as np
import pytest

from recombine.papers.diffusion_factorize import canvases as c
from recombine.reports.course_figure import course_figure, panels_of


def course(shift=0.0):
    return {
        "course_steps": np.array([0.0, 50.0, 100.0]),
        "course_strict_accuracy.all": np.array([0.0, 0.25, 0.75]) + shift,
        "course_participation.probe": np.array([3.0, 11.0, 7.0]) + shift,
        "course_participation.pixels": np.array([20.5, 20.5, 20.5]),
        "course_torus_orthogonality.probe-clifford": np.array([30.0, 20.0, 10.0]),
        "course_torus_orthogonality.untrained-clifford": np.array([15.0, 15.0, 15.0]),
    }


def test_each_line_is_told_from_start_by_way_of_its_peak_to_the_end(runs_of, parsed, image_bytes):
    figure = course_figure(runs_of(c.torus, course(), course(0.2)))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert "Accuracy: one mark, and right from 0.1 to 0.85." in alt
    assert "Directions in use: trained, while drawing from 3.1 by way of 11.1 to 7.1; true pictures 20.5." in alt
    assert "Distance of x-on-y angles: Clifford torus from 30 to 10; Clifford torus, before training 15." in alt
    assert "x-on-x" not in alt
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("training step", "participation ratio", "degrees from ideal torus"))
    assert "3 checkpoints of training, mean over 2 seeds" in figure


def test_what_is_still_alone_makes_no_panel(runs_of):
    arrays = {
        name: array for name, array in course().items() if name.endswith(("steps", "pixels", "untrained-clifford"))
    }
    assert panels_of(runs_of(c.torus, arrays)) == []
    assert course_figure(runs_of(c.torus, arrays)) is None


def test_means_are_over_seeds(runs_of):
    accuracy = panels_of(runs_of(c.torus, course(), course(0.2)))[0].lines[0]
    assert accuracy.values.shape == (2, 3)
    assert accuracy.mean == pytest.approx([0.1, 0.35, 0.85])


def test_without_a_course_there_is_no_figure(runs_of):
    assert course_figure(runs_of(c.torus, {})) is None
    assert course_figure(runs_of(c.torus, course(), status="failed")) is None
    without = {name: array for name, array in course().items() if name != "course_steps"}
    assert course_figure(runs_of(c.torus, without)) is None
    assert course_figure(runs_of(c.torus, {**without, "course_steps": np.arange(5.0)})) is None
