/** The shop's schema: what is not a field of what is loaded has a resolver here. */

import type { Loaders } from "./loaders.js";
import { served, type Shop } from "./shop.js";
import {
  Checkout,
  checked,
  Login,
  NewUser,
  type Order,
  type OrderLine,
  OrderStatus,
  Page,
  type Product,
  ProductInput,
  ReviewInput,
  type User,
  UserInput,
  Watch,
  Wishes,
} from "./types.js";

export interface Context {
  shop: Shop;
  load: Loaders;
}

interface Id {
  id: number;
}

interface First {
  first: number;
}

/** How many are wanted, within bounds. */
export function limited(first: number): number {
  return checked(Page, { limit: first }).limit;
}

export const resolvers = {
  Product: {
    reviews: ({ id }: Product, { first }: First, { load }: Context) => load.reviews({ of: id, first: limited(first) }),
  },
  User: {
    orders: ({ id }: User, { first }: First, { load }: Context) => load.orders({ of: id, first: limited(first) }),
  },
  Order: {
    lines: ({ id, lines }: Order, _: unknown, { load }: Context) => lines ?? load.lines(id),
  },
  OrderLine: {
    product: ({ productId }: OrderLine, _: unknown, { load }: Context) => load.product(productId),
  },
  Query: {
    ping: () => "ok",
    products: (_: unknown, { after, first }: { after: number } & First, { shop }: Context) =>
      served(shop.catalogue).list(checked(Page, { after, limit: first })),
    productsById: (_: unknown, { ids }: { ids: number[] }, { shop }: Context) => served(shop.catalogue).byId(ids),
    product: (_: unknown, { id }: Id, { shop }: Context) => served(shop.catalogue).read(id),
    review: (_: unknown, { id }: Id, { shop }: Context) => served(shop.catalogue).readReview(id),
    user: (_: unknown, { id }: Id, { shop }: Context) => served(shop.anyUsers).read(id),
    order: (_: unknown, { id }: Id, { shop }: Context) => served(shop.orders).head(id),
    shipping: (_: unknown, { token, addressId }: { token: string; addressId: number }, { shop }: Context) =>
      served(shop.users).shipping(token, addressId),
  },
  Mutation: {
    createProduct: (_: unknown, { product }: { product: unknown }, { shop }: Context) =>
      served(shop.catalogue).create(checked(ProductInput, product)),
    updateProduct: (_: unknown, { id, product }: Id & { product: unknown }, { shop }: Context) =>
      served(shop.catalogue).update(id, checked(ProductInput, product)),
    deleteProduct: (_: unknown, { id }: Id, { shop }: Context) => served(shop.catalogue).delete(id),
    createReview: (
      _: unknown,
      { productId, userId, review }: { productId: number; userId: number; review: unknown },
      { shop }: Context,
    ) => served(shop.catalogue).createReview(productId, userId, checked(ReviewInput, review)),
    updateReview: (_: unknown, { id, review }: Id & { review: unknown }, { shop }: Context) =>
      served(shop.catalogue).updateReview(id, checked(ReviewInput, review)),
    deleteReview: (_: unknown, { id }: Id, { shop }: Context) => served(shop.catalogue).deleteReview(id),
    login: (_: unknown, login: unknown, { shop }: Context) => served(shop.users).login(checked(Login, login)),
    createUser: (_: unknown, { user }: { user: unknown }, { shop }: Context) =>
      served(shop.users).create(checked(NewUser, user)),
    updateUser: (_: unknown, { id, user }: Id & { user: unknown }, { shop }: Context) =>
      served(shop.users).update(id, checked(UserInput, user)),
    deleteUser: (_: unknown, { id }: Id, { shop }: Context) => served(shop.users).delete(id),
    checkout: (_: unknown, { checkout }: { checkout: unknown }, { shop }: Context) =>
      served(shop.orders).checkout(checked(Checkout, checkout)),
    updateOrder: (_: unknown, { id, status }: Id & { status: unknown }, { shop }: Context) =>
      served(shop.orders).update(id, checked(OrderStatus, { status }).status),
    deleteOrder: (_: unknown, { id }: Id, { shop }: Context) => served(shop.orders).delete(id),
    reserve: (_: unknown, { key, lines }: { key: string; lines: unknown }, { shop }: Context) =>
      served(shop.catalogue).reserve(key, checked(Wishes, { lines })),
    release: async (_: unknown, { key }: { key: string }, { shop }: Context) => {
      await served(shop.catalogue).release(key);
      return true;
    },
  },
  Subscription: {
    productEvents: {
      subscribe: (_: unknown, asked: unknown, { shop }: Context) =>
        ending((signal) => served(shop.catalogue).watch(checked(Watch, asked), signal)),
      resolve: (event: unknown) => event,
    },
  },
};

/** Lets a source know at once when nobody listens any more, also while it waits. */
function ending<Value>(source: (signal: AbortSignal) => AsyncGenerator<Value>): AsyncGenerator<Value> {
  const gone = new AbortController();
  const values = source(gone.signal);
  const end = values.return.bind(values);
  values.return = async (value) => {
    gone.abort();
    return await end(value);
  };
  return values;
}
