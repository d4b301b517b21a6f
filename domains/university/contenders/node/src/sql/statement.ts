/**
 * A whole query as one statement: a common table expression for every level of the query, each with
 * the rows that those before refer to. So every table is read once a level, with or without an index;
 * the rows come back level by level, and belong together by their keys.
 */

import type { ResolveTree } from "graphql-parse-resolve-info";

import { type Arguments, conditions, order, page } from "./clauses.js";
import { AGGREGATE, CONDITIONS, type Edge, ENTITIES, type EntityName } from "./entities.js";

export type Value = string | number;
export type Selection = Readonly<Record<string, ResolveTree>>;

/** One level: the rows of an entity that some field asks for. */
export interface Level {
  readonly name: string;
  /** By type and name in the answer: where the rows of a field are. */
  readonly children: Map<string, Child[]>;
}

export interface Child {
  readonly level: Level;
  /** The column of the parent that the children's `key` equals. */
  readonly local: string;
}

export class Statement {
  readonly levels: Level[] = [];
  readonly values: Record<string, Value> = {};
  private readonly expressions: string[] = [];
  private readonly results: string[] = [];

  constructor(entity: EntityName, root: ResolveTree) {
    this.add(entity, [root], root.args as Arguments, "0", "", []);
  }

  get text(): string {
    return `WITH ${this.expressions.join(",\n")}\nSELECT ${this.results.join(",\n")}`;
  }

  /** Adds a level: its key, where its rows are from beside the entity, and what must hold of them. */
  private add(entity: EntityName, trees: readonly ResolveTree[], given: Arguments, key: string, link: string, where: string[]): Level {
    const { from, columns, types } = ENTITIES[entity];
    const level: Level = { name: `level${this.levels.length}`, children: new Map() };
    this.levels.push(level);
    const selections = Object.keys(types).map((type) => [type, selectionOf(trees, type)] as const);
    const wanted = new Set(["nr", ...order(given).columns, ...(Object.keys(types).length > 1 ? ["professortype"] : [])]);
    for (const [, selection] of selections) {
      for (const { name } of Object.values(selection)) {
        const column = COLUMNS[name] ?? name.toLowerCase();
        const edges = ENTITIES[entity].edges[name];
        for (const needed of edges === undefined ? [column] : edges.map((edge) => edge.local)) {
          if (needed in columns) wanted.add(needed);
        }
      }
    }
    const listed = [...wanted].map((column) => columns[column]).join(", ");
    const holds = [...where, ...conditions(given, (value) => this.bind(value))].join(" AND ") || "true";
    const rows = `SELECT ${listed}, ${key} AS key FROM ${link}${from} WHERE ${holds}`;
    this.expressions.push(`${level.name} AS MATERIALIZED (${paged(rows, given)})`);
    this.results.push(`(SELECT json_agg(${level.name} ORDER BY ${order(given).by}) FROM ${level.name}) AS ${level.name}`);
    this.follow(level, entity, selections);
    return level;
  }

  /** Adds the levels after one; what types have in common is one level for all of them. */
  private follow(parent: Level, entity: EntityName, selections: readonly (readonly [string, Selection])[]): void {
    const { types, edges } = ENTITIES[entity];
    const asked = new Map<string, { tree: ResolveTree; types: string[] }>();
    for (const [type, selection] of selections) {
      for (const tree of Object.values(selection)) {
        if (!(tree.name in edges)) continue;
        const same = JSON.stringify(tree);
        asked.set(same, { tree, types: [...(asked.get(same)?.types ?? []), type] });
      }
    }
    for (const { tree, types: sharing } of asked.values()) {
      const all = sharing.length === Object.keys(types).length;
      const which = all ? "true" : sharing.map((type) => types[type]).join(" OR ");
      const children = (edges[tree.name] ?? []).map((edge) => ({ level: this.reach(edge, tree, parent, which), local: edge.local }));
      for (const type of sharing) parent.children.set(`${type}.${tree.alias}`, children);
    }
  }

  private reach({ to, local, foreign, link }: Edge, tree: ResolveTree, parent: Level, which: string): Level {
    const referred = `${foreign} IN (SELECT ${local} FROM ${parent.name} WHERE ${which})`;
    if (tree.name === AGGREGATE) return this.aggregate(foreign, referred);
    const through = link === undefined ? "" : `${link.table} link CROSS JOIN `;
    const joined = link === undefined ? [] : [`t.nr = ${link.onward}`];
    return this.add(to, [tree], tree.args as Arguments, foreign, through, [...joined, referred]);
  }

  private aggregate(key: string, referred: string): Level {
    const level: Level = { name: `level${this.levels.length}`, children: new Map() };
    this.levels.push(level);
    const figures = "count(*) AS count, count(t.age) AS ages, sum(t.age) AS sum, max(t.age) AS max, min(t.age) AS min";
    const rows = `SELECT ${key} AS key, ${figures} FROM graduatestudent t WHERE ${referred} GROUP BY ${key}`;
    this.expressions.push(`${level.name} AS MATERIALIZED (${rows})`);
    this.results.push(`(SELECT json_agg(${level.name}) FROM ${level.name}) AS ${level.name}`);
    return level;
  }

  private bind(value: Value): string {
    const name = `value${Object.keys(this.values).length}`;
    this.values[name] = value;
    return `:${name}`;
  }
}

/** Fields that are not called as their column is. */
const COLUMNS: Readonly<Record<string, string>> = { id: "nr", profType: "professortype" };

function paged(rows: string, given: Arguments): string {
  const { limited, first, last } = page(given);
  if (!limited) return rows;
  const placed = `SELECT rows.*, row_number() OVER (PARTITION BY key ORDER BY ${order(given).by}) AS place FROM (${rows}) rows`;
  return `SELECT * FROM (${placed}) placed WHERE place > ${first} AND place <= ${last}`;
}

/** Returns what is selected for a type, whatever condition it is written under, merged by name. */
function selectionOf(trees: readonly ResolveTree[], type: string): Selection {
  const merged: Record<string, ResolveTree> = {};
  for (const tree of trees) {
    for (const condition of CONDITIONS[type] ?? [type]) {
      for (const [alias, field] of Object.entries(tree.fieldsByTypeName[condition] ?? {})) {
        const known = merged[alias];
        merged[alias] = known === undefined ? field : { ...field, fieldsByTypeName: union(known, field) };
      }
    }
  }
  return merged;
}

function union(one: ResolveTree, other: ResolveTree): ResolveTree["fieldsByTypeName"] {
  const result = { ...one.fieldsByTypeName };
  for (const [type, fields] of Object.entries(other.fieldsByTypeName)) {
    const merged = { ...result[type] };
    for (const [alias, field] of Object.entries(fields)) {
      const known = merged[alias];
      merged[alias] = known === undefined ? field : { ...field, fieldsByTypeName: union(known, field) };
    }
    result[type] = merged;
  }
  return result;
}
