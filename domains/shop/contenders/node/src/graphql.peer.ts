/** Another service over GraphQL. */

import type { CatalogueService } from "./catalogue.js";
import { HttpPeer } from "./http.peer.js";
import { KINDS, Refused } from "./refusal.js";
import type { Product, Shipping, User, Wishes } from "./types.js";
import type { UserService } from "./users.js";

const READ_USER = `query($id: Int!) { user(id: $id) {
  id email name registeredOn addresses { id street city postalCode country } } }`;
const SHIPPING = `query($token: String!, $addressId: Int!) {
  shipping(token: $token, addressId: $addressId) { userId shipTo } }`;
const PRODUCTS = `query($ids: [Int!]!) {
  productsById(ids: $ids) { id title description priceCents stock pictures } }`;
const RESERVE = "mutation($key: String!, $lines: [WishInput!]!) { reserve(key: $key, lines: $lines) }";
const RELEASE = "mutation($key: String!) { release(key: $key) }";

export class GraphqlPeer implements UserService, CatalogueService {
  private readonly http: HttpPeer;

  constructor(address: string) {
    this.http = new HttpPeer(address);
  }

  async read(id: number): Promise<User> {
    return (await this.call(READ_USER, { id })).user;
  }

  async shipping(token: string, addressId: number): Promise<Shipping> {
    return (await this.call(SHIPPING, { token, addressId })).shipping;
  }

  async byId(ids: readonly number[]): Promise<Product[]> {
    return ids.length === 0 ? [] : (await this.call(PRODUCTS, { ids })).productsById;
  }

  async reserve(key: string, { lines }: Wishes): Promise<number[]> {
    return (await this.call(RESERVE, { key, lines })).reserve;
  }

  async release(key: string): Promise<void> {
    await this.call(RELEASE, { key });
  }

  private async call(query: string, variables: object): Promise<any> {
    const [, { data, errors }] = await this.http.ask("POST", "/graphql", { query, variables });
    const [error] = errors ?? [];
    if (error !== undefined) {
      const kind = KINDS.find((known) => known === error.extensions?.reason && known !== "internal");
      throw new Refused(kind ?? "unavailable", kind ? error.message : "another service has failed");
    }
    return data;
  }
}
