/** The pool of connections to PostgreSQL. */

import knex, { type Knex } from "knex";

import type { Settings } from "./settings.js";

/** How long opening a connection may take, and how long a statement waits for one of the pool. */
const CONNECTION_WAIT_MS = 5_000;

/** Opens the pool and makes sure that the store answers. */
export async function connect({ storeUrl, poolSize }: Settings): Promise<Knex> {
  const database = knex({
    client: "pg",
    connection: { connectionString: storeUrl, connectionTimeoutMillis: CONNECTION_WAIT_MS },
    pool: { min: poolSize, max: poolSize },
    acquireConnectionTimeout: CONNECTION_WAIT_MS,
  });
  await database.raw("select 1");
  return database;
}
