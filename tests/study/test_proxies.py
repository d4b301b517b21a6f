"""A proxy before a contender is a factor like any other: none unless a study declares it."""

import pytest
from pydantic import ValidationError

from tests.study.builder import given, minimal, study_of
from wirelab.planning.schedule import schedule
from wirelab.study import NO_PROXY, Cell, family

BEHIND = Cell("rest", "fetch", "postgresql", "native", "u1", "nginx")


def test_there_is_no_proxy_by_default() -> None:
    cells = given().scheduled().result.cells

    assert {cell.proxy for cell in cells} == {NO_PROXY}
    assert not any("none" in run.id for run in given().scheduled().result.runs)


def test_both_levels_are_in_every_block_each_with_a_twin() -> None:
    plan = (
        given()
        .proxies("none", "nginx")
        .scheduled()
        .expect_runs((2 + 1) * 2 * 6)
        .expect_every_cell_once_in_every_block()
        .result
    )

    assert {cell.proxy for cell in plan.cells if cell.twin} == {"none", "nginx"}
    assert {run.id.rpartition("-")[2] for run in plan.runs} == {"none", "nginx"}


def test_a_design_may_leave_the_proxy_out() -> None:
    (
        given()
        .proxies("none", "nginx")
        .design(proxies=["none"])
        .scheduled()
        .expect_runs(3 * 6)
        .expect_skipped(nginx="not part of design smoke")
    )


def test_cells_without_a_proxy_are_measured_if_there_is_no_nginx() -> None:
    (
        given()
        .proxies("none", "nginx")
        .scheduled(unavailable={"nginx": "not installed"})
        .expect_runs(3 * 6)
        .expect_skipped(nginx="not installed")
    )


def test_a_proxy_is_compared_with_none() -> None:
    question = {"text": "What does nginx cost?", "compare": "proxy", "sentence": "There {answer}."}
    study = study_of(minimal(proxies=["none", "nginx"], question={"cost": question}))

    pairs = family(study, schedule(study, "smoke", 1).cells)

    assert {(pair.a.proxy, pair.b.proxy) for pair in pairs} == {("nginx", "none")}
    assert {pair.a.contender for pair in pairs} == {"rest", "grpc"}


def test_an_unknown_proxy_is_a_mistake() -> None:
    with pytest.raises(ValidationError, match="'nginx-tls' or 'nginx-cache'"):
        study_of(minimal(proxies=["envoy"]))


def test_the_level_has_a_readable_name() -> None:
    assert BEHIND.label == "rest · fetch · postgresql · native · u1 · behind nginx"
    assert BEHIND.place == "native, behind nginx"
    assert BEHIND.level_title("environment") == "native"
