// What the environment says: where to listen, where the rows are, and how many connections to take.

/** Reads the settings, or throws one error that names everything that is wrong with them. */
export function readSettings(environment) {
  const problems = [];

  function read(name, expected, accept) {
    const text = environment[name] ?? "";
    if (!accept(text)) problems.push(`${name}: expected ${expected}, got ${JSON.stringify(text)}`);
    return text;
  }

  const wholeNumber = (most) => (text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most;
  const settings = {
    host: read("WIRELAB_HOST", "an address to listen on", Boolean),
    port: Number(read("WIRELAB_PORT", "a port from 1 to 65535", wholeNumber(65535))),
    storeUrl: read("WIRELAB_STORE_URL", "postgresql://USER@HOST:PORT/DATABASE", (text) => /^postgres(ql)?:\/\//.test(text)),
    poolSize: Number(read("UNIVERSITY_POOL_SIZE", "a number of connections from 1 to 1000", wholeNumber(1000))),
  };
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return settings;
}
