"""What the templates do not ask: the other fields of the schema, criteria, pages, and refusals."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.university.contenders.standing import Connection, Standing
from tests.university.contenders.templates import column
from tests.university.contenders.world import EMPTY_UNIVERSITY

ONE = "SELECT nr FROM graduateStudent WHERE undergraduateDegreeFrom = 1 ORDER BY nr LIMIT 1"
STUDENT = "university(nr:1) { undergraduateDegreeObtainedBystudent(limit:1)"

OF_ONE = {
    "faculty(nr:8) { teacherOfGraduateCourses": "graduateCourse WHERE teacher = 8",
    "faculty(nr:8) { teacherOfUndergraduateCourses": "undergraduateCourse WHERE teacher = 8",
    "lecturer(nr:6) { publications": "publication WHERE mainAuthor = 6",
    "university(nr:2) { mastergraduateDegreeObtainers": "faculty WHERE masterDegreeFrom = 2",
    "university(nr:2) { doctoralDegreeObtainers": "faculty WHERE doctoralDegreeFrom = 2",
    "university(nr:2) { departments": "department WHERE subOrganizationOf = 2",
    "department(nr:2) { researchGroups": "researchGroup WHERE subOrganizationOf = 2",
    "department(nr:2) { faculties": "faculty WHERE worksFor = 2",
    "department(nr:6) { professors": "faculty JOIN professor USING (nr) WHERE worksFor = 6",
    "department(nr:2) { lecturers": "faculty JOIN lecturer USING (nr) WHERE worksFor = 2",
    "department(nr:2) { graduateStudents": "graduateStudent WHERE memberOf = 2",
    "department(nr:2) { undergraduateStudents": "undergraduateStudent WHERE memberOf = 2",
}
"""A field with entities, and where they are in the store."""
FIELDS = {
    **{
        f"{{ {field} {{ id }}{' }' * field.count('{')} }}": f"SELECT nr FROM {where} ORDER BY nr"
        for field, where in OF_ONE.items()
    },
    "{ faculty(nr:1) { undergraduateDegreeFrom { id } } }": (
        "SELECT undergraduateDegreeFrom FROM faculty WHERE nr = 1"
    ),
    "{ faculty(nr:1) { masterDegreeFrom { id } } }": (
        "SELECT masterDegreeFrom FROM faculty WHERE nr = 1"
    ),
    "{ faculty(nr:1) { worksFor { id } } }": "SELECT worksFor FROM faculty WHERE nr = 1",
    "{ lecturer(nr:3) { worksFor { id } } }": "SELECT worksFor FROM faculty WHERE nr = 3",
    "{ faculty(nr:1) { ... on Professor { supervisedUndergraduateStudents { id } } } }": (
        "SELECT nr FROM undergraduateStudent WHERE advisor = 1 ORDER BY nr"
    ),
    "{ faculty(nr:1) { ... on Professor { supervisedGraduateStudents { id } } } }": (
        "SELECT nr FROM graduateStudent WHERE advisor = 1 ORDER BY nr"
    ),
    "{ university(nr:2) { undergraduateDegreeObtainedByFaculty { id } } }": (
        "SELECT nr FROM faculty WHERE undergraduateDegreeFrom = 2 ORDER BY nr"
    ),
    "{ university(nr:2) { doctoralDegreeObtainers(where:{worksFor:{}}) { id } } }": (
        "SELECT nr FROM faculty WHERE doctoralDegreeFrom = 2 ORDER BY nr"
    ),
    f"{{ {STUDENT} {{ undergraduateDegreeFrom {{ id }} }} }} }}": "SELECT 1",
    f"{{ {STUDENT} {{ assistCourses {{ id }} }} }} }}": (
        f"SELECT nr FROM undergraduateCourse WHERE teachingAssistant IN ({ONE}) ORDER BY nr"
    ),
    "{ graduateStudents(order:[null]) { assistCourses { id } } }": (
        "SELECT nr FROM undergraduateCourse WHERE teachingAssistant IS NOT NULL"
        " ORDER BY teachingAssistant, nr"
    ),
    "{ graduateStudents { takeGraduateCourses { teachedby { id } } } }": (
        """SELECT teacher FROM graduateStudentTakeCourse JOIN graduateCourse
           ON nr = graduateCourseID ORDER BY graduateStudentID, nr"""
    ),
    "{ graduateStudents { takeGraduateCourses { graduateStudents { id } } } }": (
        """SELECT b.graduateStudentID FROM graduateStudentTakeCourse a
           JOIN graduateStudentTakeCourse b USING (graduateCourseID)
           ORDER BY a.graduateStudentID, graduateCourseID, b.graduateStudentID"""
    ),
    "{ department(nr:1) { undergraduateStudents { memberOf { id } } } }": (
        "SELECT 1 FROM undergraduateStudent WHERE memberOf = 1"
    ),
    "{ department(nr:1) { undergraduateStudents { advisor { id } } } }": (
        """SELECT advisor FROM undergraduateStudent
           WHERE memberOf = 1 AND advisor IS NOT NULL ORDER BY nr"""
    ),
    "{ department(nr:1) { undergraduateStudents { takeCourses { id } } } }": (
        """SELECT undergraduateCourseID FROM undergraduateStudentTakeCourse
           JOIN undergraduateStudent ON nr = undergraduateStudentID
           WHERE memberOf = 1 ORDER BY nr, undergraduateCourseID"""
    ),
    "{ faculty(nr:8) { teacherOfUndergraduateCourses { undergraduateStudents { id } } } }": (
        """SELECT undergraduateStudentID FROM undergraduateStudentTakeCourse
           JOIN undergraduateCourse ON nr = undergraduateCourseID
           WHERE teacher = 8 ORDER BY nr, undergraduateStudentID"""
    ),
    "{ faculty(nr:8) { teacherOfUndergraduateCourses { teachingAssistants { id } } } }": (
        """SELECT teachingAssistant FROM undergraduateCourse
           WHERE teacher = 8 AND teachingAssistant IS NOT NULL ORDER BY nr"""
    ),
    "{ faculty(nr:8) { teacherOfUndergraduateCourses { teachedby { id } } } }": (
        "SELECT teacher FROM undergraduateCourse WHERE teacher = 8"
    ),
    """{ publicationSearch(field:abstract, criterion:CONTAINS, pattern:"alpha") {
         authors { id } } }""": (
        """SELECT author FROM (
             SELECT nr, 0 AS place, mainAuthor AS author FROM publication
             WHERE strpos(abstract, 'alpha') > 0
             UNION ALL SELECT nr, 1, graduateStudentID FROM publication
             JOIN coAuthorOfPublication ON publicationID = nr
             WHERE strpos(abstract, 'alpha') > 0) a ORDER BY nr, place, author"""
    ),
    '{ publicationSearch(field:title, criterion:START_WITH, pattern:"alpha") { id } }': (
        "SELECT nr FROM publication WHERE left(title, 5) = 'alpha' ORDER BY nr"
    ),
    '{ publicationSearch(field:title, criterion:END_WITH, pattern:"beta ") { id } }': (
        "SELECT nr FROM publication WHERE right(title, 5) = 'beta ' ORDER BY nr"
    ),
    '{ publicationSearch(field:title, criterion:END_WITH, pattern:"beta") { id } }': (
        "SELECT nr FROM publication WHERE right(title, 4) = 'beta' ORDER BY nr"
    ),
    '{ publicationSearch(field:title, criterion:EQUALS, pattern:"same ") { id } }': (
        "SELECT nr FROM publication WHERE title = 'same ' ORDER BY nr"
    ),
    "{ faculty(nr:1) { ... on Professor { publications(order:{field:abstract}) { id } } } }": (
        """SELECT nr FROM publication WHERE mainAuthor = 1 ORDER BY abstract COLLATE "C", nr"""
    ),
    "{ faculty(nr:1) { ... on Professor { publications(order:{direction:DESC}) { id } } } }": (
        "SELECT nr FROM publication WHERE mainAuthor = 1 ORDER BY nr"
    ),
    "{ graduateStudents(limit:3) { id } }": "SELECT nr FROM graduateStudent ORDER BY nr LIMIT 3",
    "{ graduateStudents(limit:0, order:[advisor]) { id } }": (
        "SELECT nr FROM graduateStudent ORDER BY advisor NULLS LAST, nr"
    ),
    "{ university(nr:1) { undergraduateDegreeObtainedBystudent(offset:2) { id } } }": (
        "SELECT nr FROM graduateStudent WHERE undergraduateDegreeFrom = 1 ORDER BY nr OFFSET 2"
    ),
}
"""A query, and the ids that stand in its answer, in their order."""

CONDITIONS = {
    "{}": "true",
    "{age:{criterion:LESSTHAN, pattern:23}}": "age < 23",
    "{age:{criterion:MORETHAN, pattern:23}}": "age > 23",
    "{age:{criterion:EQUALS, pattern:23}}": "age = 23",
    "{age:{pattern:23}}": "true",
    "{advisor:{nr:4}}": "advisor = 4",
    "{advisor:{}}": "true",
    "{university:{nr:3}, advisor:{nr:1}}": "undergraduateDegreeFrom = 3 AND advisor = 1",
    '{advisor:{researchInterest:{criterion:START_WITH, pattern:"alpha"}}}': (
        "advisor IN (SELECT nr FROM professor WHERE left(researchInterest, 5) = 'alpha')"
    ),
    '{advisor:{nr:1, researchInterest:{criterion:CONTAINS, pattern:"_"}}}': (
        "advisor = 1 AND EXISTS"
        " (SELECT 1 FROM professor WHERE nr = 1 AND strpos(researchInterest, '_') > 0)"
    ),
    "{AND:[{age:{criterion:MORETHAN, pattern:21}}, {age:{criterion:LESSTHAN, pattern:25}}]}": (
        "age > 21 AND age < 25"
    ),
    "{AND:[]}": "true",
    """{age:{criterion:MORETHAN, pattern:21}, AND:{AND:{
         advisor:{researchInterest:{criterion:CONTAINS, pattern:"a"}}}}}""": (
        "age > 21 AND advisor IN (SELECT nr FROM professor WHERE strpos(researchInterest, 'a') > 0)"
    ),
    '{university:{nr:"no number"}}': "false",
}
"""A filter of graduate students, and the same in SQL."""


def ids(value: Any) -> Iterator[str]:
    """Yield all ids in a document, in its order."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "id":
                yield item
            else:
                yield from ids(item)
    elif isinstance(value, list):
        for item in value:
            yield from ids(item)


@cache
def selected(rows: Connection, statement: str) -> list[str]:
    """Return what the store says, which is asked once for all contenders."""
    return [str(number) for number in column(rows, statement)]


@pytest.mark.parametrize("query", FIELDS)
def test_the_other_fields_match_the_store(
    contender: Standing, rows: Connection, query: str
) -> None:
    assert list(ids(contender.client.data(query))) == selected(rows, FIELDS[query])


def test_the_data_contain_ids_for_most_fields(rows: Connection) -> None:
    empty = [query for query, statement in FIELDS.items() if not selected(rows, statement)]

    assert len(empty) <= 1, empty


@pytest.mark.parametrize("condition", CONDITIONS)
def test_filters_hold_at_the_root_and_at_a_university(
    contender: Standing, rows: Connection, condition: str
) -> None:
    data = contender.client.data(
        f"""{{ graduateStudents(where:{condition}) {{ id }}
               page: graduateStudents(where:{condition}, limit:2, order:[emailAddress]) {{ id }}
               university(nr:3) {{
                 all: undergraduateDegreeObtainedBystudent(where:{condition}) {{ id }}
                 page: undergraduateDegreeObtainedBystudent(where:{condition}, limit:2, offset:1) {{
                   id }} }} }}"""
    )
    where = f"FROM graduateStudent WHERE {CONDITIONS[condition]}"
    here = f"SELECT nr {where} AND undergraduateDegreeFrom = 3 ORDER BY nr"

    assert list(ids(data["graduateStudents"])) == selected(rows, f"SELECT nr {where} ORDER BY nr")
    page = f'SELECT nr {where} ORDER BY emailAddress COLLATE "C", nr LIMIT 2'
    assert list(ids(data["page"])) == selected(rows, page)
    assert list(ids(data["university"]["all"])) == selected(rows, here)
    assert list(ids(data["university"]["page"])) == selected(rows, f"{here} LIMIT 2 OFFSET 1")


def test_scalars_types_and_aliases(contender: Standing) -> None:
    data = contender.client.data(
        """query Mixed($one: ID!, $age: Boolean = false) {
             someone: faculty(nr: $one) { ...Contact }
             other: faculty(nr: 3) { ...Contact }
             lecturer(nr: 3) { position }
             department(nr: 1) { head { profType researchInterest telephone } graduateStudents {
               id @skip(if: true) age @include(if: $age) kind: __typename } }
             publicationSearch(field: title, criterion: EQUALS, pattern: "same ") {
               authors { __typename id telephone } }
           }
           fragment Contact on Faculty { __typename key: id telephone emailAddress
             ... on Professor { profType } ... on Lecturer { position } }""",
        one="1",
    )

    assert data["someone"]["__typename"] == "Professor"
    assert data["someone"]["key"] == "1"
    assert data["someone"]["profType"].endswith("Professor")
    assert data["other"] == {
        "__typename": "Lecturer",
        "key": "3",
        "telephone": "xxx-xxx-xxxx",
        "emailAddress": "faculty3@example.edu",
        "position": "Lecturer",
    }
    assert data["lecturer"] == {"position": "Lecturer"}
    assert set(data["department"]["head"]) == {"profType", "researchInterest", "telephone"}
    assert {"kind": "GraduateStudent"} in data["department"]["graduateStudents"]
    first = data["publicationSearch"][0]["authors"][0]
    assert first == {"__typename": "Professor", "id": "1", "telephone": "xxx-xxx-xxxx"}


@pytest.mark.parametrize("number", ["404", '"no number"', "2147483648", "-1", '""', '"0x1"'])
def test_a_missing_number_is_null(contender: Standing, number: str) -> None:
    query = " ".join(
        f"{field}(nr:{number}) {{ id }}"
        for field in ("faculty", "university", "researchGroup", "lecturer", "department")
    )

    assert set(contender.client.data(f"{{ {query} }}").values()) == {None}


def test_over_no_students_there_is_a_count_but_no_average(contender: Standing) -> None:
    response = contender.client.response(
        f"""{{ university(nr:{EMPTY_UNIVERSITY}) {{ id
              graduateStudentConnection {{ aggregate {{ count age {{ avg }} }} }} }} }}"""
    )
    count = contender.client.data(
        f"{{ university(nr:{EMPTY_UNIVERSITY})"
        " { graduateStudentConnection { aggregate { count } } } }"
    )

    assert response["data"] == {
        "university": {"id": str(EMPTY_UNIVERSITY), "graduateStudentConnection": None}
    }
    assert [error["extensions"]["code"] for error in response["errors"]] == ["NOT_FOUND"]
    assert count["university"]["graduateStudentConnection"] == {"aggregate": {"count": 0}}


def test_all_four_aggregates(contender: Standing, rows: Connection) -> None:
    data = contender.client.data(
        """{ university(nr:1) {
               graduateStudentConnection { aggregate { age { sum avg max min } } } } }"""
    )
    age = data["university"]["graduateStudentConnection"]["aggregate"]["age"]
    expected = rows.execute(
        """SELECT sum(age), avg(age)::float8, max(age), min(age) FROM graduateStudent
           WHERE undergraduateDegreeFrom = 1"""
    ).fetchone()

    assert tuple(age.values()) == expected


@pytest.mark.parametrize("page", ["limit:-1", "offset:-1"])
def test_an_invalid_page_is_refused(contender: Standing, page: str) -> None:
    response = contender.client.response(
        f"{{ university(nr:1) {{ undergraduateDegreeObtainedBystudent({page}) {{ id }} }} }}"
    )

    assert [error["extensions"]["code"] for error in response["errors"]] == ["BAD_USER_INPUT"]
    assert "negative" in response["errors"][0]["message"]


def test_selections_of_one_field_are_merged(contender: Standing, rows: Connection) -> None:
    """Wherever they are written: under the interface, the type, or both, and for each row alike."""
    selection = """publications { id } doctoralDegreeFrom { id }
        ... on Faculty { doctoralDegreeFrom { departments { id } } }
        ... on Professor { publications { title } best: publications(order: {field: title}) { id } }
        ... on Lecturer { first: publications { title } }"""
    data = contender.client.data(
        f"""{{ one: faculty(nr: 1) {{ {selection} }} other: faculty(nr: 3) {{ {selection} }}
               university(nr: 1) {{ doctoralDegreeObtainers {{ id {selection} }} }} }}"""
    )

    professor, lecturer = data["one"], data["other"]
    assert set(professor) == {"publications", "doctoralDegreeFrom", "best"}
    assert set(lecturer) == {"publications", "doctoralDegreeFrom", "first"}
    assert {frozenset(it) for it in professor["publications"]} == {frozenset({"id", "title"})}
    assert {frozenset(it) for it in lecturer["publications"]} <= {frozenset({"id"})}
    departments = """SELECT d.nr FROM department d JOIN faculty f
        ON f.doctoralDegreeFrom = subOrganizationOf WHERE f.nr = 1 ORDER BY d.nr"""
    best = 'SELECT nr FROM publication WHERE mainAuthor = 1 ORDER BY title COLLATE "C", nr'
    assert list(ids(professor["doctoralDegreeFrom"]["departments"])) == selected(rows, departments)
    assert list(ids(professor["best"])) == selected(rows, best)
    holders = data["university"]["doctoralDegreeObtainers"]
    assert {"best" in it for it in holders} == {True, False}
    assert next(it for it in holders if it["id"] == "3") == {"id": "3", **lecturer}
