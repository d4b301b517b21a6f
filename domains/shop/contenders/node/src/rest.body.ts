/** Bodies of REST: JSON, or messages of shop.proto where a client sends or accepts them. */

import { STATUS_CODES } from "node:http";

import type { Request, Response } from "express";
import protobuf from "protobufjs";
import type { z } from "zod";

import { type Kind, Refused, told } from "./refusal.js";
import { checked } from "./types.js";

export const PROTOBUF = "application/protobuf";
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

/** What Express and the parsers of bodies throw: an error that says its status. */
interface HttpError extends Error {
  status: number;
}

/**
 * Reads a body as a form; `inside` is the field of the message whose fields stand beside the others in
 * JSON.
 */
export function read<Form extends z.ZodObject>(
  request: Request,
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
    const type = MESSAGES.lookupType(`shop.v1.${message}`);
    response.type(PROTOBUF).send(Buffer.from(type.encode(type.fromObject(value)).finish()));
  } else {
    response.json(value);
  }
}

/** Says what went wrong as in RFC 9457. */
export function problem(response: Response, error: unknown): void {
  let [status, detail] = [500, ""];
  if (error instanceof Error && "status" in error && !(error instanceof Refused)) {
    [status, detail] = [(error as HttpError).status, error.message];
  } else {
    const refused = told(error);
    [status, detail] = [STATUS[refused.kind], refused.message];
  }
  response.removeHeader("cache-control");
  response.status(status).setHeader("content-type", "application/problem+json");
  response.end(JSON.stringify({ title: STATUS_CODES[status], status, detail }));
}

export function httpError(status: number, message: string): HttpError {
  return Object.assign(new Error(message), { status });
}
