/** Apollo Server behind Express, on the address that the laboratory gives. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { ApolloServer, type BaseContext } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { ApolloServerPluginDrainHttpServer } from "@apollo/server/plugin/drainHttpServer";
import { expressMiddleware } from "@as-integrations/express5";
import express, { type NextFunction, type Request, type Response } from "express";
import { GraphQLError, type GraphQLFormattedError } from "graphql";

import type { Settings } from "./settings.js";

const SCHEMA = new URL("../schema.graphql", import.meta.url);
const KEEP_ALIVE_MS = 75_000;
const GRACE_MS = 500;

/** What knex and pg say when every connection is in use for too long; their errors have no code. */
const BUSY = /Timeout acquiring a connection|timeout exceeded when trying to connect/;

/** Serves the schema until a signal comes; `context` makes what the resolvers of one request share. */
export async function serve<Shared extends BaseContext>(
  { host, port }: Settings,
  resolvers: Record<string, Record<string, unknown>>,
  context: () => Promise<Shared>,
): Promise<void> {
  const app = express().disable("x-powered-by").disable("etag");
  const http = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true }, app);
  const apollo = new ApolloServer<Shared>({
    typeDefs: await readFile(SCHEMA, "utf8"),
    resolvers: resolvers as never,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: withoutDetails,
    plugins: [ApolloServerPluginDrainHttpServer({ httpServer: http, stopGracePeriodMillis: GRACE_MS })],
  });
  await apollo.start();
  app.use("/graphql", express.json({ limit: "1mb" }), expressMiddleware(apollo, { context }));
  app.use(refuse);

  http.listen(port, host);
  await once(http, "listening");
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => void apollo.stop().finally(() => process.exit(0)));
  }
}

/** What goes wrong inside is written to the log, and not told to clients. */
function withoutDetails(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error);
  if (original instanceof GraphQLError || formatted.extensions?.["code"] !== "INTERNAL_SERVER_ERROR") return formatted;
  if (original instanceof Error && BUSY.test(original.message)) {
    return { ...formatted, message: "every connection to the store is in use", extensions: { code: "SERVICE_UNAVAILABLE" } };
  }
  console.error(original);
  return { ...formatted, message: "internal server error" };
}

/** What is wrong before it is GraphQL: a body that is no JSON, or too large. */
function refuse(error: Error & { status?: number }, _request: Request, response: Response, next: NextFunction): void {
  if (response.headersSent) return next(error);
  const status = error.status ?? 500;
  if (status >= 500) console.error(error);
  const [message, code] = status < 500 ? [error.message, "BAD_REQUEST"] : ["internal server error", "INTERNAL_SERVER_ERROR"];
  response.status(status).json({ errors: [{ message, extensions: { code } }] });
}
