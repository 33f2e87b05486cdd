"""One test for each rule: who may ask, what may be asked, and that nothing a client says names a file."""

import socket
import sys
import time
from pathlib import Path

import httpx
import pytest
from starlette.routing import Route

from recombine.cli.exploring import explore
from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.data import encodings, tasks
from recombine.explorer import limits
from recombine.explorer.aside import Aside
from recombine.explorer.problems import read_problem
from recombine.explorer.refusals import Left, TooSlow
from recombine.explorer.safety import HEADERS, LOOPBACK, Guard, hostname
from recombine.explorer.serving import bind, is_loopback
from recombine.models import models
from recombine.splits import regions, supports
from recombine.training import Recipe, noises, penalties

HOLE = {"task": {"kind": "bump", "n": 8}, "split": {"kind": "block", "y": [2, 5], "x": [3, 6]}}


def writing(app):
    """Every route that is not merely read, with names filled in."""
    return [
        (method, route.path.replace("{name}", "a").replace("{order}", "stop"))
        for route in app.routes
        if isinstance(route, Route) or hasattr(route, "methods")
        for method in route.methods - {"GET", "HEAD"}
    ]


# Who may ask


@pytest.mark.parametrize("token", [None, "", "wrong", "é"])
def test_whatever_changes_or_computes_needs_the_token(server, token):
    asked = writing(server.app)
    assert len(asked) >= 5
    with httpx.Client(base_url=server.client.base_url) as bare:
        for method, path in [*asked, ("PUT", "/api/problem"), ("DELETE", "/api/runs/a")]:
            headers = {} if token is None else {"X-Recombine-Token": token.encode("latin-1")}
            refused = bare.request(method, path, json={"problem": HOLE}, headers=headers)
            assert "the token is missing or wrong" in server.refused(refused, 403)


def test_tokens_are_long_and_differ(server, start, tmp_path):
    with start(tmp_path) as other:
        assert other.app.state.token != server.app.state.token
        assert len(server.app.state.token) >= 32
        refused = other.client.post(
            "/api/problem", json={"problem": HOLE}, headers={"X-Recombine-Token": server.app.state.token}
        )
        assert other.refused(refused, 403)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "user@127.0.0.1", "", "[::2]"]
)
def test_other_hosts_are_refused_so_that_no_name_can_be_made_to_point_here(server, host):
    for path in ("/", "/api/about"):
        assert "is not this server's" in server.refused(server.client.get(path, headers={"Host": host}), 403)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_names_of_loopback_are_its_own(server, host):
    assert server.client.get("/api/jobs", headers={"Host": f"{host}:{server.port}"}).status_code == 200
    assert hostname(f"{host}:{server.port}") == host.strip("[]").lower()


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1:1",
        "http://localhost:{port}",
        "null",
        "file://",
        "http://[",
        "",
    ],
)
def test_other_origins_are_refused_even_to_read(server, origin):
    headers = {"Origin": origin.format(port=server.port)}
    assert "is another site" in server.refused(server.client.get("/api/about", headers=headers), 403)
    assert server.refused(server.client.post("/api/problem", json={"problem": HOLE}, headers=headers), 403)


def test_its_own_origin_may_ask(server):
    headers = {"Origin": f"http://127.0.0.1:{server.port}"}
    assert server.client.post("/api/problem", json={"problem": HOLE}, headers=headers).status_code == 200


def test_other_sites_cannot_embed_answers(server):
    refused = server.client.get("/api/about", headers={"Sec-Fetch-Site": "cross-site"})
    assert "made by another site" in server.refused(refused, 403)
    assert server.client.get("/api/about", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_a_header_that_comes_twice_is_refused(server):
    for name in (b"Host", b"Origin", b"X-Recombine-Token"):
        text = b"GET /api/jobs HTTP/1.1\r\n" + (b"" if name == b"Host" else b"Host: 127.0.0.1\r\n")
        text += name + b": 127.0.0.1\r\n" + name + b": evil.example\r\nConnection: close\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
            raw.sendall(text)
            assert b"HTTP/1.1 400" in raw.recv(1000)


def test_every_answer_forbids_frames_sniffing_and_foreign_scripts(server):
    for path, host in (("/", None), ("/api/about", None), ("/api/nothing", None), ("/", "evil.example")):
        found = server.client.get(path, headers={"Host": host} if host else {})
        assert all(name in found.headers for name in HEADERS)
        assert "access-control-allow-origin" not in found.headers
        assert "'unsafe" not in found.headers["content-security-policy"]


def test_it_listens_on_loopback_unless_told_otherwise():
    assert is_loopback(explore.__defaults__[1])
    assert [is_loopback(host) for host in ("::1", "localhost", "127.5.0.1", "0.0.0.0", "::", "example.org")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip
    with bind("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1 port {port}: .*choose another"):
            bind("127.0.0.1", port)
    with pytest.raises(InputError, match=r"cannot listen on no\.such\.host\.example port 0"):
        bind("no.such.host.example", 0)


def test_a_server_that_listens_everywhere_goes_by_addresses_and_not_by_names():
    local, everywhere = (Guard(None, "token", hosts, 1) for hosts in (LOOPBACK, {*LOOPBACK, "0.0.0.0"}))
    hosts = ["192.168.1.5:8765", "[fe80::1]:8765", "evil.example", "localhost:1"]
    assert [local.named(host) for host in hosts] == [False, False, False, True]
    assert [everywhere.named(host) for host in hosts] == [True, True, False, True]
    assert everywhere.own("http://192.168.1.5:8765", "192.168.1.5:8765")
    assert not everywhere.own("http://192.168.1.6:8765", "192.168.1.5:8765")


# What may be asked


def test_bodies_are_bounded_whether_they_tell_their_length_or_not(server):
    large = b'{"problem": {"task": "' + b"a" * limits.BODY_BYTES + b'"}}'
    assert "longer than 1,000,000 bytes" in server.refused(server.client.post("/api/problem", content=large), 413)
    in_parts = (large[place : place + 10_000] for place in range(0, len(large), 10_000))
    assert "longer than 1,000,000 bytes" in server.refused(server.client.post("/api/problem", content=in_parts), 413)


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        ({**HOLE, "task": {"kind": "bump", "n": 101}}, "has 10,201 combinations; the explorer takes at most 10,000"),
        ({**HOLE, "task": {"kind": "bump", "n": 1024}}, "has 1,048,576 combinations"),
        ({**HOLE, "task": {"kind": "bump", "n": 100}}, "pictures of 100,000,000 numbers"),
        ({**HOLE, "task": {"kind": "context", "levels": 100_000}}, "has 20,000,000,000 combinations"),
        ({**HOLE, "examples": 10_000_000, "centres": "uniform"}, "examples = 10,000,000 is more than"),
        ({**HOLE, "spacing": 0.001}, "centres on the canvas"),
        (
            {"task": {"kind": "sprites", "size": 256, "tests": 1000}, "support": "planes", "examples": 10},
            "pictures of 393,216,000 numbers",
        ),
        (
            {"task": {"kind": "sprites", "size": 64, "tests": 10}, "support": "planes", "examples": 90_000},
            "examples = 90,000 are pictures",
        ),
        (
            {"task": {"kind": "addition", "images": {"set": "digits", "questions": 100_000}}, "split": HOLE["split"]},
            "numbers in all; the explorer takes",
        ),
    ],
)  # fmt: skip
def test_problems_are_bounded_before_anything_is_drawn(problem, sentence):
    began = time.process_time()
    with pytest.raises(InputError, match=sentence):
        read_problem(problem)
    assert time.process_time() - began < 5  # loading an image set takes a second or two


def test_a_computation_that_takes_too_long_is_ended_and_the_next_one_answered():
    aside = Aside()
    try:
        with pytest.raises(TooSlow, match=r"longer than the 0\.3 seconds that the explorer allows"):
            aside.ask(time.sleep, 600, seconds=0.3)
        assert aside.ask(len, "abc", seconds=60) == 3
    finally:
        aside.close()
    with pytest.raises(InputError, match="about to end"):
        aside.ask(len, "abc", seconds=60)


def test_a_computation_that_nobody_waits_for_any_more_is_ended(monkeypatch):
    monkeypatch.setattr("recombine.explorer.aside.LEFT_AFTER", 0.2)
    aside, there = Aside(), iter([True, True, False])
    try:
        with pytest.raises(Left, match="has left, so that it was given up"):
            aside.ask(time.sleep, 600, seconds=500, wanted=lambda: next(there))
        assert aside.ask(len, "abc", seconds=60) == 3
    finally:
        aside.close()


def test_a_computation_whose_process_dies_is_told_and_the_next_one_answered():
    aside = Aside()
    try:
        with pytest.raises(InputError, match="the process that computed this died"):
            aside.ask(sys.exit, seconds=60)
        with pytest.raises(InputError, match="a problem is a mapping"):
            aside.ask(read_problem, "nothing", seconds=60)
        with pytest.raises(RuntimeError, match="ZeroDivisionError: "):
            aside.ask(divmod, 1, 0, seconds=60)
    finally:
        aside.close()


# No path reaches the file system

PROBE = "recombine-probe-that-nobody-may-open"
opened: list[str] = []


def _watch(event: str, arguments: tuple) -> None:
    if event in ("open", "os.listdir", "os.scandir") and arguments and PROBE in str(arguments[0]):
        opened.append(str(arguments[0]))


@pytest.mark.parametrize("probe", [f"/tmp/{PROBE}", f"../{PROBE}.csv", f"file:///{PROBE}"])
def test_no_setting_of_anything_registered_opens_a_file(probe):
    """Every setting of every kind is given a path; whatever accepts it as a word must not read it."""
    sys.addaudithook(_watch)
    kinds = [
        *((registry, name) for registry in (tasks, encodings, models, regions, supports) for name in registry),
        *((registry, name) for registry in (penalties, noises, compositions) for name in registry),
    ]
    for registry, name in kinds:
        for setting in registry[name].model_fields:
            for value in (probe, [probe], {"kind": probe}, {"set": probe}):
                given = {"kind": name, setting: value}
                problems = [{**HOLE, "task": given}, {**HOLE, "split": given}, {**HOLE, "support": given}]
                for problem in (
                    problems
                    if registry in (tasks, regions, supports)
                    else [{**HOLE, "task": {**HOLE["task"], "encoding": given}}]
                ):
                    with pytest.raises(InputError):
                        read_problem(problem)
                if registry is models:
                    with pytest.raises(InputError):
                        models.parse(given)
    for setting in Recipe.model_fields:
        with pytest.raises(InputError):
            Recipe.read({setting: probe})
    with pytest.raises(InputError, match="a problem is a mapping of settings"):
        read_problem(probe)
    assert opened == []


def test_the_watch_on_files_sees_them(tmp_path):
    sys.addaudithook(_watch)
    (tmp_path / PROBE).write_text("here")
    assert opened
    opened.clear()


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/%2e%2e/%2e%2e/pyproject.toml",
        "/..%2f..%2fpyproject.toml",
        "/assets/../../app.py",
        "//etc/passwd",
        "/etc/passwd",
        "/bundled.py",
        "/api/runs/..",
        "/api/runs/..%2f..%2fetc",
        "/api/runs/%2e%2e",
        "/api/runs/.hidden",
        "/api/runs/A",
        "/api/runs/a%00b",
    ],
)
def test_paths_of_requests_lead_nowhere(server, path):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := raw.recv(10_000):
            answer += part
    assert answer.split(b" ", 2)[1] in (b"404", b"422")
    assert b"[project]" not in answer
    assert b"root:" not in answer


def test_a_digest_of_a_run_is_no_path(server):
    (server.store.parent / "secret").mkdir(exist_ok=True)
    (server.store.parent / "secret" / "record.json").write_text("{}")
    for digest in ("../../secret", "../secret", str(server.store.parent / "secret"), "secret\0"):
        asked = {"problem": HOLE, "combination": [3, 3], "run": digest}
        assert server.refused(server.client.post("/api/cell", json=asked), 422)


def test_answers_name_no_file_of_this_machine_but_the_store(server):
    text = server.client.get("/api/catalogue").text + server.client.post("/api/problem", json={"problem": HOLE}).text
    assert str(Path.home()) not in text
