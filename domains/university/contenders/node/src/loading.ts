/** The four ways to load rows that LinGBM compares. They differ here and nowhere else. */

import DataLoader from "dataloader";

import type { Loading } from "./settings.js";

/** One statement that answers for many keys at once: as many values, in the order of the keys. */
export type Fetch<Key, Value> = (keys: readonly Key[]) => Promise<readonly Value[]>;
export type Load<Key, Value> = (key: Key) => Promise<Value>;
export type Strategy = <Key, Value>(fetch: Fetch<Key, Value>) => Load<Key, Value>;

/** Two keys are the same when they are written the same: a key may be a list of numbers. */
const written = (key: unknown): string => String(key);

const naive: Strategy = <Key, Value>(fetch: Fetch<Key, Value>) => {
  return async (key: Key) => (await fetch([key]))[0] as Value;
};

const caching: Strategy = <Key, Value>(fetch: Fetch<Key, Value>) => {
  const load = naive(fetch);
  const known = new Map<string, Promise<Value>>();
  return (key: Key) => {
    const name = written(key);
    const found = known.get(name) ?? load(key);
    known.set(name, found);
    return found;
  };
};

/** DataLoader collects what is asked for in one turn of the event loop into one fetch. */
const batching: Strategy = <Key, Value>(fetch: Fetch<Key, Value>) => {
  const loader = new DataLoader<Key, Value>(fetch, { cache: false });
  return (key: Key) => loader.load(key);
};

const batchingAndCaching: Strategy = <Key, Value>(fetch: Fetch<Key, Value>) => {
  const loader = new DataLoader<Key, Value, string>(fetch, { cacheKeyFn: written });
  return (key: Key) => loader.load(key);
};

export const STRATEGIES: Readonly<Record<Exclude<Loading, "sql">, Strategy>> = {
  naive,
  caching,
  batching,
  "batching-caching": batchingAndCaching,
};
