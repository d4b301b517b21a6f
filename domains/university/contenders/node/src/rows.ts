/** The rows as PostgreSQL hands them out: it folds the names of columns to lower case. */

/** The number is the `id` of the schema. */
export interface Numbered {
  readonly nr: number;
}

interface Person extends Numbered {
  readonly telephone: string | null;
  readonly emailaddress: string | null;
}

export type University = Numbered;

export interface Department extends Numbered {
  readonly suborganizationof: number | null;
}

export interface ResearchGroup extends Numbered {
  readonly suborganizationof: number | null;
}

/** A row of `faculty`, with the columns of `professor`: null in a lecturer's. */
export interface Faculty extends Person {
  readonly undergraduatedegreefrom: number | null;
  readonly masterdegreefrom: number | null;
  readonly doctoraldegreefrom: number | null;
  readonly worksfor: number | null;
  readonly professortype: string | null;
  readonly researchinterest: string | null;
  readonly headof: number | null;
}

/** What an advisor is interested in. */
export type Advisor = Pick<Faculty, "nr" | "researchinterest">;

export interface GraduateStudent extends Person {
  readonly age: number | null;
  readonly undergraduatedegreefrom: number | null;
  readonly advisor: number | null;
  readonly memberof: number | null;
}

export interface UndergraduateStudent extends Person {
  readonly age: number | null;
  readonly advisor: number | null;
  readonly memberof: number | null;
}

export interface GraduateCourse extends Numbered {
  readonly teacher: number | null;
}

export interface UndergraduateCourse extends Numbered {
  readonly teacher: number | null;
  readonly teachingassistant: number | null;
}

export interface Publication extends Numbered {
  readonly title: string | null;
  readonly abstract: string | null;
  readonly mainauthor: number | null;
}
