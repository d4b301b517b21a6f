"""What this machine lacks is left out of a plan with the reason, and nothing else is."""

from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from tests.support.wording import assert_worded, raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.installation.resources import resource_folder
from wirelab.lab.environments.kinds import ENVIRONMENTS
from wirelab.lab.network import proxy
from wirelab.lab.network.proxy import why_no_nginx
from wirelab.planning.plan import load_world, plan_study
from wirelab.study import load_study

DOCKERFILE = "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\n"


@pytest.fixture
def everywhere(study: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The study with all environments and nginx, on a machine that has an engine."""
    file = study / "study.toml"
    text = file.read_text().replace('["native"]', '["native", "container", "container-host"]')
    file.write_text(text.replace("stores =", 'proxies = ["none", "nginx"]\nstores ='))
    for name in ("container", "container-host"):
        monkeypatch.setattr(type(ENVIRONMENTS[name]), "missing", lambda _: "")
    return study


def stack_of(study: Path) -> Path:
    return study.parent / "domain" / "contenders" / "python"


def need_a_program(study: Path) -> None:
    manifest = stack_of(study) / "contender.toml"
    manifest.write_text(f'requires = ["no-such-program"]\n{manifest.read_text()}')


def left_out(study: Path, *only: str) -> dict[str, str]:
    return {
        each.level: each.reason for each in plan_study(study, "smoke", 1, only).schedule.skipped
    }


def test_a_program_that_is_missing_here_may_be_in_an_image(everywhere: Path) -> None:
    need_a_program(everywhere)
    (stack_of(everywhere) / "Dockerfile").write_text(DOCKERFILE)

    assert "good" not in left_out(everywhere, "good")
    assert_worded(left_out(everywhere, "good", "native")["good"])
    assert plan_study(everywhere, "smoke", 1, ("good", "container")).schedule.runs


def test_a_contender_that_no_environment_runs_is_left_out_with_every_reason(
    everywhere: Path,
) -> None:
    need_a_program(everywhere)

    reasons = left_out(everywhere, "good")

    assert_worded(reasons["good"])


def test_the_native_cells_remain_without_an_engine(
    everywhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{everywhere}/no.sock")

    plan = plan_study(everywhere, "smoke", 1, ("good",)).schedule

    assert {cell.environment for cell in plan.cells} == {"native"}
    reasons = {each.level: each.reason for each in plan.skipped}
    missing = f"no container engine: {everywhere}/no.sock does not exist"
    assert reasons["container"].startswith(missing)
    assert_worded(reasons["container-host"])


def test_a_proxy_needs_nginx_or_an_engine(
    everywhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{everywhere}/no.sock")
    monkeypatch.setattr(proxy, "find_nginx", lambda *_: None)

    plan = plan_study(everywhere, "smoke", 1, ("good",)).schedule

    assert {cell.proxy for cell in plan.cells} == {"none"}
    assert {each.level: each.reason for each in plan.skipped}["nginx"] == why_no_nginx()
    assert_worded(why_no_nginx())


def test_what_is_measured_is_bound_to_the_protocols_of_its_contenders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    domain, contenders = load_world(load_study("kaminski-2022"))
    bindings = {
        protocol: binding
        for protocol, binding in domain.operations["read"].bindings.items()
        if protocol != "grpc"
    }
    read = replace(domain.operations["read"], bindings=bindings)
    lacking = replace(domain, operations={**domain.operations, "read": read})
    monkeypatch.setattr("wirelab.planning.plan.load_world", lambda _: (lacking, contenders))

    with raises_worded(ProblemsError):
        plan_study("kaminski-2022", "smoke", 1)

    assert plan_study("kaminski-2022", "smoke", 1, ["rest", "graphql"]).schedule.runs


def test_a_domain_beside_the_study_is_named_by_its_relative_path(study: Path) -> None:
    file = study / "study.toml"
    file.write_text(file.read_text().replace(str(study.parent / "domain"), "domain"))

    with raises_worded(ProblemsError) as raised:
        plan_study(study, "smoke", 1)

    assert [each.where for each in raised.value.problems] == [str(file)]


def test_a_folder_does_not_replace_the_domain_of_a_study_of_wirelab(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copytree(study.parent / "domain", study.parent / "games")
    monkeypatch.chdir(study.parent)

    domain, _ = load_world(load_study("kaminski-2022"))

    assert domain.folder == resource_folder("domains") / "games"


@pytest.mark.parametrize("working", [".", "/"])
def test_a_name_of_a_domain_of_wirelab_and_of_a_folder_is_refused(
    study: Path, monkeypatch: pytest.MonkeyPatch, working: str
) -> None:
    file = study / "study.toml"
    own = copytree(study.parent / "domain", study.parent / "games")
    file.write_text(file.read_text().replace(str(study.parent / "domain"), "games"))
    monkeypatch.chdir(study.parent / working)

    with raises_worded(ProblemsError):
        plan_study(study, "smoke", 1)

    file.write_text(file.read_text().replace('"games"', '"../games"'))
    assert load_world(load_study(study))[0].folder.samefile(own)


def test_a_state_without_records_cannot_be_read_from(study: Path) -> None:
    file = study.parent / "domain" / "domain.toml"
    file.write_text(file.read_text().replace("records = 10", "records = 0"))

    with raises_worded(ProblemsError):
        plan_study(study, "smoke", 1)
