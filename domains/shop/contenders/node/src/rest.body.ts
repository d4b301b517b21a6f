/** Bodies of REST: JSON, or messages of shop.proto where a client sends or accepts them. */

import { STATUS_CODES } from "node:http";

import type { Request, Response } from "express";
import protobuf from "protobufjs";
import type { z } from "zod";

import { type Kind, Refused, told } from "./refusal.js";
import { checked } from "./types.js";

export const PROTOBUF = "application/protobuf";
export const PROBLEM = "application/problem+json";
const MESSAGES = protobuf.loadSync("../../shop.proto");

export const STATUS: Record<Kind, number> = {
  not_found: 404,
  invalid: 422,
  unauthenticated: 401,
  out_of_stock: 409,
  payment_refused: 402,
  unavailable: 503,
  too_late: 504,
  internal: 500,
};

/** What Express, Fastify and the parsers of bodies throw: an error that says its status. */
interface HttpError extends Error {
  status?: number;
  statusCode?: number;
}

/**
 * Reads a body as a form; `inside` is the field of the message whose fields stand beside the others in
 * JSON.
 */
export function read<Form extends z.ZodObject>(
  request: { body?: unknown },
  form: Form,
  message: string,
  inside = "",
): z.infer<Form> {
  if (Buffer.isBuffer(request.body)) {
    const type = MESSAGES.lookupType(`shop.v1.${message}`);
    let values: Record<string, unknown>;
    try {
      values = type.toObject(type.decode(request.body), { defaults: true, arrays: true });
    } catch {
      throw httpError(400, "the body is no such message");
    }
    Object.assign(values, values[inside]);
    return checked(form, Object.fromEntries(Object.keys(form.shape).map((name) => [name, values[name]])));
  }
  if (request.body === undefined) {
    throw httpError(415, `a body is application/json or ${PROTOBUF}`);
  }
  return checked(form, request.body);
}

/** Answers a value, as JSON or as a message. */
export function reply(request: Request, response: Response, message: string, value: object, status = 200): void {
  response.status(status);
  if (request.get("accept")?.startsWith(PROTOBUF)) {
    response.type(PROTOBUF).send(encoded(message, value));
  } else {
    response.json(value);
  }
}

export function encoded(message: string, value: object): Buffer {
  const type = MESSAGES.lookupType(`shop.v1.${message}`);
  return Buffer.from(type.encode(type.fromObject(value)).finish());
}

/** Answers with what went wrong. */
export function problem(response: Response, error: unknown): void {
  const said = problemOf(error);
  response.removeHeader("cache-control");
  response.status(said.status).setHeader("content-type", PROBLEM);
  response.end(JSON.stringify(said));
}

/** Says what went wrong as in RFC 9457. */
export function problemOf(error: unknown): { title: string | undefined; status: number; detail: string } {
  let [status, detail] = [500, ""];
  if (isHttpError(error)) {
    [status, detail] = [error.status ?? error.statusCode ?? 500, error.message];
  } else {
    const refused = told(error);
    [status, detail] = [STATUS[refused.kind], refused.message];
  }
  return { title: STATUS_CODES[status], status, detail };
}

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && !(error instanceof Refused) && ("status" in error || "statusCode" in error);
}

export function httpError(status: number, message: string): HttpError {
  return Object.assign(new Error(message), { status });
}
