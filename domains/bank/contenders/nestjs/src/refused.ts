/** Why an operation is refused, in words that every protocol has an error for. */

export type RefusalKind = "not_found" | "invalid";

export class Refused extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message);
  }
}
