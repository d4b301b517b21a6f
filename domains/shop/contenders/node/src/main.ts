/** Serves the shop, or one of its services, over one protocol until SIGTERM. */

import { readSettings, type Settings } from "./settings.js";
import { openShop, type Peers } from "./shop.js";

async function main(): Promise<void> {
  const settings = readSettings();
  const shop = await openShop(settings.service, settings.storeUrl, await peersOf(settings));
  const onFastify = settings.framework === "fastify";
  // Imported where they are needed: a server of one protocol has no use for the others.
  switch (settings.protocol) {
    case "rest":
      return await (onFastify ? await import("./fastify.rest.js") : await import("./rest.js")).serveRest(shop, settings);
    case "graphql":
      return await (onFastify ? await import("./mercurius.js") : await import("./graphql.js")).serveGraphql(shop, settings);
    case "grpc":
      return await (await import("./grpc.js")).serveGrpc(shop, settings);
    case "mcp":
      return await (await import("./mcp.js")).serveMcp(shop, settings);
  }
}

async function peersOf({ protocol, peers }: Settings): Promise<Peers> {
  const at = async (address: string | undefined) => {
    if (address === undefined) {
      return undefined;
    }
    switch (protocol) {
      case "rest":
      case "mcp":
        return new (await import("./rest.peer.js")).RestPeer(address);
      case "graphql":
        return new (await import("./graphql.peer.js")).GraphqlPeer(address);
      case "grpc":
        return new (await import("./grpc.peer.js")).GrpcPeer(address);
    }
  };
  return { users: await at(peers.users), catalogue: await at(peers.catalogue) };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message || error : error);
  process.exit(1);
});
