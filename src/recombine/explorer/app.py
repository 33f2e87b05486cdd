"""The routes: each reads a request, asks one function, and answers with JSON."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

import recombine
from recombine.core.errors import InputError
from recombine.explorer import inside, limits, recorded, weights
from recombine.explorer.bundled import Bundle
from recombine.explorer.catalogue import catalogue
from recombine.explorer.job import Job
from recombine.explorer.problems import describe
from recombine.explorer.recorded import CommandOf
from recombine.explorer.refusals import status_of
from recombine.explorer.safety import HEADERS, LOOPBACK, Guard, new_token
from recombine.explorer.session import Session

Settings = dict[str, Any]
Layer = Annotated[str | None, Query(max_length=100)]
ScaleName = Literal["quick", "laptop", "paper"]
EVERY = 0.2  # seconds between two looks at a job whose events somebody reads
GONE = 10.0  # seconds after which a loop that does not say whether a client is there has ended
Digest = Annotated[str, Field(pattern=r"^[0-9a-z][0-9a-z_-]{0,127}$")]


class Asked(BaseModel):
    """A problem, and what else a client says of it."""

    model_config = ConfigDict(extra="forbid")

    problem: Settings
    plane: Settings | None = None


class AskedForecast(Asked):
    model: Settings | str | None = None


class AskedCell(BaseModel):
    """A combination of a problem, and whose answer to it is wanted."""

    model_config = ConfigDict(extra="forbid")

    problem: Settings
    combination: Annotated[list[int], Field(max_length=64)]
    run: Digest | None = None
    job: Annotated[str, Field(max_length=64)] | None = None


class AskedTraining(BaseModel):
    """What is to be trained, as `recombine train` takes it."""

    model_config = ConfigDict(extra="forbid")

    problem: Settings
    model: Settings | str
    recipe: Settings | None = None
    seed: Annotated[int, Field(ge=0, lt=limits.SEEDS)] = 0


def create_app(
    store: Path | None = None,
    token: str | None = None,
    hosts: Iterable[str] = LOOPBACK,
    command_of: CommandOf | None = None,
) -> FastAPI:
    """The application over one store. Whoever has the ``token`` may change things; ``hosts`` are its own names.

    ``command_of`` gives the words of the command that trains an experiment again.
    """
    token = token or new_token()
    bundle, session = Bundle(), Session(store, command_of)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=session.lifespan)
    app.state.session, app.state.token = session, token
    app.add_middleware(Guard, token=token, hosts=hosts, body_bytes=limits.BODY_BYTES)

    @app.exception_handler(InputError)
    def refused(request: Request, error: InputError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, status_of(error))

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
        return JSONResponse(
            {"error": f"internal error, {type(error).__name__}: {error}; please report it."}, 500, HEADERS
        )

    @app.get("/")
    def page() -> HTMLResponse:
        return HTMLResponse(bundle.index(token))

    @app.get("/api/about")
    def about() -> JSONResponse:
        from recombine.papers import papers

        return JSONResponse(
            {
                "version": recombine.__version__,
                "store": str(session.stores[0].root),
                "scale_names": list(get_args(ScaleName)),
                "papers": [{"id": paper.key, "title": paper.title} for paper in papers.values()],
                "records": session.listing.count(),
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
    async def forecast(asked: AskedForecast, request: Request) -> JSONResponse:
        began = time.perf_counter()
        loop = asyncio.get_running_loop()

        def wanted() -> bool:
            """A drag asks for many forecasts, and leaves all but the last; so does who finds one too slow."""
            return not asyncio.run_coroutine_threadsafe(request.is_disconnected(), loop).result(GONE)

        found = await run_in_threadpool(session.forecast, asked.problem, asked.model, asked.plane, wanted)
        return JSONResponse({**found, "seconds": time.perf_counter() - began})

    @app.post("/api/cell")
    def cell(asked: AskedCell) -> JSONResponse:
        return JSONResponse(session.cell(asked.problem, asked.combination, asked.run, asked.job))

    @app.post("/api/train")
    def train(asked: AskedTraining) -> JSONResponse:
        return JSONResponse({"job": session.train(asked.problem, asked.model, asked.recipe, asked.seed).id})

    @app.get("/api/jobs")
    def jobs() -> JSONResponse:
        return JSONResponse([job.brief() for job in session.jobs.all()])

    @app.get("/api/jobs/{name}")
    def job(name: str) -> JSONResponse:
        return JSONResponse(session.job(name).told())

    @app.get("/api/jobs/{name}/events")
    def events(name: str) -> StreamingResponse:
        return StreamingResponse(news(session.job(name)), media_type="text/event-stream")

    @app.post("/api/jobs/{name}/{order}")
    def order(name: str, order: Literal["stop", "resume", "discard"]) -> JSONResponse:
        found = session.job(name)
        {"stop": session.jobs.stop, "resume": session.jobs.resume, "discard": session.jobs.discard}[order](found)
        return JSONResponse(found.brief())

    @app.get("/api/runs")
    def runs(
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        query: Annotated[str, Query(max_length=200)] = "",
        task: Annotated[str, Query(max_length=100)] = "",
        model: Annotated[str, Query(max_length=100)] = "",
        paper: Annotated[str, Query(max_length=100)] = "",
    ) -> JSONResponse:
        only = session.of_paper(paper) if paper else None
        return JSONResponse(session.listing.page(offset, limit, query, task, model, only))

    @app.get("/api/runs/{digest}")
    def run(digest: Digest) -> JSONResponse:
        store, source = session.home(digest)
        return JSONResponse(recorded.told(store, source, digest, session.command_of))

    @app.get("/api/runs/{digest}/inside")
    def points(digest: Digest, layer: Layer = None) -> JSONResponse:
        began = time.perf_counter()
        found = session.look(inside.points, digest, layer)
        return JSONResponse({**found, "seconds": time.perf_counter() - began})

    @app.get("/api/runs/{digest}/weights")
    def matrix(digest: Digest, layer: Layer = None) -> JSONResponse:
        return JSONResponse(session.look(weights.told, digest, layer))

    @app.get("/api/runs/{digest}/explain")
    def explain(digest: Digest) -> JSONResponse:
        return JSONResponse(session.look(inside.explained, digest))

    @app.get("/api/claims")
    def claims(scale: ScaleName = "laptop") -> JSONResponse:
        return JSONResponse(session.claims(scale))

    @app.get("/api/claims/{name}/figure.svg")
    def figure(name: str, scale: ScaleName = "laptop", which: Annotated[int, Query(ge=0, le=100)] = 0) -> Response:
        return Response(
            session.figure(name, scale, which),
            media_type="image/svg+xml",
            headers={
                "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
            },
        )

    @app.get("/{name:path}")
    def file(name: str) -> Response:
        found = bundle.file(name)
        if found is None:
            return JSONResponse({"error": f"there is no page {name[:100]!r}; begin at /."}, 404)
        return Response(found[0], media_type=found[1])

    return app


async def news(job: Job) -> AsyncIterator[str]:
    """The events of a job: what is known of it whenever that has changed, and a last time when it has ended."""
    told = -1
    while True:
        version, ended = job.version, job.ended
        if version != told:
            told = version
            yield f"data: {json.dumps(await run_in_threadpool(job.told, problem=False))}\n\n"
        if ended:
            return
        await asyncio.sleep(EVERY)


def sentence(error: RequestValidationError) -> str:
    """The first thing that is wrong with a request, in one sentence."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return f"{where or 'the request'}: {first['msg']}."
