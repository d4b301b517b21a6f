/** Why something is refused, in words that every protocol has an error for. */

export const KINDS = [
  "not_found",
  "invalid",
  "unauthenticated",
  "out_of_stock",
  "payment_refused",
  "unavailable",
  "too_late",
  "internal",
] as const;

export type Kind = (typeof KINDS)[number];

export class Refused extends Error {
  constructor(
    readonly kind: Kind,
    message: string,
  ) {
    super(message);
  }
}

export function notServed(): Refused {
  return new Refused("not_found", "this service does not offer it");
}

/** What a client is told of an error: what goes wrong inside goes to the log. */
export function told(error: unknown): Refused {
  if (error instanceof Refused) {
    return error;
  }
  console.error(error);
  return new Refused("internal", "something went wrong inside the server");
}
