/** The bank's GraphQL types, code first. */

import { ArgsType, Field, InputType, Int, ObjectType } from "@nestjs/graphql";
import { Type } from "class-transformer";

import { NewMovement, NewMovements } from "./movements.js";

const DAY = { description: "An ISO 8601 date." };
const KIND = { description: "purchase, transfer, withdrawal, deposit, fee or interest." };
const TEXT = { description: "1 to 200 characters, no control characters." };

@ObjectType("Customer", { description: "Somebody with an account." })
class CustomerType {
  @Field(() => Int)
  id!: number;

  @Field()
  name!: string;

  @Field()
  email!: string;

  @Field()
  city!: string;

  @Field(DAY)
  since!: string;
}

@ObjectType("Account", { description: "An account of one customer." })
class AccountType {
  @Field(() => Int)
  id!: number;

  @Field(() => Int)
  customerId!: number;

  @Field()
  number!: string;

  @Field({ description: "savings or checking." })
  kind!: string;

  @Field(DAY)
  openedOn!: string;

  @Field(() => CustomerType)
  customer?: CustomerType;
}

@ObjectType("Movement", {
  description:
    "Money that came to an account, or left it. Ids are numbers in every protocol of this domain.",
})
export class MovementType {
  @Field(() => Int)
  id!: number;

  @Field(() => Int)
  accountId!: number;

  @Field(DAY)
  bookedOn!: string;

  @Field(KIND)
  kind!: string;

  @Field(() => Int, { description: "Negative where money left the account; never 0." })
  amountCents!: number;

  @Field()
  reference!: string;

  @Field()
  description!: string;

  @Field(() => AccountType)
  account?: AccountType;
}

@InputType("MovementInput", { description: "A movement as a client writes it." })
class MovementInput extends NewMovement {
  @Field(() => Int, { description: "The id of an account that there is." })
  override accountId!: number;

  @Field(DAY)
  override bookedOn!: string;

  @Field(KIND)
  override kind!: string;

  @Field(() => Int, { description: "Negative where money leaves the account; not 0." })
  override amountCents!: number;

  @Field(TEXT)
  override reference!: string;

  @Field(TEXT)
  override description!: string;
}

@ArgsType()
export class InsertArguments extends NewMovements {
  @Field(() => [MovementInput])
  @Type(() => MovementInput)
  override movements!: MovementInput[];
}
