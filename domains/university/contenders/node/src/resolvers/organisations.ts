/** Universities, their departments, and what those consist of. */

import { asksForInterest, filterStudents, nothingToAggregate, type Page, paged, type StudentWhere } from "../criteria.js";
import type { Context } from "../context.js";
import { parseNumber } from "../number.js";
import { withNumbersOfAdvisors } from "../original.js";
import type { Department, GraduateStudent, ResearchGroup, University } from "../rows.js";
import { reference } from "./reference.js";

interface FacultyWhere {
  readonly worksFor?: { readonly nr?: string | null } | null;
}

interface StudentArguments extends Page {
  readonly where?: StudentWhere | null;
}

export const organisations = {
  University: {
    id: (row: University) => row.nr,
    undergraduateDegreeObtainedByFaculty: (row: University, _: unknown, { load }: Context) => load.bachelorsOf(row.nr),
    mastergraduateDegreeObtainers: (row: University, _: unknown, { load }: Context) => load.mastersOf(row.nr),
    doctoralDegreeObtainers: (row: University, { where }: { where?: FacultyWhere | null }, { load }: Context) => {
      const id = where?.worksFor?.nr;
      if (id == null) return load.doctorsOf(row.nr);
      const department = parseNumber(id);
      return department === undefined ? [] : load.doctorsWithin([row.nr, department]);
    },
    undergraduateDegreeObtainedBystudent: async (row: University, { where, ...page }: StudentArguments, { load, answers }: Context) => {
      const students = await load.graduatesOf(row.nr);
      if (where == null) return paged(students, page);
      const advisors = asksForInterest(where) ? await load.advisorsOfGraduatesOf(row.nr) : [];
      const found = paged(filterStudents(students, where, advisors), page);
      return answers === "original" ? withNumbersOfAdvisors(found) : found;
    },
    departments: (row: University, _: unknown, { load }: Context) => load.departmentsOf(row.nr),
    graduateStudentConnection: async (row: University, _: unknown, { load }: Context) => ({
      aggregate: await load.graduatesOf(row.nr),
    }),
  },
  AggregateUgStudents: {
    count: (students: readonly GraduateStudent[]) => students.length,
    age: (students: readonly GraduateStudent[]) => {
      const ages = students.map((student) => student.age).filter((age) => age !== null);
      if (ages.length === 0) throw nothingToAggregate();
      const sum = ages.reduce((total, age) => total + age, 0);
      return { sum, avg: sum / ages.length, max: Math.max(...ages), min: Math.min(...ages) };
    },
  },
  Department: {
    id: (row: Department) => row.nr,
    subOrganizationOf: reference("university", (row: Department) => row.suborganizationof),
    head: async (row: Department, _: unknown, { load }: Context) => (await load.headsOf(row.nr))[0],
    researchGroups: (row: Department, _: unknown, { load }: Context) => load.researchGroupsOf(row.nr),
    faculties: (row: Department, _: unknown, { load }: Context) => load.facultyOf(row.nr),
    professors: (row: Department, _: unknown, { load }: Context) => load.professorsOf(row.nr),
    lecturers: (row: Department, _: unknown, { load }: Context) => load.lecturersOf(row.nr),
    graduateStudents: (row: Department, _: unknown, { load }: Context) => load.graduateStudentsOf(row.nr),
    undergraduateStudents: (row: Department, _: unknown, { load }: Context) => load.undergraduateStudentsOf(row.nr),
  },
  ResearchGroup: {
    id: (row: ResearchGroup) => row.nr,
    subOrganizationOf: reference("department", (row: ResearchGroup) => row.suborganizationof),
  },
};
