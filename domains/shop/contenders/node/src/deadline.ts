/** How long a client waits: calls to peers carry what is left, and nothing is written after it. */

import { AsyncLocalStorage } from "node:async_hooks";

import { Refused } from "./refusal.js";

/** How long another service is waited for, where the client does not say. */
const DEFAULT_MS = 2000;

export const HEADER = "x-request-timeout-ms";

const ends = new AsyncLocalStorage<number>();

/** Does something that ends within so many milliseconds; an earlier end stays. */
export function within<Value>(milliseconds: number, work: () => Value): Value {
  const known = ends.getStore() ?? Number.POSITIVE_INFINITY;
  return ends.run(Math.min(known, Date.now() + milliseconds), work);
}

/** Bounds what asks other services; the answer does not come later than the deadline. */
export async function bounded<Value>(work: () => Promise<Value>): Promise<Value> {
  return await within(DEFAULT_MS, async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooLate()), leftMs());
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Does something that no client waits for any more, with a deadline of its own. */
export function afresh<Value>(work: () => Value): Value {
  return ends.run(Date.now() + DEFAULT_MS, work);
}

/** The milliseconds that are left; refuses where there are none. */
export function leftMs(): number {
  const end = ends.getStore();
  const left = end === undefined ? DEFAULT_MS : end - Date.now();
  if (left <= 0) {
    throw tooLate();
  }
  return Math.ceil(left);
}

export function tooLate(): Refused {
  return new Refused("too_late", "there was no answer within the deadline");
}
