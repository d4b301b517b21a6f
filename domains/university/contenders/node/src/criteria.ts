/** What the arguments of fields mean, for rows that have been loaded: filters, order and pages. */

import { GraphQLError } from "graphql";

import { parseNumber } from "./number.js";
import type { Advisor, GraduateStudent, Publication } from "./rows.js";

/** GraphQL lets a client leave any of these out, or say null. */
type Optional<Value> = Value | null | undefined;

export interface StringMatching {
  readonly criterion?: Optional<"CONTAINS" | "START_WITH" | "END_WITH" | "EQUALS">;
  readonly pattern?: Optional<string>;
}

export interface NumberMatching {
  readonly criterion?: Optional<"MORETHAN" | "LESSTHAN" | "EQUALS">;
  readonly pattern?: Optional<number>;
}

export interface StudentWhere {
  readonly AND?: Optional<readonly StudentWhere[]>;
  readonly advisor?: Optional<{ readonly nr?: Optional<string>; readonly researchInterest?: Optional<StringMatching> }>;
  readonly university?: Optional<{ readonly nr?: Optional<string> }>;
  readonly age?: Optional<NumberMatching>;
}

export type StudentField = "id" | "telephone" | "emailAddress" | "memberOf" | "undergraduateDegreeFrom" | "advisor";

export interface PublicationOrder {
  readonly field?: Optional<"title" | "abstract">;
  readonly direction?: Optional<"ASC" | "DESC">;
}

export interface Page {
  readonly limit?: Optional<number>;
  readonly offset?: Optional<number>;
}

/** A criterion without a pattern, or the other way round, asks for nothing. */
export function matchesText(text: string | null, { criterion, pattern }: StringMatching): boolean {
  if (criterion == null || pattern == null) return true;
  if (text === null) return false;
  switch (criterion) {
    case "CONTAINS":
      return text.includes(pattern);
    case "START_WITH":
      return text.startsWith(pattern);
    case "END_WITH":
      return text.endsWith(pattern);
    case "EQUALS":
      return text === pattern;
  }
}

/** Tells whether a filter asks what only the advisors' own rows can answer. */
export function asksForInterest(where: StudentWhere): boolean {
  return where.advisor?.researchInterest != null || (where.AND ?? []).some(asksForInterest);
}

/** All that is given must hold. `advisors` need not be there when nothing asks for interests. */
export function filterStudents(
  students: readonly GraduateStudent[],
  where: StudentWhere,
  advisors: readonly Advisor[] = [],
): GraduateStudent[] {
  const interests = new Map(advisors.map((advisor) => [advisor.nr, advisor.researchinterest]));

  function holds(student: GraduateStudent, condition: StudentWhere): boolean {
    const { AND, advisor, university, age } = condition;
    return (
      (university?.nr == null || student.undergraduatedegreefrom === parseNumber(university.nr)) &&
      (advisor?.nr == null || student.advisor === parseNumber(advisor.nr)) &&
      (age == null || matchesNumber(student.age, age)) &&
      (advisor?.researchInterest == null || matchesText(interestOf(student), advisor.researchInterest)) &&
      (AND ?? []).every((each) => holds(student, each))
    );
  }

  function interestOf(student: GraduateStudent): string | null {
    return (student.advisor === null ? null : interests.get(student.advisor)) ?? null;
  }

  return students.filter((student) => holds(student, where));
}

/** Sorts by each field in turn; what is equal in all stays in the order of the numbers. */
export function sortStudents(students: readonly GraduateStudent[], fields: readonly (StudentField | null)[]): GraduateStudent[] {
  const columns = fields.filter((field) => field !== null).map((field) => STUDENT_COLUMNS[field]);
  return students.toSorted((one, other) => {
    for (const column of columns) {
      const order = compare(one[column], other[column]);
      if (order !== 0) return order;
    }
    return 0;
  });
}

export const STUDENT_COLUMNS = {
  id: "nr",
  telephone: "telephone",
  emailAddress: "emailaddress",
  memberOf: "memberof",
  undergraduateDegreeFrom: "undergraduatedegreefrom",
  advisor: "advisor",
} as const satisfies Record<StudentField, keyof GraduateStudent>;

/** Sorts by title or abstract; what is equal stays in the order of the numbers. */
export function sortPublications(publications: readonly Publication[], order: PublicationOrder): readonly Publication[] {
  const { field, direction } = order;
  if (field == null) return publications;
  const sign = direction === "DESC" ? -1 : 1;
  return publications.toSorted((one, other) => sign * compare(one[field], other[field]));
}

/** The error of an aggregate that has no value. */
export function nothingToAggregate(): GraphQLError {
  return new GraphQLError("there are no students whose ages could be aggregated", { extensions: { code: "NOT_FOUND" } });
}

/** Takes a page; zero and nothing mean all, and what is less makes no sense. */
export function paged<Row>(rows: readonly Row[], { limit, offset }: Page): readonly Row[] {
  const first = counted("offset", offset);
  const count = counted("limit", limit);
  return rows.slice(first, count === 0 ? undefined : first + count);
}

/** Reads a limit or an offset: zero where there is none. */
export function counted(name: string, value: Optional<number>): number {
  if (value != null && value < 0) {
    throw new GraphQLError(`${name} must not be negative, but is ${value}`, { extensions: { code: "BAD_USER_INPUT" } });
  }
  return value ?? 0;
}

function matchesNumber(value: number | null, { criterion, pattern }: NumberMatching): boolean {
  if (criterion == null || pattern == null) return true;
  if (value === null) return false;
  switch (criterion) {
    case "MORETHAN":
      return value > pattern;
    case "LESSTHAN":
      return value < pattern;
    case "EQUALS":
      return value === pattern;
  }
}

/** Numbers by value, texts by code unit; null comes last, as in PostgreSQL. */
function compare(one: number | string | null, other: number | string | null): number {
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  return one < other ? -1 : 1;
}
