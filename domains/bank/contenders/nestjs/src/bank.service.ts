/** What can be done in the bank: all that the protocols have in common. */

import { Injectable } from "@nestjs/common";
import { InjectRepository } from "@nestjs/typeorm";
import { QueryFailedError, Repository, type SelectQueryBuilder } from "typeorm";

import { Movement } from "./entities.js";
import type { NewMovement } from "./movements.js";
import { Refused } from "./refused.js";

/** What comes with each movement: nothing, its account, or its account and the customer of that. */
export type Include = "nothing" | "account" | "customer";

const LARGEST_INTEGER = 2 ** 31 - 1;

/** PostgreSQL takes 65,535 parameters in a statement, and a movement is six. */
const ROWS_PER_STATEMENT = 5_000;

const FOREIGN_KEY_VIOLATION = "23503";

@Injectable()
export class BankService {
  constructor(@InjectRepository(Movement) private readonly movements: Repository<Movement>) {}

  ping(): string {
    return "ok";
  }

  /** Inserts all movements or none; answers their ids. */
  async insert(movements: NewMovement[]): Promise<number[]> {
    const ids: number[] = [];
    try {
      await this.movements.manager.transaction(async (manager) => {
        for (let start = 0; start < movements.length; start += ROWS_PER_STATEMENT) {
          const rows = movements.slice(start, start + ROWS_PER_STATEMENT);
          const result = await manager.insert(Movement, rows);
          ids.push(...result.identifiers.map((identifier) => Number(identifier["id"])));
        }
      });
    } catch (error) {
      if (error instanceof QueryFailedError && error.driverError.code === FOREIGN_KEY_VIOLATION) {
        throw new Refused("invalid", "accountId must be the id of an account that there is");
      }
      throw error;
    }
    return ids;
  }

  async read(id: number, include: Include = "nothing"): Promise<Movement> {
    const query = this.select(include).where("movement.id = :id", { id });
    const movement = isInteger(id) ? await query.getOne() : null;
    if (movement === null) {
      throw new Refused("not_found", `no movement has the id ${id}`);
    }
    return movement;
  }

  /** The first movements in the order of their ids; neither more nor fewer than asked for. */
  async list(records: number, include: Include): Promise<Movement[]> {
    if (!isInteger(records) || records < 1) {
      throw new Refused("invalid", "records must be 1 or more");
    }
    // `limit` and not `take`: a movement has one account, so that a row is a movement.
    const movements = await this.select(include).orderBy("movement.id").limit(records).getMany();
    if (movements.length < records) {
      throw new Refused("invalid", `records must be at most ${movements.length}: there are no more`);
    }
    return movements;
  }

  /** A query that joins the tables that are wanted, and no others. */
  private select(include: Include): SelectQueryBuilder<Movement> {
    const query = this.movements.createQueryBuilder("movement");
    if (include !== "nothing") {
      query.innerJoinAndSelect("movement.account", "account");
    }
    if (include === "customer") {
      query.innerJoinAndSelect("account.customer", "customer");
    }
    return query;
  }
}

/** Whether PostgreSQL's integer holds a number. */
function isInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= LARGEST_INTEGER;
}
