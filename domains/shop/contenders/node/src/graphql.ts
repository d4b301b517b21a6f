/** The shop as GraphQL: Apollo Server on Express, subscriptions over WebSocket (graphql-transport-ws). */

import { readFileSync } from "node:fs";

import { ApolloServer, type ApolloServerPlugin } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { expressMiddleware } from "@as-integrations/express5";
import { makeExecutableSchema } from "@graphql-tools/schema";
import express, { type NextFunction, type Request, type Response } from "express";
import { Kind as Syntax } from "graphql";

import { formatted } from "./graphql.errors.js";
import { type Context, resolvers } from "./graphql.resolvers.js";
import { subscriptions } from "./graphql.streams.js";
import { AGE_S, application, bodies, serve } from "./http.js";
import { loadersOf } from "./loaders.js";
import type { Settings } from "./settings.js";
import type { Shop } from "./shop.js";

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

export async function serveGraphql(shop: Shop, settings: Settings): Promise<void> {
  const schema = makeExecutableSchema({ typeDefs: readFileSync("../../schema.graphql", "utf8"), resolvers });
  const context = async (): Promise<Context> => ({ shop, load: loadersOf(shop, settings.batching) });
  const server = new ApolloServer<Context>({
    schema,
    ...(settings.documentsKept ? {} : { documentStore: null }),
    introspection: true, // in production, too: clients read the schema from it
    formatError: (given, error) => formatted(given, unwrapResolverError(error)),
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
  await serve(app, settings, (http) => subscriptions(http, schema, context));
}
