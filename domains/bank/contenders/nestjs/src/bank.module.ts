/** The store, the service and the checking of what comes in: shared by every protocol. */

import { Module, type ValidationError, ValidationPipe } from "@nestjs/common";
import { APP_PIPE } from "@nestjs/core";
import { TypeOrmModule } from "@nestjs/typeorm";

import { BankService } from "./bank.service.js";
import { Account, Customer, Movement } from "./entities.js";
import { Refused } from "./refused.js";
import { setting } from "./settings.js";

const POOL_SIZE = 10;

/** How many mistakes are named in a refusal; ten thousand movements can hold very many. */
const MISTAKES_NAMED = 20;

function mistakes(errors: ValidationError[], path = ""): string[] {
  return errors.flatMap((error) => {
    const place = `${path}${error.property}`;
    const own = Object.values(error.constraints ?? {}).map((text) => `${place}: ${text}`);
    return [...own, ...mistakes(error.children ?? [], `${place}.`)];
  });
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: "postgres",
      url: setting("WIRELAB_STORE_URL"),
      entities: [Customer, Account, Movement],
      poolSize: POOL_SIZE,
      retryAttempts: 0, // a store that cannot be reached is an error at once
    }),
    TypeOrmModule.forFeature([Movement]),
  ],
  providers: [
    BankService,
    {
      provide: APP_PIPE,
      useValue: new ValidationPipe({
        transform: true,
        forbidNonWhitelisted: true,
        whitelist: true,
        exceptionFactory: (errors) =>
          new Refused("invalid", mistakes(errors).slice(0, MISTAKES_NAMED).join("; ")),
      }),
    },
  ],
  exports: [BankService],
})
export class BankModule {}
