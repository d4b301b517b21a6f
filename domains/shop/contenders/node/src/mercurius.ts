/** The shop as GraphQL: Mercurius on Fastify, which compiles queries (JIT) and loads by many keys (loaders). */

import { readFileSync } from "node:fs";

import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from "graphql";
import mercurius, { type MercuriusLoaders } from "mercurius";

import { application, serve } from "./fastify.js";
import { formatted } from "./graphql.errors.js";
import { type Context, limited, resolvers } from "./graphql.resolvers.js";
import { subscriptions } from "./graphql.streams.js";
import { type Fetch, fetchesOf, nameOf, type Some } from "./loaders.js";
import { notServed } from "./refusal.js";
import type { Settings } from "./settings.js";
import type { Shop } from "./shop.js";
import type { Order, OrderLine, Product, User } from "./types.js";

/** After so many times a query is compiled. */
const COMPILED_AFTER = 1;

interface Asked<Parent> {
  obj: Parent;
  params: { first: number };
}

export async function serveGraphql(shop: Shop, settings: Settings): Promise<void> {
  const app = application();
  const { Query, Mutation, Subscription } = resolvers;
  await app.register(mercurius, {
    schema: readFileSync("../../schema.graphql", "utf8"),
    resolvers: { Query, Mutation } as never,
    loaders: loadersOf(shop) as unknown as MercuriusLoaders,
    jit: COMPILED_AFTER,
    context: () => ({ shop }),
    errorFormatter: ({ data, errors }) => answerOf(data, errors ?? []),
  });
  const context = async (): Promise<Partial<Context>> => ({ shop });
  const { productEvents } = app.graphql.schema.getSubscriptionType()!.getFields();
  Object.assign(productEvents!, Subscription.productEvents);
  subscriptions(app.server, app.graphql.schema, context);
  await serve(app, settings);
}

/** Loads what belongs to all parents of a field at once. */
function loadersOf(shop: Shop) {
  const { reviews, orders, lines, product } = fetchesOf(shop);
  const some = ({ obj: { id }, params: { first } }: Asked<{ id: number }>): Some => ({ of: id, first: limited(first) });
  return {
    Product: { reviews: async (asked: Asked<Product>[]) => await each(reviews, asked.map(some)) },
    User: { orders: async (asked: Asked<User>[]) => await each(orders, asked.map(some)) },
    Order: {
      lines: async (asked: Asked<Order>[]) => {
        const missing = asked.filter(({ obj }) => obj.lines === undefined).map(({ obj }) => obj.id);
        const loaded = missing.length === 0 ? [] : await each(lines, missing);
        return asked.map(({ obj }) => obj.lines ?? loaded[missing.indexOf(obj.id)]);
      },
    },
    OrderLine: {
      product: async (asked: Asked<OrderLine>[]) =>
        await each(
          product,
          asked.map(({ obj }) => obj.productId),
        ),
    },
  };
}

/** Fetches each key once, and gives a value for each that was asked for. */
async function each<Key extends number | Some, Value>(fetch: Fetch<Key, Value> | undefined, keys: Key[]): Promise<Value[]> {
  if (fetch === undefined) {
    throw notServed();
  }
  const distinct = new Map(keys.map((key) => [nameOf(key), key]));
  const values = await fetch([...distinct.values()]);
  const found = new Map([...distinct.keys()].map((name, place) => [name, values[place]!]));
  return keys.map((key) => found.get(nameOf(key))!);
}

/** What went wrong before a query was carried out is a client's mistake; Mercurius keeps it in `originalError`. */
function answerOf(data: ExecutionResult["data"], errors: readonly GraphQLError[]) {
  const said = errors.flatMap((error) => refusals(error) ?? [formatted(error.toJSON(), error.originalError ?? error)]);
  const statusCode = data == null && errors.some((error) => refusals(error) !== undefined) ? 400 : 200;
  return { statusCode, response: { data: data ?? null, errors: said as never } };
}

function refusals({ originalError }: GraphQLError): GraphQLFormattedError[] | undefined {
  if (originalError === undefined || !("statusCode" in originalError)) {
    return undefined;
  }
  const { message, errors } = originalError as Error & { errors?: readonly Error[] };
  const wrong: readonly Error[] = errors ?? [new Error(message)];
  return wrong.map((error) => ({
    ...(error instanceof GraphQLError ? error.toJSON() : { message: error.message }),
    extensions: { code: codeOf(error) },
  }));
}

function codeOf(error: Error): string {
  if (!(error instanceof GraphQLError)) {
    return "BAD_REQUEST";
  }
  return error.message.startsWith("Syntax Error") ? "GRAPHQL_PARSE_FAILED" : "GRAPHQL_VALIDATION_FAILED";
}
