/** The store, the service and the checking of what comes in: shared by every protocol. */

import { Module } from "@nestjs/common";
import { APP_PIPE } from "@nestjs/core";
import { TypeOrmModule } from "@nestjs/typeorm";

import { BankService } from "./bank.service.js";
import { Checked } from "./checked.js";
import { Account, Customer, Movement } from "./entities.js";
import { setting } from "./settings.js";

const POOL_SIZE = 10;
const POOL_WAIT_MS = 5_000;

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: "postgres",
      url: setting("WIRELAB_STORE_URL"),
      entities: [Customer, Account, Movement],
      poolSize: POOL_SIZE,
      connectTimeoutMS: POOL_WAIT_MS, // for a connection of the pool, new or not
      retryAttempts: 0, // a store that cannot be reached is an error at once
    }),
    TypeOrmModule.forFeature([Movement]),
  ],
  providers: [BankService, { provide: APP_PIPE, useClass: Checked }],
  exports: [BankService],
})
export class BankModule {}
