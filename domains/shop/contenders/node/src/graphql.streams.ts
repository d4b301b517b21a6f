/** Subscriptions over WebSocket (graphql-transport-ws). */

import type { Server } from "node:http";

import type { GraphQLError, GraphQLFormattedError, GraphQLSchema } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";

import { formatted } from "./graphql.errors.js";
import type { Context } from "./graphql.resolvers.js";

export function subscriptions(server: Server, schema: GraphQLSchema, context: () => Promise<Partial<Context>>): void {
  const sockets = new WebSocketServer({ server, path: "/graphql" });
  const coded = (errors: readonly GraphQLError[]): GraphQLFormattedError[] =>
    errors.map((error) => formatted(error.toJSON(), error.originalError ?? error));
  useServer(
    {
      schema,
      context,
      onError: (_, __, ___, errors) => coded(errors),
      onNext: (_, __, ___, ____, { errors, ...result }) => (errors ? { ...result, errors: coded(errors) } : undefined),
    },
    sockets,
  );
}
