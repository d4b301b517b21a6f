/** What the servers on Fastify share: deadlines, ending. */

import fastify, { type FastifyInstance } from "fastify";

import { HEADER, within } from "./deadline.js";
import type { Settings } from "./settings.js";

const LARGEST_BODY = 2 ** 20;
const KEEP_ALIVE_MS = 75_000;
const GRACE_MS = 500;

/** An application in which requests end when their clients wait no longer. */
export function application(): FastifyInstance {
  const app = fastify({ bodyLimit: LARGEST_BODY, keepAliveTimeout: KEEP_ALIVE_MS });
  // After the body was read: what waits for it loses the deadline.
  app.addHook("preValidation", (request, _, done) => {
    const left = Number(request.headers[HEADER]);
    if (left > 0) {
      within(left, done);
    } else {
      done();
    }
  });
  return app;
}

/** Serves until SIGTERM; requests in flight have half a second then. */
export async function serve(app: FastifyInstance, { host, port }: Settings): Promise<void> {
  await app.listen({ host, port });
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => {
      void app.close().then(() => process.exit(0));
      setTimeout(() => process.exit(0), GRACE_MS);
    });
  }
}
