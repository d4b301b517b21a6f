// Prints what the build given as argument is made of, and the program that runs it.
const { dependencies } = require(`${process.argv[2]}/package.json`);
for (const [name, version] of Object.entries({ node: process.versions.node, ...dependencies })) {
  console.log(`${name}@${version}`);
}
