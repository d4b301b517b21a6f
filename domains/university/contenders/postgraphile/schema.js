// Prints the schema that PostGraphile makes of a store: `node schema.js postgresql://…`. What it says
// of itself in descriptions is left out.

import { parse, print, printSchema, visit } from "postgraphile/graphql";
import { makeSchema } from "postgraphile";

import { presetFor } from "./preset.js";

const { schema } = await makeSchema(presetFor({ storeUrl: process.argv[2], poolSize: 1, host: "127.0.0.1", port: 0 }));
const withoutDescription = (node) => (node.description ? { ...node, description: undefined } : undefined);
console.log(print(visit(parse(printSchema(schema)), { enter: withoutDescription })));
process.exit(0);
