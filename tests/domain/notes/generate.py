"""Make notes: --count N --skip K --seed S --format ndjson|csv --output PATH."""

import argparse
import csv
import json
import sys


def note(seed: int, number: int) -> dict[str, object]:
    values: dict[str, object] = {
        "id": f"note {number:03}",  # A blank, so that paths must be quoted.
        "title": f'Title {number} <&> "ünïcode"',
        "body": ("" if number % 2 else f"Body of {number}, seed {seed}"),
        "read_count": 2**53 - number,
        "pinned": number % 3 == 0,
        "price": (None if number % 4 == 0 else number + 0.25),
        "author": {"full_name": f"Author {number % 2}", "country": None},
        "tags": [f"tag {index}" for index in range(number % 3)],
        "links": ["note 001", "note 002", "note 001"][: number % 4],
    }
    return values


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("count", "skip", "seed"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--format")
    parser.add_argument("--output")
    options = parser.parse_args()
    if options.seed < 0:
        sys.exit("the seed must not be negative")
    first = options.skip + 1
    rows = [note(options.seed, number) for number in range(first, first + options.count)]
    with open(options.output, "w", encoding="utf-8", newline="") as file:
        if options.format == "csv":
            csv.writer(file).writerows((row["id"], json.dumps(row)) for row in rows)
        else:
            file.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
