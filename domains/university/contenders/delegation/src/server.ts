/** The server: the domain's schema over that of PostGraphile. */

import { loadsOf } from "./fetches.js";
import { STRATEGIES } from "./loading.js";
import { resolvers } from "./resolvers/index.js";
import { serve } from "./serving.js";
import { readSettings } from "./settings.js";
import { makeSubschema } from "./subschema.js";

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const { loading, answers } = settings;
  if (loading === "sql") throw new Error('UNIVERSITY_LOADING: expected a way to load rows one by one or in batches, got "sql"');
  const ask = await makeSubschema(settings.storeUrl, settings.poolSize);
  const strategy = STRATEGIES[loading];
  return serve(settings, resolvers, async () => ({ load: loadsOf(ask, strategy), answers }));
}

main().catch((error: Error & { cause?: unknown; originalError?: unknown }) => {
  console.error(error.message || error);
  if (error.cause ?? error.originalError) console.error(error.cause ?? error.originalError);
  process.exit(1);
});
