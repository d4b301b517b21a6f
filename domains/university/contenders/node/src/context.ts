import type { Loads } from "./fetches.js";

/** What every resolver of one request shares: how rows are loaded, and what has been. */
export interface Context {
  readonly load: Loads;
}
