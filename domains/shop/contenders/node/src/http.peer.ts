/** Another service over HTTP: a pool of connections that are kept, no retries. */

import { errors, Pool } from "undici";

import { HEADER, leftMs, tooLate } from "./deadline.js";
import { Refused } from "./refusal.js";

const CONNECTIONS = 10;

export class HttpPeer {
  private readonly pool: Pool;

  constructor(address: string) {
    this.pool = new Pool(`http://${address}`, { connections: CONNECTIONS, connect: { timeout: 1000 } });
  }

  /** Asks once; what is left of the deadline goes with it. Gives the status and the JSON. */
  async ask(method: "GET" | "POST" | "PUT" | "DELETE", path: string, asked?: unknown): Promise<[number, any]> {
    const left = leftMs();
    const headers: Record<string, string> = { accept: "application/json", [HEADER]: String(left) };
    if (asked !== undefined) {
      headers["content-type"] = "application/json";
    }
    try {
      const response = await this.pool.request({
        method,
        path,
        headers,
        body: asked === undefined ? null : JSON.stringify(asked),
        signal: AbortSignal.timeout(left),
      });
      return [response.statusCode, await response.body.json()];
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") {
        throw tooLate();
      }
      if (error instanceof errors.UndiciError || (error instanceof Error && "code" in error)) {
        throw new Refused("unavailable", "another service does not answer");
      }
      throw error;
    }
  }
}
