"""The network between client and contender is a factor: loopback unless a study says so."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.study.builder import given, minimal, study_of
from tests.study.files import STUDY
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.schedule import schedule
from wirelab.study import NO_NETWORK, Cell, family, load_study
from wirelab.study.network import BUILT_IN, NetworkDirection

OVER = Cell("rest", "fetch", "postgresql", "native", "u1", network="mobile")
OWN = {"source": "my desk", "down": {"delay_ms": 3}, "up": {}}


def test_no_network_is_emulated_by_default() -> None:
    cells = given().scheduled().result.cells

    assert {cell.network for cell in cells} == {NO_NETWORK}
    assert OVER.network not in {run.id for run in given().scheduled().result.runs}
    assert study_of(minimal()).network(NO_NETWORK) is None


def test_each_level_is_in_every_block_with_a_twin() -> None:
    plan = (
        given()
        .networks("loopback", "mobile")
        .comparing("network")
        .scheduled()
        .expect_runs((2 + 1) * 2 * 6)
        .expect_every_cell_once_in_every_block()
        .result
    )

    assert {cell.network for cell in plan.cells if cell.twin} == {"loopback", "mobile"}
    assert {run.id.rpartition("-")[2] for run in plan.runs} == {"loopback", "mobile"}


def test_a_design_may_leave_networks_out() -> None:
    (
        given()
        .networks("loopback", "wifi", "far")
        .design(networks=["wifi"])
        .scheduled()
        .expect_runs(3 * 6)
        .expect_skipped(loopback="not part of design smoke", far="not part of design smoke")
    )


def test_cells_without_a_network_are_measured_if_none_can_be_emulated() -> None:
    (
        given()
        .networks("loopback", "mobile")
        .scheduled(unavailable={"mobile": "needs root"})
        .expect_runs(3 * 6)
        .expect_skipped(mobile="needs root")
    )


def test_a_network_is_compared_with_none() -> None:
    question = {"text": "What does it cost?", "compare": "network", "sentence": "There {answer}."}
    study = study_of(minimal(networks=["loopback", "far"], question={"cost": question}))

    pairs = family(study, schedule(study, "smoke", 1).cells)

    assert {(pair.a.network, pair.b.network) for pair in pairs} == {("far", "loopback")}


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
    assert BUILT_IN["mobile"].down.sentence == (
        "35 ms + up to 5 ms, 12 Mbit/s, queue of 300 KB, loss of 0.2 %"
    )


def test_an_unknown_network_is_named_with_file_and_key_and_the_known_ones(tmp_path: Path) -> None:
    text = STUDY.replace("stores =", 'networks = ["loopback", "wlan"]\nstores =')
    own = '\n[network.desk]\nsource = "my desk"\ndown = {}\nup = {}\n'
    (tmp_path / "study.toml").write_text(text + own)

    with pytest.raises(ProblemsError) as caught:
        load_study(tmp_path)

    (problem,) = caught.value.problems
    assert problem.where == str(tmp_path / "study.toml")
    assert problem.key.startswith("networks")
    assert problem.value == "wlan"
    assert "desk, far, lan, loopback, mobile, wifi" in problem.expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"rate_mbit_s": 1}, "queue_kb: the size of the queue, which rate_mbit_s needs"),
        ({"delay_ms": -1}, "greater than or equal to 0"),
        ({"loss_percent": 100}, "less than 100"),
        ({"latency_ms": 1}, "Extra inputs"),
    ],
)
def test_an_invalid_direction_is_refused(raw: dict[str, float], expected: str) -> None:
    with pytest.raises(ValidationError, match=expected):
        NetworkDirection.model_validate(raw)


def test_loopback_cannot_be_described() -> None:
    with pytest.raises(ValidationError, match="it emulates nothing"):
        study_of(minimal(network={"loopback": OWN}))


def test_the_level_has_a_readable_name() -> None:
    assert OVER.label == "rest · fetch · postgresql · native · u1 · over mobile"
    assert OVER.place == "native, over mobile"
    assert Cell("rest", "fetch", "own", "native", "u1").level_title("network") == "loopback"
