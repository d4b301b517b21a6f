/** What the servers over HTTP share: Express, deadlines, ending. */

import { createServer, type Server } from "node:http";

import compression from "compression";
import express, { type Express } from "express";

import { HEADER, within } from "./deadline.js";
import type { Settings } from "./settings.js";

const LARGEST_BODY = "1mb";
const KEEP_ALIVE_MS = 75_000;
const GRACE_MS = 500;

/** For how many seconds caches may keep an answer. */
export const AGE_S = 2;

export const bodies = { limit: LARGEST_BODY };

/** An application in which requests end when their clients wait no longer. */
export function application({ compressed, cached }: Settings): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", cached && "strong"); // with it, Express answers who has it already
  if (compressed) {
    app.use(compression({ threshold: 0 }));
  }
  app.use((request, _, next) => {
    const left = Number(request.get(HEADER));
    if (left > 0) {
      within(left, next);
    } else {
      next();
    }
  });
  return app;
}

/** Serves until SIGTERM; requests in flight have half a second then. */
export async function serve(app: Express, settings: Settings, also?: (server: Server) => void): Promise<void> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, app);
  also?.(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(settings.port, settings.host, resolve);
  });
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => {
      server.close(() => process.exit(0));
      server.closeIdleConnections();
      setTimeout(() => process.exit(0), GRACE_MS);
    });
  }
}
