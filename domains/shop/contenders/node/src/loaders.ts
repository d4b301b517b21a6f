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
type Fetch<Key, Value> = (keys: readonly Key[]) => Promise<Value[]>;

export interface Loaders {
  reviews: Load<Some, Review[]>;
  orders: Load<Some, Order[]>;
  lines: Load<number, OrderLine[]>;
  product: Load<number, Product | undefined>;
}

export function loadersOf({ catalogue, orders, anyCatalogue }: Shop, batching: boolean): Loaders {
  function loadBy<Key, Value>(fetch: Fetch<Key, Value> | undefined, nameOf: (key: Key) => unknown): Load<Key, Value> {
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

  const same = (key: number): number => key;
  const name = ({ of, first }: Some): string => `${of} ${first}`;
  return {
    reviews: loadBy(catalogue && counted(async (ids, first) => await catalogue.reviewsOf(ids, first)), name),
    orders: loadBy(orders && counted(async (ids, first) => await orders.headsOf(ids, first)), name),
    lines: loadBy(orders && (async (ids) => await orders.linesOf(ids)), same),
    product: loadBy(
      anyCatalogue &&
        (async (ids) => {
          const found = new Map((await anyCatalogue.byId(ids)).map((product) => [product.id, product]));
          return ids.map((id) => found.get(id));
        }),
      same,
    ),
  };
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
