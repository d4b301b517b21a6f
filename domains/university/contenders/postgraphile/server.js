// The server: PostGraphile behind Node's own HTTP server, on the address that the laboratory gives.

import { once } from "node:events";
import { createServer } from "node:http";

import { postgraphile } from "postgraphile";
import { grafserv } from "postgraphile/grafserv/node";

import { presetFor } from "./preset.js";
import { readSettings } from "./settings.js";

const KEEP_ALIVE_MS = 75_000;
const GRACE_MS = 500;

async function serve() {
  const settings = readSettings(process.env);
  const made = postgraphile(presetFor(settings));
  await made.getSchema(); // asks the store for its tables
  const http = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true });
  await made.createServ(grafserv).addTo(http);

  http.listen(settings.port, settings.host);
  await once(http, "listening");
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => {
      setTimeout(() => process.exit(0), GRACE_MS).unref();
      http.close(() => process.exit(0));
      http.closeIdleConnections();
    });
  }
}

serve().catch((error) => {
  console.error(error.message || error);
  if (error.cause ?? error.originalError) console.error(error.cause ?? error.originalError);
  process.exit(1);
});
