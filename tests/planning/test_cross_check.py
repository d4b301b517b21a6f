"""A study is held against the domain and the contenders that it names."""

from collections.abc import Collection
from pathlib import Path

import pytest

from tests.study.builder import minimal, study_of
from wirelab.domain import Domain
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import Problem, captured_problems
from wirelab.lab.contenders.contender import load_contenders
from wirelab.planning.cross_check import check_against
from wirelab.study import Study, load_study

CONTENDERS = [*load_contenders(load_domain("games"))]


@pytest.fixture(scope="module")
def games() -> Domain:
    return load_domain("games")


def conflicts(
    study: Study, domain: Domain, contenders: Collection[str], forgotten: Collection[str] = ()
) -> list[Problem]:
    with captured_problems() as problems:
        check_against(study, domain, contenders, forgotten)
    return problems


def test_the_shipped_study_fits_its_domain(games: Domain) -> None:
    assert not conflicts(load_study("kaminski-2022"), games, CONTENDERS)


def test_all_conflicts_with_the_domain_are_reported_at_once(games: Domain) -> None:
    study = study_of(
        minimal(
            contenders=["rest-flsk", "grpc-grpcio"],
            baseline="grpc-grpcio",
            stores=["postgresql", "redis"],
            workload={
                "fetch": {"title": "f", "operation": "reed", "state": "hundert"},
                "many": {
                    "title": "m",
                    "operation": "list",
                    "state": "hundred",
                    "parameters": {"limitt": 5},
                },
                "none": {"title": "n", "operation": "read", "state": "empty", "control": True},
            },
        )
    )

    problems = {problem.key: problem for problem in conflicts(study, games, CONTENDERS)}

    assert {
        key: problem.hint.partition("did you mean ")[2] for key, problem in problems.items()
    } == {
        "contenders.0": "'rest-flask'?",
        "stores.1": "",
        "workload.fetch.operation": "'read'?",
        "workload.fetch.state": "'hundred'?",
        "workload.many.parameters.limitt": "'limit'?",
        "workload.none.control": "",
    }
    assert all(store in problems["stores.1"].expected for store in ("mongodb", "postgresql"))
    assert {problem.where for problem in problems.values()} == {"studies/small/study.toml"}


def test_fixed_parameters_have_the_kinds_that_the_interface_describes(games: Domain) -> None:
    fetch = {"title": "f", "operation": "read", "state": "hundred", "parameter_sets": 2}
    many = {"title": "m", "operation": "list", "state": "hundred", "parameter_sets": 2}
    study = study_of(
        minimal(
            workload={
                "fetch": fetch | {"parameters": {"id": [7, "8"]}},
                "few": many | {"parameters": {"limit": 2}},
                "many": many | {"parameters": {"limit": "many"}},
                "most": many | {"parameters": {"limit": [10, 5.5]}},
                "new": fetch | {"operation": "create", "parameters": {"game": "a game"}},
            },
        )
    )

    expected = {
        each.key: (each.value, each.expected) for each in conflicts(study, games, study.contenders)
    }

    described = "as the interface describes"
    assert expected == {
        "workload.fetch.parameters.id": (7, f"a text, {described} id of read"),
        "workload.many.parameters.limit": ("many", f"a whole number, {described} limit of list"),
        "workload.most.parameters.limit": (5.5, f"a whole number, {described} limit of list"),
        "workload.new.parameters.game": ("a game", f"a table, {described} game of create"),
    }


def test_a_domain_without_contenders_names_the_files_that_describe_them(games: Domain) -> None:
    (problem,) = conflicts(study_of(minimal()), games, [])

    assert problem.key == "contenders"
    assert "domains/games/contenders/*/contender.toml" in problem.expected


def test_a_forgotten_file_of_contenders_is_the_hint_for_their_names(games: Domain) -> None:
    study = study_of(minimal())
    asked = study.model_copy(update={"contenders": ("rest-wsgi", "rest-flusk")})

    wsgi, flusk = conflicts(asked, games, ["rest-flask"], ["wsgi"])
    (none,) = conflicts(study, games, [], ["wsgi"])

    assert wsgi.hint == none.hint == "contenders/wsgi has no contender.toml"
    assert flusk.hint == "did you mean 'rest-flask'?"


def test_the_example_of_the_documentation_fits_its_domain() -> None:
    study = load_study(Path(__file__).parents[1] / "domain" / "notes-study")

    assert not conflicts(study, load_domain(study.domain), study.contenders)
