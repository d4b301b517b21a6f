/** What the environment says. */

/** The value of a variable that must be set. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") {
    throw new Error(`the environment variable ${name} is not set`);
  }
  return value;
}

if (setting("WIRELAB_STORE") !== "postgresql") {
  throw new Error(`WIRELAB_STORE must be postgresql, not ${setting("WIRELAB_STORE")}`);
}
