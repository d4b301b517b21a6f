/** The parameters of REST: ids in paths, pages and lists of ids in queries. */

import { checked, Id, Page } from "./types.js";

/** As digits: what is a number to JavaScript, such as 1e2, is none in a URL. */
export function integer(text: unknown): number {
  return checked(Id, typeof text === "string" && /^-?\d+$/.test(text) ? Number(text) : text);
}

export function idOf({ params }: { params: unknown }): number {
  return integer((params as Record<string, unknown>)["id"]);
}

export function pageOf({ query }: { query: unknown }): Page {
  const { after, limit } = query as Record<string, unknown>;
  return checked(Page, {
    after: after === undefined ? undefined : integer(after),
    limit: limit === undefined ? undefined : integer(limit),
  });
}
