/** What the shop answers, and what a client writes: the same for every protocol. */

import { z } from "zod";

import { Refused } from "./refusal.js";

export interface Review {
  id: number;
  productId: number;
  userId: number;
  rating: number;
  headline: string;
  body: string;
  writtenOn: string;
}

export interface Product {
  id: number;
  title: string;
  description: string;
  priceCents: number;
  stock: number;
  pictures: string[];
  reviews?: Review[];
}

export interface Address {
  id: number;
  street: string;
  city: string;
  postalCode: string;
  country: string;
}

export interface User {
  id: number;
  email: string;
  name: string;
  registeredOn: string;
  addresses: Address[];
}

export interface Session {
  userId: number;
  name: string;
  token: string;
}

export interface Shipping {
  userId: number;
  shipTo: string;
}

export interface OrderLine {
  productId: number;
  quantity: number;
  unitPriceCents: number;
  product?: Product;
}

export interface Order {
  id: number;
  userId: number;
  placedOn: string;
  status: string;
  totalCents: number;
  shipTo: string;
  payment: { amountCents: number; cardEnding: string; paidOn: string };
  lines?: OrderLine[];
}

export interface ProductEvent {
  id: number;
  productId: number;
  kind: string;
  priceCents: number;
  stock: number;
}

export interface Quote {
  productId: number;
  quantity: number;
  unitPriceCents: number;
  available: boolean;
}

/** A length in characters, no control characters, no half of a surrogate pair. */
const text = (least: number, most: number) =>
  z.string().regex(new RegExp(`^[^\\p{Cc}\\p{Cs}]{${least},${most}}$`, "u"), {
    error: `must be ${least} to ${most} characters, no control characters`,
  });
const integer = z.int32();
const limit = z.int().min(1).max(100);

export const Id = integer;
export const ProductInput = z.strictObject({
  title: text(1, 200),
  description: text(1, 2000),
  priceCents: z.int().min(1).max(100_000_000),
  stock: z.int().min(0).max(1_000_000),
  pictures: z.array(text(1, 200).regex(/^https:\/\/\S+$/)).max(10),
});
export const ReviewInput = z.strictObject({
  rating: z.int().min(1).max(5),
  headline: text(1, 200),
  body: text(1, 2000),
});
export const NewReview = z.strictObject({ userId: integer, ...ReviewInput.shape });
export const UserInput = z.strictObject({
  email: text(1, 200).regex(/^[^@\s]+@[^@\s]+$/),
  name: text(1, 200),
});
export const NewUser = z.strictObject({
  ...UserInput.shape,
  password: text(8, 100),
  address: z.strictObject({
    street: text(1, 200),
    city: text(1, 200),
    postalCode: text(1, 20),
    country: z.string().regex(/^[A-Z]{2}$/),
  }),
});
export const Login = z.strictObject({ userId: integer, password: text(1, 100) });
export const ShippingRequest = z.strictObject({ token: z.string(), addressId: integer });
export const OrderStatus = z.strictObject({
  status: z.enum(["placed", "shipped", "delivered", "returned"]),
});
export const Wish = z.strictObject({ productId: integer, quantity: z.int().min(1).max(1_000_000) });
const lines = z
  .array(Wish)
  .min(1)
  .max(50)
  .refine((wishes) => new Set(wishes.map((wish) => wish.productId)).size === wishes.length, {
    error: "no product twice",
  });
export const Wishes = z.strictObject({ lines });
export const Checkout = z.strictObject({
  token: z.string(),
  addressId: integer,
  lines,
  cardNumber: z.string().regex(/^[0-9]{12,19}$/),
  idempotencyKey: z.string().max(100).nullish(),
});
export const StockCount = z.strictObject({ productId: integer, stock: z.int().min(0).max(1_000_000) });
export const Page = z.strictObject({ after: integer.min(0).default(0), limit: limit.default(20) });
export const Watch = z.strictObject({
  after: integer.min(0).default(0),
  count: z.int().min(1).max(1_000_000),
});

export type ProductInput = z.infer<typeof ProductInput>;
export type ReviewInput = z.infer<typeof ReviewInput>;
export type UserInput = z.infer<typeof UserInput>;
export type NewUser = z.infer<typeof NewUser>;
export type Login = z.infer<typeof Login>;
export type Wish = z.infer<typeof Wish>;
export type Wishes = z.infer<typeof Wishes>;
export type Checkout = z.infer<typeof Checkout>;
export type StockCount = z.infer<typeof StockCount>;
export type Page = z.infer<typeof Page>;
export type Watch = z.infer<typeof Watch>;

/** Gives a value as what it must be, or refuses it with everything that is wrong. */
export function checked<Form extends z.ZodType>(form: Form, value: unknown): z.infer<Form> {
  const { success, data, error } = form.safeParse(value);
  if (!success) {
    const problems = error.issues.map((issue) => `${issue.path.join(".") || "body"}: ${issue.message}`);
    throw new Refused("invalid", problems.join("; "));
  }
  return data;
}
