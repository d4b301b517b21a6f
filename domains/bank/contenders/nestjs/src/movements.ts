/** What a client writes, and what is right in it: the same rules for every protocol. */

import { Type } from "class-transformer";
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsObject,
  Matches,
  Max,
  Min,
  NotEquals,
  ValidateNested,
} from "class-validator";

const KINDS = ["purchase", "transfer", "withdrawal", "deposit", "fee", "interest"];
const LARGEST_INTEGER = 2 ** 31 - 1;
const LARGEST_INSERTION = 10_000;
const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;

/** No control characters, and no half of a surrogate pair, which cannot be written in UTF-8. */
const TEXT = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
const ABOUT_TEXT = { message: "$property must be 1 to 200 characters, no control characters" };

/** A movement that has no id yet. */
export class NewMovement {
  @IsInt()
  @Min(1)
  @Max(LARGEST_INTEGER)
  accountId!: number;

  @Matches(DAY)
  @IsISO8601({ strict: true })
  bookedOn!: string;

  @IsIn(KINDS)
  kind!: string;

  @IsInt()
  @Min(-LARGEST_INTEGER)
  @Max(LARGEST_INTEGER)
  @NotEquals(0)
  amountCents!: number;

  @Matches(TEXT, ABOUT_TEXT)
  reference!: string;

  @Matches(TEXT, ABOUT_TEXT)
  description!: string;
}

/** The movements of one insertion. */
export class NewMovements {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(LARGEST_INSERTION)
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => NewMovement)
  movements!: NewMovement[];
}
