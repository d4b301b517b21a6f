/** The shop as gRPC: grpc-js, which describes itself by reflection. */

import { once } from "node:events";

import {
  type GrpcObject,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";

import type { Catalogue } from "./catalogue.js";
import type { Orders } from "./checkout.js";
import { within } from "./deadline.js";
import { type Kind, told } from "./refusal.js";
import type { Settings } from "./settings.js";
import type { Shop } from "./shop.js";
import {
  Checkout,
  checked,
  Login,
  NewUser,
  OrderStatus,
  Page,
  ProductInput,
  ReviewInput,
  StockCount,
  UserInput,
  Watch,
  Wish,
  Wishes,
} from "./types.js";
import type { Users } from "./users.js";

const PROTO = "../../shop.proto";
const KEEP_ALIVE_MS = 75_000;
const GRACE_MS = 500;

export const CODES: Record<Kind, status> = {
  not_found: status.NOT_FOUND,
  invalid: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  out_of_stock: status.FAILED_PRECONDITION,
  payment_refused: status.FAILED_PRECONDITION,
  unavailable: status.UNAVAILABLE,
  too_late: status.DEADLINE_EXCEEDED,
  internal: status.INTERNAL,
};

/** The services of shop.proto, whose objects have names in camel case. */
export function services(): Record<string, ServiceClientConstructor> {
  const loaded = loadPackageDefinition(loadSync(PROTO, { defaults: true }));
  return ((loaded["shop"] as GrpcObject)["v1"] as GrpcObject) as Record<string, ServiceClientConstructor>;
}

function failure(error: unknown): { code: status; details: string } {
  const { kind, message } = told(error);
  return { code: CODES[kind], details: message };
}

/** A call with one message and one answer, which ends when its client waits no longer. */
function unary(answer: (asked: any) => unknown): handleUnaryCall<any, any> {
  return (call, callback) => {
    const left = Number(call.getDeadline()) - Date.now();
    within(left, async () => await answer(call.request)).then(
      (value) => callback(null, value),
      (error: unknown) => callback(failure(error)),
    );
  };
}

function catalogueService(catalogue: Catalogue): UntypedServiceImplementation {
  const watchProducts: handleServerStreamingCall<any, any> = async (call) => {
    const gone = new AbortController();
    call.once("cancelled", () => gone.abort());
    try {
      for await (const event of catalogue.watch(checked(Watch, call.request), gone.signal)) {
        if (!call.write(event)) {
          await once(call, "drain", { signal: gone.signal });
        }
      }
      call.end();
    } catch (error) {
      if (!gone.signal.aborted) {
        call.emit("error", failure(error));
      }
    }
  };
  const countStock: handleClientStreamingCall<any, any> = async (call, callback) => {
    try {
      const counts: StockCount[] = [];
      for await (const counted of call) {
        counts.push(checked(StockCount, counted));
      }
      callback(null, { received: await catalogue.countStock(counts) });
    } catch (error) {
      callback(failure(error));
    }
  };
  const quoteWishes: handleBidiStreamingCall<any, any> = async (call) => {
    try {
      for await (const wish of call) {
        try {
          call.write(await catalogue.quote(checked(Wish, wish)));
        } catch (error) {
          call.emit("error", failure(error)); // now: leaving the loop destroys the call
          return;
        }
      }
      call.end();
    } catch {
      // Bytes that are no message, or a client that has gone: grpc-js has answered already.
    }
  };
  return {
    watchProducts,
    countStock,
    quoteWishes,
    listProducts: unary(async ({ after, limit, includeReviews }) => {
      const products = await catalogue.list(checked(Page, { after, limit }));
      return { products: includeReviews ? await catalogue.withReviews(products) : products };
    }),
    listSummaries: unary(async ({ after, limit }) => ({
      products: await catalogue.withReviews(await catalogue.list(checked(Page, { after, limit }))),
    })), // the message leaves out the other fields
    readProduct: unary(async ({ id, includeReviews }) => {
      const product = await catalogue.read(id);
      return includeReviews ? (await catalogue.withReviews([product]))[0] : product;
    }),
    createProduct: unary(({ product }) => catalogue.create(checked(ProductInput, product ?? {}))),
    updateProduct: unary(({ id, product }) => catalogue.update(id, checked(ProductInput, product ?? {}))),
    deleteProduct: unary(async ({ id }) => ({ id: await catalogue.delete(id) })),
    createReview: unary(({ productId, userId, review }) =>
      catalogue.createReview(productId, userId, checked(ReviewInput, review ?? {})),
    ),
    readReview: unary(({ id }) => catalogue.readReview(id)),
    updateReview: unary(({ id, review }) => catalogue.updateReview(id, checked(ReviewInput, review ?? {}))),
    deleteReview: unary(async ({ id }) => ({ id: await catalogue.deleteReview(id) })),
    productsById: unary(async ({ ids }) => ({ products: await catalogue.byId(ids) })),
    reserve: unary(async ({ key, lines }) => ({
      unitPricesCents: await catalogue.reserve(key, checked(Wishes, { lines })),
    })),
    release: unary(async ({ key }) => {
      await catalogue.release(key);
      return {};
    }),
  };
}

function usersService(users: Users): UntypedServiceImplementation {
  return {
    login: unary((asked) => users.login(checked(Login, asked))),
    readUser: unary(({ id }) => users.read(id)),
    createUser: unary((asked) => users.create(checked(NewUser, asked))),
    updateUser: unary(({ id, user }) => users.update(id, checked(UserInput, user ?? {}))),
    deleteUser: unary(async ({ id }) => ({ id: await users.delete(id) })),
    resolveShipping: unary(({ token, addressId }) => users.shipping(token, addressId)),
  };
}

function ordersService(orders: Orders): UntypedServiceImplementation {
  return {
    checkout: unary((asked) => orders.checkout(checked(Checkout, asked))),
    readOrder: unary(({ id }) => orders.read(id)),
    updateOrder: unary(({ id, status }) => orders.update(id, checked(OrderStatus, { status }).status)),
    deleteOrder: unary(async ({ id }) => ({ id: await orders.delete(id) })),
    listOrders: unary(async ({ userId, limit, includeProducts }) => {
      const page = checked(Page, { limit });
      return { orders: await orders.list(userId, page.limit, includeProducts) };
    }),
  };
}

/** Serves until SIGTERM; calls in flight have half a second then. */
export async function serveGrpc(shop: Shop, settings: Settings): Promise<void> {
  const server = new Server({ "grpc.so_reuseport": 0, "grpc.max_connection_idle_ms": KEEP_ALIVE_MS });
  const { Control, Catalogue, Users, Orders } = services();
  server.addService(Control!.service, { ping: unary(() => ({ status: "ok" })) });
  if (shop.catalogue) {
    server.addService(Catalogue!.service, catalogueService(shop.catalogue));
  }
  if (shop.users) {
    server.addService(Users!.service, usersService(shop.users));
  }
  if (shop.orders) {
    server.addService(Orders!.service, ordersService(shop.orders));
  }
  // Clients are told the names of the .proto, not the ones that our objects have.
  new ReflectionService(loadSync(PROTO, { keepCase: true })).addToServer(server);
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`${settings.host}:${settings.port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => {
      server.tryShutdown(() => process.exit(0));
      setTimeout(() => process.exit(0), GRACE_MS);
    });
  }
}
