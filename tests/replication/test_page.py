"""The page: all claims of all papers, what failed, and whether a second run agrees."""

import json
import re
import runpy
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html
from typer.testing import CliRunner

from tests.replication.conftest import FOUR, Replicated, replicated
from tests.support.bundles.models import ROOT
from wirelab.claims import ClaimVerdict
from wirelab.cli import app
from wirelab.replication.agreement import agreement_with
from wirelab.replication.findings import read_findings
from wirelab.replication.page import Replication, page_html, page_markdown, write_page
from wirelab.terminal.exit_codes import ExitCode


@pytest.fixture(scope="module")
def swapped(tmp_path_factory: pytest.TempPathFactory) -> Replicated:
    """Another replication, in which gRPC and GraphQL take each other's times."""
    grpc, graphql = FOUR["grpc-grpcio"], FOUR["graphql-graphene"]
    models = FOUR | {
        "grpc-grpcio": replace(grpc, latency_us=graphql.latency_us),
        "graphql-graphene": replace(graphql, latency_us=grpc.latency_us),
    }
    return replicated(tmp_path_factory.mktemp("swapped"), models)


def test_all_formats_say_the_same_of_every_claim(once: Replicated, tmp_path: Path) -> None:
    page = Replication([once.findings], {}, [], "wirelab replicate")

    files = write_page(page, tmp_path)

    html, markdown = files["html"].read_text(), files["markdown"].read_text()
    told = json.loads(files["json"].read_text())
    (study,) = told["studies"]
    assert told["claims"] == len(once.findings.claims) == len(study["claims"])
    assert told["decided"] == page.decided > 0
    for claim in once.findings.claims:
        assert f"<strong>{claim.id}</strong>" in html
        assert f"| {claim.id} |" in markdown
    for text in (html, markdown):
        assert page.headline in text
        assert page.cost in text
    assert "<script" not in html


def test_the_own_procedure_of_a_paper_fills_a_column_and_decides_nothing(
    once: Replicated, tmp_path: Path
) -> None:
    shutil.copytree(once.results, tmp_path / "results" / "kaminski-2022" / "replication")
    replicated(tmp_path, blocks=1, design="paper")

    (found,) = read_findings(tmp_path)
    page = Replication([found], {}, [], "wirelab replicate")

    assert found.claims == once.findings.claims
    assert found.measured_s > once.findings.measured_s
    values = [row.by_procedure for table in found.tables for row in table.rows]
    assert any(value for row in values for value in row)
    for rendered in (page_html(page), page_markdown(page)):
        assert "its procedure" in rendered
    assert "its procedure" not in page_html(replace(page, studies=[once.findings]))


def test_what_failed_and_what_waits_is_said(once: Replicated, tmp_path: Path) -> None:
    page = Replication(
        [once.findings], {"sliwa-2021": "no <java> here"}, ["muppaneni"], "wirelab replicate"
    )

    files = write_page(page, tmp_path)

    html = files["html"].read_text()
    assert "no &lt;java&gt; here" in html
    assert "muppaneni" in html
    assert json.loads(files["json"].read_text())["waiting"] == ["muppaneni"]
    assert "no \\<java\\> here" in files["markdown"].read_text()


def test_a_page_without_results_says_what_is_missing(tmp_path: Path) -> None:
    files = write_page(Replication([], {}, ["kaminski-2022"], "wirelab replicate"), tmp_path)

    assert "kaminski-2022" in files["html"].read_text()


def test_the_same_results_agree_and_others_are_shown_with_both_verdicts(
    once: Replicated, swapped: Replicated, tmp_path: Path
) -> None:
    now, earlier = [once.findings], [swapped.findings]

    same = agreement_with(now, now, "first")
    other = agreement_with(now, earlier, "first")

    assert (same.share, same.contradicting) == (1.0, ())
    assert other.contradicting
    assert other.share == 1 - len(other.contradicting) / len(other.decided)
    assert {ClaimVerdict.REPRODUCED, ClaimVerdict.CONTRADICTED} <= {
        verdict for claim in other.contradicting for verdict in (claim.now, claim.earlier)
    }
    page = Replication(now, {}, [], "wirelab replicate", other)
    told = json.loads(write_page(page, tmp_path)["json"].read_text())["agreement"]
    assert [each["claim"] for each in told["contradicting"]] == [
        each.claim for each in other.contradicting
    ]


def test_undecided_claims_are_not_counted_as_agreement(once: Replicated) -> None:
    open_claims = tuple(
        replace(claim, verdict=ClaimVerdict.CANNOT_TELL) for claim in once.findings.claims
    )

    found = agreement_with([once.findings], [replace(once.findings, claims=open_claims)], "first")

    assert (found.decided, found.share) == ((), None)


def test_the_page_is_written_again_from_the_results_alone(once: Replicated, tmp_path: Path) -> None:
    shutil.copytree(once.root / "results", tmp_path / "published" / "results")

    ended = CliRunner().invoke(app, ["report", str(tmp_path / "published"), "--json"])

    assert ended.exit_code == ExitCode.OK
    told = json.loads(Path(json.loads(ended.stdout)["json"]).read_text())
    verdicts = {claim["id"]: claim["verdict"] for claim in told["studies"][0]["claims"]}
    assert verdicts == {claim.id: claim.verdict for claim in once.findings.claims}


@pytest.mark.parametrize(
    "more", [["--against", "nothing-there"], ["--budget", "0s"], ["wires"], ["--budget", "soon"]]
)
def test_wrong_arguments_are_refused_before_anything_is_measured(
    more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    ended = CliRunner().invoke(app, ["replicate", *more])

    assert ended.exit_code != ExitCode.OK
    assert not (tmp_path / "replication").exists()


def test_the_site_makes_a_page_and_cards_from_the_compact_results(
    once: Replicated, tmp_path: Path
) -> None:
    replications = tmp_path / "replications"
    shutil.copytree(once.root / "results", replications / "first" / "results")
    made = runpy.run_path(str(ROOT / "docs" / "gallery.py"))

    ((address, page),) = made["pages_of"](replications).items()
    cards = html.fromstring(made["gallery"](tmp_path / "none", replications))

    assert address == "replications/first/replication.html"
    assert cards.xpath("//a/@href") == [f"../{address}", f"../{address}#kaminski-2022"]
    assert html.fromstring(page).get_element_by_id("kaminski-2022") is not None
    (bar,) = cards.xpath("//li[2]//@title")
    assert sum(map(int, re.findall(r"\d+", bar))) == len(once.findings.claims)
