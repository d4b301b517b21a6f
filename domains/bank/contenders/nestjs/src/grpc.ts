/** The bank as gRPC: NestJS's microservice on grpc-js, which describes itself by reflection. */

import { status } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import { Catch, Controller, type ExceptionFilter, Logger, Module } from "@nestjs/common";
import { APP_FILTER, NestFactory } from "@nestjs/core";
import { GrpcMethod, type MicroserviceOptions, Payload, Transport } from "@nestjs/microservices";
import { type Observable, throwError } from "rxjs";

import { BankModule } from "./bank.module.js";
import { BankService, type Include } from "./bank.service.js";
import type { Movement } from "./entities.js";
import { NewMovements } from "./movements.js";
import { Refused } from "./refused.js";
import { setting } from "./settings.js";

const PROTO = "../../bank.proto";
const LARGEST_MESSAGE = 32 * 2 ** 20;
const STATUS = { not_found: status.NOT_FOUND, invalid: status.INVALID_ARGUMENT } as const;
const INCLUDE: Readonly<Record<string, Include>> = {
  INCLUDE_UNSPECIFIED: "nothing",
  INCLUDE_ACCOUNT: "account",
  INCLUDE_CUSTOMER: "customer",
};

interface ListRequest {
  records: number;
  include: string;
}

@Controller()
class BankController {
  constructor(private readonly bank: BankService) {}

  @GrpcMethod("Bank")
  ping(): { status: string } {
    return { status: this.bank.ping() };
  }

  @GrpcMethod("Bank")
  async insertMovements(@Payload() { movements }: NewMovements): Promise<{ ids: number[] }> {
    return { ids: await this.bank.insert(movements) };
  }

  @GrpcMethod("Bank")
  readMovement({ id }: { id: number }): Promise<Movement> {
    return this.bank.read(id);
  }

  @GrpcMethod("Bank")
  async listMovements(request: ListRequest): Promise<{ movements: Movement[] }> {
    const include = INCLUDE[request.include];
    if (include === undefined) {
      throw new Refused("invalid", `include must be one of ${Object.keys(INCLUDE).join(", ")}`);
    }
    return { movements: await this.bank.list(request.records, include) };
  }
}

/** Gives refusals their status; of a failure of our own says only that it happened. */
@Catch()
class Errors implements ExceptionFilter {
  private readonly logger = new Logger("bank");

  catch(error: unknown): Observable<never> {
    if (error instanceof Refused) {
      return throwError(() => ({ code: STATUS[error.kind], message: error.message }));
    }
    this.logger.error(error);
    return throwError(() => ({ code: status.INTERNAL, message: "the server failed" }));
  }
}

@Module({
  imports: [BankModule],
  controllers: [BankController],
  providers: [{ provide: APP_FILTER, useClass: Errors }],
})
class GrpcModule {}

const app = await NestFactory.createMicroservice<MicroserviceOptions>(GrpcModule, {
  logger: ["error", "warn"],
  abortOnError: false,
  transport: Transport.GRPC,
  options: {
    package: "bank.v1",
    protoPath: PROTO,
    url: `${setting("WIRELAB_HOST")}:${setting("WIRELAB_PORT")}`,
    loader: { defaults: true, enums: String },
    maxReceiveMessageLength: LARGEST_MESSAGE,
    maxSendMessageLength: -1,
    onLoadPackageDefinition: (_, server) => {
      // Clients are told the names of the .proto, not the ones that our objects have.
      new ReflectionService(loadSync(PROTO, { keepCase: true })).addToServer(server);
    },
  },
});
app.enableShutdownHooks();
await app.listen();
