/** What the arguments of fields mean, in SQL: filters, order and pages. */

import { counted, type Page, type PublicationOrder, STUDENT_COLUMNS, type StringMatching, type StudentField, type StudentWhere } from "../criteria.js";
import { parseNumber } from "../number.js";

/** Takes a value, and gives what stands for it in the statement. */
export type Bind = (value: string | number) => string;

/** The arguments that any of the fields can have. */
export interface Arguments extends Page {
  readonly nr?: string;
  readonly where?: (StudentWhere & { readonly worksFor?: { readonly nr?: string | null } | null }) | null;
  readonly order?: PublicationOrder | readonly (StudentField | null)[] | null;
  readonly field?: "title" | "abstract";
  readonly criterion?: StringMatching["criterion"];
  readonly pattern?: string;
}

/** Returns the conditions that the arguments put on the rows themselves. */
export function conditions(given: Arguments, bind: Bind): string[] {
  const { nr, where, field, criterion, pattern } = given;
  return [
    ...(nr == null ? [] : [refersTo("t.nr", nr, bind)]),
    ...(where?.worksFor?.nr == null ? [] : [refersTo("t.worksfor", where.worksFor.nr, bind)]),
    ...(where == null ? [] : ofStudents(where, bind)),
    ...(field == null ? [] : ofText(`t.${field}`, { criterion, pattern }, bind)),
  ];
}

/** Returns the columns to sort by, as they are in the rows, and last the number. */
export function order({ order }: Arguments): { columns: string[]; by: string } {
  if (order == null) return { columns: [], by: "nr" };
  const descending = !isList(order) && order.direction === "DESC" ? " DESC" : "";
  const columns = isList(order)
    ? order.filter((field) => field !== null).map((field) => STUDENT_COLUMNS[field])
    : [order.field].filter((field) => field != null);
  const keys = columns.map((column) => (TEXTS.has(column) ? `${column} COLLATE "C"` : column) + descending);
  return { columns, by: [...keys, "nr"].join(", ") };
}

/** Returns which places of the order are on the page; zero and nothing mean all. */
export function page(given: Arguments): { limited: boolean; first: number; last: number } {
  const first = counted("offset", given.offset);
  const count = counted("limit", given.limit);
  return { limited: first > 0 || count > 0, first, last: count === 0 ? Number.MAX_SAFE_INTEGER : first + count };
}

const TEXTS: ReadonlySet<string> = new Set(["telephone", "emailaddress", "title", "abstract"]);

function ofStudents({ AND, advisor, university, age }: StudentWhere, bind: Bind): string[] {
  const interest = advisor?.researchInterest == null ? [] : ofText("a.researchinterest", advisor.researchInterest, bind);
  return [
    ...(university?.nr == null ? [] : [refersTo("t.undergraduatedegreefrom", university.nr, bind)]),
    ...(advisor?.nr == null ? [] : [refersTo("t.advisor", advisor.nr, bind)]),
    ...(age?.criterion == null || age.pattern == null ? [] : [`t.age ${COMPARISONS[age.criterion]} ${bind(age.pattern)}`]),
    ...interest.map((condition) => `t.advisor IN (SELECT a.nr FROM professor a WHERE ${condition})`),
    ...(AND ?? []).flatMap((each) => ofStudents(each, bind)),
  ];
}

const COMPARISONS = { MORETHAN: ">", LESSTHAN: "<", EQUALS: "=" } as const;

function ofText(column: string, { criterion, pattern }: StringMatching, bind: Bind): string[] {
  if (criterion == null || pattern == null) return [];
  const given = bind(pattern);
  switch (criterion) {
    case "CONTAINS":
      return [`strpos(${column}, ${given}) > 0`];
    case "START_WITH":
      return [`starts_with(${column}, ${given})`];
    case "END_WITH":
      return [`starts_with(reverse(${column}), reverse(${given}))`];
    case "EQUALS":
      return [`${column} = ${given}`];
  }
}

function refersTo(column: string, id: string, bind: Bind): string {
  const number = parseNumber(id);
  return number === undefined ? "false" : `${column} = ${bind(number)}`;
}

function isList(order: object): order is readonly (StudentField | null)[] {
  return Array.isArray(order);
}
