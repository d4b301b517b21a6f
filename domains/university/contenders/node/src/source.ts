/** A table or a join, and the ways to fetch its rows: each for any number of keys at once. */

import type { Knex } from "knex";

import type { Fetch } from "./loading.js";
import type { Numbered } from "./rows.js";

/** The only key of what is fetched whole. */
export const ALL = 0;

export class Source<Row extends Numbered> {
  /** `number` is the column that numbers the rows, for a join of tables that all have one. */
  constructor(
    private readonly select: () => Knex.QueryBuilder,
    private readonly number = "nr",
  ) {}

  /** By its own number: the row, if there is one. */
  one(): Fetch<number, Row | undefined> {
    return async (keys) => {
      const rows: Row[] = await this.having(this.number, keys);
      const found = new Map(rows.map((row) => [row.nr, row]));
      return keys.map((key) => found.get(key));
    };
  }

  /** By what a column holds: the rows, in the order of their numbers. */
  by(column: string): Fetch<number, readonly Row[]> {
    return async (keys) => grouped(keys, await this.having(column, keys), (row) => row[column]);
  }

  /** By what two columns hold. */
  byBoth(one: string, other: string): Fetch<readonly [number, number], readonly Row[]> {
    return async (keys) => {
      const pairs = [keys.map((key) => key[0]), keys.map((key) => key[1])];
      const rows = await this.select().whereRaw("(??, ??) in (select * from unnest(?::int[], ?::int[]))", [one, other, ...pairs]);
      return grouped(keys, rows, (row) => [row[one], row[other]]);
    };
  }

  /** All there are, once however often they are asked for together. */
  all(): Fetch<typeof ALL, readonly Row[]> {
    return async (keys) => {
      const rows: Row[] = await this.select();
      rows.sort(byNumber);
      return keys.map(() => rows);
    };
  }

  /** An array is one parameter: a list of parameters may not be longer than 65535. */
  private having(column: string, keys: readonly number[]): Knex.QueryBuilder {
    return this.select().whereRaw("?? = any(?)", [column, keys as number[]]);
  }
}

type Columns = Readonly<Record<string, unknown>>;

function grouped<Key, Row extends Numbered>(
  keys: readonly Key[],
  rows: readonly (Row & Columns)[],
  keyOf: (row: Columns) => unknown,
): Row[][] {
  const groups = new Map<string, Row[]>(keys.map((key) => [String(key), []]));
  for (const row of rows) groups.get(String(keyOf(row)))?.push(row);
  for (const group of groups.values()) group.sort(byNumber);
  return keys.map((key) => groups.get(String(key)) ?? []);
}

function byNumber(one: Numbered, other: Numbered): number {
  return one.nr - other.nr;
}
