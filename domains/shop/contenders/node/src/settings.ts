/** What the command line and the environment say. */

import { parseArgs } from "node:util";

const PROTOCOLS = ["rest", "graphql", "grpc", "mcp"] as const;
const FRAMEWORKS = ["express", "fastify"] as const;
const SERVICES = ["all", "catalogue", "orders", "users"] as const;

/** Which services a service calls. */
const PEERS_OF: Record<Service, ("catalogue" | "users")[]> = {
  all: [],
  catalogue: ["users"],
  orders: ["catalogue", "users"],
  users: [],
};

export type Service = (typeof SERVICES)[number];

export interface Settings {
  protocol: (typeof PROTOCOLS)[number];
  /** Of the servers over HTTP/1.1. */
  framework: (typeof FRAMEWORKS)[number];
  service: Service;
  host: string;
  port: number;
  storeUrl: string;
  batching: boolean;
  /** Whether a GraphQL document that was parsed and validated is kept. */
  documentsKept: boolean;
  compressed: boolean;
  /** Whether caches may keep what it says of the catalogue. */
  cached: boolean;
  /** Whether tools of MCP answer by a stream of events in sessions. */
  streamed: boolean;
  /** Where the services are that this one calls, as HOST:PORT. */
  peers: { catalogue?: string; users?: string };
}

/** Reads them, or throws one error that names everything that is wrong. */
export function readSettings(): Settings {
  const { values } = parseArgs({
    options: {
      protocol: { type: "string", default: "rest" },
      framework: { type: "string", default: "express" },
      service: { type: "string", default: "all" },
    },
  });
  const problems: string[] = [];
  const chosen = <Choice extends string>(name: string, given: string, choices: readonly Choice[]): Choice => {
    const found = choices.find((choice) => choice === given);
    if (found === undefined) {
      problems.push(`${name}: expected ${choices.join(" or ")}, got ${given}`);
    }
    return found ?? choices[0]!;
  };
  const needed = (name: string): string => {
    const value = process.env[name] ?? "";
    if (value === "") {
      problems.push(`${name}: expected a value`);
    }
    return value;
  };
  const service = chosen("--service", values.service, SERVICES);
  const settings = {
    protocol: chosen("--protocol", values.protocol, PROTOCOLS),
    framework: chosen("--framework", values.framework, FRAMEWORKS),
    service,
    host: needed("WIRELAB_HOST"),
    port: Number(needed("WIRELAB_PORT")),
    storeUrl: needed("WIRELAB_STORE_URL"),
    batching: chosen("SHOP_LOADING", process.env["SHOP_LOADING"] ?? "batching", ["batching", "naive"]) === "batching",
    documentsKept:
      chosen("SHOP_DOCUMENTS", process.env["SHOP_DOCUMENTS"] ?? "kept", ["kept", "forgotten"]) === "kept",
    compressed: chosen("SHOP_COMPRESSION", process.env["SHOP_COMPRESSION"] ?? "none", ["none", "gzip"]) === "gzip",
    cached: chosen("SHOP_CACHING", process.env["SHOP_CACHING"] ?? "none", ["none", "http"]) === "http",
    streamed: chosen("SHOP_ANSWERS", process.env["SHOP_ANSWERS"] ?? "json", ["json", "events"]) === "events",
    peers: Object.fromEntries(
      PEERS_OF[service].map((peer) => [peer, needed(`WIRELAB_PEER_${peer.toUpperCase()}`)]),
    ),
  };
  if (problems.length > 0) {
    throw new Error(problems.join("\n"));
  }
  return settings;
}
