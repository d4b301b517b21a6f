"""A paper checked against itself: vector V14 and what its words and tables disagree on."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.study.builder import minimal, study_of
from wirelab.claims import ConsistencyFinding, check_consistency, names_in
from wirelab.study import Published, Study, load_study
from wirelab.terminal.words import NO_BREAK


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("kaminski-2022")


@pytest.fixture(scope="module")
def findings(study: Study) -> list[ConsistencyFinding]:
    return check_consistency(study)


def starting_with(text: str, findings: list[ConsistencyFinding]) -> ConsistencyFinding:
    (found,) = (finding for finding in findings if finding.text.startswith(text))
    return found


def failing(finding: ConsistencyFinding) -> Iterator[str]:
    return (line.label for line in finding.lines if line.holds is False)


V14 = {
    "insert_one": (1.065, 1.782, 0.861, 1.217),
    "fetch_one": (1.149, 1.714, 0.960, 1.258),
    "fetch_hundred": (1.232, 1.010, 1.042, 1.076),
}
"""Container over native for REST, gRPC, GraphQL and WebSocket, in this order."""


def test_v14_container_over_native(findings: list[ConsistencyFinding]) -> None:
    ratios = {
        line.label: line.value for line in starting_with("what the container", findings).lines
    }

    expected = {
        f"{contender} · {workload}": ratio
        for workload, row in V14.items()
        for contender, ratio in zip(
            ("rest-flask", "grpc-grpcio", "graphql-graphene", "websocket-flask-sock"),
            row,
            strict=True,
        )
    }
    assert ratios == pytest.approx(expected, abs=5e-4)


def test_the_largest_maximum_needs_about_a_thousand_requests(
    findings: list[ConsistencyFinding],
) -> None:
    counts = {line.label: line.value for line in starting_with("requests behind", findings).lines}

    # By hand: ((90272 - 2950) / 2789)² + 1 = 981.3.
    assert len(counts) == 24
    assert (
        max(counts, key=lambda label: counts[label])
        == "websocket-flask-sock · insert_one · container"
    )
    assert max(counts.values()) == math.ceil(((90272 - 2950) / 2789) ** 2 + 1) == 982


def test_every_claim_follows_from_the_papers_own_tables(
    findings: list[ConsistencyFinding],
) -> None:
    claims = [finding for finding in findings if finding.text[0] == "K"]

    lines = {claim.claim: len(claim.lines) for claim in claims}
    numbers = {1: 6, 2: 12, 3: 6, 4: 6, 5: 9, 6: 1, 8: 4, 9: 6, 10: 9}
    assert lines == {f"K{number}": count for number, count in numbers.items()} | {"K7-new": 12}
    assert all(claim.holds for claim in claims)


def test_a_ratio_is_shown_beside_the_printed_figures(findings: list[ConsistencyFinding]) -> None:
    lines = starting_with("what the container", findings).lines
    (claimed,) = starting_with("gRPC's latency", check_consistency(load_study("muppaneni"))).lines

    by_label = {line.label: line.figures.replace(NO_BREAK, " ") for line in lines}
    assert by_label["rest-flask · insert_one"] == "2.42 ms / 2.28 ms"
    assert claimed.label == "3 × grpc-aio below rest-fastapi · interactions"
    assert claimed.figures.replace(NO_BREAK, " ") == "3 × 45.0 ms / 120 ms"
    assert claimed.value == pytest.approx(3 * 45 / 120)
    assert claimed.holds is False


def test_derived_figures_have_the_names_of_the_report(study: Study) -> None:
    names = names_in(study, {"rest-flask": "REST"})
    findings = check_consistency(study, names)
    title = study.workloads["insert_one"].title

    for text in ("what the container", "requests behind each row"):
        labels = [line.label for line in starting_with(text, findings).lines]
        assert any(label.startswith(f"REST · {title}") for label in labels), labels
        assert not any("rest-flask" in label for label in labels)


@pytest.mark.parametrize(
    ("text", "against"),
    [
        (
            "fetching one game is",
            ["native below container · graphql-graphene · fetch_one"],
        ),
        (
            "fetching one game, WebSocket",
            ["websocket-flask-sock above graphql-graphene · fetch_one · native"],
        ),
        ("inserting, WebSocket's maximum", []),
        (
            "GraphQL is the",
            [
                "graphql-graphene above rest-flask · fetch_hundred · container",
                "graphql-graphene above websocket-flask-sock · fetch_hundred · container",
                "graphql-graphene above websocket-flask-sock · fetch_hundred · native",
            ],
        ),
        ("gRPC transfers", ["grpc-grpcio below rest-flask · insert_one · container"]),
        ("REST is slower", ["grpc-grpcio below rest-flask · insert_one · container"]),
        ("fetching a hundred games, GraphQL", []),
        (
            "the container is",
            [
                "native below container · rest-flask · insert_one",
                "native below container · graphql-graphene · insert_one",
            ],
        ),
    ],
)
def test_statements_are_compared_with_tables(
    findings: list[ConsistencyFinding], text: str, against: list[str]
) -> None:
    finding = starting_with(text, findings)

    assert list(failing(finding)) == against
    assert finding.holds == (not against)


COLUMNS = ["latency_mean_us", "latency_sd_us", "latency_max_us"]
DIRECTION = {"kind": "direction", "metric": "latency_mean_us"}


def checked(
    check: Mapping[str, Any], rest: tuple[float, ...], grpc: tuple[float, ...]
) -> list[ConsistencyFinding]:
    """Check a table with one row each of REST and gRPC: mean, standard deviation, maximum."""
    rows = [{"contender": "R", "values": rest}, {"contender": "G", "values": grpc}]
    printed = {"contender": {"R": "rest", "G": "grpc"}}
    published = Published.model_validate(
        {
            "names": printed,
            "table": [{"source": "Table 1", "title": "t", "columns": COLUMNS, "rows": rows}],
            "check": [{"text": "so it is", **check}],
        },
        context={"printed": printed},
    )
    return check_consistency(study_of(minimal()).model_copy(update={"published": published}))


@pytest.mark.parametrize(
    "check",
    [
        {
            "kind": "quotients",
            "metric": "latency_mean_us",
            "compare": "contender",
            "numerator": "grpc",
            "denominator": "rest",
        },
        {
            "kind": "statement",
            "source": "p. 1",
            "expect": [{**DIRECTION, "lower": "grpc", "higher": "rest"}],
        },
    ],
)
def test_no_ratio_is_taken_of_a_published_zero(check: Mapping[str, Any]) -> None:
    assert not checked(check, rest=(0.0, 1.0, 9.0), grpc=(3.0, 1.0, 9.0))


def test_a_published_deviation_of_zero_bounds_no_number_of_requests() -> None:
    mean, sd, largest = COLUMNS
    check = {"kind": "least_samples", "mean": mean, "sd": sd, "extremes": [largest]}

    (found,) = checked(check, rest=(3.0, 0.0, 9.0), grpc=(3.0, 1.0, 9.0))

    assert [line.label for line in found.lines] == ["grpc"]


@pytest.mark.parametrize("kind", ["lowest", "highest"])
def test_equal_figures_support_no_extreme(kind: str) -> None:
    extreme = {"kind": kind, "metric": "latency_mean_us", "level": "rest"}
    check = {
        "kind": "statement",
        "source": "p. 1",
        "expect": [{**extreme, "among": ["rest", "grpc"]}],
    }

    (found,) = checked(check, rest=(3.0, 1.0, 9.0), grpc=(3.0, 1.0, 9.0))

    assert found.holds is False
