/** PostGraphile in this process: the schema that everything is delegated to. */

import { makeSchema } from "postgraphile";
import { grafast } from "postgraphile/grafast";

import { presetFor } from "./preset.js";

/** Asks the subschema; gives the data of an answer without errors. */
export type Ask = (document: string, variables: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

/** Makes the schema of the tables, and so makes sure that the store answers. */
export async function makeSubschema(storeUrl: string, poolSize: number): Promise<Ask> {
  const { schema, resolvedPreset } = await makeSchema(presetFor({ storeUrl, poolSize, host: "127.0.0.1", port: 0 }));
  return async (source, variableValues) => {
    const result = await grafast({ schema, source, variableValues, resolvedPreset, requestContext: {} });
    if (!("data" in result) || result.errors !== undefined || result.data == null) {
      throw new Error("errors" in result ? result.errors?.map(String).join("\n") : "the subschema streamed its answer");
    }
    return result.data;
  };
}
