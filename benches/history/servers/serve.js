const rounds = 16 * Number(require("node:fs").readFileSync("rounds", "utf8"));

require("node:http")
  .createServer((_, response) => {
    let total = 0;
    for (let number = 0; number < rounds; number++) total += ((number & 1023) * (number & 1023)) % 7;
    response.end(total ? "ok" : "no");
  })
  .listen(Number(process.argv[2]), "127.0.0.1");
