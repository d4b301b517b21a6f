import type { Loads } from "./fetches.js";
import type { Answers } from "./settings.js";

/** What every resolver of one request shares: how rows are loaded, what has been, and what counts as right. */
export interface Context {
  readonly load: Loads;
  readonly answers: Answers;
}
