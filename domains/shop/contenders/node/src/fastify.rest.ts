/** The shop as REST: Fastify, which writes JSON by the schemas of openapi.yaml. */

import { readFileSync } from "node:fs";
import { Readable } from "node:stream";

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from "fastify";
import { parse } from "yaml";

import type { Catalogue } from "./catalogue.js";
import type { Orders } from "./checkout.js";
import { application, serve } from "./fastify.js";
import { Refused } from "./refusal.js";
import { encoded, PROBLEM, problemOf, PROTOBUF, read } from "./rest.body.js";
import { idOf, integer, pageOf } from "./rest.parameters.js";
import { converseAt, eventOf, watchOf } from "./rest.streams.js";
import type { Settings } from "./settings.js";
import type { Shop } from "./shop.js";
import {
  Checkout,
  Login,
  NewReview,
  NewUser,
  OrderStatus,
  ProductInput,
  ReviewInput,
  ShippingRequest,
  UserInput,
  Wishes,
} from "./types.js";
import type { Users } from "./users.js";

const INTERFACE = "../../openapi.yaml";

export async function serveRest({ catalogue, users, orders }: Shop, settings: Settings): Promise<void> {
  const app = application();
  const published = readFileSync(INTERFACE, "utf8");
  const { components } = parse(published) as { components: object };
  app.addSchema({ $id: "openapi", components });
  app.addContentTypeParser(PROTOBUF, { parseAs: "buffer" }, (_, body, done) => done(null, body));
  app.setNotFoundHandler((request, reply) => refuse(reply, new Refused("not_found", `there is nothing at ${request.url}`)));
  app.setErrorHandler((error, _, reply) => refuse(reply, error));
  app.get("/ping", answering("Status"), async (request, reply) => answer(request, reply, "PingResponse", { status: "ok" }));
  app.get("/openapi.yaml", async (_, reply) => reply.type("application/yaml").send(published));
  if (catalogue) {
    productRoutes(app, catalogue);
    reviewRoutes(app, catalogue);
    streamRoutes(app, catalogue);
  }
  if (users) {
    userRoutes(app, users);
  }
  if (orders) {
    orderRoutes(app, orders);
  }
  await serve(app, settings);
}

/** The schema of openapi.yaml that an answer has. */
function answering(schema: string, status = 200): RouteShorthandOptions {
  return { schema: { response: { [status]: { $ref: `openapi#/components/schemas/${schema}` } } } };
}

/** Answers a value, as JSON or as a message. */
function answer(request: FastifyRequest, reply: FastifyReply, message: string, value: object, status = 200): FastifyReply {
  reply.code(status);
  if (request.headers.accept?.startsWith(PROTOBUF)) {
    return reply.type(PROTOBUF).send(encoded(message, value));
  }
  return reply.send(value);
}

function refuse(reply: FastifyReply, error: unknown): FastifyReply {
  const said = problemOf(error);
  return reply.code(said.status).type(PROBLEM).send(Buffer.from(JSON.stringify(said))); // to texts, Fastify adds a charset
}

function includes(request: FastifyRequest, what: string): boolean {
  return (request.query as Record<string, unknown>)["include"] === what;
}

function productRoutes(app: FastifyInstance, catalogue: Catalogue): void {
  app.get("/products", answering("ProductList"), async (request, reply) => {
    const { ids } = request.query as { ids?: unknown };
    const products =
      typeof ids === "string"
        ? await catalogue.byId(ids.split(",").map(integer))
        : await catalogue.list(pageOf(request));
    if (includes(request, "reviews")) {
      await catalogue.withReviews(products);
    }
    return answer(request, reply, "ProductList", { products });
  });
  app.post("/products", answering("Product", 201), async (request, reply) => {
    const product = await catalogue.create(read(request, ProductInput, "ProductInput"));
    return answer(request, reply, "Product", product, 201);
  });
  app.get("/products/:id", answering("Product"), async (request, reply) => {
    const product = await catalogue.read(idOf(request));
    if (includes(request, "reviews")) {
      await catalogue.withReviews([product]);
    }
    return answer(request, reply, "Product", product);
  });
  app.put("/products/:id", answering("Product"), async (request, reply) => {
    const product = read(request, ProductInput, "ProductInput");
    return answer(request, reply, "Product", await catalogue.update(idOf(request), product));
  });
  app.delete("/products/:id", answering("Id"), async (request, reply) =>
    answer(request, reply, "Id", { id: await catalogue.delete(idOf(request)) }),
  );
  app.put("/reservations/:key", answering("Reserved"), async (request, reply) => {
    const { key } = request.params as { key: string };
    const unitPricesCents = await catalogue.reserve(key, read(request, Wishes, "Reservation"));
    return answer(request, reply, "Reserved", { unitPricesCents });
  });
  app.delete("/reservations/:key", async (request, reply) => {
    await catalogue.release((request.params as { key: string }).key);
    return answer(request, reply, "ReleaseResponse", {});
  });
}

function reviewRoutes(app: FastifyInstance, catalogue: Catalogue): void {
  app.get("/products/:id/reviews", answering("ReviewList"), async (request, reply) => {
    const { limit } = pageOf(request);
    const { id } = await catalogue.read(idOf(request));
    const [reviews] = await catalogue.reviewsOf([id], limit);
    return answer(request, reply, "Product", { reviews });
  });
  app.post("/products/:id/reviews", answering("Review", 201), async (request, reply) => {
    const { userId, ...review } = read(request, NewReview, "NewReview", "review");
    return answer(request, reply, "Review", await catalogue.createReview(idOf(request), userId, review), 201);
  });
  app.get("/reviews/:id", answering("Review"), async (request, reply) =>
    answer(request, reply, "Review", await catalogue.readReview(idOf(request))),
  );
  app.put("/reviews/:id", answering("Review"), async (request, reply) => {
    const review = read(request, ReviewInput, "ReviewInput");
    return answer(request, reply, "Review", await catalogue.updateReview(idOf(request), review));
  });
  app.delete("/reviews/:id", answering("Id"), async (request, reply) =>
    answer(request, reply, "Id", { id: await catalogue.deleteReview(idOf(request)) }),
  );
}

function streamRoutes(app: FastifyInstance, catalogue: Catalogue): void {
  app.get("/product-events", async (request, reply) => {
    const watch = watchOf(request.query);
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    async function* events(): AsyncGenerator<string> {
      for await (const event of catalogue.watch(watch, gone.signal)) {
        yield eventOf(event);
      }
    }
    return reply.type("text/event-stream").header("cache-control", "no-store").send(Readable.from(events()));
  });
  converseAt(app.server, catalogue);
}

function userRoutes(app: FastifyInstance, users: Users): void {
  app.post("/sessions", answering("Session"), async (request, reply) =>
    answer(request, reply, "Session", await users.login(read(request, Login, "LoginRequest"))),
  );
  app.post("/users", answering("User", 201), async (request, reply) =>
    answer(request, reply, "User", await users.create(read(request, NewUser, "NewUser")), 201),
  );
  app.get("/users/:id", answering("User"), async (request, reply) =>
    answer(request, reply, "User", await users.read(idOf(request))),
  );
  app.put("/users/:id", answering("User"), async (request, reply) => {
    const user = read(request, UserInput, "UserInput");
    return answer(request, reply, "User", await users.update(idOf(request), user));
  });
  app.delete("/users/:id", answering("Id"), async (request, reply) =>
    answer(request, reply, "Id", { id: await users.delete(idOf(request)) }),
  );
  app.post("/shipping", answering("Shipping"), async (request, reply) => {
    const { token, addressId } = read(request, ShippingRequest, "ShippingRequest");
    return answer(request, reply, "Shipping", await users.shipping(token, addressId));
  });
}

function orderRoutes(app: FastifyInstance, orders: Orders): void {
  app.get("/users/:id/orders", answering("OrderList"), async (request, reply) => {
    const { limit } = pageOf(request);
    const list = await orders.list(idOf(request), limit, includes(request, "products"));
    return answer(request, reply, "OrderList", { orders: list });
  });
  app.post("/orders", answering("Order", 201), async (request, reply) =>
    answer(request, reply, "Order", await orders.checkout(read(request, Checkout, "CheckoutRequest")), 201),
  );
  app.get("/orders/:id", answering("Order"), async (request, reply) =>
    answer(request, reply, "Order", await orders.read(idOf(request))),
  );
  app.patch("/orders/:id", answering("Order"), async (request, reply) => {
    const { status } = read(request, OrderStatus, "UpdateOrderRequest");
    return answer(request, reply, "Order", await orders.update(idOf(request), status));
  });
  app.delete("/orders/:id", answering("Id"), async (request, reply) =>
    answer(request, reply, "Id", { id: await orders.delete(idOf(request)) }),
  );
}
