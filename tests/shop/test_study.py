"""The study of the shop, carried out for two contenders: one program, and three services."""

import shutil
from pathlib import Path

import pytest

from tests.support.laboratory import reasons, runs_of
from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.claims import ClaimVerdict
from wirelab.commands.studies.report import publish
from wirelab.experiment.events import Observer
from wirelab.experiment.study import run_study
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.network.proxy import why_no_nginx
from wirelab.planning.cross_check import check_against
from wirelab.planning.plan import plan_study
from wirelab.study import load_study

from .standing import CONTENDERS, SHOP

BLOCKS = 2
"""Of the six that verdicts take, enough for the runs to count."""
ONE, THREE = "rest-fastapi", "rest-chi-services"
SERVICES = {"contender-users", "contender-catalogue", "contender-orders"}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    if shutil.which("go") is None:
        pytest.skip("no Go here, which the services of the smoke design are written in")
    folder = tmp_path_factory.mktemp("study")
    planned = plan_study("muppaneni", "smoke", 1, (ONE, THREE, "checkout"), blocks=BLOCKS)
    return run_study(planned, folder / "bundle", observer=Observer()).bundle


@pytest.fixture(scope="module")
def report(bundle: Bundle) -> tuple[dict[str, Path], Analysis]:
    return publish(bundle.path)


@pytest.fixture(scope="module")
def analysis(report: tuple[dict[str, Path], Analysis]) -> Analysis:
    return report[1]


def test_every_run_of_the_smoke_design_counts(bundle: Bundle) -> None:
    runs = [run for block in bundle.last_attempts() for run in block.runs]

    assert len(runs) == BLOCKS * 3  # two contenders and a twin
    assert reasons(bundle) == []
    assert {run.status for run in runs} == {"valid"}
    assert [each for each in bundle.findings if each.severity == "error"] == []


def test_a_checkout_costs_every_service_something(bundle: Bundle) -> None:
    for run in runs_of(bundle, THREE):
        assert run.roles.keys() >= SERVICES
        assert all((run.roles[role].cpu_us or 0.0) > 0.0 for role in SERVICES)
        assert all((run.roles[role].memory_peak_bytes or 0) > 0 for role in SERVICES)


def test_a_checkout_calls_users_and_the_catalogue_once_each(bundle: Bundle) -> None:
    calls = {(each.caller, each.service): each for each in bundle.call_records}

    assert {(each.contender, each.workload) for each in calls.values()} == {(THREE, "checkout")}
    assert {edge: each.calls for edge, each in calls.items()} == {
        ("orders", "users"): 1.0,
        ("orders", "catalogue"): 1.0,
    }
    assert all(each.sent_bytes > 100 and each.received_bytes > 100 for each in calls.values())


def test_unanswered_questions_and_unmeasured_claims_have_a_reason(analysis: Analysis) -> None:
    claims = {claim.id: claim for claim in analysis.paper.claims}

    assert claims["M1-go"].verdict is ClaimVerdict.NOT_MEASURED
    assert "no grpc-go" in claims["M1-go"].sentence


def test_the_report_shows_the_services(report: tuple[dict[str, Path], Analysis]) -> None:
    files, analysis = report
    page = files["html"].read_text()

    assert analysis.has_services
    assert "of each service" in page
    assert "muppaneni" in page


def test_the_study_names_existing_contenders() -> None:
    study = load_study("muppaneni")

    check_against(study, SHOP, load_contenders(SHOP))
    assert {name for name in study.contenders if CONTENDERS[name].services} == {
        f"{name}-services" for name in study.contenders[:9]
    }


@pytest.mark.thorough(reason="tested in parts")
def test_answers_that_may_be_cached_come_from_the_cache(tmp_path: Path) -> None:
    kept = ("rest-fastapi-cached", "graphql-graphene-persisted")

    only = (ONE, *kept, "product", "ten-users", "nginx-cache")
    if missing := why_no_nginx("nginx-cache"):
        pytest.skip(missing)
    planned = plan_study("muppaneni", "caching", 1, only, blocks=1)

    bundle = run_study(planned, tmp_path / "bundle", observer=Observer()).bundle

    assert reasons(bundle) == []
    uses = {use.cell.contender: use for use in analyse(bundle).figures.cache_uses}
    assert uses[ONE].passed_share == 1.0
    for name in kept:
        assert uses[name].hit_share > 0.1
    assert "Cache hits" in publish(bundle.path)[0]["html"].read_text()
