"""A forecast as the page has it: verdict, sections, reasons, and a map over the plane. Computed beside the server."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from recombine.core.spec import canonical_json
from recombine.data import Problem
from recombine.explorer import plain
from recombine.explorer.planes import chosen_plane, map_of
from recombine.explorer.problems import read_problem
from recombine.theory import Forecast

KEPT = 8  # forecasts that are kept with their pictures, for clicks on cells


def forecast_of(problem: Problem, model: Mapping[str, Any] | str | None = None) -> Forecast:
    """The forecast for a problem, the last few kept."""
    return _forecast(problem.canonical(), None if model is None else canonical_json(model))


@lru_cache(maxsize=KEPT)
def _forecast(problem: str, model: str | None) -> Forecast:
    import json

    from recombine.studies.forecasting import forecast

    return forecast(Problem.read(json.loads(problem)), None if model is None else json.loads(model))


def told(
    settings: object, model: Mapping[str, Any] | str | None = None, plane: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The forecast for a problem as JSON values."""
    problem = read_problem(settings)
    found = forecast_of(problem, model)
    details = dict(found.details)
    percolation = details.pop("percolation", None)
    document = {
        "problem": problem.settings(),
        "yaml": problem.to_yaml(),
        "digest": problem.digest(),
        "composes": found.composes,
        "verdict": found.verdict,
        "quantity": found.quantity,
        "method": found.method,
        "sections": [section.to_dict() for section in found.sections],
        "reasons": [{"name": each.name, "text": each.text, "evidence": dict(each.evidence)} for each in found.reasons],
        "outlook": _outlook(found),
        "map": map_of(problem, chosen_plane(problem, plane), found.errors, found.quantity),
        "support": details if problem.support is not None else None,
        "details": details if problem.support is None and details else None,
        "percolation": percolation,
        "seconds": found.seconds,
    }
    tidied: dict[str, Any] = plain.tidy(document)
    return tidied


def _outlook(found: Forecast) -> dict[str, Any] | None:
    outlook = found.outlook
    if outlook is None:
        return None
    return {
        "verdict": outlook.verdict,
        "composes": outlook.composes,
        "calibrated": outlook.calibrated,
        "sections": [each.to_dict() for each in outlook.sections],
        "networks": [each.to_dict() for each in outlook.networks],
        "failures": [each.to_dict() for each in outlook.failures],
        "notes": list(outlook.notes),
        "depends": outlook.depends,
    }
