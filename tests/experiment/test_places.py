"""Environments and proxies inside every block; what goes wrong with one leaves the others alone."""

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import docker
import pytest

from tests.support.laboratory import measure, reasons
from tests.support.verification import verify_domain
from wirelab.analysis import analyse
from wirelab.bundle import RunRecord
from wirelab.bundle.run_reasons import Failed
from wirelab.experiment.context import StudyOutcome
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.contenders.build import BuiltContender
from wirelab.lab.environments.container.engine import LABEL, connect
from wirelab.lab.environments.environment import Environment, Launch, Launched, Native
from wirelab.lab.environments.kinds import ENVIRONMENTS
from wirelab.lab.network.proxy import find_nginx, why_no_nginx
from wirelab.planning.plan import plan_study
from wirelab.report import write_report
from wirelab.study import Factor
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify.findings.finding_reasons import WrongParameters

DOCKERFILE = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
WORKDIR /srv/counters
RUN python3 -m venv /tmp/pip && /tmp/pip/bin/pip install --quiet --target . "psycopg[binary]"
COPY contenders/python/*.py ./
USER nobody
"""
BROKEN = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
RUN echo "no compiler" && false
"""
TOO_MANY_RECORDS = """
[workload.beyond]
title = "read what is not there"
operation = "read"
state = "ten"
parameters = { id = "none" }
"""


def widen(study: Path, dockerfile: str, environments: str, proxies: str = '"none"') -> None:
    """Let the study's contenders run in these environments, behind these proxies."""
    file = study / "study.toml"
    text = file.read_text().replace('environments = ["native"]', f"environments = [{environments}]")
    file.write_text(text.replace("stores =", f"proxies = [{proxies}]\nstores ="))
    (study.parent / "domain/contenders/python/Dockerfile").write_text(dockerfile)


@pytest.fixture(scope="module")
def engine() -> Iterator[docker.DockerClient]:
    if missing := ENVIRONMENTS["container"].missing():
        pytest.skip(missing)
    with closing(connect()) as client:
        yield client
        for image in client.images.list("wirelab/counters-python"):
            client.images.remove(image.id, force=True)


def records(outcome: StudyOutcome) -> list[RunRecord]:
    """Return the runs of the last attempts at all blocks."""
    return [run for block in outcome.bundle.last_attempts() for run in block.runs]


def statuses(outcome: StudyOutcome, factor: Factor, level: str) -> set[str]:
    return {run.status for run in records(outcome) if run.run.cell.level(factor) == level}


def everything_of(client: docker.DockerClient) -> set[str]:
    """The containers and networks that laboratories have made and not removed."""
    containers = client.api.containers(all=True, filters={"label": LABEL})
    networks = client.api.networks(filters={"label": LABEL})
    return {each["Id"] for each in (*containers, *networks)}


class ContainerStandIn(Native):
    """Another environment, in which servers answer the same in other bytes."""

    name = "container"

    def launch(self, built: BuiltContender, launch: Launch) -> Launched:
        spaced = {**built.contender.environment, "SPACED": "1"}
        contender = replace(built.contender, environment=spaced)
        return super().launch(replace(built, contender=contender), launch)


def test_every_place_is_compared_with_its_own_answers(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cast(dict[str, Environment], ENVIRONMENTS), "container", ContainerStandIn())
    proxies = '"none", "nginx"' if find_nginx() else '"none"'
    widen(study, DOCKERFILE, '"native", "container"', proxies)

    outcome = measure(study, "good", design="bytes")

    # What was verified last would refuse the answers of the others under load, if used for all.
    assert reasons(outcome.bundle) == []
    assert {run.status for run in records(outcome)} == {"valid"}
    slices = outcome.bundle.slices()
    straight = slices[slices["recorded"] & (slices["proxy"] == "none")]
    sums = straight.groupby("environment")[["bytes_received", "transactions"]].sum()
    each = sums["bytes_received"] / sums["transactions"]
    assert each["container"] > each["native"] + 3  # the answers do differ in their bytes


def test_a_proxy_may_use_tls_or_cache_answers(study: Path) -> None:
    levels = ("nginx", "nginx-tls", "nginx-cache")
    if any(map(why_no_nginx, levels)):
        pytest.skip("no nginx here, or no openssl")
    widen(study, DOCKERFILE, '"native"', ", ".join(f'"{level}"' for level in levels))

    outcome = measure(study, "good", design="bytes")

    assert reasons(outcome.bundle) == []
    runs = records(outcome)
    assert {(run.run.cell.proxy, run.status) for run in runs} == {(it, "valid") for it in levels}
    for run in runs:
        kept = run.run.cell.proxy == "nginx-cache"
        assert bool(run.cache) == kept
        assert not kept or run.cache["MISS"] > 20  # its answers say nothing of their age
    assert outcome.bundle.environments["nginx-tls"]["ssl_protocols"].startswith("TLSv1.3")
    handshakes = outcome.bundle.metrics().groupby("proxy")["tls_handshakes"].sum()
    assert {name for name, count in handshakes.items() if count} == {"nginx-tls"}
    (use, *_) = analyse(outcome.bundle).figures.cache_uses
    assert (use.cell.proxy, use.hit_share, use.passed_share) == ("nginx-cache", 0.0, 1.0)
    assert "Cache hits" in write_report(outcome.bundle)["html"].read_text()


def test_container_and_proxy_are_in_every_block_and_in_the_report(
    study: Path, engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "wirelab.lab.network.proxy.find_nginx", lambda *_: None
    )  # then it has a container
    widen(study, DOCKERFILE, '"native", "container"', '"none", "nginx"')
    before = everything_of(engine)

    outcome = measure(study, "good", design="bytes")

    assert everything_of(engine) <= before

    bundle = outcome.bundle
    why = set(reasons(bundle))
    if any("pip install" in reason or "apt-get" in reason for reason in why):
        pytest.skip("packages cannot be had from within a container")
    assert why == set()
    runs = records(outcome)
    assert len(runs) == 2 * 2 * 2  # with its twin, in two environments, behind two proxies
    for run in runs:
        assert ("proxy" in run.roles) == (run.run.cell.proxy == "nginx")
        assert {"contender", "engine", "store"} <= run.roles.keys()
        assert all((used.cpu_us or 0) > 0 for used in run.roles.values())
        assert run.start_s is not None
        assert run.launch_s is not None
        assert 0 < run.launch_s < run.start_s
        assert run.restore_s is not None
    assert bundle.environments["container"]["network"].startswith("a private bridge")
    assert {"engine", "control groups", "storage driver"} <= set(bundle.environments["container"])
    assert bundle.environments["nginx"]["place"].startswith("a container of wirelab-base")
    assert bundle.environments["nginx"]["version"][0].isdigit()
    assert set(bundle.contenders["good"].versions) == {"native", "container"}

    analysis = analyse(bundle)
    assert {cost.cell.proxy for cost in analysis.figures.container_costs} == {"none", "nginx"}
    assert {cost.cell.environment for cost in analysis.figures.proxy_costs} == {
        "native",
        "container",
    }
    assert "proxy" in analysis.roles
    page = write_report(bundle)["html"].read_text()
    assert "storage driver" in page
    assert bundle.check() == []


def test_an_image_that_cannot_be_built_leaves_the_native_cells_alone(
    study: Path, engine: docker.DockerClient
) -> None:
    widen(study, BROKEN, '"native", "container"')

    outcome = measure(study, "good", design="bytes")

    assert statuses(outcome, "environment", "native") == {"valid"}
    skipped = [run for run in records(outcome) if run.run.cell.environment == "container"]
    assert {run.status for run in skipped} == {"skipped"}
    (reason,) = skipped[0].reasons
    assert isinstance(reason, Failed)
    assert reason.error == "BuildError"
    assert reason.failure.log is not None
    assert "no compiler" in reason.failure.log.tail  # the last lines of the build


def test_only_a_workload_that_the_data_cannot_serve_is_left_out(study: Path) -> None:
    file = study / "study.toml"
    text = file.read_text().replace("[load.one]", f"{TOO_MANY_RECORDS}\n[load.one]")
    file.write_text(text.replace('workloads = ["read"]', 'workloads = ["read", "beyond"]'))

    outcome = measure(study, "good", design="bytes")

    assert statuses(outcome, "workload", "read") == {"valid"}
    assert statuses(outcome, "workload", "beyond") == {"skipped"}
    (finding,) = outcome.refused
    assert finding.reason == WrongParameters(workload="beyond", refusal="not_found", records=10)
    assert finding.got == {"id": "none"}


def test_a_socket_without_permission_leaves_the_native_cells(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    widen(study, DOCKERFILE, '"native", "container"')
    path = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
        monkeypatch.setattr(
            "wirelab.lab.environments.container.engine.os.access",
            lambda request, _: Path(request) != path,
        )

        plan = plan_study(study, "smoke", 1, ("good",)).schedule

    assert {cell.environment for cell in plan.cells} == {"native"}
    (skipped,) = (each for each in plan.skipped if each.level == "container")
    assert "no permission for" in skipped.reason
    assert "add your account" in skipped.reason


def verified(study: Path, environment: str) -> ExitCode:
    return verify_domain(
        study.parent / "domain", only=("good", "wrong"), environment=environment, as_json=True
    )


def test_verification_may_run_in_an_environment(
    study: Path, engine: docker.DockerClient, capsys: pytest.CaptureFixture[str]
) -> None:
    widen(study, DOCKERFILE, '"native"')

    code = verified(study, "container")

    output = json.loads(capsys.readouterr().out)
    if any("pip install" in reason for reason in output["skipped"].values()):
        pytest.skip("packages cannot be had from within a container")
    assert code is ExitCode.VERIFY_FAILED
    wrong = {each["contender"] for each in output["findings"] if each["severity"] == "error"}
    assert wrong == {"wrong"}


def test_an_unknown_environment_is_named_with_the_existing_ones(study: Path) -> None:
    with pytest.raises(ProblemsError, match=r"contaner.*container, container-host, native"):
        verified(study, "contaner")


def test_a_contender_without_a_dockerfile_is_skipped_in_a_container(
    study: Path, engine: docker.DockerClient, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verified(study, "container") is ExitCode.NOT_READY

    skipped = json.loads(capsys.readouterr().out)["skipped"]
    assert set(skipped) == {"good", "wrong"}
    assert "there is no" in skipped["good"]
