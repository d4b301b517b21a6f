/** Streams beside REST: server-sent events, and a WebSocket for every direction. */

import { once } from "node:events";
import type { Server } from "node:http";

import type { Express } from "express";
import { type WebSocket, WebSocketServer } from "ws";

import type { Catalogue } from "./catalogue.js";
import { Refused, told } from "./refusal.js";
import { checked, type ProductEvent, StockCount, Watch, Wish } from "./types.js";

const LARGEST_MESSAGE = 2 ** 20;

/** Adds the stream of events, and gives what a server must do for the WebSocket. */
export function streams(app: Express, catalogue: Catalogue): (server: Server) => void {
  app.get("/product-events", async (request, response) => {
    const watch = watchOf(request.query);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    for await (const event of catalogue.watch(watch, gone.signal)) {
      if (!response.write(eventOf(event))) {
        await once(response, "drain", { signal: gone.signal }).catch(() => null);
      }
    }
    response.end();
  });
  return (server) => converseAt(server, catalogue);
}

export function watchOf(query: unknown): Watch {
  const { after, count } = query as Record<string, unknown>;
  return checked(Watch, { after: after === undefined ? undefined : Number(after), count: Number(count) });
}

/** An event as text/event-stream has it. */
export function eventOf(event: ProductEvent): string {
  return `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Serves the WebSocket of a server. */
export function converseAt(server: Server, catalogue: Catalogue): void {
  const sockets = new WebSocketServer({ server, path: "/stream", maxPayload: LARGEST_MESSAGE });
  sockets.on("connection", (socket) => converse(socket, catalogue));
}

/**
 * "watch" sends events and "end"; "count" takes one count a message and answers "done" with a summary;
 * "quote" answers each wish.
 */
function converse(socket: WebSocket, catalogue: Catalogue): void {
  const gone = new AbortController();
  let counts: StockCount[] = [];
  let turn = Promise.resolve();
  const send = (value: object): void => socket.send(JSON.stringify(value));

  async function answer(text: string): Promise<void> {
    const { op, ...asked } = parsed(text);
    switch (op) {
      case "watch": {
        const watch = checked(Watch, asked);
        for await (const event of catalogue.watch(watch, gone.signal)) {
          send(event);
        }
        return send({ end: watch.count });
      }
      case "count":
        counts.push(checked(StockCount, asked));
        return;
      case "done": {
        const received = counts;
        counts = [];
        return send({ received: await catalogue.countStock(received) });
      }
      case "quote":
        return send(await catalogue.quote(checked(Wish, asked)));
      default:
        throw new Refused("invalid", "op must be watch, count, done or quote");
    }
  }

  socket.on("close", () => gone.abort());
  socket.on("message", (data) => {
    // One after the other, in the order in which they came.
    turn = turn
      .then(() => answer(String(data)))
      .catch((error: unknown) => {
        const { kind, message } = told(error);
        send({ error: { code: kind, message } });
      });
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
