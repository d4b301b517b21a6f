/** The HTTP server under REST and GraphQL: Express, with a limit that the largest insertion fits. */

import type { Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";

import { setting } from "./settings.js";

const LARGEST_BODY = "32mb";
const KEEP_ALIVE_MS = 75_000;

export async function serve(module: Type<unknown>): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(module, {
    logger: ["error", "warn"],
    abortOnError: false,
    forceCloseConnections: true, // idle connections must not hold up the end
  });
  if (process.env["BANK_ETAG"] !== "true") {
    app.set("etag", false); // no client asks whether its copy still holds, and gRPC computes none
  }
  app.getHttpServer().keepAliveTimeout = KEEP_ALIVE_MS;
  app.useBodyParser("json", { limit: LARGEST_BODY });
  app.enableShutdownHooks();
  await app.listen(Number(setting("WIRELAB_PORT")), setting("WIRELAB_HOST"));
}
