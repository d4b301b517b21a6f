/** The service of the catalogue over its store. */

import { EventEmitter, once } from "node:events";

import { bounded } from "./deadline.js";
import * as stock from "./stock.js";
import { grouped, type Pool, row, rows, transaction } from "./store.js";
import type {
  Page,
  Product,
  ProductEvent,
  ProductInput,
  Quote,
  Review,
  ReviewInput,
  StockCount,
  Watch,
  Wish,
  Wishes,
} from "./types.js";
import type { UserService } from "./users.js";

const REVIEWS_SHOWN = 5;
const EVENTS_AT_ONCE = 200;
const PRODUCT = `id, title, description, price_cents AS "priceCents", stock, pictures`;
const REVIEW = `id, product_id AS "productId", user_id AS "userId", rating, headline, body, written_on::text AS "writtenOn"`;

/**
 * Events get their ids in the order in which they are committed: the lock is held from before the id
 * is drawn until the transaction ends.
 */
const ADD_EVENT = `INSERT INTO product_events (product_id, kind, price_cents, stock)
  SELECT $1, $2, $3, $4 FROM pg_advisory_xact_lock(13)`;

/** What other services ask of this one. */
export interface CatalogueService {
  byId(ids: readonly number[]): Promise<Product[]>;
  reserve(key: string, wishes: Wishes): Promise<number[]>;
  release(key: string): Promise<void>;
}

export class Catalogue implements CatalogueService {
  private readonly news = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly store: Pool,
    private readonly users: UserService,
  ) {}

  async list({ after, limit }: Page): Promise<Product[]> {
    const text = `SELECT ${PRODUCT} FROM products WHERE id > $1 ORDER BY id LIMIT $2`;
    return await rows<Product>(this.store, text, after, limit);
  }

  async byId(ids: readonly number[]): Promise<Product[]> {
    const text = `SELECT ${PRODUCT} FROM products WHERE id = ANY($1::int[]) ORDER BY id`;
    return await rows<Product>(this.store, text, ids);
  }

  async read(id: number): Promise<Product> {
    return await row<Product>(this.store, "product", `SELECT ${PRODUCT} FROM products WHERE id = $1`, id);
  }

  /** Puts the newest reviews into products, by one statement for all of them. */
  async withReviews<Some extends Product[]>(products: Some): Promise<Some> {
    const lists = await this.reviewsOf(products.map((product) => product.id), REVIEWS_SHOWN);
    products.forEach((product, place) => (product.reviews = lists[place]!));
    return products;
  }

  async create(product: ProductInput): Promise<Product> {
    return await this.change(
      "created",
      `INSERT INTO products (title, description, price_cents, stock, pictures)
       VALUES ($1, $2, $3, $4, $5) RETURNING ${PRODUCT}`,
      ...valuesOf(product),
    );
  }

  async update(id: number, product: ProductInput): Promise<Product> {
    return await this.change(
      "changed",
      `UPDATE products SET title = $2, description = $3, price_cents = $4, stock = $5, pictures = $6
       WHERE id = $1 RETURNING ${PRODUCT}`,
      id,
      ...valuesOf(product),
    );
  }

  async delete(id: number): Promise<number> {
    await this.change("deleted", `DELETE FROM products WHERE id = $1 RETURNING ${PRODUCT}`, id);
    return id;
  }

  /** Carries out a statement about one product and adds what happened to the events. */
  private async change(kind: string, text: string, ...values: unknown[]): Promise<Product> {
    const changed = await transaction(this.store, async (connection) => {
      const product = await row<Product>(connection, "product", text, ...values);
      await rows(connection, ADD_EVENT, product.id, kind, product.priceCents, product.stock);
      return product;
    });
    this.news.emit("news");
    return changed;
  }

  /** The newest reviews of each product. */
  async reviewsOf(products: readonly number[], limit: number): Promise<Review[][]> {
    const found = await rows<Review>(
      this.store,
      `SELECT review.* FROM unnest($1::int[]) AS product (id) CROSS JOIN LATERAL
       (SELECT ${REVIEW} FROM reviews WHERE product_id = product.id ORDER BY id DESC LIMIT $2) AS review`,
      products,
      limit,
    );
    return grouped(products, found, (review) => review.productId);
  }

  async readReview(id: number): Promise<Review> {
    return await row<Review>(this.store, "review", `SELECT ${REVIEW} FROM reviews WHERE id = $1`, id);
  }

  /** The service of users is asked whether there is the user. */
  async createReview(productId: number, userId: number, review: ReviewInput): Promise<Review> {
    return await bounded(async () => {
      await this.users.read(userId);
      return await row<Review>(
        this.store,
        "product",
        `INSERT INTO reviews (product_id, user_id, rating, headline, body)
         SELECT id, $2, $3, $4, $5 FROM products WHERE id = $1 FOR KEY SHARE RETURNING ${REVIEW}`,
        productId,
        userId,
        review.rating,
        review.headline,
        review.body,
      );
    });
  }

  async updateReview(id: number, { rating, headline, body }: ReviewInput): Promise<Review> {
    const text = `UPDATE reviews SET rating = $2, headline = $3, body = $4 WHERE id = $1 RETURNING ${REVIEW}`;
    return await row<Review>(this.store, "review", text, id, rating, headline, body);
  }

  async deleteReview(id: number): Promise<number> {
    await row(this.store, "review", "DELETE FROM reviews WHERE id = $1 RETURNING id", id);
    return id;
  }

  async reserve(key: string, { lines }: Wishes): Promise<number[]> {
    return await stock.reserve(this.store, key, lines);
  }

  async release(key: string): Promise<void> {
    await stock.release(this.store, key);
  }

  async countStock(counts: StockCount[]): Promise<number> {
    return await stock.count(this.store, counts);
  }

  /** Says whether something can be had now, and for how much. */
  async quote({ productId, quantity }: Wish): Promise<Quote> {
    const product = await this.read(productId);
    return { productId, quantity, unitPriceCents: product.priceCents, available: product.stock >= quantity };
  }

  /** Events in their order, those that have not happened yet when they do; `signal` ends the waiting. */
  async *watch({ after, count }: Watch, signal: AbortSignal): AsyncGenerator<ProductEvent> {
    let [last, left] = [after, count];
    while (left > 0 && !signal.aborted) {
      const waiting = new AbortController();
      const news = once(this.news, "news", { signal: AbortSignal.any([signal, waiting.signal]) }).catch(() => null);
      const events = await rows<ProductEvent>(
        this.store,
        `SELECT id, product_id AS "productId", kind, price_cents AS "priceCents", stock FROM product_events
         WHERE id > $1 ORDER BY id LIMIT $2`,
        last,
        Math.min(left, EVENTS_AT_ONCE),
      );
      if (events.length === 0) {
        await news; // it began before the store was asked, so that nothing is missed
      }
      waiting.abort();
      for (const event of events) {
        yield event;
        last = event.id;
        left -= 1;
      }
    }
  }
}

function valuesOf({ title, description, priceCents, stock, pictures }: ProductInput): unknown[] {
  return [title, description, priceCents, stock, pictures];
}
