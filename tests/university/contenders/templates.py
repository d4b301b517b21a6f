"""The sixteen templates: the original's text, and what is right by one SQL statement each."""

from dataclasses import dataclass
from string import Template as Text
from typing import Any

import psycopg

from tests.university.contenders.world import DEPARTMENTS, EMPTY_UNIVERSITY, UNIVERSITIES

Values = dict[str, Any]


@dataclass(frozen=True)
class Template:
    """One query template. `$name` in the text is replaced literally, as the original does it."""

    text: str
    root: str
    sql: str
    values: tuple[Values, ...]

    def query(self, values: Values) -> str:
        return Text(self.text).substitute(values)

    def expected(self, rows: psycopg.Connection[Any], values: Values) -> Any:
        """Return the data that is right, by what the store itself says."""
        found = rows.execute(self.sql.encode(), values).fetchone()
        return {self.root: found[0] if found else None}


def column(rows: psycopg.Connection[Any], statement: str) -> list[Any]:
    """Return the first column of what a statement selects."""
    return [row[0] for row in rows.execute(statement.encode())]


def _graduates(fields: str, where: str, more: str = "") -> str:
    """Return a statement for a list of graduate students, in the order of their numbers."""
    return f"""(SELECT coalesce(json_agg(json_build_object({fields}) ORDER BY s.nr), '[]')
                FROM (SELECT * FROM graduateStudent s WHERE {where} ORDER BY nr {more}) s)"""


CONTACT = "'id', s.nr::text, 'emailAddress', s.emailAddress"
ADVISOR = "CASE WHEN s.advisor IS NOT NULL THEN {} END"
ADVISOR_ID = ADVISOR.format("json_build_object('id', s.advisor::text)")
ADVISOR_DEPARTMENT = """(SELECT json_build_object({}
                            'worksFor', json_build_object('id', f.worksFor::text))
                         FROM faculty f WHERE f.nr = s.advisor)"""
COURSES = """(SELECT coalesce(json_agg(json_build_object('id', graduateCourseID::text)
                                       ORDER BY graduateCourseID), '[]')
              FROM graduateStudentTakeCourse WHERE graduateStudentID = s.nr)"""
GRADUATED_HERE = "s.undergraduateDegreeFrom = u.nr"
WITH_INTERESTED_ADVISOR = """EXISTS (SELECT 1 FROM professor p WHERE p.nr = s.advisor
                        AND strpos(p.researchInterest, %(interestWord)s) > 0)"""


def _university(field: str, value: str) -> str:
    return f"""SELECT json_build_object('{field}', {value})
               FROM university u WHERE nr = %(universityID)s"""


def _students(fields: str, where: str = GRADUATED_HERE, more: str = "") -> str:
    return _university("undergraduateDegreeObtainedBystudent", _graduates(fields, where, more))


def _each(name: str, values: Any, **more: Any) -> tuple[Values, ...]:
    return tuple({name: value, **more} for value in values)


EVERY_UNIVERSITY = _each("universityID", [*UNIVERSITIES, 404])
SECOND_LEVEL = _graduates(
    f"{CONTACT}, 'memberOf', json_build_object('id', s.memberOf::text)",
    "s.undergraduateDegreeFrom = d2.subOrganizationOf",
)
QT5_SQL = f"""
  SELECT json_build_object('id', d.nr::text, 'subOrganizationOf',
    CASE WHEN d.subOrganizationOf IS NOT NULL THEN json_build_object(
      'id', d.subOrganizationOf::text, 'undergraduateDegreeObtainedBystudent',
      (SELECT coalesce(json_agg(json_build_object({CONTACT}, 'memberOf', json_build_object(
         'id', s.memberOf::text, 'subOrganizationOf',
         CASE WHEN d2.subOrganizationOf IS NOT NULL THEN json_build_object(
           'id', d2.subOrganizationOf::text,
           'undergraduateDegreeObtainedBystudent', {SECOND_LEVEL}) END)) ORDER BY s.nr), '[]')
       FROM graduateStudent s JOIN department d2 ON d2.nr = s.memberOf
       WHERE s.undergraduateDegreeFrom = d.subOrganizationOf)) END)
  FROM department d WHERE nr = %(departmentID)s"""

TEMPLATES = {
    "QT1": Template(
        """{
  faculty(nr:$facultyID)
  {
    doctoralDegreeFrom {
      undergraduateDegreeObtainedBystudent { id emailAddress }
    }
  }
}

""",
        "faculty",
        f"""SELECT json_build_object('doctoralDegreeFrom', json_build_object(
              'undergraduateDegreeObtainedBystudent',
              {_graduates(CONTACT, "s.undergraduateDegreeFrom = f.doctoralDegreeFrom")}))
            FROM faculty f WHERE nr = %(facultyID)s""",
        _each("facultyID", [1, 2, 3, 6, 21, 404]),
    ),
    "QT2": Template(
        "{ university(nr:$universityID) { doctoralDegreeObtainers { publications { title } } } }",
        "university",
        _university(
            "doctoralDegreeObtainers",
            """(SELECT coalesce(json_agg(json_build_object('publications',
                  (SELECT coalesce(json_agg(json_build_object('title', title) ORDER BY nr), '[]')
                   FROM publication p WHERE p.mainAuthor = f.nr)) ORDER BY f.nr), '[]')
                FROM faculty f WHERE f.doctoralDegreeFrom = u.nr)""",
        ),
        EVERY_UNIVERSITY,
    ),
    "QT3": Template(
        """{ researchGroup(nr:$researchGroupID) { subOrganizationOf { head {
             id emailAddress doctoralDegreeFrom { id } } } } }""",
        "researchGroup",
        """SELECT json_build_object('subOrganizationOf', json_build_object('head',
             (SELECT json_build_object('id', f.nr::text, 'emailAddress', f.emailAddress,
                'doctoralDegreeFrom', json_build_object('id', f.doctoralDegreeFrom::text))
              FROM faculty f JOIN professor p USING (nr) WHERE p.headOf = g.subOrganizationOf)))
           FROM researchGroup g WHERE nr = %(researchGroupID)s""",
        _each("researchGroupID", [100, 101, 106, 114, 404]),
    ),
    "QT4": Template(
        """{ lecturer(nr:$lecturerID) { doctoralDegreeFrom { id
             undergraduateDegreeObtainedBystudent { id emailAddress
               advisor { id emailAddress worksFor { id } } } } } }""",
        "lecturer",
        f"""SELECT json_build_object('doctoralDegreeFrom', json_build_object(
              'id', f.doctoralDegreeFrom::text, 'undergraduateDegreeObtainedBystudent',
              {
            _graduates(
                CONTACT
                + ", 'advisor', "
                + ADVISOR_DEPARTMENT.format("'id', f.nr::text, 'emailAddress', f.emailAddress,"),
                "s.undergraduateDegreeFrom = f.doctoralDegreeFrom",
            )
        }))
            FROM faculty f JOIN lecturer USING (nr) WHERE nr = %(lecturerID)s""",
        _each("lecturerID", [3, 6, 9, 12, 1]),
    ),
    "QT5": Template(
        """{ department(nr:$departmentID) { id subOrganizationOf { id
             undergraduateDegreeObtainedBystudent { id emailAddress memberOf { id
               subOrganizationOf { id undergraduateDegreeObtainedBystudent {
                 id emailAddress memberOf { id } } } } } } } }""",
        "department",
        QT5_SQL,
        _each("departmentID", [*DEPARTMENTS, 404]),
    ),
    "QT6": Template(
        """{ university(nr:$universityID) {
             undergraduateDegreeObtainedBystudent { advisor { worksFor { id } } } } }""",
        "university",
        _students("'advisor', " + ADVISOR_DEPARTMENT.format("")),
        EVERY_UNIVERSITY,
    ),
    "QT7": Template(
        """{ university(nr:$universityID) {
             undergraduateDegreeObtainedBystudent(limit:10, offset:$offset) {
               advisor { id } } } }""",
        "university",
        _students(f"'advisor', {ADVISOR_ID}", more="LIMIT 10 OFFSET %(offset)s"),
        (*_each("universityID", UNIVERSITIES, offset=1), {"universityID": 0, "offset": 50}),
    ),
    "QT8": Template(
        """{ graduateStudents(limit:$cnt, order:[$attrGStudent1,$attrGStudent2]) {
             id telephone emailAddress } }""",
        "graduateStudents",
        """SELECT coalesce(json_agg(json_build_object('id', nr::text, 'telephone', telephone,
                                                      'emailAddress', emailAddress)), '[]')
           FROM (SELECT * FROM graduateStudent ORDER BY
             CASE %(attrGStudent1)s WHEN 'id' THEN nr WHEN 'memberOf' THEN memberOf
               WHEN 'advisor' THEN advisor
               WHEN 'undergraduateDegreeFrom' THEN undergraduateDegreeFrom
             END,
             CASE %(attrGStudent1)s WHEN 'emailAddress' THEN emailAddress END COLLATE "C",
             CASE %(attrGStudent2)s WHEN 'id' THEN nr WHEN 'memberOf' THEN memberOf
               WHEN 'advisor' THEN advisor
               WHEN 'undergraduateDegreeFrom' THEN undergraduateDegreeFrom
             END,
             CASE %(attrGStudent2)s WHEN 'emailAddress' THEN emailAddress END COLLATE "C",
             nr LIMIT %(cnt)s) s""",
        tuple(
            {"cnt": count, "attrGStudent1": one, "attrGStudent2": other}
            for count, one, other in (
                (7, "id", "advisor"),
                (30, "undergraduateDegreeFrom", "memberOf"),
                (500, "telephone", "emailAddress"),
                (12, "memberOf", "telephone"),
                (39, "advisor", "undergraduateDegreeFrom"),
            )
        ),
    ),
    "QT9": Template(
        """{ university(nr:$universityID) { undergraduateDegreeObtainedBystudent(limit:50) {
             advisor {
               publications(order:{field:$attrPublicationField, direction:DESC}) { id } } } } }""",
        "university",
        _students(
            "'advisor', "
            + ADVISOR.format(
                """json_build_object('publications',
                     (SELECT coalesce(json_agg(json_build_object('id', nr::text) ORDER BY
                        CASE %(attrPublicationField)s WHEN 'title' THEN title ELSE abstract END
                        COLLATE "C" DESC, nr), '[]')
                      FROM publication WHERE mainAuthor = s.advisor))"""
            ),
            more="LIMIT 50",
        ),
        (
            *_each("universityID", UNIVERSITIES, attrPublicationField="title"),
            *_each("universityID", UNIVERSITIES, attrPublicationField="abstract"),
        ),
    ),
    "QT10": Template(
        """{ publicationSearch(field:title, criterion:CONTAINS, pattern:"$keyword") {
             id title abstract } }""",
        "publicationSearch",
        """SELECT coalesce(json_agg(json_build_object(
             'id', nr::text, 'title', title, 'abstract', abstract) ORDER BY nr), '[]')
           FROM publication WHERE strpos(title, %(keyword)s) > 0""",
        _each("keyword", ["alpha", "Alpha", "lph", "%", "_", "quote'd", "nowhere", ""]),
    ),
    "QT11": Template(
        "{ graduateStudents(where:{university:{nr:$universityID}}) { id advisor { id } } }",
        "graduateStudents",
        f"""SELECT {
            _graduates(
                f"'id', s.nr::text, 'advisor', {ADVISOR_ID}",
                "s.undergraduateDegreeFrom = %(universityID)s",
            )
        }""",
        EVERY_UNIVERSITY,
    ),
    "QT12": Template(
        """{ university(nr:$universityID) {
             doctoralDegreeObtainers(where:{worksFor:{nr:$departmentID}}) {
               id emailAddress publications { id } } } }""",
        "university",
        _university(
            "doctoralDegreeObtainers",
            """(SELECT coalesce(json_agg(json_build_object(
                  'id', f.nr::text, 'emailAddress', f.emailAddress, 'publications',
                  (SELECT coalesce(json_agg(json_build_object('id', nr::text) ORDER BY nr), '[]')
                   FROM publication p WHERE p.mainAuthor = f.nr)) ORDER BY f.nr), '[]')
                FROM faculty f
                WHERE f.doctoralDegreeFrom = u.nr AND f.worksFor = %(departmentID)s)""",
        ),
        tuple(
            {"universityID": university, "departmentID": department}
            for university in UNIVERSITIES
            for department in (*DEPARTMENTS, 404)
        ),
    ),
    "QT13": Template(
        """{ university(nr:$universityID) { undergraduateDegreeObtainedBystudent(
             where:{advisor:{researchInterest:{criterion:CONTAINS, pattern:"$interestWord"}}}) {
               id emailAddress takeGraduateCourses { id } } } }""",
        "university",
        _students(
            f"{CONTACT}, 'takeGraduateCourses', {COURSES}",
            f"{GRADUATED_HERE} AND {WITH_INTERESTED_ADVISOR}",
        ),
        (
            *_each("universityID", UNIVERSITIES, interestWord="alpha"),
            *_each("universityID", UNIVERSITIES, interestWord="_"),
        ),
    ),
    "QT14": Template(
        """{ university(nr:$universityID) { undergraduateDegreeObtainedBystudent(
             where:{AND:{age:{pattern:$age, criterion:MORETHAN}, advisor:{
               researchInterest:{criterion:CONTAINS, pattern:"$interestWord"}}}}) {
               id emailAddress takeGraduateCourses { id } } } }""",
        "university",
        _students(
            f"{CONTACT}, 'takeGraduateCourses', {COURSES}",
            f"{GRADUATED_HERE} AND {WITH_INTERESTED_ADVISOR} AND s.age > %(age)s",
        ),
        _each("universityID", UNIVERSITIES, age=22, interestWord="a"),
    ),
    "QT15": Template(
        "{ university(nr:$universityID) { graduateStudentConnection { aggregate { count } } } }",
        "university",
        _university(
            "graduateStudentConnection",
            f"""json_build_object('aggregate', json_build_object('count',
                  (SELECT count(*) FROM graduateStudent s WHERE {GRADUATED_HERE})))""",
        ),
        EVERY_UNIVERSITY,
    ),
    "QT16": Template(
        """{ university(nr:$universityID) {
             graduateStudentConnection { aggregate { age { avg max min } } } } }""",
        "university",
        _university(
            "graduateStudentConnection",
            f"""(SELECT json_build_object('aggregate', json_build_object('age', json_build_object(
                   'avg', avg(s.age)::float8, 'max', max(s.age), 'min', min(s.age))))
                 FROM graduateStudent s WHERE {GRADUATED_HERE})""",
        ),
        _each("universityID", UNIVERSITIES[:EMPTY_UNIVERSITY]),
    ),
}
