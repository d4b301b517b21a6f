/** What LinGBM's own servers get wrong in the answers to its templates, for comparisons with their results. */

import { type Page, paged, sortStudents, type StudentField } from "./criteria.js";
import type { GraduateStudent } from "./rows.js";

/** QT8: the limit comes before the order, and one field is in vain, its key being spelled otherwise. */
export function limitedThenSorted(
  students: readonly GraduateStudent[],
  fields: readonly (StudentField | null)[],
  page: Page,
): readonly GraduateStudent[] {
  return sortStudents(
    paged(students, page),
    fields.filter((field) => field !== "undergraduateDegreeFrom"),
  );
}

/** QT13 and QT14: of the two numbers in a join of students and advisors the advisor's wins. */
export function withNumbersOfAdvisors(students: readonly GraduateStudent[]): readonly GraduateStudent[] {
  return students.map((student) => ({ ...student, nr: student.advisor ?? student.nr }));
}
