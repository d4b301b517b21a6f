/** The service of orders over its store and the two other services. */

import type { CatalogueService } from "./catalogue.js";
import { bounded } from "./deadline.js";
import { grouped, type Pool, row, rows } from "./store.js";
import type { Order, OrderLine } from "./types.js";
import type { UserService } from "./users.js";

const ORDER = `orders.id, user_id AS "userId", placed_on::text AS "placedOn", status, total_cents AS "totalCents",
  ship_to AS "shipTo", amount_cents AS "amountCents", card_ending AS "cardEnding", paid_on::text AS "paidOn"`;
const OF_ORDERS = "FROM orders JOIN payments ON order_id = orders.id WHERE";

/** An order as a row has it, with its payment beside it. */
type OrderRow = Omit<Order, "payment"> & Order["payment"];

/** Orders that there are; how they come to be is in checkout.ts. */
export class OrderBook {
  constructor(
    protected readonly store: Pool,
    protected readonly users: UserService,
    protected readonly catalogue: CatalogueService,
  ) {}

  /** An order without its lines. */
  async head(id: number): Promise<Order> {
    return orderOf(await row<OrderRow>(this.store, "order", `SELECT ${ORDER} ${OF_ORDERS} orders.id = $1`, id));
  }

  async read(id: number): Promise<Order> {
    const order = await this.head(id);
    const [lines] = await this.linesOf([id]);
    return { ...order, lines };
  }

  /** The newest orders of each user, without their lines. */
  async headsOf(users: readonly number[], limit: number): Promise<Order[][]> {
    const found = await rows<OrderRow>(
      this.store,
      `SELECT newest.* FROM unnest($1::int[]) AS buyer (id) CROSS JOIN LATERAL
       (SELECT ${ORDER} ${OF_ORDERS} user_id = buyer.id ORDER BY orders.id DESC LIMIT $2) AS newest`,
      users,
      limit,
    );
    return grouped(users, found.map(orderOf), (order) => order.userId);
  }

  /** The newest orders of a user who must be there, with their lines. */
  async list(userId: number, limit: number, products: boolean): Promise<Order[]> {
    return await bounded(async () => {
      await this.users.read(userId);
      const [orders = []] = await this.headsOf([userId], limit);
      const lists = await this.linesOf(orders.map((order) => order.id));
      orders.forEach((order, place) => (order.lines = lists[place]!));
      if (products) {
        await this.withProducts(lists.flat());
      }
      return orders;
    });
  }

  /** The lines of each order. */
  async linesOf(orders: readonly number[]): Promise<OrderLine[][]> {
    const found = await rows<OrderLine & { orderId: number }>(
      this.store,
      `SELECT order_id AS "orderId", product_id AS "productId", quantity, unit_price_cents AS "unitPriceCents"
       FROM order_lines WHERE order_id = ANY($1::int[]) ORDER BY id`,
      orders,
    );
    const lists = grouped(orders, found, (line) => line.orderId);
    return lists.map((lines) => lines.map(({ orderId: _, ...line }) => line));
  }

  /** Asks the catalogue once for all products. */
  private async withProducts(lines: OrderLine[]): Promise<void> {
    const ids = new Set(lines.map((line) => line.productId));
    const found = await this.catalogue.byId([...ids].sort((one, other) => one - other));
    const products = new Map(found.map((product) => [product.id, product]));
    for (const line of lines) {
      line.product = products.get(line.productId);
    }
  }

  async update(id: number, status: string): Promise<Order> {
    await row(this.store, "order", "UPDATE orders SET status = $2 WHERE id = $1 RETURNING id", id, status);
    return await this.read(id);
  }

  async delete(id: number): Promise<number> {
    await row(this.store, "order", "DELETE FROM orders WHERE id = $1 RETURNING id", id);
    return id;
  }
}

function orderOf({ amountCents, cardEnding, paidOn, ...order }: OrderRow): Order {
  return { ...order, payment: { amountCents, cardEnding, paidOn } };
}
