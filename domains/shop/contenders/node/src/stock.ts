/** Taking stock from the shelves, and giving it back. */

import type { PoolClient } from "pg";

import { Refused } from "./refusal.js";
import { type Pool, rows, transaction } from "./store.js";
import type { StockCount, Wish } from "./types.js";

const OF_LINES =
  "FROM unnest($1::int[], $2::int[]) AS line (product_id, quantity) WHERE id = product_id";

/** Takes all that is wanted and gives the unit prices, or refuses. */
export async function take(connection: PoolClient, lines: Wish[]): Promise<number[]> {
  const ids = lines.map((line) => line.productId);
  // In the order of their ids, so that no two checkouts wait for one another.
  const found = await rows<{ id: number; price_cents: number; stock: number }>(
    connection,
    "SELECT id, price_cents, stock FROM products WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE",
    ids,
  );
  const products = new Map(found.map((product) => [product.id, product]));
  const wanted = lines.map((line) => {
    const product = products.get(line.productId);
    if (product === undefined) {
      throw new Refused("not_found", `there is no product ${line.productId}`);
    }
    return { ...line, ...product };
  });
  for (const { quantity, stock, productId } of wanted) {
    if (stock < quantity) {
      throw new Refused("out_of_stock", `there are not ${quantity} of product ${productId}`);
    }
  }
  const quantities = lines.map((line) => line.quantity);
  await rows(connection, `UPDATE products SET stock = stock - quantity ${OF_LINES}`, ids, quantities);
  return wanted.map((product) => product.price_cents);
}

/** Takes stock for a checkout of another service, once for each key. */
export async function reserve(store: Pool, key: string, lines: Wish[]): Promise<number[]> {
  return await transaction(store, async (connection) => {
    const made = await rows(
      connection,
      `INSERT INTO reservations (key, state, product_ids, quantities) VALUES ($1, 'reserved', $2, $3)
       ON CONFLICT DO NOTHING RETURNING key`,
      key,
      lines.map((line) => line.productId),
      lines.map((line) => line.quantity),
    );
    if (made.length === 0) {
      throw new Refused("out_of_stock", `the reservation ${key} was made or released before`);
    }
    return await take(connection, lines);
  });
}

/**
 * Gives back what was reserved, once for each key. The key stays released, so that a reservation that
 * was under way for too long comes to nothing.
 */
export async function release(store: Pool, key: string): Promise<void> {
  await transaction(store, async (connection) => {
    const [released] = await rows<{ product_ids: number[]; quantities: number[] }>(
      connection,
      `INSERT INTO reservations (key, state, product_ids, quantities) VALUES ($1, 'released', '{}', '{}')
       ON CONFLICT (key) DO UPDATE SET state = 'released' WHERE reservations.state = 'reserved'
       RETURNING product_ids, quantities`,
      key,
    );
    if (released === undefined || released.product_ids.length === 0) {
      return;
    }
    const { product_ids: ids, quantities } = released;
    await rows(connection, "SELECT FROM products WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE", ids);
    await rows(connection, `UPDATE products SET stock = stock + quantity ${OF_LINES}`, ids, quantities);
  });
}

/** Sets the stock of products, all of them or none. */
export async function count(store: Pool, counts: StockCount[]): Promise<number> {
  const last = new Map(counts.map((counted) => [counted.productId, counted.stock])); // one may be counted twice
  const ids = [...last.keys()];
  await transaction(store, async (connection) => {
    const found = await rows(
      connection,
      "SELECT id FROM products WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE",
      ids,
    );
    if (found.length < ids.length) {
      throw new Refused("not_found", `${ids.length - found.length} of the products are none`);
    }
    await rows(connection, `UPDATE products SET stock = quantity ${OF_LINES}`, ids, [...last.values()]);
  });
  return counts.length;
}
