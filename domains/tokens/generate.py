"""Write prompts: --count N --skip N --seed N --format ndjson|csv --output PATH."""

import argparse
import csv
import json
import random


def prompt(seed: int, number: int) -> dict[str, int]:
    """Return a prompt: its number, from 1, and the seed of its texts."""
    return {"id": number, "seed": random.Random(f"{seed} {number}").randrange(1, 2**31)}


def main() -> None:
    """Write the rows after `--skip`."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("count", "skip", "seed"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--format", choices=("ndjson", "csv"), default="ndjson")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    first = options.skip + 1
    rows = [prompt(options.seed, number) for number in range(first, first + options.count)]
    with open(options.output, "w", encoding="utf-8", newline="") as file:
        if options.format == "csv":
            csv.writer(file).writerows(row.values() for row in rows)
        else:
            file.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
