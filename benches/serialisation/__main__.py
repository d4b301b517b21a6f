"""Write and read the shop's answers as JSON and as Protocol Buffers, in Python, Node.js and Go.

`python -m benches.serialisation [--records 1000] [--seconds 0.5] [--stack python …]` prints a table
in Markdown: bytes, and what the stack's own library takes for each answer, without any transport. A
stack that cannot be built here is left out, with the reason.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benches.serialisation.answers import OPERATIONS, shop_answers
from benches.serialisation.harness import COMMANDS, Serialised, serialise
from wirelab.domain import Dataset
from wirelab.domain_file import load_domain
from wirelab.errors import LabError
from wirelab.installation.programs import cache_folder
from wirelab.lab.contenders.contender import load_contenders


def main() -> None:
    """Measure every stack, and print the table."""
    parser = argparse.ArgumentParser(prog="benches.serialisation")
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--stack", choices=tuple(COMMANDS), action="append")
    options = parser.parse_args()
    shop = load_domain("shop")
    answers = shop_answers(shop, Dataset.generate(shop, options.records, 1, cache_folder()))
    stacks = {each.stack: each for each in load_contenders(shop).values()}
    found: list[Serialised] = []
    with tempfile.TemporaryDirectory(prefix="wirelab-bench-") as folder:
        for stack in options.stack or COMMANDS:
            try:
                log = Path(folder) / stack
                found += serialise(stacks[stack], answers, options.seconds, log)
            except LabError as error:
                print(f"{stack} is left out: {error}", file=sys.stderr)
    print("\n".join(table(found)))


def table(found: Sequence[Serialised]) -> Iterator[str]:
    """Yield the lines of a table: for each answer its bytes, and what each stack takes."""
    stacks = list(dict.fromkeys(each.stack for each in found))
    heads = [f"{stack} {way}, µs (CPU)" for stack in stacks for way in ("writes", "reads")]
    yield f"| answer | form | bytes | gzip | {' | '.join(heads)} |"
    yield f"|---|---|--:|--:|{'--:|' * len(heads)}"
    for answer in OPERATIONS:
        for form in ("json", "protobuf"):
            here = {it.stack: it for it in found if (it.answer, it.form) == (answer, form)}
            if not here:
                continue
            first = next(iter(here.values()))
            costs = [
                f"{cost.time_ns / 1e3:.1f} ({cost.cpu_ns / 1e3:.1f})"
                for stack in stacks
                for cost in (here[stack].write, here[stack].read)
            ]
            sizes = f"{len(first.written):,} | {first.gzip_bytes:,}"
            yield f"| {answer} | {form} | {sizes} | {' | '.join(costs)} |"


if __name__ == "__main__":
    main()
