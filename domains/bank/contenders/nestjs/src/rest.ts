/** The bank as REST: one controller on Express, errors as application/problem+json. */

import { createReadStream } from "node:fs";
import { STATUS_CODES } from "node:http";

import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  Header,
  HttpException,
  Logger,
  Module,
  Param,
  Post,
  Query,
  StreamableFile,
} from "@nestjs/common";
import { APP_FILTER } from "@nestjs/core";
import { IsIn, IsOptional, Matches } from "class-validator";
import type { Response } from "express";

import { BankModule } from "./bank.module.js";
import { BankService, type Include } from "./bank.service.js";
import type { Movement } from "./entities.js";
import { serve } from "./http.js";
import { NewMovements } from "./movements.js";
import { Refused } from "./refused.js";

const STATUS = { not_found: 404, invalid: 422 } as const;

/** As digits: what is `Number` to TypeScript, such as 1e2, is no number in a URL. */
const INTEGER = /^-?\d+$/;
const ABOUT_INTEGER = { message: "$property must be an integer" };

class ListQuery {
  @Matches(INTEGER, ABOUT_INTEGER)
  records!: string;

  @IsOptional()
  @IsIn(["account", "customer"])
  include?: Exclude<Include, "nothing">;
}

class MovementPath {
  @Matches(INTEGER, ABOUT_INTEGER)
  id!: string;
}

@Controller()
class BankController {
  constructor(private readonly bank: BankService) {}

  @Get("ping")
  ping(): { status: string } {
    return { status: this.bank.ping() };
  }

  @Post("movements")
  async insert(@Body() { movements }: NewMovements): Promise<{ ids: number[] }> {
    return { ids: await this.bank.insert(movements) };
  }

  @Get("movements")
  async list(@Query() { records, include }: ListQuery): Promise<{ movements: Movement[] }> {
    return { movements: await this.bank.list(Number(records), include ?? "nothing") };
  }

  @Get("movements/:id")
  read(@Param() { id }: MovementPath): Promise<Movement> {
    return this.bank.read(Number(id));
  }

  @Get("openapi.yaml")
  @Header("content-type", "application/yaml")
  description(): StreamableFile {
    return new StreamableFile(createReadStream("../../openapi.yaml"));
  }
}

/** Says what went wrong as in RFC 9457; of a failure of our own only that it happened. */
@Catch()
class Problems implements ExceptionFilter {
  private readonly logger = new Logger("bank");

  catch(error: unknown, host: ArgumentsHost): void {
    let [status, detail] = [500, "the server failed"];
    if (error instanceof Refused) {
      [status, detail] = [STATUS[error.kind], error.message];
    } else if (error instanceof HttpException) {
      [status, detail] = [error.getStatus(), error.message];
    } else {
      this.logger.error(error);
    }
    const response = host.switchToHttp().getResponse<Response>();
    response.status(status).setHeader("content-type", "application/problem+json");
    response.end(JSON.stringify({ title: STATUS_CODES[status], status, detail }));
  }
}

@Module({
  imports: [BankModule],
  controllers: [BankController],
  providers: [{ provide: APP_FILTER, useClass: Problems }],
})
class RestModule {}

await serve(RestModule);
