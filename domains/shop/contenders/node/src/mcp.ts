/** The shop over MCP: the official SDK on Express, with sessions for clients of earlier revisions. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";

import { application, serve } from "./http.js";
import { toolServer } from "./mcp.tools.js";
import type { Settings } from "./settings.js";
import type { Shop } from "./shop.js";

/** The revision without sessions, whose requests say all that a server needs to know. */
const CURRENT = "2026-07-28";
const LARGEST_BODY = 2 ** 20;
const IDLE_MS = 30 * 60_000;

export async function serveMcp(shop: Shop, settings: Settings): Promise<void> {
  const current = toNodeHandler(
    createMcpHandler(() => toolServer(shop), { responseMode: "json", maxRequestBodySize: LARGEST_BODY }),
  );
  const sessions = new Sessions(() => toolServer(shop), settings.streamed);
  const app = application(settings);
  app.all("/mcp", async (request, response) => {
    await (request.get("mcp-protocol-version") === CURRENT ? current(request, response) : sessions.handle(request, response));
  });
  await serve(app, settings);
}

interface Session {
  transport: NodeStreamableHTTPServerTransport;
  expiry: NodeJS.Timeout;
}

/** The sessions of clients before the current revision; one that is not used for half an hour ends. */
class Sessions {
  private readonly opened = new Map<string, Session>();

  constructor(
    private readonly newServer: () => McpServer,
    private readonly streamed: boolean,
  ) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers["mcp-session-id"];
    if (typeof id !== "string") {
      return await (await this.open()).handleRequest(request, response);
    }
    const session = this.opened.get(id);
    if (session === undefined) {
      const error = { code: -32001, message: "Session not found" };
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
      return;
    }
    session.expiry.refresh();
    await session.transport.handleRequest(request, response);
  }

  /** Gives the transport of a session that begins if the request asks for one. */
  private async open(): Promise<NodeStreamableHTTPServerTransport> {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: !this.streamed,
      onsessioninitialized: (id) => {
        this.opened.set(id, { transport, expiry: setTimeout(() => void transport.close(), IDLE_MS).unref() });
      },
    });
    transport.onclose = () => {
      clearTimeout(this.opened.get(transport.sessionId ?? "")?.expiry);
      this.opened.delete(transport.sessionId ?? "");
    };
    await this.newServer().connect(transport);
    return transport;
  }
}
