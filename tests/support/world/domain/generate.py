"""Make counters: --count N --skip K --seed S --format ndjson|csv --output PATH."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
for name in ("count", "skip", "seed"):
    parser.add_argument(f"--{name}", type=int, default=0)
parser.add_argument("--format", choices=("ndjson", "csv"), required=True)
parser.add_argument("--output", type=Path, required=True)
arguments = parser.parse_args()
rows = [
    (f"c{n}", n * 7 + arguments.seed)
    for n in range(arguments.skip, arguments.skip + arguments.count)
]
arguments.output.write_text(
    "".join(
        f"{key},{value}\n"
        if arguments.format == "csv"
        else json.dumps({"id": key, "value": value}) + "\n"
        for key, value in rows
    )
)
