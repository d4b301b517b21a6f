/** The shop as GraphQL: Apollo Server on Express, subscriptions over WebSocket (graphql-transport-ws). */

import { readFileSync } from "node:fs";

import { ApolloServer, type ApolloServerPlugin } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { expressMiddleware } from "@as-integrations/express5";
import { makeExecutableSchema } from "@graphql-tools/schema";
import express, { type NextFunction, type Request, type Response } from "express";
import { GraphQLError, type GraphQLFormattedError, Kind as Syntax } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";

import { type Context, resolvers } from "./graphql.resolvers.js";
import { AGE_S, application, bodies, serve } from "./http.js";
import { loadersOf } from "./loaders.js";
import { type Kind, told } from "./refusal.js";
import type { Settings } from "./settings.js";
import type { Shop } from "./shop.js";

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

/** The queries that everybody gets the same answer to. */
const PUBLIC = new Set(["products", "productsById", "product", "review"]);

/** Lets caches keep what only public queries are answered, unless with errors. */
const caching: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation, overallCachePolicy }) {
        const fields = operation?.selectionSet.selections;
        if (fields?.every((each) => each.kind === Syntax.FIELD && PUBLIC.has(each.name.value))) {
          overallCachePolicy.replace({ maxAge: AGE_S, scope: "PUBLIC" });
        }
      },
    };
  },
};

/** Gives what goes wrong in a resolver its code; what GraphQL itself finds wrong has one. */
function formatted(given: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const cause = unwrapResolverError(error);
  if (cause instanceof GraphQLError) {
    return given;
  }
  const { kind, message } = told(cause);
  return { ...given, message, extensions: { code: CODES[kind], reason: kind } };
}

export async function serveGraphql(shop: Shop, settings: Settings): Promise<void> {
  const schema = makeExecutableSchema({ typeDefs: readFileSync("../../schema.graphql", "utf8"), resolvers });
  const context = async (): Promise<Context> => ({ shop, load: loadersOf(shop, settings.batching) });
  const server = new ApolloServer<Context>({
    schema,
    introspection: true, // in production, too: clients read the schema from it
    formatError: formatted,
    plugins: settings.cached ? [caching] : [],
    stopOnTerminationSignals: false,
  });
  await server.start();
  const app = application(settings);
  app.use("/graphql", express.json(bodies), expressMiddleware(server, { context }));
  app.use((error: Error & { status?: number }, _: Request, response: Response, _next: NextFunction) => {
    // What is no JSON, or too much of it, never reaches Apollo.
    const said = { message: error.message, extensions: { code: "BAD_REQUEST" } };
    response.status(error.status ?? 500).json({ errors: [said] });
  });
  await serve(app, settings, (http) => {
    const sockets = new WebSocketServer({ server: http, path: "/graphql" });
    const coded = (errors: readonly GraphQLError[]): GraphQLFormattedError[] =>
      errors.map((error) => formatted(error.toJSON(), error));
    useServer(
      {
        schema,
        context,
        onError: (_, __, ___, errors) => coded(errors),
        onNext: (_, __, ___, ____, { errors, ...result }) => (errors ? { ...result, errors: coded(errors) } : undefined),
      },
      sockets,
    );
  });
}
