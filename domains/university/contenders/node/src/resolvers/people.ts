/** Whoever teaches or studies. */

import { type PublicationOrder, sortPublications } from "../criteria.js";
import type { Context } from "../context.js";
import type { Faculty, GraduateStudent, UndergraduateStudent } from "../rows.js";
import { reference } from "./reference.js";

type Person = Pick<Faculty, "nr" | "telephone" | "emailaddress">;

const person = {
  id: (row: Person) => row.nr,
  emailAddress: (row: Person) => row.emailaddress,
};

const faculty = {
  ...person,
  undergraduateDegreeFrom: reference("university", (row: Faculty) => row.undergraduatedegreefrom),
  masterDegreeFrom: reference("university", (row: Faculty) => row.masterdegreefrom),
  doctoralDegreeFrom: reference("university", (row: Faculty) => row.doctoraldegreefrom),
  worksFor: reference("department", (row: Faculty) => row.worksfor),
  teacherOfGraduateCourses: (row: Faculty, _: unknown, { load }: Context) => load.graduateCoursesTaughtBy(row.nr),
  teacherOfUndergraduateCourses: (row: Faculty, _: unknown, { load }: Context) => load.undergraduateCoursesTaughtBy(row.nr),
  publications: (row: Faculty, _: unknown, { load }: Context) => load.publicationsBy(row.nr),
};

function typeOfFaculty(row: Faculty): string {
  return row.professortype == null ? "Lecturer" : "Professor";
}

export const people = {
  Faculty: { __resolveType: typeOfFaculty },
  Author: {
    __resolveType: (row: Faculty | GraduateStudent) => ("worksfor" in row ? typeOfFaculty(row) : "GraduateStudent"),
  },
  Professor: {
    ...faculty,
    publications: async (row: Faculty, { order }: { order?: PublicationOrder | null }, { load }: Context) =>
      sortPublications(await load.publicationsBy(row.nr), order ?? {}),
    researchInterest: (row: Faculty) => row.researchinterest,
    profType: (row: Faculty) => row.professortype,
    supervisedUndergraduateStudents: (row: Faculty, _: unknown, { load }: Context) => load.undergraduateStudentsAdvisedBy(row.nr),
    supervisedGraduateStudents: (row: Faculty, _: unknown, { load }: Context) => load.graduateStudentsAdvisedBy(row.nr),
  },
  Lecturer: {
    ...faculty,
    position: () => "Lecturer",
  },
  GraduateStudent: {
    ...person,
    memberOf: reference("department", (row: GraduateStudent) => row.memberof),
    undergraduateDegreeFrom: reference("university", (row: GraduateStudent) => row.undergraduatedegreefrom),
    advisor: reference("professor", (row: GraduateStudent) => row.advisor),
    takeGraduateCourses: (row: GraduateStudent, _: unknown, { load }: Context) => load.graduateCoursesTakenBy(row.nr),
    assistCourses: (row: GraduateStudent, _: unknown, { load }: Context) => load.undergraduateCoursesAssistedBy(row.nr),
  },
  UndergraduateStudent: {
    ...person,
    memberOf: reference("department", (row: UndergraduateStudent) => row.memberof),
    advisor: reference("professor", (row: UndergraduateStudent) => row.advisor),
    takeCourses: (row: UndergraduateStudent, _: unknown, { load }: Context) => load.undergraduateCoursesTakenBy(row.nr),
  },
};
