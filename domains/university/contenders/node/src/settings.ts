/** What the environment says: where to listen, where the rows are, and how to load them. */

/** The four ways of LinGBM to load rows, and a fifth: a whole query by one statement. */
export const LOADINGS = ["naive", "caching", "batching", "batching-caching", "sql"] as const;
export type Loading = (typeof LOADINGS)[number];

/** The specification's answers, or those of LinGBM's servers with their defects. */
export const ANSWERS = ["specified", "original"] as const;
export type Answers = (typeof ANSWERS)[number];

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly storeUrl: string;
  readonly loading: Loading;
  readonly answers: Answers;
  readonly poolSize: number;
}

/** Reads the settings, or throws one error that names everything that is wrong with them. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const problems: string[] = [];

  function read<Value>(name: string, expected: string, parse: (text: string) => Value | undefined): Value {
    const text = environment[name] ?? "";
    const value = parse(text);
    if (value === undefined) problems.push(`${name}: expected ${expected}, got ${JSON.stringify(text)}`);
    return value as Value;
  }

  const settings: Settings = {
    host: read("WIRELAB_HOST", "an address to listen on", (text) => text || undefined),
    port: read("WIRELAB_PORT", "a port from 1 to 65535", wholeNumber(1, 65535)),
    storeUrl: read("WIRELAB_STORE_URL", "postgresql://USER@HOST:PORT/DATABASE", (text) =>
      /^postgres(ql)?:\/\//.test(text) ? text : undefined,
    ),
    loading: read("UNIVERSITY_LOADING", `one of ${LOADINGS.join(", ")}`, (text) =>
      LOADINGS.find((each) => each === text),
    ),
    answers: read("UNIVERSITY_ANSWERS", `one of ${ANSWERS.join(", ")}, or nothing`, (text) =>
      ANSWERS.find((each) => each === (text || "specified")),
    ),
    poolSize: read("UNIVERSITY_POOL_SIZE", "a number of connections from 1 to 1000", wholeNumber(1, 1000)),
  };
  if (settings.loading === "sql" && settings.answers === "original") {
    problems.push('UNIVERSITY_ANSWERS: expected specified where UNIVERSITY_LOADING is sql, got "original"');
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return settings;
}

function wholeNumber(least: number, most: number): (text: string) => number | undefined {
  return (text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= least && value <= most ? value : undefined;
  };
}
