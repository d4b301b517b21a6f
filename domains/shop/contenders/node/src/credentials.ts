/** Passwords, and the token that a login answers. */

import { createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

import { Refused } from "./refusal.js";

/** How many iterations of PBKDF2-HMAC-SHA256 a new password gets; an old one says it. */
const PASSWORD_COST = 1000;
const TOKEN_KEY = "wirelab-shop";

const derive = promisify(pbkdf2);

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, PASSWORD_COST, 32, "sha256");
  return `$pbkdf2-sha256$i=${PASSWORD_COST}$${salt.toString("hex")}$${hash.toString("hex")}`;
}

export async function isPassword(password: string, kept: string): Promise<boolean> {
  const [, , cost = "", salt = "", right = ""] = kept.split("$");
  const hash = await derive(password, Buffer.from(salt, "hex"), Number(cost.slice("i=".length)), 32, "sha256");
  return timingSafeEqual(hash, Buffer.from(right, "hex"));
}

export function tokenOf(userId: number): string {
  return `${userId}.${createHmac("sha256", TOKEN_KEY).update(String(userId)).digest("hex")}`;
}

/** Tells whose token it is. */
export function identify(given: string): number {
  const name = /^[0-9]{1,10}(?=\.)/.exec(given)?.[0] ?? "";
  const [token, right] = [Buffer.from(given), Buffer.from(tokenOf(Number(name)))];
  if (name === "" || token.length !== right.length || !timingSafeEqual(token, right)) {
    throw new Refused("unauthenticated", "the token is wrong");
  }
  return Number(name);
}
