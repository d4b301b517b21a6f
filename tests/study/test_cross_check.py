"""A study is held against the domain and the contenders that it names."""

from pathlib import Path

import pytest

from tests.study.builder import minimal, study_of
from wirelab.domain import Domain
from wirelab.domain_file import load_domain
from wirelab.lab.contenders.contender import load_contenders
from wirelab.study import check_against, load_study

CONTENDERS = [*load_contenders(load_domain("games"))]


@pytest.fixture(scope="module")
def games() -> Domain:
    return load_domain("games")


def test_the_shipped_study_fits_its_domain(games: Domain) -> None:
    assert check_against(load_study("kaminski-2022").mentions, games, CONTENDERS) == []


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

    found = check_against(study.mentions, games, CONTENDERS)
    problems = {problem.key: str(problem) for problem in found}

    assert sorted(problems) == [
        "contenders.0",
        "stores.1",
        "workload.fetch.operation",
        "workload.fetch.state",
        "workload.many.parameters.limitt",
        "workload.none.control",
    ]
    assert "did you mean 'rest-flask'?" in problems["contenders.0"]
    assert "one of mongodb, postgresql" in problems["stores.1"]
    assert "did you mean 'read'?" in problems["workload.fetch.operation"]
    assert "did you mean 'hundred'?" in problems["workload.fetch.state"]
    assert "did you mean 'limit'?" in problems["workload.many.parameters.limitt"]
    assert "whose effect is none" in problems["workload.none.control"]
    assert all(str(Path("studies/small/study.toml")) in line for line in problems.values())


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

    where = "studies/small/study.toml: workload"
    assert [str(each) for each in check_against(study.mentions, games, None)] == [
        f"{where}.fetch.parameters.id is 7; expected a text, as the interface describes id of read",
        f"{where}.many.parameters.limit is 'many';"
        " expected a whole number, as the interface describes limit of list",
        f"{where}.most.parameters.limit is 5.5;"
        " expected a whole number, as the interface describes limit of list",
        f"{where}.new.parameters.game is 'a game';"
        " expected a table, as the interface describes game of create",
    ]


def test_a_domain_without_contenders_names_the_files_that_describe_them(games: Domain) -> None:
    (problem,) = check_against(study_of(minimal()).mentions, games, [])

    assert problem.key == "contenders"
    assert "domains/games/contenders/*/contender.toml" in problem.expected


def test_a_forgotten_file_of_contenders_is_the_hint_for_their_names(games: Domain) -> None:
    study = study_of(minimal())
    asked = study.model_copy(update={"contenders": ("rest-wsgi", "rest-flusk")})

    wsgi, flusk = check_against(asked.mentions, games, ["rest-flask"], ["wsgi"])
    (none,) = check_against(study.mentions, games, [], ["wsgi"])

    assert wsgi.hint == none.hint == "contenders/wsgi has no contender.toml"
    assert flusk.hint == "did you mean 'rest-flask'?"


def test_the_example_of_the_documentation_fits_its_domain() -> None:
    study = load_study(Path(__file__).parents[1] / "domain" / "notes-study")

    assert check_against(study.mentions, load_domain(study.domain), study.contenders) == []
