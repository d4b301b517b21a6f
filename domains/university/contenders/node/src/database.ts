/** The pool of connections to PostgreSQL. */

import knex, { type Knex } from "knex";

import type { Settings } from "./settings.js";

const CONNECT_TIMEOUT_MS = 5_000;

/** Opens the pool and makes sure that the store answers. */
export async function connect({ storeUrl, poolSize }: Settings): Promise<Knex> {
  const database = knex({
    client: "pg",
    connection: { connectionString: storeUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS },
    pool: { min: poolSize, max: poolSize },
  });
  await database.raw("select 1");
  return database;
}
