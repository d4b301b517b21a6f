/** What is taught and what is written. */

import type { Context } from "../context.js";
import type { GraduateCourse, Publication, UndergraduateCourse } from "../rows.js";
import { reference } from "./reference.js";

export const works = {
  GraduateCourse: {
    id: (row: GraduateCourse) => row.nr,
    teachedby: reference("faculty", (row: GraduateCourse) => row.teacher),
    graduateStudents: (row: GraduateCourse, _: unknown, { load }: Context) => load.graduateStudentsTaking(row.nr),
  },
  UndergraduateCourse: {
    id: (row: UndergraduateCourse) => row.nr,
    teachedby: reference("faculty", (row: UndergraduateCourse) => row.teacher),
    undergraduateStudents: (row: UndergraduateCourse, _: unknown, { load }: Context) => load.undergraduateStudentsTaking(row.nr),
    teachingAssistants: reference("graduateStudent", (row: UndergraduateCourse) => row.teachingassistant),
  },
  Publication: {
    id: (row: Publication) => row.nr,
    authors: async (row: Publication, _: unknown, { load }: Context) => {
      const [main, others] = await Promise.all([
        row.mainauthor === null ? undefined : load.faculty(row.mainauthor),
        load.coAuthorsOf(row.nr),
      ]);
      return main === undefined ? others : [main, ...others];
    },
  },
};
