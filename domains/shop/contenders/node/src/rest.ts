/** The shop as REST: Express, errors as application/problem+json (RFC 9457). */

import express, { type NextFunction, type Request, type Response, Router } from "express";

import type { Catalogue } from "./catalogue.js";
import type { Orders } from "./checkout.js";
import { AGE_S, application, bodies, serve } from "./http.js";
import { Refused } from "./refusal.js";
import { problem, PROTOBUF, read, reply } from "./rest.body.js";
import { idOf, integer, pageOf } from "./rest.parameters.js";
import { streams } from "./rest.streams.js";
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

export async function serveRest(shop: Shop, settings: Settings): Promise<void> {
  const app = application(settings);
  app.use(express.json(bodies), express.raw({ ...bodies, type: PROTOBUF }));
  app.get("/ping", (request, response) => reply(request, response, "PingResponse", { status: "ok" }));
  app.get("/openapi.yaml", (_, response) => {
    response.type("application/yaml").sendFile("openapi.yaml", { root: "../.." });
  });
  const { catalogue, users, orders } = shop;
  if (catalogue) {
    if (settings.cached) {
      app.get(/^\/(products|reviews)(\/|$)/, (_, response, next) => {
        response.set("cache-control", `public, max-age=${AGE_S}`);
        next();
      });
    }
    app.use(catalogueRoutes(catalogue));
  }
  if (users) {
    app.use(userRoutes(users));
  }
  if (orders) {
    app.use(orderRoutes(orders));
  }
  const also = catalogue && streams(app, catalogue);
  app.use((request, response) => problem(response, new Refused("not_found", `there is nothing at ${request.path}`)));
  app.use((error: unknown, _: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) {
      next(error);
    } else {
      problem(response, error);
    }
  });
  await serve(app, settings, also);
}

function catalogueRoutes(catalogue: Catalogue): Router {
  const routes = Router();
  const includesReviews = (request: Request): boolean => request.query["include"] === "reviews";

  routes.get("/products", async (request, response) => {
    const { ids } = request.query;
    const products =
      typeof ids === "string"
        ? await catalogue.byId(ids.split(",").map(integer))
        : await catalogue.list(pageOf(request));
    if (includesReviews(request)) {
      await catalogue.withReviews(products);
    }
    reply(request, response, "ProductList", { products });
  });
  routes.post("/products", async (request, response) => {
    const product = await catalogue.create(read(request, ProductInput, "ProductInput"));
    reply(request, response, "Product", product, 201);
  });
  routes.get("/products/:id", async (request, response) => {
    const product = await catalogue.read(idOf(request));
    if (includesReviews(request)) {
      await catalogue.withReviews([product]);
    }
    reply(request, response, "Product", product);
  });
  routes.put("/products/:id", async (request, response) => {
    const product = read(request, ProductInput, "ProductInput");
    reply(request, response, "Product", await catalogue.update(idOf(request), product));
  });
  routes.delete("/products/:id", async (request, response) => {
    reply(request, response, "Id", { id: await catalogue.delete(idOf(request)) });
  });
  routes.get("/products/:id/reviews", async (request, response) => {
    const { limit } = pageOf(request);
    const { id } = await catalogue.read(idOf(request));
    const [reviews] = await catalogue.reviewsOf([id], limit);
    reply(request, response, "Product", { reviews });
  });
  routes.post("/products/:id/reviews", async (request, response) => {
    const { userId, ...review } = read(request, NewReview, "NewReview", "review");
    const made = await catalogue.createReview(idOf(request), userId, review);
    reply(request, response, "Review", made, 201);
  });
  routes.get("/reviews/:id", async (request, response) => {
    reply(request, response, "Review", await catalogue.readReview(idOf(request)));
  });
  routes.put("/reviews/:id", async (request, response) => {
    const review = read(request, ReviewInput, "ReviewInput");
    reply(request, response, "Review", await catalogue.updateReview(idOf(request), review));
  });
  routes.delete("/reviews/:id", async (request, response) => {
    reply(request, response, "Id", { id: await catalogue.deleteReview(idOf(request)) });
  });
  routes.put("/reservations/:key", async (request, response) => {
    const wishes = read(request, Wishes, "Reservation");
    const unitPricesCents = await catalogue.reserve(request.params.key, wishes);
    reply(request, response, "Reserved", { unitPricesCents });
  });
  routes.delete("/reservations/:key", async (request, response) => {
    await catalogue.release(request.params.key);
    reply(request, response, "ReleaseResponse", {});
  });
  return routes;
}

function userRoutes(users: Users): Router {
  const routes = Router();
  routes.post("/sessions", async (request, response) => {
    reply(request, response, "Session", await users.login(read(request, Login, "LoginRequest")));
  });
  routes.post("/users", async (request, response) => {
    reply(request, response, "User", await users.create(read(request, NewUser, "NewUser")), 201);
  });
  routes.get("/users/:id", async (request, response) => {
    reply(request, response, "User", await users.read(idOf(request)));
  });
  routes.put("/users/:id", async (request, response) => {
    const user = read(request, UserInput, "UserInput");
    reply(request, response, "User", await users.update(idOf(request), user));
  });
  routes.delete("/users/:id", async (request, response) => {
    reply(request, response, "Id", { id: await users.delete(idOf(request)) });
  });
  routes.post("/shipping", async (request, response) => {
    const { token, addressId } = read(request, ShippingRequest, "ShippingRequest");
    reply(request, response, "Shipping", await users.shipping(token, addressId));
  });
  return routes;
}

function orderRoutes(orders: Orders): Router {
  const routes = Router();
  routes.get("/users/:id/orders", async (request, response) => {
    const { limit } = pageOf(request);
    const products = request.query["include"] === "products";
    reply(request, response, "OrderList", { orders: await orders.list(idOf(request), limit, products) });
  });
  routes.post("/orders", async (request, response) => {
    reply(request, response, "Order", await orders.checkout(read(request, Checkout, "CheckoutRequest")), 201);
  });
  routes.get("/orders/:id", async (request, response) => {
    reply(request, response, "Order", await orders.read(idOf(request)));
  });
  routes.patch("/orders/:id", async (request, response) => {
    const { status } = read(request, OrderStatus, "UpdateOrderRequest");
    reply(request, response, "Order", await orders.update(idOf(request), status));
  });
  routes.delete("/orders/:id", async (request, response) => {
    reply(request, response, "Id", { id: await orders.delete(idOf(request)) });
  });
  return routes;
}
