/** Fields that follow a reference from one row to another. */

import type { Context } from "../context.js";
import type { Loads } from "../fetches.js";
import type { Load } from "../loading.js";
import type { Numbered } from "../rows.js";

type OneRow = {
  [Name in keyof Loads]: Loads[Name] extends Load<number, Numbered | undefined> ? Name : never;
}[keyof Loads];

/** Resolves a field to the row that a column refers to. */
export function reference<Row>(to: OneRow, column: (row: Row) => number | null) {
  return (row: Row, _: unknown, { load }: Context): Promise<Numbered | undefined> | null => {
    const number = column(row);
    return number === null ? null : load[to](number);
  };
}
