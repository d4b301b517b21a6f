/** The server: Apollo Server behind Express, on the address that the laboratory gives. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { ApolloServer } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { ApolloServerPluginDrainHttpServer } from "@apollo/server/plugin/drainHttpServer";
import { expressMiddleware } from "@as-integrations/express5";
import express, { type NextFunction, type Request, type Response } from "express";
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import type { Knex } from "knex";

import type { Context } from "./context.js";
import { connect } from "./database.js";
import { loadsOf } from "./fetches.js";
import { STRATEGIES } from "./loading.js";
import { resolvers } from "./resolvers/index.js";
import { type Loading, readSettings } from "./settings.js";
import { sqlResolvers, type StoreContext } from "./sql/resolvers.js";

const SCHEMA = new URL("../schema.graphql", import.meta.url);
const KEEP_ALIVE_MS = 75_000;
const GRACE_MS = 500;

async function serve(): Promise<void> {
  const settings = readSettings(process.env);
  const database = await connect(settings);
  const app = express().disable("x-powered-by").disable("etag");
  const http = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true }, app);
  const apollo = new ApolloServer<Context | StoreContext>({
    typeDefs: await readFile(SCHEMA, "utf8"),
    resolvers: settings.loading === "sql" ? sqlResolvers() : resolvers,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: withoutDetails,
    plugins: [ApolloServerPluginDrainHttpServer({ httpServer: http, stopGracePeriodMillis: GRACE_MS })],
  });
  await apollo.start();
  const context = contextOf(database, settings.loading);
  app.use("/graphql", express.json({ limit: "1mb" }), expressMiddleware(apollo, { context }));
  app.use(refuse);

  http.listen(settings.port, settings.host);
  await once(http, "listening");
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => void apollo.stop().finally(() => process.exit(0)));
  }
}

/** Gives every request what its resolvers share. */
function contextOf(database: Knex, loading: Loading): () => Promise<Context | StoreContext> {
  if (loading === "sql") return async () => ({ database });
  const strategy = STRATEGIES[loading];
  return async () => ({ load: loadsOf(database, strategy) });
}

/** What goes wrong inside is written to the log, and not told to clients. */
function withoutDetails(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error);
  if (original instanceof GraphQLError || formatted.extensions?.["code"] !== "INTERNAL_SERVER_ERROR") return formatted;
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

serve().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
