/** Checking out: check the user, reserve the stock, take the payment, write the order. */

import { randomUUID } from "node:crypto";

import pg, { type PoolClient } from "pg";

import type { CatalogueService } from "./catalogue.js";
import { afresh, bounded, leftMs, tooLate } from "./deadline.js";
import { OrderBook } from "./orders.js";
import { Refused } from "./refusal.js";
import * as stock from "./stock.js";
import { type Pool, row, rows, transaction } from "./store.js";
import type { Checkout, Order, Shipping } from "./types.js";
import type { UserService } from "./users.js";

const REFUSED_CARD = "0002";
const LARGEST_PAYMENT_CENTS = 100_000_000;
const UNIQUE_VIOLATION = "23505";
const SETTLE_EVERY_MS = 1000;
const ABANDONED_AFTER = "10 seconds"; // longer than any deadline
const NOTHING_TAKEN = ["not_found", "out_of_stock", "invalid"];

/** Orders, and how they come to be: in one transaction, or across services. */
export class Orders extends OrderBook {
  constructor(
    store: Pool,
    users: UserService,
    catalogue: CatalogueService,
    private readonly together: boolean,
  ) {
    super(store, users, catalogue);
  }

  /** All or nothing; once for each idempotency key. */
  async checkout(asked: Checkout): Promise<Order> {
    return await bounded(async () => {
      const shipping = await this.users.shipping(asked.token, asked.addressId);
      const known = await this.carriedOut(asked, shipping);
      if (known !== undefined) {
        return known;
      }
      try {
        return await (this.together ? this.inOneTransaction(asked, shipping) : this.acrossServices(asked, shipping));
      } catch (error) {
        if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) {
          const other = await this.carriedOut(asked, shipping); // by the same client at the same time
          if (other !== undefined) {
            return other;
          }
        }
        throw error;
      }
    });
  }

  /** The order that the key was used for before, if so. */
  private async carriedOut({ idempotencyKey }: Checkout, { userId }: Shipping): Promise<Order | undefined> {
    if (!idempotencyKey) {
      return undefined;
    }
    const [known] = await rows<{ id: number; user_id: number }>(
      this.store,
      "SELECT id, user_id FROM orders WHERE checkout_key = $1",
      idempotencyKey,
    );
    if (known !== undefined && known.user_id !== userId) {
      throw new Refused("out_of_stock", "the key was used by somebody else");
    }
    return known && (await this.read(known.id));
  }

  private async inOneTransaction(asked: Checkout, shipping: Shipping): Promise<Order> {
    return await transaction(this.store, async (connection) => {
      const prices = await stock.take(connection, asked.lines);
      return await write(connection, asked, shipping, prices);
    });
  }

  /**
   * Reserves the stock in the catalogue, and gives it back if nothing comes of it. What is under way is
   * written down first, so that this is made up for even if the program ends.
   */
  private async acrossServices(asked: Checkout, shipping: Shipping): Promise<Order> {
    const key = randomUUID();
    await rows(this.store, "INSERT INTO checkouts (key) VALUES ($1)", key);
    try {
      const prices = await this.catalogue.reserve(key, { lines: asked.lines });
      return await transaction(this.store, async (connection) => {
        const open = await rows(
          connection,
          "DELETE FROM checkouts WHERE key = $1 AND NOT cancelled RETURNING key",
          key,
        );
        if (open.length === 0) {
          throw tooLate();
        }
        return await write(connection, asked, shipping, prices);
      });
    } catch (error) {
      const nothingTaken = error instanceof Refused && NOTHING_TAKEN.includes(error.kind);
      // The client need not wait for it, and its deadline may have passed.
      void afresh(async () => await (nothingTaken ? this.forget(key) : this.cancel(key))).catch(console.error);
      throw error;
    }
  }

  /** Gives reserved stock back. Where that fails, settle tries again. */
  private async cancel(key: string): Promise<void> {
    try {
      const text = "UPDATE checkouts SET cancelled = true WHERE key = $1 RETURNING key";
      if ((await rows(this.store, text, key)).length === 0) {
        return; // the order was written after all
      }
      await this.catalogue.release(key);
      await this.forget(key);
    } catch (error) {
      console.error(`checkout ${key} could not be cancelled yet: ${error instanceof Error ? error.message : error}`);
    }
  }

  private async forget(key: string): Promise<void> {
    await rows(this.store, "DELETE FROM checkouts WHERE key = $1", key);
  }

  /** Cancels every second what was left behind by checkouts that came to nothing. */
  settle(): void {
    const once = async (): Promise<void> => {
      const left = await rows<{ key: string }>(
        this.store,
        `SELECT key FROM checkouts WHERE cancelled OR opened_at < now() - interval '${ABANDONED_AFTER}'`,
      );
      for (const { key } of left) {
        await afresh(async () => await this.cancel(key));
      }
    };
    const again = (): NodeJS.Timeout =>
      setTimeout(() => void once().catch(console.error).finally(again), SETTLE_EVERY_MS).unref();
    again();
  }
}

/** Takes the payment and writes the order, by one statement. */
async function write(
  connection: PoolClient,
  { lines, cardNumber, idempotencyKey }: Checkout,
  { userId, shipTo }: Shipping,
  prices: number[],
): Promise<Order> {
  const quantities = lines.map((line) => line.quantity);
  const totalCents = quantities.reduce((total, quantity, place) => total + quantity * prices[place]!, 0);
  if (cardNumber.endsWith(REFUSED_CARD) || totalCents > LARGEST_PAYMENT_CENTS) {
    throw new Refused("payment_refused", `the bank refuses to pay ${totalCents} cents`);
  }
  leftMs(); // whoever was told that it is too late must not be charged
  const cardEnding = cardNumber.slice(-4);
  const ids = lines.map((line) => line.productId);
  const { paidOn, ...written } = await row<Pick<Order, "id" | "placedOn" | "status"> & { paidOn: string }>(
    connection,
    "order",
    `WITH written AS (
       INSERT INTO orders (checkout_key, user_id, total_cents, ship_to) VALUES ($1, $2, $3, $4)
       RETURNING id, placed_on, status
     ), lines AS (
       INSERT INTO order_lines (order_id, product_id, quantity, unit_price_cents)
       SELECT written.id, line.* FROM written, unnest($5::int[], $6::int[], $7::int[]) AS line
     ), paid AS (
       INSERT INTO payments (order_id, amount_cents, card_ending) SELECT id, $3, $8 FROM written RETURNING paid_on
     ) SELECT id, placed_on::text AS "placedOn", status, paid_on::text AS "paidOn" FROM written, paid`,
    idempotencyKey || null,
    userId,
    totalCents,
    shipTo,
    ids,
    quantities,
    prices,
    cardEnding,
  );
  return {
    ...written,
    userId,
    totalCents,
    shipTo,
    payment: { amountCents: totalCents, cardEnding, paidOn },
    lines: lines.map((line, place) => ({ ...line, unitPriceCents: prices[place]! })),
  };
}
