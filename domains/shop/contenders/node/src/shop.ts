/** What one program serves: all of the shop, or one of its three services. */

import { Catalogue, type CatalogueService } from "./catalogue.js";
import { Orders } from "./checkout.js";
import { notServed } from "./refusal.js";
import type { Service } from "./settings.js";
import { openStore } from "./store.js";
import { Users, type UserService } from "./users.js";

/** The services of this program, undefined where another serves it; `any…` wherever they are. */
export interface Shop {
  users?: Users;
  catalogue?: Catalogue;
  orders?: Orders;
  anyUsers?: UserService;
  anyCatalogue?: CatalogueService;
}

export interface Peers {
  users?: UserService;
  catalogue?: CatalogueService;
}

/** Opens what a role names over a store; peers are asked for what it has not. */
export async function openShop(service: Service, storeUrl: string, peers: Peers): Promise<Shop> {
  const store = await openStore(storeUrl);
  const has = (one: Service): boolean => service === "all" || service === one;
  const users = has("users") ? new Users(store) : undefined;
  const anyUsers = users ?? peers.users;
  const catalogue = has("catalogue") ? new Catalogue(store, served(anyUsers)) : undefined;
  const anyCatalogue = catalogue ?? peers.catalogue;
  const orders = has("orders")
    ? new Orders(store, served(anyUsers), served(anyCatalogue), service === "all")
    : undefined;
  if (service === "orders") {
    orders?.settle();
  }
  return { users, catalogue, orders, anyUsers, anyCatalogue };
}

/** A service, where this program has it. */
export function served<Some>(service: Some | undefined): Some {
  if (service === undefined) {
    throw notServed();
  }
  return service;
}
