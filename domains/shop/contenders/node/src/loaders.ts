/** What a GraphQL request loads: many keys by one statement or call, or without a remedy one each. */

import DataLoader from "dataloader";

import { notServed } from "./refusal.js";
import type { Shop } from "./shop.js";
import type { Order, OrderLine, Product, Review } from "./types.js";

/** A key, and how many of what belongs to it are wanted. */
export interface Some {
  of: number;
  first: number;
}

type Load<Key, Value> = (key: Key) => Promise<Value>;
export type Fetch<Key, Value> = (keys: readonly Key[]) => Promise<Value[]>;

export interface Loaders {
  reviews: Load<Some, Review[]>;
  orders: Load<Some, Order[]>;
  lines: Load<number, OrderLine[]>;
  product: Load<number, Product | undefined>;
}

/** What is loaded, by many keys at once; undefined where this program does not serve it. */
export type Fetches = { readonly [Name in keyof Loaders]: Fetch<Parameters<Loaders[Name]>[0], Awaited<ReturnType<Loaders[Name]>>> | undefined };

export function fetchesOf({ catalogue, orders, anyCatalogue }: Shop): Fetches {
  return {
    reviews: catalogue && counted(async (ids, first) => await catalogue.reviewsOf(ids, first)),
    orders: orders && counted(async (ids, first) => await orders.headsOf(ids, first)),
    lines: orders && (async (ids) => await orders.linesOf(ids)),
    product:
      anyCatalogue &&
      (async (ids) => {
        const found = new Map((await anyCatalogue.byId(ids)).map((product) => [product.id, product]));
        return ids.map((id) => found.get(id));
      }),
  };
}

/** By a name: two keys that are named alike are one. */
export const nameOf = (key: number | Some): unknown => (typeof key === "number" ? key : `${key.of} ${key.first}`);

/** Loads of one request, by DataLoader if they are batched. */
export function loadersOf(shop: Shop, batching: boolean): Loaders {
  function loadBy<Key extends number | Some, Value>(fetch: Fetch<Key, Value> | undefined): Load<Key, Value> {
    if (fetch === undefined) {
      return async () => {
        throw notServed();
      };
    }
    if (batching) {
      const loader = new DataLoader<Key, Value, unknown>(fetch, { cacheKeyFn: nameOf });
      return async (key) => await loader.load(key);
    }
    return async (key) => (await fetch([key]))[0] as Value;
  }

  const { reviews, orders, lines, product } = fetchesOf(shop);
  return { reviews: loadBy(reviews), orders: loadBy(orders), lines: loadBy(lines), product: loadBy(product) };
}

/** Loads so many of each key; keys that want another number are loaded apart. */
function counted<Value>(fetch: (ids: number[], first: number) => Promise<Value[]>): Fetch<Some, Value> {
  return async (keys) => {
    const values: Value[] = [];
    for (const first of new Set(keys.map((key) => key.first))) {
      const places = [...keys.keys()].filter((place) => keys[place]!.first === first);
      const fetched = await fetch(
        places.map((place) => keys[place]!.of),
        first,
      );
      places.forEach((place, number) => (values[place] = fetched[number]!));
    }
    return values;
  };
}
