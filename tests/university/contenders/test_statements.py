"""How many statements each variant sends for a template: what the study is about."""

from collections.abc import Callable

import pytest

from tests.support.undisturbed import undisturbed
from tests.university.contenders.standing import UNIVERSITY as THE_DOMAIN
from tests.university.contenders.standing import Connection, Standing
from tests.university.contenders.templates import TEMPLATES, Values
from wirelab import protocol

UNIVERSITY, DEPARTMENT, LECTURER = 1, 1, 3
DEPARTMENT_OF_WORK = 0
"""A department with a member who took the doctorate at the university."""

VALUES: dict[str, Values] = {
    "QT1": {"facultyID": 1},
    "QT3": {"researchGroupID": 100},
    "QT4": {"lecturerID": LECTURER},
    "QT5": {"departmentID": DEPARTMENT},
    "QT7": {"offset": 1},
    "QT8": {"cnt": 500, "attrGStudent1": "id", "attrGStudent2": "advisor"},
    "QT9": {"attrPublicationField": "title"},
    "QT10": {"keyword": "alpha"},
    "QT12": {"departmentID": DEPARTMENT_OF_WORK},
    "QT13": {"interestWord": "a"},
    "QT14": {"age": 21, "interestWord": "a"},
}
"""Beside the university, which is always the same."""

BATCHED = {
    "QT1": 4, "QT2": 3, "QT3": 4, "QT4": 5, "QT5": 7, "QT6": 4, "QT7": 3, "QT8": 1,
    "QT9": 4, "QT10": 1, "QT11": 2, "QT12": 3, "QT13": 4, "QT14": 4, "QT15": 2, "QT16": 2,
}  # fmt: skip


def query(name: str) -> str:
    return TEMPLATES[name].query({"universityID": UNIVERSITY, **VALUES.get(name, {})})


@pytest.fixture(scope="module")
def numbers(rows: Connection) -> dict[str, int]:
    """How many rows the queries come across, by the letters of the formulas."""

    def count(statement: str) -> int:
        row = rows.execute(f"SELECT count(*) FROM {statement}".encode()).fetchone()
        assert row is not None
        return int(str(row[0]))

    graduates = "graduateStudent s WHERE s.undergraduateDegreeFrom"
    doctors = f"faculty WHERE doctoralDegreeFrom = {UNIVERSITY}"
    interested = """(SELECT 1 FROM professor p WHERE p.nr = s.advisor
                     AND strpos(p.researchInterest, 'a') > 0)"""
    lecturers = f"(SELECT doctoralDegreeFrom FROM faculty WHERE nr = {LECTURER})"
    here = f"(SELECT subOrganizationOf FROM department WHERE nr = {DEPARTMENT})"
    return {
        "doctors": count(doctors),
        "students": count(f"{graduates} = {UNIVERSITY}"),
        "advised": count(f"{graduates} = {UNIVERSITY} AND advisor IS NOT NULL"),
        "advised by lecturer's": count(f"{graduates} = {lecturers} AND advisor IS NOT NULL"),
        "of the department's": count(f"{graduates} = {here}"),
        "with a university": count(
            f"""graduateStudent s JOIN department d ON d.nr = s.memberOf
                WHERE s.undergraduateDegreeFrom = {here} AND d.subOrganizationOf IS NOT NULL"""
        ),
        "second level": count(
            f"""graduateStudent s JOIN department d ON d.nr = s.memberOf
                JOIN graduateStudent t ON t.undergraduateDegreeFrom = d.subOrganizationOf
                WHERE s.undergraduateDegreeFrom = {here}"""
        ),
        "page": count(
            f"""(SELECT * FROM {graduates} = {UNIVERSITY} ORDER BY nr LIMIT 10 OFFSET 1) page
                WHERE advisor IS NOT NULL"""
        ),
        "interested": count(f"{graduates} = {UNIVERSITY} AND EXISTS {interested}"),
        "older": count(f"{graduates} = {UNIVERSITY} AND age > 21 AND EXISTS {interested}"),
        "doctors here": count(f"{doctors} AND worksFor = {DEPARTMENT_OF_WORK}"),
    }


def one_by_one(of: dict[str, int]) -> dict[str, int]:
    """Return the statements that loading row by row takes."""
    return {
        "QT1": 4,
        "QT2": 2 + of["doctors"],
        "QT3": 4,
        "QT4": 3 + 2 * of["advised by lecturer's"],
        "QT5": 3 + of["of the department's"] + 2 * of["with a university"] + of["second level"],
        "QT6": 2 + 2 * of["advised"],
        "QT7": 2 + of["page"],
        "QT8": 1,
        "QT9": 2 + 2 * of["advised"],
        "QT10": 1,
        "QT11": 1 + of["advised"],
        "QT12": 2 + of["doctors here"],
        "QT13": 3 + of["interested"],
        "QT14": 3 + of["older"],
        "QT15": 2,
        "QT16": 2,
    }


def test_the_numbers_distinguish_the_variants(numbers: dict[str, int]) -> None:
    assert min(numbers.values()) >= 1
    assert one_by_one(numbers)["QT5"] > 20 > BATCHED["QT5"]


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("variant", ["graphql-node-naive", "graphql-go-naive"])
def test_naive_sends_a_statement_for_every_row(
    contender_named: Callable[[str], Standing], numbers: dict[str, int], variant: str, name: str
) -> None:
    assert contender_named(variant).count(query(name)) == one_by_one(numbers)[name]


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("variant", ["graphql-node-batching"])
def test_batching_sends_one_statement_for_each_level(
    contender_named: Callable[[str], Standing], variant: str, name: str
) -> None:
    assert contender_named(variant).count(query(name)) == BATCHED[name]


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize(
    "variant", ["graphql-node-batching-caching", "graphql-go-batching-caching"]
)
def test_batching_and_caching_sends_few_statements_for_each_level(
    contender_named: Callable[[str], Standing], variant: str, name: str
) -> None:
    """In Go, a batch ends when no resolver runs any more: a busy scheduler may split a level."""
    contender = contender_named(variant)
    most = BATCHED[name] * (2 if variant.startswith("graphql-go") else 1)

    count = undisturbed(lambda: contender.count(query(name)), lambda count: count <= most)

    assert 1 <= count <= most


@pytest.mark.parametrize("name", ["QT4", "QT5", "QT6", "QT9", "QT11"])
def test_caching_reads_no_row_twice(
    contender_named: Callable[[str], Standing], numbers: dict[str, int], name: str
) -> None:
    caching = contender_named("graphql-node-caching")

    assert BATCHED[name] <= caching.count(query(name)) < one_by_one(numbers)[name]


@pytest.mark.parametrize("name", TEMPLATES)
def test_looking_ahead_sends_one_statement(
    contender_named: Callable[[str], Standing], name: str
) -> None:
    assert contender_named("graphql-node-sql").count(query(name)) == 1


@pytest.mark.parametrize("name", TEMPLATES)
def test_graphjin_sends_one_statement(
    contender_named: Callable[[str], Standing], name: str
) -> None:
    standing = contender_named("graphql-graphjin")
    codec = protocol.get("graphql").bind(THE_DOMAIN.in_dialect("graphjin"), standing.client.path)
    operation = THE_DOMAIN.in_dialect("graphjin").operations[name.lower()]
    values = {"universityID": UNIVERSITY, **VALUES.get(name, {})}
    request = codec.encode(operation, values)
    standing.counter.take()
    reply = standing.client.http.post(
        request.path, headers=dict(request.headers), content=request.body
    )

    assert standing.counter.take() == 1
    assert set(reply.json()) == {"data"}, reply.text


def test_cached_rows_are_dropped_with_the_request(
    contender_named: Callable[[str], Standing],
) -> None:
    for variant in ("graphql-node-caching", "graphql-go-batching-caching"):
        standing = contender_named(variant)

        assert standing.count(query("QT1")) == standing.count(query("QT1")) == 4


def test_caching_reads_exactly_the_different_rows(
    contender_named: Callable[[str], Standing], rows: Connection
) -> None:
    """QT6: the university, its students, each advisor once, each of their departments once."""
    row = rows.execute(
        """SELECT count(DISTINCT advisor), count(DISTINCT worksFor)
           FROM graduateStudent s JOIN faculty f ON f.nr = s.advisor
           WHERE s.undergraduateDegreeFrom = %s""",
        [UNIVERSITY],
    ).fetchone()
    assert row is not None

    count = contender_named("graphql-node-caching").count(query("QT6"))
    assert count == 2 + int(str(row[0])) + int(str(row[1]))
