"""A gap of one factor on the command line: a grid too wide for its picture in characters is forecast without one."""

import os
import subprocess
import sys


def test_a_gap_of_the_angle_is_forecast_without_a_picture_of_the_split():
    settings = ("--set", "pictures=digits", "--set", "angles=72", "--hold-out", "block:angle=32..40")
    command = [sys.executable, "-m", "recombine.cli", "forecast", "rotated-digit", *settings]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ), timeout=120)
    assert done.returncode == 0, done.stderr
    assert "interior" in done.stdout
    assert "□" not in done.stdout
