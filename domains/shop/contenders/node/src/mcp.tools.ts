/** The tools of the shop: one for each operation. */

import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

import type { Catalogue } from "./catalogue.js";
import type { Orders } from "./checkout.js";
import { type Kind, told } from "./refusal.js";
import type { Shop } from "./shop.js";
import { Checkout, Id, Login, NewUser, OrderStatus, Page, ProductInput, ReviewInput, UserInput } from "./types.js";
import type { Users } from "./users.js";

const Review = z.object({
  id: z.int(),
  productId: z.int(),
  userId: z.int(),
  rating: z.int(),
  headline: z.string(),
  body: z.string(),
  writtenOn: z.string(),
});
const Product = z.object({
  id: z.int(),
  title: z.string(),
  description: z.string(),
  priceCents: z.int(),
  stock: z.int(),
  pictures: z.array(z.string()),
  reviews: z.array(Review).optional(),
});
const Address = z.object({
  id: z.int(),
  street: z.string(),
  city: z.string(),
  postalCode: z.string(),
  country: z.string(),
});
const User = z.object({
  id: z.int(),
  email: z.string(),
  name: z.string(),
  registeredOn: z.string(),
  addresses: z.array(Address),
});
const Session = z.object({ userId: z.int(), name: z.string(), token: z.string() });
const Order = z.object({
  id: z.int(),
  userId: z.int(),
  placedOn: z.string(),
  status: z.string(),
  totalCents: z.int(),
  shipTo: z.string(),
  payment: z.object({ amountCents: z.int(), cardEnding: z.string(), paidOn: z.string() }),
  lines: z
    .array(
      z.object({
        productId: z.int(),
        quantity: z.int(),
        unitPriceCents: z.int(),
        product: Product.optional(),
      }),
    )
    .optional(),
});
const Deleted = z.object({ id: z.int() });
const ById = z.strictObject({ id: Id });

const CONFLICTS: Kind[] = ["out_of_stock", "payment_refused"];

/** A server with the tools of the services that this program has. */
export function toolServer(shop: Shop): McpServer {
  const server = new McpServer({ name: "shop", version: "1" });
  const tools = new Tools(server);
  const nothing = z.strictObject({});
  tools.read("ping", "Say that the server is there", nothing, z.object({ status: z.string() }), async () => ({
    status: "ok",
  }));
  const { catalogue, users, orders } = shop;
  if (catalogue) {
    productTools(tools, catalogue);
    reviewTools(tools, catalogue);
  }
  if (users) {
    userTools(tools, users);
  }
  if (orders) {
    orderTools(tools, orders);
  }
  return server;
}

/** Makes functions tools: their value is structured content, their refusal names its kind. */
class Tools {
  constructor(private readonly server: McpServer) {}

  read<In extends z.ZodObject, Out extends z.ZodObject>(
    name: string,
    description: string,
    inputSchema: In,
    outputSchema: Out,
    call: (asked: z.infer<In>) => Promise<z.infer<Out>>,
    readOnlyHint = true,
  ): void {
    const config = { description, inputSchema, outputSchema, annotations: { readOnlyHint } };
    this.server.registerTool<z.ZodObject, z.ZodObject>(name, config, async (asked) => {
      try {
        const structuredContent = await call(asked as z.infer<In>);
        return { structuredContent, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
      } catch (error) {
        const { kind, message } = told(error);
        const text = `${CONFLICTS.includes(kind) ? "conflict" : kind}: ${message}`;
        return { isError: true, content: [{ type: "text", text }] };
      }
    });
  }

  write<In extends z.ZodObject, Out extends z.ZodObject>(
    name: string,
    description: string,
    inputSchema: In,
    outputSchema: Out,
    call: (asked: z.infer<In>) => Promise<z.infer<Out>>,
  ): void {
    this.read(name, description, inputSchema, outputSchema, call, false);
  }
}

function productTools(tools: Tools, catalogue: Catalogue): void {
  const products = z.object({ products: z.array(Product) });
  tools.read("list_products", "List the products after an id, with their newest reviews", Page, products, async (page) => {
    const found = await catalogue.list(page);
    await catalogue.withReviews(found);
    return { products: found };
  });
  tools.read("read_product", "Read a product with its newest reviews", ById, Product, async ({ id }) => {
    const product = await catalogue.read(id);
    await catalogue.withReviews([product]);
    return product;
  });
  tools.write(
    "create_product",
    "Add a product",
    z.strictObject({ product: ProductInput }),
    Product,
    async ({ product }) => await catalogue.create(product),
  );
  tools.write(
    "update_product",
    "Replace every field of a product",
    z.strictObject({ id: Id, product: ProductInput }),
    Product,
    async ({ id, product }) => await catalogue.update(id, product),
  );
  tools.write("delete_product", "Remove a product and its reviews", ById, Deleted, async ({ id }) => ({
    id: await catalogue.delete(id),
  }));
}

function reviewTools(tools: Tools, catalogue: Catalogue): void {
  tools.write(
    "create_review",
    "Add a review of a product by a user",
    z.strictObject({ productId: Id, userId: Id, review: ReviewInput }),
    Review,
    async ({ productId, userId, review }) => await catalogue.createReview(productId, userId, review),
  );
  tools.read("read_review", "Read a review", ById, Review, async ({ id }) => await catalogue.readReview(id));
  tools.write(
    "update_review",
    "Change the rating, the headline and the text of a review",
    z.strictObject({ id: Id, review: ReviewInput }),
    Review,
    async ({ id, review }) => await catalogue.updateReview(id, review),
  );
  tools.write("delete_review", "Remove a review", ById, Deleted, async ({ id }) => ({
    id: await catalogue.deleteReview(id),
  }));
}

function userTools(tools: Tools, users: Users): void {
  tools.read(
    "login",
    "Check a password; the token is for checkouts",
    Login,
    Session,
    async (asked) => await users.login(asked),
  );
  tools.read("read_user", "Read a user with all addresses", ById, User, async ({ id }) => await users.read(id));
  tools.write(
    "create_user",
    "Add a user with one address",
    z.strictObject({ user: NewUser }),
    User,
    async ({ user }) => await users.create(user),
  );
  tools.write(
    "update_user",
    "Change the email address and the name of a user",
    z.strictObject({ id: Id, user: UserInput }),
    User,
    async ({ id, user }) => await users.update(id, user),
  );
  tools.write("delete_user", "Remove a user and the addresses", ById, Deleted, async ({ id }) => ({
    id: await users.delete(id),
  }));
}

function orderTools(tools: Tools, orders: Orders): void {
  tools.write(
    "checkout",
    "Order products: reserve the stock, take the payment, write the order, or nothing",
    Checkout,
    Order,
    async (asked) => await orders.checkout(asked),
  );
  tools.read(
    "read_order",
    "Read an order with its lines and payment",
    ById,
    Order,
    async ({ id }) => await orders.read(id),
  );
  tools.write(
    "update_order",
    "Say what has become of an order",
    z.strictObject({ id: Id, ...OrderStatus.shape }),
    Order,
    async ({ id, status }) => await orders.update(id, status),
  );
  tools.write("delete_order", "Remove an order, its lines and its payment", ById, Deleted, async ({ id }) => ({
    id: await orders.delete(id),
  }));
  tools.read(
    "list_orders",
    "List the newest orders of a user, if wanted with their products",
    z.strictObject({ userId: Id, limit: Page.shape.limit, includeProducts: z.boolean().default(false) }),
    z.object({ orders: z.array(Order) }),
    async ({ userId, limit, includeProducts }) => ({ orders: await orders.list(userId, limit, includeProducts) }),
  );
}
