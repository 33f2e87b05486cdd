from collections.abc import Callable, Mapping
from typing import Any

import pytest

from recombine.papers import Scale
from recombine.papers.claims import Setting
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.studies import change

Made = Callable[..., SettingRuns]


@pytest.fixture(scope="session")
def runs_of() -> Made:
    """A function from a setting and what each seed kept to its finished runs: mappings of arrays, and of measures."""

    def make(
        setting: Setting,
        *arrays: Mapping[str, Any],
        measures: "Mapping[str, Any] | list[Mapping[str, Any]] | None" = None,
        status: str = "done",
        label: str = "made up",
    ) -> SettingRuns:
        runs = []
        for seed, each in enumerate(arrays):
            found = measures[seed] if isinstance(measures, list) else measures or {}
            body = {"status": status, "measures": found, "layers": ()}
            runs.append(SeedRun(change(setting(Scale.QUICK), seed=seed), body, each))
        return SettingRuns(label, "", (), tuple(runs))

    return make
