"""The claims of the papers: judged as `recombine check` does, with a figure each that cannot do anything."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from recombine.papers import Scale, judge, papers
from recombine.studies.stores import all_bodies, reading_stores


@pytest.fixture(scope="module")
def told(server):
    return {claim["id"]: claim for claim in server.get("/api/claims", scale="laptop")}


def test_every_claim_of_the_five_papers_is_there(told):
    assert list(told) == [claim.id for claim in papers.claims((), Scale.LAPTOP)]
    assert {claim["paper"] for claim in told.values()} == set(papers)


def test_verdicts_are_those_of_the_records(server, told):
    claims = papers.claims(["forced-rendering", "KT1", "PM3", "FP4", "DF8"], Scale.LAPTOP)
    needed = {work.digest() for claim in claims for work in claim.works(Scale.LAPTOP)}
    bodies, _ = all_bodies(reading_stores(server.store), needed)
    for claim in claims:
        judged = judge(claim, Scale.LAPTOP, bodies).to_dict()
        found = told[claim.id]
        for name in (
            "verdict",
            "control_verdict",
            "measured",
            "says",
            "place",
            "source",
            "control",
            "expected",
            "scale",
        ):
            assert found[name] == judged[name], (claim.id, name)
        for name in ("verdict", "of"):
            assert [check[name] for check in found["checks"]] == [check[name] for check in judged["checks"]]
        assert found["command"] == f"recombine reproduce {claim.id} --scale laptop"
        assert found["paper_title"] == papers[claim.paper].title


def test_scales_differ_and_others_are_refused(server, told):
    quick = server.get("/api/claims", scale="quick")
    assert len(quick) < len(told)
    assert {claim["scale"] for claim in quick} == {"quick"}
    assert server.refused(server.client.get("/api/claims", params={"scale": "huge"}), 422)


@pytest.mark.parametrize("name", ["FR1", "KT2", "FP1"])
def test_a_figure_is_a_drawing_and_nothing_else(server, told, name):
    assert told[name]["figure"]
    found = server.client.get(f"/api/claims/{name}/figure.svg", params={"scale": "laptop"})
    assert found.status_code == 200, found.text
    assert found.headers["content-type"] == "image/svg+xml"
    policy = found.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert "sandbox" in policy
    drawing = ElementTree.fromstring(found.text)
    assert drawing.tag.endswith("svg")
    assert not [each for each in drawing.iter() if each.tag.rpartition("}")[2] in ("script", "foreignObject")]


def test_a_figure_that_is_not_there(server):
    refused = server.client.get("/api/claims/XX1/figure.svg")
    assert "there is no claim 'XX1' at scale laptop" in server.refused(refused, 404)
    assert "has no figure at scale quick: nothing of it is recorded" in server.refused(
        server.client.get("/api/claims/FR1/figure.svg", params={"scale": "quick"}), 404
    )


@pytest.mark.parametrize("name", ["KT2", "FP1"])
def test_a_number_without_a_figure_says_which_there_are(server, name):
    said = server.refused(server.client.get(f"/api/claims/{name}/figure.svg", params={"which": 99}), 404)
    found = re.fullmatch(rf"claim {name} has no figure which = 99 at scale laptop; there is 0 (alone|to (\d+))\.", said)
    assert found, said
    last = int(found[2] or 0)
    assert server.client.get(f"/api/claims/{name}/figure.svg", params={"which": last}).status_code == 200
    beyond = server.client.get(f"/api/claims/{name}/figure.svg", params={"which": last + 1})
    assert said.replace("99", str(last + 1)) == server.refused(beyond, 404)
