"""Printed figures held against one another, and what quina-mera-2025 prints (vector V14)."""

from collections.abc import Iterator

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.support.wording import assert_worded
from wirelab.claims import ConsistencyFinding, check_consistency
from wirelab.claims.arithmetic import lines_of
from wirelab.study import load_study
from wirelab.study.arithmetic import ArithmeticCheck

CHECK: TypeAdapter[ArithmeticCheck] = TypeAdapter(ArithmeticCheck)


@pytest.fixture(scope="module")
def findings() -> list[ConsistencyFinding]:
    return check_consistency(load_study("quina-mera-2025"))


def starting_with(text: str, findings: list[ConsistencyFinding]) -> ConsistencyFinding:
    (found,) = (finding for finding in findings if finding.text.startswith(text))
    return found


def against(finding: ConsistencyFinding) -> Iterator[str]:
    return (line.label.partition(":")[0] for line in finding.lines if line.holds is False)


def test_v14_gains_of_docker(findings: list[ConsistencyFinding]) -> None:
    gains = starting_with("by how much Docker", findings)

    assert gains.holds
    assert [round(line.value, 2) for line in gains.lines] == [
        29.64, 39.79, 20.44, 7.04, 38.79, 43.33, 20.73, 19.98,
    ]  # fmt: skip


def test_a_percentage_relative_to_the_other_side_is_named(
    findings: list[ConsistencyFinding],
) -> None:
    gains = starting_with("by how much GraphQL", findings)

    assert gains.holds
    assert_worded("\n".join(line.label for line in gains.lines[:3]))


def test_v14_averages(findings: list[ConsistencyFinding]) -> None:
    averages = starting_with("the averages", findings)

    assert averages.holds
    assert [line.value for line in averages.lines] == pytest.approx(
        [24.2275, 30.7075, 0.3825, 8.6825]
    )


def test_an_overall_mean_does_not_follow_from_the_tables(
    findings: list[ConsistencyFinding],
) -> None:
    overall = starting_with("the overall means", findings)

    # By hand: (4 * 363.91 + 5 * (496.79 + 898.11 + 2697.58)) / 19 = 1153.58, printed is 1149.820.
    assert "localhost REST" in against(overall)
    assert "localhost GraphQL" not in against(overall)
    assert overall.lines[1].value == pytest.approx(1153.58, abs=0.005)


def test_v14_the_intervals_take_95_values(findings: list[ConsistencyFinding]) -> None:
    intervals = starting_with("a treatment has 380", findings)

    assert [line.value for line in intervals.lines] == [95] * 4
    assert intervals.holds is False


def test_v14_no_difference_is_significant_by_the_papers_own_summary(
    findings: list[ConsistencyFinding],
) -> None:
    difference = starting_with("the difference between Docker", findings)

    assert [line.value for line in difference.lines] == pytest.approx([0.62, 0.44], abs=0.005)
    assert difference.holds is False


def test_text_and_table_differ_about_cu2(findings: list[ConsistencyFinding]) -> None:
    assert list(against(starting_with("what Docker gains", findings))) == ["CU2 GraphQL"]
    assert starting_with("for CU2 GraphQL", findings).holds is False
    assert starting_with("for CU1 and", findings).holds


def test_every_claim_follows_from_the_papers_own_tables(
    findings: list[ConsistencyFinding],
) -> None:
    claims = [finding for finding in findings if finding.text[0] == "Q"]

    names = "Q1 Q1-compose Q2 Q3 Q4 Q5 Q5-compose"
    assert {claim.claim for claim in claims} == {*names.split()}
    assert all(claim.holds for claim in claims)


def checked(kind: str, **row: object) -> tuple[float, bool | None]:
    check = CHECK.validate_python(
        {"kind": kind, "text": "", "source": "here and there", "rows": [{"at": "x", **row}]}
    )
    (line,) = lines_of(check)
    assert line.label.startswith("x: ")
    return line.value, line.holds


def test_weights_are_the_number_of_values_of_a_part() -> None:
    parts = {"printed": "2.5", "parts": ["1.0", "3.0"]}

    assert checked("average", **parts, weights=[1, 3]) == (2.5, True)
    assert checked("average", **parts) == (2.0, False)


def test_two_groups_far_apart_differ() -> None:
    near, far = {"mean": "1.0", "sd": "0.1", "count": 9}, {"mean": "2", "sd": "0.1", "count": 9}

    assert checked("difference", a=near, b=far)[1] is True
    assert checked("difference", a=near, b=near) == (1.0, False)


def test_an_interval_that_fits_no_number_contradicts_the_text() -> None:
    spread = {"mean": "10", "sd": "1.00", "low": "11.0", "high": "12.0", "count": 5}

    assert checked("interval", **spread) == (0, False)


def test_an_interval_fits_every_number_that_rounding_permits() -> None:
    spread = {"mean": "120.0", "sd": "15.0", "low": "117.0", "high": "123.0"}

    assert checked("interval", **spread, count=100) == (98, True)
    assert checked("interval", **spread, count=110)[1] is False


@pytest.mark.parametrize("printed", ["12,5", "twelve", "1e3", ""])
def test_a_figure_is_a_number_with_a_decimal_point(printed: str) -> None:
    with pytest.raises(ValidationError):
        checked("same", first=printed, second="1")


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("gain", {"printed": "50", "improved": "1", "base": "0.0"}),
        ("interval", {"mean": "3.0", "sd": "0", "low": "3.0", "high": "3.0", "count": 10}),
        ("average", {"printed": "2.0", "parts": ["1.0", "3.0"], "weights": [1]}),
    ],
    ids=["no base", "no deviation", "too few weights"],
)
def test_figures_that_allow_no_check_are_refused(kind: str, row: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        checked(kind, **row)

    (reason,) = (each for each in refused.value.errors() if each["type"] == "value_error")
    assert_worded(reason["msg"])


def test_v14_clients_that_muppanenis_table_keeps_busy() -> None:
    clients = starting_with("throughput times", check_consistency(load_study("muppaneni")))

    assert [line.value for line in clients.lines] == pytest.approx([96.0, 85.5, 67.5])
    assert list(against(clients)) == ["GraphQL", "gRPC"]
