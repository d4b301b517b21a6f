/** The service of users over its store. */

import { hashPassword, identify, isPassword, tokenOf } from "./credentials.js";
import { Refused } from "./refusal.js";
import { type Connection, type Pool, row, rows, transaction } from "./store.js";
import type { Address, Login, NewUser, Session, Shipping, User, UserInput } from "./types.js";

const USER = `id, email, name, registered_on::text AS "registeredOn"`;
const ADDRESS = `id, street, city, postal_code AS "postalCode", country`;

/** What other services ask of this one. */
export interface UserService {
  read(id: number): Promise<User>;
  shipping(token: string, addressId: number): Promise<Shipping>;
}

export class Users implements UserService {
  constructor(private readonly store: Pool) {}

  async read(id: number): Promise<User> {
    return await this.withAddresses(
      await row<User>(this.store, "user", `SELECT ${USER} FROM users WHERE id = $1`, id),
    );
  }

  private async withAddresses(user: User, connection: Connection = this.store): Promise<User> {
    user.addresses = await rows<Address>(
      connection,
      `SELECT ${ADDRESS} FROM addresses WHERE user_id = $1 ORDER BY id`,
      user.id,
    );
    return user;
  }

  async create({ email, name, password, address }: NewUser): Promise<User> {
    const hash = await hashPassword(password);
    return await transaction(this.store, async (connection) => {
      const user = await row<User>(
        connection,
        "user",
        `INSERT INTO users (email, name, password_hash) VALUES ($1, $2, $3) RETURNING ${USER}`,
        email,
        name,
        hash,
      );
      user.addresses = await rows<Address>(
        connection,
        `INSERT INTO addresses (user_id, street, city, postal_code, country)
         VALUES ($1, $2, $3, $4, $5) RETURNING ${ADDRESS}`,
        user.id,
        address.street,
        address.city,
        address.postalCode,
        address.country,
      );
      return user;
    });
  }

  async update(id: number, { email, name }: UserInput): Promise<User> {
    const text = `UPDATE users SET email = $2, name = $3 WHERE id = $1 RETURNING ${USER}`;
    return await this.withAddresses(await row<User>(this.store, "user", text, id, email, name));
  }

  async delete(id: number): Promise<number> {
    await row(this.store, "user", "DELETE FROM users WHERE id = $1 RETURNING id", id);
    return id;
  }

  /** Does not tell whether it is the user or the password that is wrong. */
  async login({ userId, password }: Login): Promise<Session> {
    const [known] = await rows<{ name: string; password_hash: string }>(
      this.store,
      "SELECT name, password_hash FROM users WHERE id = $1",
      userId,
    );
    if (known === undefined || !(await isPassword(password, known.password_hash))) {
      throw new Refused("unauthenticated", "user or password is wrong");
    }
    return { userId, name: known.name, token: tokenOf(userId) };
  }

  /** Says whose token it is, and where one of the user's addresses is. */
  async shipping(token: string, addressId: number): Promise<Shipping> {
    return await row<Shipping>(
      this.store,
      "user, or no such address of this user",
      `SELECT user_id AS "userId", street || ', ' || postal_code || ' ' || city || ', ' || country AS "shipTo"
       FROM addresses WHERE id = $1 AND user_id = $2`,
      addressId,
      identify(token),
    );
  }
}
