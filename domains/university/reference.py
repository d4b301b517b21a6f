"""The universities in memory: what every contender must answer to the sixteen templates.

It shares no code with the contenders, so that a mistake of theirs is not a mistake of both.

Answers follow the benchmark's specification. Its own servers deviate from it in two places, which
somebody who compares with their results can have as they were (`original_defects`). The type that
queries begin with has another name in some dialects (`root_type`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from wirelab.domain import Refused

Row = dict[str, Any]
Tables = dict[str, list[Row]]
Answer = dict[str, Any]

ORDERED_AS_NUMBERS = {"id": "nr"}
"""Fields of a graduate student in whose place another column is compared."""


class Reference:
    """The tables of one scale factor, and the questions that are asked of them.

    `tables` has the rows by the name of their table in small letters, each row with the columns as
    the benchmark spells them. Ids are the numbers (`nr`) as text, as GraphQL gives them.
    """

    def __init__(
        self, tables: Tables, *, original_defects: bool = False, root_type: str = "Query"
    ) -> None:
        self._original_defects = original_defects
        self._root_type = root_type
        self._universities = _by_number(tables["university"])
        self._departments = _by_number(tables["department"])
        self._research_groups = _by_number(tables["researchgroup"])
        self._faculty = _by_number(tables["faculty"])
        self._professors = _by_number(tables["professor"])
        self._lecturers = _by_number(tables["lecturer"])
        self._students = _by_number(tables["graduatestudent"])
        self._publications = _by_number(tables["publication"])
        self._heads = {row["headOf"]: nr for nr, row in self._professors.items() if "headOf" in row}
        self._graduates = _groups(self._students.values(), "undergraduateDegreeFrom")
        self._doctors = _groups(self._faculty.values(), "doctoralDegreeFrom")
        self._written = _groups(self._publications.values(), "mainAuthor")
        self._courses: dict[int, list[int]] = defaultdict(list)
        for row in tables["graduatestudenttakecourse"]:
            self._courses[row["graduateStudentID"]].append(row["graduateCourseID"])

    def call(self, operation: str, parameters: dict[str, Any]) -> object:
        """Answer one template (`qt1` … `qt16`), or the control; Refused where a number is wrong."""
        method: Callable[..., object] = getattr(self, f"_{operation}")
        return method(**parameters)

    def _control(self) -> str:
        return self._root_type

    def _qt1(self, facultyID: int) -> Answer | None:  # noqa: N803
        person = self._faculty.get(facultyID)
        if person is None:
            return None
        university = person["doctoralDegreeFrom"]
        return {"doctoralDegreeFrom": _former(map(_contact, self._graduates[university]))}

    def _qt2(self, universityID: int) -> Answer | None:  # noqa: N803
        if universityID not in self._universities:
            return None
        doctors = [
            {"publications": [{"title": it["title"]} for it in self._written[doctor["nr"]]]}
            for doctor in self._doctors[universityID]
        ]
        return {"doctoralDegreeObtainers": doctors}

    def _qt3(self, researchGroupID: int) -> Answer | None:  # noqa: N803
        group = self._research_groups.get(researchGroupID)
        if group is None:
            return None
        nr = self._heads.get(group["subOrganizationOf"])
        if nr is None:
            return {"subOrganizationOf": {"head": None}}
        head = self._faculty[nr]
        doctorate = {"doctoralDegreeFrom": _id(head["doctoralDegreeFrom"])}
        return {"subOrganizationOf": {"head": _contact(head) | doctorate}}

    def _qt4(self, lecturerID: int) -> Answer | None:  # noqa: N803
        if lecturerID not in self._lecturers:
            return None
        university = self._faculty[lecturerID]["doctoralDegreeFrom"]
        students = [
            _contact(it) | {"advisor": self._at_work(it.get("advisor"), _contact)}
            for it in self._graduates[university]
        ]
        return {"doctoralDegreeFrom": _id(university) | _former(students)}

    def _qt5(self, departmentID: int) -> Answer | None:  # noqa: N803
        department = self._departments.get(departmentID)
        if department is None:
            return None
        return self._university_and_back(department, self._department_and_back)

    def _qt6(self, universityID: int) -> Answer | None:  # noqa: N803
        return self._of_students(
            universityID, lambda it: {"advisor": self._at_work(it.get("advisor"))}
        )

    def _qt7(self, universityID: int, offset: int) -> Answer | None:  # noqa: N803
        if universityID not in self._universities:
            return None
        page = self._graduates[universityID][_count(offset) :][:10]
        return _former({"advisor": _id_if(it.get("advisor"))} for it in page)

    def _qt8(self, cnt: int, attrGStudent1: str, attrGStudent2: str) -> list[Answer]:  # noqa: N803
        students = list(self._students.values())
        limit = _count(cnt) or len(students)
        keys = [attrGStudent1, attrGStudent2]
        if self._original_defects:
            # The limit came first, and one field had another name than the object it is in.
            students = students[:limit]
            keys = [key for key in keys if key != "undergraduateDegreeFrom"]
        columns = [ORDERED_AS_NUMBERS.get(key, key) for key in keys]
        students.sort(key=lambda it: [_nothing_last(it.get(column)) for column in columns])
        return [_contact(it) | {"telephone": it["telephone"]} for it in students[:limit]]

    def _qt9(self, universityID: int, attrPublicationField: str) -> Answer | None:  # noqa: N803
        if universityID not in self._universities:
            return None

        def publications(student: Row) -> Answer:
            if "advisor" not in student:
                return {"advisor": None}
            written = self._written[student["advisor"]]
            # Sorting keeps the order of what is equal, so ties stay in the order of the numbers.
            ordered = sorted(written, key=lambda it: it[attrPublicationField], reverse=True)
            return {"advisor": {"publications": [_id(it["nr"]) for it in ordered]}}

        return _former(map(publications, self._graduates[universityID][:50]))

    def _qt10(self, keyword: str) -> list[Answer]:
        return [
            _id(it["nr"]) | {"title": it["title"], "abstract": it["abstract"]}
            for it in self._publications.values()
            if keyword in it["title"]
        ]

    def _qt11(self, universityID: int) -> list[Answer]:  # noqa: N803
        students = self._graduates[universityID]
        return [_id(it["nr"]) | {"advisor": _id_if(it.get("advisor"))} for it in students]

    def _qt12(self, universityID: int, departmentID: int) -> Answer | None:  # noqa: N803
        if universityID not in self._universities:
            return None
        doctors = [
            _contact(it) | {"publications": [_id(row["nr"]) for row in self._written[it["nr"]]]}
            for it in self._doctors[universityID]
            if it["worksFor"] == departmentID
        ]
        return {"doctoralDegreeObtainers": doctors}

    def _qt13(self, universityID: int, interestWord: str) -> Answer | None:  # noqa: N803
        return self._of_students(universityID, self._taking, self._interested(interestWord))

    def _qt14(self, universityID: int, age: int, interestWord: str) -> Answer | None:  # noqa: N803
        interested = self._interested(interestWord)
        return self._of_students(
            universityID, self._taking, lambda it: it.get("age", age) > age and interested(it)
        )

    def _qt15(self, universityID: int) -> Answer | None:  # noqa: N803
        if universityID not in self._universities:
            return None
        count = len(self._graduates[universityID])
        return {"graduateStudentConnection": {"aggregate": {"count": count}}}

    def _qt16(self, universityID: int) -> Answer | None:  # noqa: N803
        if universityID not in self._universities:
            return None
        ages = [it["age"] for it in self._graduates[universityID] if "age" in it]
        if not ages:
            # Of nobody there is no average, and the schema has no place for none.
            raise Refused("not_found")
        statistics = {"avg": sum(ages) / len(ages), "max": max(ages), "min": min(ages)}
        return {"graduateStudentConnection": {"aggregate": {"age": statistics}}}

    def _of_students(
        self,
        university: int,
        told: Callable[[Row], Answer],
        wanted: Callable[[Row], bool] = lambda _: True,
    ) -> Answer | None:
        """Return what is told of the former students of a university, if there is one."""
        if university not in self._universities:
            return None
        return _former(told(it) for it in self._graduates[university] if wanted(it))

    def _interested(self, word: str) -> Callable[[Row], bool]:
        interested = {
            nr for nr, row in self._professors.items() if word in row.get("researchInterest", "")
        }
        return lambda it: it.get("advisor") in interested

    def _taking(self, student: Row) -> Answer:
        # Where the original joined students and advisors, the advisor's number won.
        number = student["advisor"] if self._original_defects else student["nr"]
        courses = [_id(course) for course in sorted(self._courses[number])]
        return _id(number) | {
            "emailAddress": student["emailAddress"],
            "takeGraduateCourses": courses,
        }

    def _at_work(
        self, nr: int | None, told: Callable[[Row], Answer] = lambda _: {}
    ) -> Answer | None:
        """Return what is told of an advisor, if there is one, and the department."""
        if nr is None:
            return None
        person = self._faculty[nr]
        return told(person) | {"worksFor": _id(person["worksFor"])}

    def _university_and_back(self, department: Row, told: Callable[[int], Answer]) -> Answer:
        """Return a department, its university, and where the former students of that are now."""
        answer = _id(department["nr"])
        university = department.get("subOrganizationOf")
        if university is None:
            return answer | {"subOrganizationOf": None}
        students = [
            _contact(it) | {"memberOf": told(it["memberOf"])} for it in self._graduates[university]
        ]
        return answer | {"subOrganizationOf": _id(university) | _former(students)}

    def _department_and_back(self, nr: int) -> Answer:
        return self._university_and_back(self._departments[nr], _id)


def _by_number(rows: list[Row]) -> dict[int, Row]:
    """Return the rows by number, in the order of the numbers, without what is null in them."""
    return {
        row["nr"]: {name: value for name, value in row.items() if value is not None}
        for row in sorted(rows, key=lambda it: it["nr"])
    }


def _groups(rows: Iterable[Row], column: str) -> dict[int, list[Row]]:
    groups: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if column in row:
            groups[row[column]].append(row)
    return groups


def _id(nr: int) -> Answer:
    return {"id": str(nr)}


def _id_if(nr: int | None) -> Answer | None:
    return None if nr is None else _id(nr)


def _nothing_last(value: Any) -> tuple[bool, Any]:
    return (value is None, value)


def _contact(person: Row) -> Answer:
    return _id(person["nr"]) | {"emailAddress": person["emailAddress"]}


def _former(students: Iterable[Answer]) -> Answer:
    return {"undergraduateDegreeObtainedBystudent": list(students)}


def _count(number: int) -> int:
    if number < 0:
        raise Refused("invalid")
    return number
