"""The reference against SQL over a small world, and over what the generator makes."""

import json
import re
import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from tests.university.contenders.standing import UNIVERSITY, Connection
from tests.university.contenders.templates import TEMPLATES
from tests.university.contenders.world import EMPTY_UNIVERSITY, world
from wirelab.domain import Refused, load_reference
from wirelab.errors import MissingProgramError
from wirelab.installation.programs import find_program

Tables = dict[str, list[dict[str, Any]]]


def columns() -> dict[str, list[str]]:
    """Return the columns of each table, as the schema spells them."""
    schema = (UNIVERSITY.folder / "store/schema.sql").read_text(encoding="utf-8")
    created = re.findall(r"CREATE TABLE (\w+) \((.*?)\n\);", schema, re.DOTALL)
    return {table: re.findall(r"^  ([a-z]\w+)", body, re.MULTILINE) for table, body in created}


def world_tables() -> Tables:
    spelled = columns()
    return {
        table.lower(): [dict(zip(spelled[table], row, strict=True)) for row in rows]
        for table, rows in world().items()
    }


def reference(tables: Tables, dialect: str = "") -> Any:
    """Return the domain's reference over these rows; a dialect may have other answers."""
    rows: Any = SimpleNamespace(tables=tables)
    return load_reference(UNIVERSITY.in_dialect(dialect), rows)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The rows that the generator makes at scale factor 1."""
    folder = tmp_path_factory.mktemp("made")
    try:
        program = find_program("wirelab-data")
    except MissingProgramError as error:
        pytest.skip(f"no generator here: {error}")
    options = ["--scale-factor", "1", "--format", "ndjson", "--output", str(folder)]
    subprocess.run([program, "university", *options], check=True, capture_output=True)
    return {
        file.stem: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for file in folder.iterdir()
    }


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_is_answered_as_by_sql(name: str, rows: Connection) -> None:
    answers = reference(world_tables())
    template = TEMPLATES[name]
    for values in template.values:
        expected = template.expected(rows, values)[template.root]

        assert answers.call(name.lower(), values) == expected, values


def test_numbers_below_zero_are_refused() -> None:
    answers = reference(world_tables())

    with pytest.raises(Refused) as refused:
        answers.call("qt7", {"universityID": 1, "offset": -1})
    assert refused.value.kind == "invalid"
    with pytest.raises(Refused):
        answers.call("qt8", {"cnt": -1, "attrGStudent1": "id", "attrGStudent2": "advisor"})


def test_nothing_is_counted_without_rows() -> None:
    answers = reference(world_tables())

    with pytest.raises(Refused) as refused:
        answers.call("qt16", {"universityID": EMPTY_UNIVERSITY})
    assert refused.value.kind == "not_found"
    assert answers.call("qt15", {"universityID": EMPTY_UNIVERSITY}) == {
        "graduateStudentConnection": {"aggregate": {"count": 0}}
    }
    assert answers.call("control", {}) == "Query"


def test_the_original_sorts_after_its_limit() -> None:
    parameters = {"cnt": 5, "attrGStudent1": "emailAddress", "attrGStudent2": "advisor"}
    right = reference(world_tables()).call("qt8", parameters)
    original = reference(world_tables(), "original").call("qt8", parameters)

    assert [it["id"] for it in original] == ["10", "11", "12", "13", "14"]
    emails = sorted(row["emailAddress"] for row in world_tables()["graduatestudent"])
    assert [it["emailAddress"] for it in right] == emails[:5]
    # Ordering by the bachelor's university does nothing there.
    parameters = {"cnt": 5, "attrGStudent1": "undergraduateDegreeFrom", "attrGStudent2": "id"}
    original = reference(world_tables(), "original").call("qt8", parameters)
    assert [it["id"] for it in original] == ["10", "11", "12", "13", "14"]


def test_the_original_confuses_the_advisor_with_the_student(made: Tables) -> None:
    students = {row["nr"]: row for row in made["graduatestudent"]}
    advised = students[12]
    university = advised["undergraduateDegreeFrom"]
    interest = next(
        row["researchInterest"] for row in made["professor"] if row["nr"] == advised["advisor"]
    )
    parameters = {"universityID": university, "interestWord": interest.split()[0]}
    field = "undergraduateDegreeObtainedBystudent"
    right = reference(made).call("qt13", parameters)[field]
    original = reference(made, "original").call("qt13", parameters)[field]

    def courses(student: int) -> list[dict[str, str]]:
        taken = made["graduatestudenttakecourse"]
        own = [row["graduateCourseID"] for row in taken if row["graduateStudentID"] == student]
        return [{"id": str(course)} for course in sorted(own)]

    expected = {"emailAddress": advised["emailAddress"], "takeGraduateCourses": courses(12)}
    assert {"id": "12", **expected} in right
    number = advised["advisor"]
    expected["takeGraduateCourses"] = courses(number) if number in students else []
    assert {"id": str(number), **expected} in original


def test_answers_over_generated_rows_are_as_large_as_known(made: Tables) -> None:
    answers = reference(made)

    def former(university: int) -> int:
        answer = answers.call("qt15", {"universityID": university})
        count: int = answer["graduateStudentConnection"]["aggregate"]["count"]
        return count

    counts = [former(row["nr"]) for row in made["university"]]
    assert len(counts) == 979
    assert sum(count > 0 for count in counts) == 850
    assert max(counts) == 7
    assert sum(counts) == 1874
    # Nobody has studied at the only university there is, so this template finds nothing.
    answer = answers.call("qt5", {"departmentID": 3})
    assert answer["subOrganizationOf"] == {"id": "0", "undergraduateDegreeObtainedBystudent": []}
