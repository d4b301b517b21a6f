/** Another service over REST. */

import type { CatalogueService } from "./catalogue.js";
import { HttpPeer } from "./http.peer.js";
import { KINDS, Refused } from "./refusal.js";
import { STATUS } from "./rest.body.js";
import type { Product, Shipping, User, Wishes } from "./types.js";
import type { UserService } from "./users.js";

export class RestPeer implements UserService, CatalogueService {
  private readonly http: HttpPeer;

  constructor(address: string) {
    this.http = new HttpPeer(address);
  }

  async read(id: number): Promise<User> {
    return await this.call("GET", `/users/${id}`);
  }

  async shipping(token: string, addressId: number): Promise<Shipping> {
    return await this.call("POST", "/shipping", { token, addressId });
  }

  async byId(ids: readonly number[]): Promise<Product[]> {
    return ids.length === 0 ? [] : (await this.call("GET", `/products?ids=${ids.join(",")}`)).products;
  }

  async reserve(key: string, wishes: Wishes): Promise<number[]> {
    return (await this.call("PUT", `/reservations/${encodeURIComponent(key)}`, wishes)).unitPricesCents;
  }

  async release(key: string): Promise<void> {
    await this.call("DELETE", `/reservations/${encodeURIComponent(key)}`);
  }

  private async call(method: "GET" | "POST" | "PUT" | "DELETE", path: string, asked?: unknown): Promise<any> {
    const [status, answered] = await this.http.ask(method, path, asked);
    if (status < 400) {
      return answered;
    }
    const kind = KINDS.find((known) => STATUS[known] === status && known !== "internal");
    throw new Refused(kind ?? "unavailable", kind ? answered.detail : "another service has failed");
  }
}
