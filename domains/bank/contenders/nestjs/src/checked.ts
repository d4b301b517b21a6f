/** The checking of what comes in: every mistake at once, and nothing that can make it fail. */

import {
  type ArgumentMetadata,
  Injectable,
  type ValidationError,
  ValidationPipe,
} from "@nestjs/common";

import { Refused } from "./refused.js";

/** How many mistakes are named in a refusal; ten thousand movements can hold very many. */
const MISTAKES_NAMED = 20;

function mistakes(errors: ValidationError[], path = ""): string[] {
  return errors.flatMap((error) => {
    const place = `${path}${error.property}`;
    const own = Object.values(error.constraints ?? {}).map((text) => `${place}: ${text}`);
    return [...own, ...mistakes(error.children ?? [], `${place}.`)];
  });
}

@Injectable()
export class Checked extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      forbidNonWhitelisted: true,
      whitelist: true,
      exceptionFactory: (errors) =>
        new Refused("invalid", mistakes(errors).slice(0, MISTAKES_NAMED).join("; ")),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    try {
      return (await super.transform(value, metadata)) as unknown;
    } catch (error) {
      // It follows lists within lists with calls within calls, until the stack has no room.
      if (error instanceof RangeError) {
        throw new Refused("invalid", "the values are nested too deeply");
      }
      throw error;
    }
  }
}
