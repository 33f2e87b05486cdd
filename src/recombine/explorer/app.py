"""The routes: each reads a request, asks one function, and answers with JSON."""

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

import recombine
from recombine.core.errors import InputError
from recombine.explorer import forecasts, limits
from recombine.explorer.bundled import Bundle
from recombine.explorer.catalogue import catalogue
from recombine.explorer.problems import describe
from recombine.explorer.safety import LOOPBACK, Guard, new_token
from recombine.explorer.session import Session, Unknown

Settings = dict[str, Any]
Digest = Annotated[str, Field(pattern=r"^[0-9a-z][0-9a-z_-]{0,127}$")]


class Asked(BaseModel):
    """A problem, and what else a client says of it."""

    model_config = ConfigDict(extra="forbid")

    problem: Settings
    plane: Settings | None = None


class AskedForecast(Asked):
    model: Settings | str | None = None


def create_app(store: Path | None = None, token: str | None = None, hosts: Iterable[str] = LOOPBACK) -> FastAPI:
    """The application over one store. Whoever has the ``token`` may change things; ``hosts`` are its own names."""
    token = token or new_token()
    bundle, session = Bundle(), Session(store)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=session.lifespan)
    app.state.session, app.state.token = session, token
    app.add_middleware(Guard, token=token, hosts=hosts, body_bytes=limits.BODY_BYTES)

    @app.exception_handler(InputError)
    def refused(request: Request, error: InputError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, 404 if isinstance(error, Unknown) else 422)

    @app.exception_handler(RequestValidationError)
    def misread(request: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"error": sentence(error)}, 422)

    @app.exception_handler(HTTPException)
    def failed(request: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": f"{error.detail}."}, error.status_code)

    @app.exception_handler(RecursionError)
    def too_deep(request: Request, error: RecursionError) -> JSONResponse:
        return JSONResponse({"error": "the specification is nested too deeply to be read; write it flatter."}, 422)

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"error": f"internal error, {type(error).__name__}: {error}; please report it."}, 500)

    @app.get("/")
    def page() -> HTMLResponse:
        return HTMLResponse(bundle.index(token))

    @app.get("/api/about")
    def about() -> JSONResponse:
        return JSONResponse(
            {
                "version": recombine.__version__,
                "store": str(session.stores[0].root),
                "scale_names": ["quick", "laptop", "paper"],
                "records": len(session.listing.rows()),
                "cores": os.cpu_count() or 1,
                "limits": {"jobs": limits.JOBS, "cells": limits.CELLS, "body_bytes": limits.BODY_BYTES},
            }
        )

    @app.get("/api/catalogue")
    def choices() -> JSONResponse:
        return JSONResponse(catalogue())

    @app.post("/api/problem")
    def problem(asked: Asked) -> JSONResponse:
        return JSONResponse(describe(asked.problem, asked.plane))

    @app.post("/api/forecast")
    def forecast(asked: AskedForecast) -> JSONResponse:
        began = time.perf_counter()
        found = session.quick.ask(
            forecasts.told, asked.problem, asked.model, asked.plane, seconds=limits.FORECAST_SECONDS
        )
        return JSONResponse({**found, "seconds": time.perf_counter() - began})

    @app.get("/api/runs")
    def runs(
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        query: Annotated[str, Query(max_length=200)] = "",
        task: Annotated[str, Query(max_length=100)] = "",
        model: Annotated[str, Query(max_length=100)] = "",
    ) -> JSONResponse:
        return JSONResponse(session.listing.page(offset, limit, query, task, model))

    @app.get("/{name:path}")
    def file(name: str) -> Response:
        found = bundle.file(name)
        if found is None:
            return JSONResponse({"error": f"there is no page {name[:100]!r}; begin at /."}, 404)
        return Response(found[0], media_type=found[1])

    return app


def sentence(error: RequestValidationError) -> str:
    """The first thing that is wrong with a request, in one sentence."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return f"{where or 'the request'}: {first['msg']}."
