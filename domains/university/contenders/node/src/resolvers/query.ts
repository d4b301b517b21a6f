/** Where queries begin. */

import {
  asksForInterest,
  filterStudents,
  matchesText,
  type Page,
  paged,
  sortStudents,
  type StringMatching,
  type StudentField,
  type StudentWhere,
} from "../criteria.js";
import type { Context } from "../context.js";
import type { Load } from "../loading.js";
import type { Loads } from "../fetches.js";
import { parseNumber } from "../number.js";
import { limitedThenSorted } from "../original.js";
import { ALL } from "../source.js";

interface ById {
  readonly nr: string;
}

interface StudentsArguments extends Page {
  readonly where?: StudentWhere | null;
  readonly order?: readonly (StudentField | null)[] | null;
}

interface SearchArguments extends StringMatching {
  readonly field: "title" | "abstract";
}

export const query = {
  Query: {
    faculty: byId(({ lecturer, professor }) => async (number) => {
      const teacher = await lecturer(number);
      const researcher = await professor(number);
      return researcher ?? teacher;
    }),
    university: byId((load) => load.university),
    researchGroup: byId((load) => load.researchGroup),
    lecturer: byId((load) => load.lecturer),
    department: byId((load) => load.department),
    graduateStudents: async (_: unknown, { where, order, limit }: StudentsArguments, { load, answers }: Context) => {
      let students = await load.allGraduateStudents(ALL);
      if (where != null) {
        const advisors = asksForInterest(where) ? await load.allAdvisors(ALL) : [];
        students = filterStudents(students, where, advisors);
      }
      if (answers === "original") return limitedThenSorted(students, order ?? [], { limit });
      return paged(sortStudents(students, order ?? []), { limit });
    },
    publicationSearch: async (_: unknown, { field, ...matching }: SearchArguments, { load }: Context) => {
      const publications = await load.allPublications(ALL);
      return publications.filter((publication) => matchesText(publication[field], matching));
    },
  },
};

/** Resolves to the row of that number, or to null. */
function byId<Row>(loadFrom: (load: Loads) => Load<number, Row>) {
  return (_: unknown, { nr }: ById, { load }: Context): Promise<Row> | null => {
    const number = parseNumber(nr);
    return number === undefined ? null : loadFrom(load)(number);
  };
}
