// Prints what the build given as argument is made of, and the program that runs it.
import { readFileSync } from "node:fs";

const { dependencies } = JSON.parse(readFileSync(`${process.argv[2]}/package.json`, "utf8"));
for (const [name, version] of Object.entries({ node: process.versions.node, ...dependencies })) {
  console.log(`${name}@${version}`);
}
