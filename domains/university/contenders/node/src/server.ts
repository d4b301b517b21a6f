/** The server: what the settings say, over PostgreSQL. */

import { connect } from "./database.js";
import { loadsOf } from "./fetches.js";
import { STRATEGIES } from "./loading.js";
import { resolvers } from "./resolvers/index.js";
import { serve } from "./serving.js";
import { readSettings } from "./settings.js";
import { sqlResolvers } from "./sql/resolvers.js";

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const { loading, answers } = settings;
  const database = await connect(settings);
  if (loading === "sql") return serve(settings, sqlResolvers(), async () => ({ database }));
  const strategy = STRATEGIES[loading];
  return serve(settings, resolvers, async () => ({ load: loadsOf(database, strategy), answers }));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
