/** Another service over gRPC: one channel, no retries, what is left of the deadline in each call. */

import { type Client, credentials, type ServiceError, status } from "@grpc/grpc-js";

import type { CatalogueService } from "./catalogue.js";
import { leftMs } from "./deadline.js";
import { CODES, services } from "./grpc.js";
import { KINDS, Refused } from "./refusal.js";
import type { Product, Shipping, User, Wishes } from "./types.js";
import type { UserService } from "./users.js";

const OPTIONS = {
  "grpc.enable_retries": 0,
  // A service that comes back is found again soon, and not after two minutes.
  "grpc.initial_reconnect_backoff_ms": 200,
  "grpc.max_reconnect_backoff_ms": 1000,
};

type Stub = Client & Record<string, (asked: object, options: object, done: (error: ServiceError | null, answer: any) => void) => void>;

export class GrpcPeer implements UserService, CatalogueService {
  private readonly users: Stub;
  private readonly catalogue: Stub;

  constructor(address: string) {
    const { Users, Catalogue } = services();
    this.users = new Users!(address, credentials.createInsecure(), OPTIONS) as Stub;
    // Both stubs have the same options, so that grpc-js gives them one connection.
    this.catalogue = new Catalogue!(address, credentials.createInsecure(), OPTIONS) as Stub;
  }

  async read(id: number): Promise<User> {
    return await call(this.users, "readUser", { id });
  }

  async shipping(token: string, addressId: number): Promise<Shipping> {
    return await call(this.users, "resolveShipping", { token, addressId });
  }

  async byId(ids: readonly number[]): Promise<Product[]> {
    return ids.length === 0 ? [] : (await call(this.catalogue, "productsById", { ids })).products;
  }

  async reserve(key: string, { lines }: Wishes): Promise<number[]> {
    return (await call(this.catalogue, "reserve", { key, lines })).unitPricesCents;
  }

  async release(key: string): Promise<void> {
    await call(this.catalogue, "release", { key });
  }
}

async function call(stub: Stub, method: string, asked: object): Promise<any> {
  return await new Promise((resolve, reject) => {
    stub[method]!(asked, { deadline: Date.now() + leftMs() }, (error, answer) => {
      if (error === null) {
        resolve(answer);
        return;
      }
      const kind = KINDS.find((known) => CODES[known] === error.code && error.code !== status.INTERNAL);
      reject(new Refused(kind ?? "unavailable", kind ? error.details : "another service has failed"));
    });
  });
}
