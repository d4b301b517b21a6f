// How PostGraphile makes its schema of the tables: with the names of version 4, which the study's
// templates are written for, and with filters by text.

import { makePgService } from "postgraphile/adaptors/pg";
import { makeV4Preset } from "postgraphile/presets/v4";
import { PostGraphileConnectionFilterPreset } from "postgraphile-plugin-connection-filter";

/** The preset for a store; clients see nothing of what goes wrong inside. */
export function presetFor({ storeUrl, poolSize, host, port }) {
  return {
    extends: [
      // Relations are offered without indexes too: the original has none.
      makeV4Preset({ disableDefaultMutations: true, ignoreIndexes: true, graphiql: false }),
      PostGraphileConnectionFilterPreset,
    ],
    pgServices: [
      makePgService({
        connectionString: storeUrl,
        schemas: ["public"],
        poolConfig: { max: poolSize, connectionTimeoutMillis: 5_000 },
      }),
    ],
    grafserv: { host, port, graphqlPath: "/graphql", watch: false, websockets: false, maxRequestLength: 1 << 20 },
    grafast: { explain: false },
  };
}
