/**
 * What writing and reading answers of the shop takes, as JSON and as messages. `benches/serialisation`
 * starts it, gives it answers on standard input, and reads a line for each form.
 */

import { readFileSync } from "node:fs";

import protobuf from "protobufjs";

interface Cost {
  time_ns: number;
  cpu_ns: number;
}

interface Way {
  write: () => Buffer;
  read: (written: Buffer) => unknown;
}

const BATCHES = 5;
const MESSAGES = protobuf.loadSync("../../shop.proto");

/** The message of each answer, and the field of it that has a list. */
const FORMS: Record<string, [message: string, list?: string]> = {
  products: ["ProductList", "products"],
  product: ["Product"],
  profile: ["User"],
  session: ["Session"],
  orders: ["OrderList", "orders"],
  order: ["Order"],
};

function waysOf(answer: string, text: string): Record<string, Way> {
  const [message, list] = FORMS[answer]!;
  const type = MESSAGES.lookupType(`shop.v1.${message}`);
  const value = JSON.parse(text);
  const whole = list ? { [list]: value } : value;
  return {
    json: {
      write: () => Buffer.from(JSON.stringify(value)),
      read: (written) => JSON.parse(written.toString()),
    },
    protobuf: {
      write: () => Buffer.from(type.encode(type.fromObject(whole)).finish()),
      read: (written) => type.toObject(type.decode(written), { defaults: true, arrays: true }),
    },
  };
}

/** The time and CPU time of an action: the medians of some batches. */
function taken(action: () => unknown, seconds: number): Cost {
  let count = 1;
  while (batch(action, count).time_ns < (1e9 * seconds) / BATCHES) {
    count *= 2;
  }
  const batches = Array.from({ length: BATCHES }, () => batch(action, count));
  return {
    time_ns: median(batches.map((each) => each.time_ns)) / count,
    cpu_ns: median(batches.map((each) => each.cpu_ns)) / count,
  };
}

function batch(action: () => unknown, count: number): Cost {
  const [began, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
  for (let number = 0; number < count; number++) {
    action();
  }
  const used = process.cpuUsage(cpu);
  return { time_ns: Number(process.hrtime.bigint() - began), cpu_ns: 1000 * (used.user + used.system) };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const asked: { seconds: number; answers: Record<string, string> } = JSON.parse(readFileSync(0, "utf8"));
for (const [answer, text] of Object.entries(asked.answers)) {
  for (const [form, { write, read }] of Object.entries(waysOf(answer, text))) {
    const written = write();
    const said = {
      answer,
      form,
      written: written.toString("base64"),
      write: taken(write, asked.seconds),
      read: taken(() => read(written), asked.seconds),
    };
    console.log(JSON.stringify(said));
  }
}
