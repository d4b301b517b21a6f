/** The bank as GraphQL, code first: one resolver, Apollo Server on Express. */

import { ApolloDriver, type ApolloDriverConfig } from "@nestjs/apollo";
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger, Module } from "@nestjs/common";
import { APP_FILTER } from "@nestjs/core";
import { Args, type GqlContextType, GraphQLModule, Info, Int, Mutation, Query, Resolver } from "@nestjs/graphql";
import type { Response } from "express";
import { GraphQLError, type GraphQLResolveInfo, Kind, type SelectionSetNode } from "graphql";

import { BankModule } from "./bank.module.js";
import { BankService, type Include } from "./bank.service.js";
import type { Movement } from "./entities.js";
import { InsertArguments, MovementType } from "./graphql.types.js";
import { serve } from "./http.js";
import { Refused } from "./refused.js";

const CODES = { not_found: "NOT_FOUND", invalid: "BAD_USER_INPUT" } as const;

@Resolver(() => MovementType)
class BankResolver {
  constructor(private readonly bank: BankService) {}

  @Query(() => String, { description: "The control: touches no store." })
  ping(): string {
    return this.bank.ping();
  }

  @Query(() => [MovementType], {
    description:
      "The first movements in the order of their ids: at least 1, and not more than there are.",
  })
  movements(
    @Args("records", { type: () => Int }) records: number,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Movement[]> {
    return this.bank.list(records, wanted(info));
  }

  @Query(() => MovementType, { nullable: true, description: "One movement." })
  movement(
    @Args("id", { type: () => Int }) id: number,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Movement> {
    return this.bank.read(id, wanted(info));
  }

  @Mutation(() => [Int], {
    description:
      "Book 1 to 10,000 new movements, all of them or none; answers the ids that the server gave.",
  })
  insertMovements(@Args() { movements }: InsertArguments): Promise<number[]> {
    return this.bank.insert(movements);
  }
}

/** Looks ahead at what the client selects, so that one query joins just the tables it needs. */
function wanted(info: GraphQLResolveInfo): Include {
  const sets = info.fieldNodes.flatMap((node) => node.selectionSet ?? []);
  const accounts = selected("account", sets, info);
  if (accounts.length === 0) {
    return "nothing";
  }
  return selected("customer", accounts, info).length > 0 ? "customer" : "account";
}

/** What is selected in fields of a name, in fragments as well. */
function selected(name: string, sets: SelectionSetNode[], info: GraphQLResolveInfo): SelectionSetNode[] {
  return sets
    .flatMap((set) => set.selections)
    .flatMap((selection) => {
      if (selection.kind === Kind.FIELD) {
        return selection.name.value === name ? (selection.selectionSet ?? []) : [];
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : info.fragments[selection.name.value];
      return fragment === undefined ? [] : selected(name, [fragment.selectionSet], info);
    });
}

/** Gives refusals their codes; of a failure of our own says only that it happened. */
@Catch()
class Errors implements ExceptionFilter {
  private readonly logger = new Logger("bank");

  catch(error: unknown, host: ArgumentsHost): unknown {
    if (host.getType<GqlContextType>() !== "graphql") {
      return this.beforeGraphql(error, host.switchToHttp().getResponse<Response>());
    }
    if (error instanceof Refused) {
      return new GraphQLError(error.message, { extensions: { code: CODES[error.kind] } });
    }
    this.logger.error(error);
    return failure();
  }

  /** What is no JSON, or too much of it, never reaches Apollo. */
  private beforeGraphql(error: unknown, response: Response): void {
    const isClients = error instanceof HttpException && error.getStatus() < 500;
    if (!isClients) {
      this.logger.error(error);
    }
    const told = isClients
      ? new GraphQLError(error.message, { extensions: { code: "BAD_REQUEST" } })
      : failure();
    response.status(isClients ? error.getStatus() : 500).json({ errors: [told] });
  }
}

function failure(): GraphQLError {
  return new GraphQLError("the server failed", { extensions: { code: "INTERNAL_SERVER_ERROR" } });
}

@Module({
  imports: [
    BankModule,
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true, // made from the classes, kept in memory
      introspection: true, // in production, too: clients read the schema from it
    }),
  ],
  providers: [BankResolver, { provide: APP_FILTER, useClass: Errors }],
})
class GraphqlModule {}

await serve(GraphqlModule);
