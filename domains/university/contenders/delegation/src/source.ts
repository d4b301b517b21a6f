/** A list of the subschema, and the ways to fetch its rows: each for any number of keys at once. */

import type { Fetch } from "./loading.js";
import type { Numbered } from "./rows.js";
import type { Ask } from "./subschema.js";

/** The only key of what is fetched whole. */
export const ALL = 0;

export type Node = Readonly<Record<string, unknown>>;

export class Delegate<Row extends Numbered> {
  /** `selection` is what is asked of each node, `toRow` makes the row of it; undefined where it is none. */
  constructor(
    private readonly ask: Ask,
    private readonly list: string,
    private readonly selection: string,
    private readonly toRow: (node: Node) => Row | undefined = (node) => node as unknown as Row,
  ) {}

  /** By its own number: the row, if there is one. */
  one(): Fetch<number, Row | undefined> {
    return async (keys) => {
      const found = new Map((await this.having({ nr: keys })).map(({ row }) => [row.nr, row]));
      return keys.map((key) => found.get(key));
    };
  }

  /** By what a column holds: the rows, in the order of their numbers. */
  by(column: string): Fetch<number, readonly Row[]> {
    return async (keys) => grouped(keys, await this.having({ [column]: keys }), (node) => node[column]);
  }

  /** By what two columns hold. */
  byBoth(one: string, other: string): Fetch<readonly [number, number], readonly Row[]> {
    return async (keys) => {
      const found = await this.having({ [one]: keys.map((key) => key[0]), [other]: keys.map((key) => key[1]) });
      return grouped(keys, found, (node) => [node[one], node[other]]);
    };
  }

  /** All there are, once however often they are asked for together. */
  all(): Fetch<typeof ALL, readonly Row[]> {
    return async (keys) => {
      const rows = (await this.having({})).map(({ row }) => row).sort(byNumber);
      return keys.map(() => rows);
    };
  }

  private async having(columns: Readonly<Record<string, readonly number[]>>): Promise<readonly { node: Node; row: Row }[]> {
    const names = Object.keys(columns);
    const declared = names.map((name) => `$${name}: [Int!]`).join(", ");
    const filter = names.map((name) => `${name}: { in: $${name} }`).join(", ");
    const [head, argument] = names.length > 0 ? [`query (${declared})`, `(filter: { ${filter} })`] : ["query", ""];
    const document = `${head} { ${this.list}${argument} { nodes { ${names.join(" ")} ${this.selection} } } }`;
    const answer = (await this.ask(document, columns)) as Readonly<Record<string, { readonly nodes: readonly Node[] }>>;
    return (answer[this.list]?.nodes ?? []).flatMap((node) => {
      const row = this.toRow(node);
      return row === undefined ? [] : [{ node, row }];
    });
  }
}

function grouped<Key, Row extends Numbered>(
  keys: readonly Key[],
  found: readonly { readonly node: Node; readonly row: Row }[],
  keyOf: (node: Node) => unknown,
): Row[][] {
  const groups = new Map<string, Row[]>(keys.map((key) => [String(key), []]));
  for (const { node, row } of found) groups.get(String(keyOf(node)))?.push(row);
  for (const group of groups.values()) group.sort(byNumber);
  return keys.map((key) => groups.get(String(key)) ?? []);
}

function byNumber(one: Numbered, other: Numbered): number {
  return one.nr - other.nr;
}
