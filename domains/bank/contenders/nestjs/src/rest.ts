/** The bank as REST: one controller on Express, errors as application/problem+json. */

import { STATUS_CODES } from "node:http";

import {
  type ArgumentsHost,
  BadRequestException,
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
  ParseIntPipe,
  Post,
  Query,
  StreamableFile,
} from "@nestjs/common";
import { APP_FILTER } from "@nestjs/core";
import type { Response } from "express";
import { createReadStream } from "node:fs";

import { BankModule } from "./bank.module.js";
import { BankService, type Include } from "./bank.service.js";
import type { Movement } from "./entities.js";
import { serve } from "./http.js";
import { NewMovements } from "./movements.js";
import { Refused } from "./refused.js";

const STATUS = { not_found: 404, invalid: 422 } as const;

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
  async list(
    @Query("records", ParseIntPipe) records: number,
    @Query("include") include?: string,
  ): Promise<{ movements: Movement[] }> {
    return { movements: await this.bank.list(records, included(include)) };
  }

  @Get("movements/:id")
  read(@Param("id", ParseIntPipe) id: number): Promise<Movement> {
    return this.bank.read(id);
  }

  @Get("openapi.yaml")
  @Header("content-type", "application/yaml")
  description(): StreamableFile {
    return new StreamableFile(createReadStream("../../openapi.yaml"));
  }
}

function included(written?: string): Include {
  if (written === undefined) {
    return "nothing";
  }
  if (written === "account" || written === "customer") {
    return written;
  }
  throw new BadRequestException("include must be account or customer");
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
    response.status(status).type("application/problem+json");
    response.json({ title: STATUS_CODES[status], status, detail });
  }
}

@Module({
  imports: [BankModule],
  controllers: [BankController],
  providers: [{ provide: APP_FILTER, useClass: Problems }],
})
class RestModule {}

await serve(RestModule);
