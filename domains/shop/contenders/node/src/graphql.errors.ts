/** What GraphQL answers to what goes wrong. */

import { GraphQLError, type GraphQLFormattedError } from "graphql";

import { type Kind, told } from "./refusal.js";

const CODES: Record<Kind, string> = {
  not_found: "NOT_FOUND",
  invalid: "BAD_USER_INPUT",
  unauthenticated: "UNAUTHENTICATED",
  out_of_stock: "CONFLICT",
  payment_refused: "CONFLICT",
  unavailable: "SERVICE_UNAVAILABLE",
  too_late: "DEADLINE_EXCEEDED",
  internal: "INTERNAL_SERVER_ERROR",
};

/** Gives what goes wrong in a resolver its code; what GraphQL itself finds wrong has one. */
export function formatted(given: GraphQLFormattedError, cause: unknown): GraphQLFormattedError {
  if (cause instanceof GraphQLError) {
    return given;
  }
  const { kind, message } = told(cause);
  return { ...given, message, extensions: { code: CODES[kind], reason: kind } };
}
