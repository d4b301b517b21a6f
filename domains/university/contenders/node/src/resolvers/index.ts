/** The resolvers of the schema, whatever the strategy of loading. */

import { organisations } from "./organisations.js";
import { people } from "./people.js";
import { query } from "./query.js";
import { works } from "./works.js";

export const resolvers = { ...query, ...organisations, ...people, ...works };
