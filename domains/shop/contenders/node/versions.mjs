// Prints what a lock file installs, one package a line, and the Node.js that runs it.

import { readFileSync } from "node:fs";

const { packages } = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(`node@${process.version}`);
for (const [path, { version }] of Object.entries(packages)) {
  const name = path.split("node_modules/").at(-1);
  if (name !== "") {
    console.log(`${name}@${version}`);
  }
}
