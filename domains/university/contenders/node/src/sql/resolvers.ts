/** Resolvers that ask the store once for a whole query, and then only find what has come. */

import { type GraphQLFieldResolver, GraphQLError, type GraphQLResolveInfo, getNullableType, isListType } from "graphql";
import type { Knex } from "knex";
import graphqlParseResolveInfo, { type ResolveTree } from "graphql-parse-resolve-info";

import { nothingToAggregate } from "../criteria.js";
import { resolvers } from "../resolvers/index.js";
import { AGGREGATE, ENTITIES, type EntityName } from "./entities.js";
import { type Level, Statement } from "./statement.js";

const { parseResolveInfo } = graphqlParseResolveInfo;

export interface StoreContext {
  readonly database: Knex;
}

type Row = { readonly [column: string]: unknown } & { [LEVEL]: LoadedLevel };
type Resolver<Source> = GraphQLFieldResolver<Source, StoreContext>;

interface LoadedLevel {
  readonly children: Level["children"];
  readonly byKey: ReadonlyMap<Level, ReadonlyMap<unknown, readonly Row[]>>;
}

interface Figures {
  readonly count: number;
  readonly ages: number;
  readonly sum: number;
  readonly max: number;
  readonly min: number;
}

const LEVEL = Symbol("level");
const NOBODY: Figures = { count: 0, ages: 0, sum: 0, max: 0, min: 0 };

const ROOTS: Readonly<Record<string, EntityName>> = {
  faculty: "faculty",
  university: "university",
  researchGroup: "researchGroup",
  lecturer: "lecturer",
  department: "department",
  graduateStudents: "graduateStudent",
  publicationSearch: "publication",
};

const begin: Resolver<unknown> = async (_source, _arguments, { database }, info) => {
  const entity = ROOTS[info.fieldName];
  if (entity === undefined) throw new GraphQLError(`no such root field: ${info.fieldName}`);
  const statement = new Statement(entity, parseResolveInfo(info) as ResolveTree);
  const { rows } = await database.raw<{ rows: [Record<string, Row[] | null>] }>(statement.text, statement.values);
  const byKey = new Map<Level, Map<unknown, Row[]>>();
  for (const level of statement.levels) {
    const groups = new Map<unknown, Row[]>();
    for (const row of rows[0][level.name] ?? []) {
      row[LEVEL] = { children: level.children, byKey };
      const group = groups.get(row["key"]);
      if (group === undefined) groups.set(row["key"], [row]);
      else group.push(row);
    }
    byKey.set(level, groups);
  }
  return listOrFirst([...(byKey.get(statement.levels[0] as Level)?.values() ?? [])].flat(), info);
};

const follow: Resolver<Row> = (row, _arguments, _context, info) => listOrFirst(related(row, info), info);

const aggregate: Resolver<Row> = (row, _arguments, _context, info) => ({ aggregate: related(row, info)[0] ?? NOBODY });

/** The resolvers of the domain, where all that leads to other rows finds them here. */
export function sqlResolvers(): Record<string, Record<string, unknown>> {
  const made: Record<string, Record<string, unknown>> = { ...resolvers };
  for (const { types, edges } of Object.values(ENTITIES)) {
    const found = Object.keys(edges).map((name) => [name, name === AGGREGATE ? aggregate : follow]);
    for (const type of Object.keys(types)) {
      const own = type === "Lecturer" ? found.filter(([name]) => !String(name).startsWith("supervised")) : found;
      made[type] = { ...made[type], ...Object.fromEntries(own) };
    }
  }
  return {
    ...made,
    Query: Object.fromEntries(Object.keys(ROOTS).map((name) => [name, begin])),
    AggregateUgStudents: {
      age: ({ ages, sum, max, min }: Figures) => {
        if (ages === 0) throw nothingToAggregate();
        return { sum, avg: sum / ages, max, min };
      },
    },
    Author: { __resolveType: (row: Row) => ("professortype" in row ? (row["professortype"] === null ? "Lecturer" : "Professor") : "GraduateStudent") },
  };
}

function related(row: Row, info: GraphQLResolveInfo): readonly Row[] {
  const { children, byKey } = row[LEVEL];
  const found = children.get(`${info.parentType.name}.${info.path.key}`) ?? [];
  return found.flatMap(({ level, local }) => byKey.get(level)?.get(row[local]) ?? []);
}

function listOrFirst(rows: readonly Row[], info: GraphQLResolveInfo): readonly Row[] | Row | null {
  return isListType(getNullableType(info.returnType)) ? rows : (rows[0] ?? null);
}
