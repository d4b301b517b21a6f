"""A proxy and a network are factors like any other: none, unless a study declares it."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.study.builder import given, minimal, study_of
from tests.study.files import STUDY
from tests.support.wording import assert_worded, raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.schedule import schedule
from wirelab.study import NO_NETWORK, NO_PROXY, Cell, Factor, family, load_study
from wirelab.study.levels import plural
from wirelab.study.network import BUILT_IN, NetworkDirection

CELL = "rest", "fetch", "postgresql", "native", "u1"
OWN = {"source": "my desk", "down": {"delay_ms": 3}, "up": {}}

each_factor = pytest.mark.parametrize(
    ("factor", "none", "level"),
    [("proxy", "none", "nginx"), ("network", "loopback", "mobile")],
    ids=["proxy", "network"],
)


def test_there_is_neither_by_default() -> None:
    plan = given().scheduled().result

    assert {(cell.proxy, cell.network) for cell in plan.cells} == {(NO_PROXY, NO_NETWORK)}
    assert {run.id.rpartition("-")[2] for run in plan.runs} == {"fetch"}
    assert study_of(minimal()).network(NO_NETWORK) is None


@each_factor
def test_each_level_is_in_every_block_with_a_twin(factor: Factor, none: str, level: str) -> None:
    plan = (
        given()
        .declaring(factor, none, level)
        .comparing(factor)
        .scheduled()
        .expect_runs((2 + 1) * 2 * 6)
        .expect_every_cell_once_in_every_block()
        .result
    )

    assert {cell.level(factor) for cell in plan.cells if cell.twin} == {none, level}
    assert {run.id.rpartition("-")[2] for run in plan.runs} == {none, level}


@each_factor
def test_a_level_is_left_out_by_a_design_or_by_what_the_machine_lacks(
    factor: Factor, none: str, level: str
) -> None:
    by_design, by_machine = (given().declaring(factor, none, level) for _ in range(2))

    by_design.design(**{plural(factor): [none]}).scheduled().expect_runs(3 * 6)
    by_design.expect_skipped(**{level: "not part of design smoke"})
    by_machine.scheduled(unavailable={level: "needs root"}).expect_runs(3 * 6)
    by_machine.expect_skipped(**{level: "needs root"})


@each_factor
def test_a_level_is_compared_with_none(factor: Factor, none: str, level: str) -> None:
    question = {"text": "What does it cost?", "compare": factor, "sentence": "There {answer}."}
    study = study_of(minimal(**{plural(factor): [none, level], "question": {"cost": question}}))

    pairs = family(study, schedule(study, "smoke", 1).cells)

    assert {(pair.a.level(factor), pair.b.level(factor)) for pair in pairs} == {(level, none)}
    assert {pair.a.contender for pair in pairs} == {"rest", "grpc"}


@pytest.mark.parametrize(
    ("level", "title"),
    [({"proxy": "nginx"}, "behind nginx"), ({"network": "mobile"}, "over mobile")],
)
def test_a_level_has_a_readable_name(level: dict[str, Any], title: str) -> None:
    assert Cell(*CELL, **level).label == f"{Cell(*CELL).label} · {title}"
    assert Cell(*CELL, **level).place == f"native, {title}"
    assert Cell(*CELL).level_title("network") == "loopback"


@pytest.mark.parametrize(
    "raw",
    [{"proxies": ["envoy"]}, {"network": {"loopback": OWN}}],
    ids=["unknown proxy", "loopback"],
)
def test_what_does_not_exist_is_refused(raw: dict[str, Any]) -> None:
    with raises_worded(ValidationError):
        study_of(minimal(**raw))


def test_a_study_can_describe_its_own_networks() -> None:
    study = study_of(minimal(networks=["desk"], network={"desk": OWN}))

    network = study.network("desk")
    assert network is not None
    assert (network.down.sentence, network.up.sentence) == ("3 ms", "0 ms")


def test_descriptions_in_the_study_override_built_in_ones() -> None:
    study = study_of(minimal(networks=["mobile", "wifi"], network={"mobile": OWN}))

    assert study.network("mobile") == study.own_networks["mobile"]
    assert study.network("wifi") is BUILT_IN["wifi"]


def test_built_in_networks_name_their_sources() -> None:
    assert list(BUILT_IN) == ["lan", "wifi", "mobile", "far"]
    assert all(network.source for network in BUILT_IN.values())
    assert_worded(BUILT_IN["mobile"].down.sentence)


def test_an_unknown_network_is_named_with_file_and_key_and_the_known_ones(tmp_path: Path) -> None:
    text = STUDY.replace("stores =", 'networks = ["loopback", "wlan"]\nstores =')
    own = '\n[network.desk]\nsource = "my desk"\ndown = {}\nup = {}\n'
    (tmp_path / "study.toml").write_text(text + own)

    with raises_worded(ProblemsError) as caught:
        load_study(tmp_path)

    (problem,) = caught.value.problems
    assert problem.where == str(tmp_path / "study.toml")
    assert problem.key.startswith("networks")
    assert problem.value == "wlan"


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"rate_mbit_s": 1}, "misfits"),
        ({"delay_ms": -1}, "greater_than_equal"),
        ({"loss_percent": 100}, "less_than"),
        ({"latency_ms": 1}, "extra_forbidden"),
    ],
)
def test_an_invalid_direction_is_refused(raw: dict[str, float], kind: str) -> None:
    with pytest.raises(ValidationError) as caught:
        NetworkDirection.model_validate(raw)

    assert [error["type"] for error in caught.value.errors()] == [kind]
