/** PostgreSQL: a pool of connections, each of which prepares a statement once. */

import pg from "pg";

import { Refused } from "./refusal.js";

const POOL_SIZE = 10;

/** How long opening a connection may take, and how long a statement waits for one of the pool. */
const CONNECTION_WAIT_MS = 5000;

/** What the pool throws after that; its error has no code. */
const WAITED = "timeout exceeded when trying to connect";

export type Connection = pg.Pool | pg.PoolClient;
export type Pool = pg.Pool;

export async function openStore(url: string): Promise<Pool> {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    idleTimeoutMillis: 0,
  });
  pool.on("error", (error) => console.error(error));
  await pool.query("SELECT 1");
  return pool;
}

const names = new Map<string, string>();

/** Carries out a statement, which is prepared under a name of its own. */
export async function rows<Row>(connection: Connection, text: string, ...values: unknown[]): Promise<Row[]> {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return (await connection.query({ name, text, values }).catch(refuseIfBusy)).rows as Row[];
}

function refuseIfBusy(error: Error): never {
  throw error.message === WAITED ? new Refused("unavailable", "every connection to the store is in use") : error;
}

/** The same where there is one row or none; none is refused. */
export async function row<Row>(
  connection: Connection,
  what: string,
  text: string,
  ...values: unknown[]
): Promise<Row> {
  const [found] = await rows<Row>(connection, text, ...values);
  if (found === undefined) {
    throw new Refused("not_found", `there is no such ${what}`);
  }
  return found;
}

/** Does all of something or nothing. */
export async function transaction<Value>(
  pool: Pool,
  work: (connection: pg.PoolClient) => Promise<Value>,
): Promise<Value> {
  const connection = await pool.connect().catch(refuseIfBusy);
  let broken: Error | undefined;
  try {
    await connection.query("BEGIN");
    const value = await work(connection);
    await connection.query("COMMIT");
    return value;
  } catch (error) {
    await connection.query("ROLLBACK").catch((failed: Error) => (broken = failed));
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** Sorts rows into those of each key, in the order of the keys. */
export function grouped<Row>(keys: readonly number[], all: Row[], keyOf: (row: Row) => number): Row[][] {
  const groups = new Map<number, Row[]>(keys.map((key) => [key, []]));
  for (const row of all) {
    groups.get(keyOf(row))?.push(row);
  }
  return keys.map((key) => groups.get(key) ?? []);
}
