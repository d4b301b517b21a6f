/**
 * Every statement the resolvers can send. As in LinGBM's own servers each takes all columns of one
 * table or join by one key; filters, order and pages are made afterwards, in criteria.ts.
 */

import type { Knex } from "knex";

import { Source } from "./source.js";
import type { Fetch, Load, Strategy } from "./loading.js";
import type * as rows from "./rows.js";

type Fetches = ReturnType<typeof fetches>;

/** The fetches as the resolvers call them: by one key at a time. */
export type Loads = {
  readonly [Name in keyof Fetches]: Fetches[Name] extends Fetch<infer Key, infer Value> ? Load<Key, Value> : never;
};

/** Makes the loads of one request. */
export function loadsOf(database: Knex, strategy: Strategy): Loads {
  const made = Object.entries(fetches(database)).map(([name, fetch]) => {
    return [name, strategy(fetch as Fetch<unknown, unknown>)];
  });
  return Object.fromEntries(made) as Loads;
}

function fetches(database: Knex) {
  const table = <Row extends rows.Numbered>(name: string) => new Source<Row>(() => database(name).select("*"));
  const joined = <Row extends rows.Numbered>(link: string, name: string, reference: string) =>
    new Source<Row>(() => database(link).join(name, `${name}.nr`, reference).select("*", `${name}.nr`));
  const facultyAs = (join: (faculty: Knex.QueryBuilder) => Knex.QueryBuilder) =>
    new Source<rows.Faculty>(() => join(database("faculty")).select("*", "faculty.nr"), "faculty.nr");

  const faculty = facultyAs((each) => each.leftJoin("professor", "professor.nr", "faculty.nr"));
  const professor = facultyAs((each) => each.join("professor", "professor.nr", "faculty.nr"));
  const lecturer = facultyAs((each) => each.join("lecturer", "lecturer.nr", "faculty.nr"));
  const department = table<rows.Department>("department");
  const researchGroup = table<rows.ResearchGroup>("researchgroup");
  const graduateStudent = table<rows.GraduateStudent>("graduatestudent");
  const undergraduateStudent = table<rows.UndergraduateStudent>("undergraduatestudent");
  const graduateCourse = table<rows.GraduateCourse>("graduatecourse");
  const undergraduateCourse = table<rows.UndergraduateCourse>("undergraduatecourse");
  const publication = table<rows.Publication>("publication");

  return {
    university: table<rows.University>("university").one(),
    department: department.one(),
    departmentsOf: department.by("suborganizationof"),
    researchGroup: researchGroup.one(),
    researchGroupsOf: researchGroup.by("suborganizationof"),

    faculty: faculty.one(),
    facultyOf: faculty.by("worksfor"),
    bachelorsOf: faculty.by("undergraduatedegreefrom"),
    mastersOf: faculty.by("masterdegreefrom"),
    doctorsOf: faculty.by("doctoraldegreefrom"),
    doctorsWithin: faculty.byBoth("doctoraldegreefrom", "worksfor"),
    lecturer: lecturer.one(),
    lecturersOf: lecturer.by("worksfor"),
    professor: professor.one(),
    professorsOf: professor.by("worksfor"),
    headsOf: professor.by("headof"),

    graduateStudent: graduateStudent.one(),
    graduateStudentsOf: graduateStudent.by("memberof"),
    graduateStudentsAdvisedBy: graduateStudent.by("advisor"),
    graduatesOf: graduateStudent.by("undergraduatedegreefrom"),
    allGraduateStudents: graduateStudent.all(),
    /** Who advises the students that `graduatesOf` the same university gives. */
    advisorsOfGraduatesOf: joined<rows.Advisor>("graduatestudent", "professor", "advisor").by("undergraduatedegreefrom"),
    allAdvisors: table<rows.Advisor>("professor").all(),
    undergraduateStudentsOf: undergraduateStudent.by("memberof"),
    undergraduateStudentsAdvisedBy: undergraduateStudent.by("advisor"),

    graduateCoursesTaughtBy: graduateCourse.by("teacher"),
    graduateCoursesTakenBy: joined<rows.GraduateCourse>("graduatestudenttakecourse", "graduatecourse", "graduatecourseid").by("graduatestudentid"),
    graduateStudentsTaking: joined<rows.GraduateStudent>("graduatestudenttakecourse", "graduatestudent", "graduatestudentid").by("graduatecourseid"),
    undergraduateCoursesTaughtBy: undergraduateCourse.by("teacher"),
    undergraduateCoursesAssistedBy: undergraduateCourse.by("teachingassistant"),
    undergraduateCoursesTakenBy: joined<rows.UndergraduateCourse>("undergraduatestudenttakecourse", "undergraduatecourse", "undergraduatecourseid").by("undergraduatestudentid"),
    undergraduateStudentsTaking: joined<rows.UndergraduateStudent>("undergraduatestudenttakecourse", "undergraduatestudent", "undergraduatestudentid").by("undergraduatecourseid"),

    publicationsBy: publication.by("mainauthor"),
    allPublications: publication.all(),
    coAuthorsOf: joined<rows.GraduateStudent>("coauthorofpublication", "graduatestudent", "graduatestudentid").by("publicationid"),
  };
}
