"""Tables 3 to 5 of the benchmark's paper beside what is made here, as Markdown.

`python -m benches.university.paper_tables > studies/lingbm-2022/tables.md`. What the paper calls
objects counts a thousand universities, whether they exist or not, and somebody of the faculty once;
its rows are those objects and the rows of the tables that link. The generator says both.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from wirelab.domain import Dataset, Refused, load_reference
from wirelab.domain_file import load_domain
from wirelab.installation.programs import cache_folder, find_program
from wirelab.verify.plans import leaves

TEMPLATES = [f"QT{number}" for number in range(1, 17)]

TABLE_3: Mapping[int, tuple[str, int, int]] = {
    1: ("12 MB", 43_319, 17_195),
    5: ("78 MB", 266_267, 102_368),
    10: ("161 MB", 542_467, 207_426),
    15: ("247 MB", 832_142, 318_319),
    20: ("340 MB", 1_145_002, 437_555),
    100: ("1.66 GB", 5_707_958, 2_179_766),
    150: ("2.60 GB", 8_490_274, 3_243_523),
}
"""By scale factor: the file of SQL statements, rows, objects."""

TABLE_4: Mapping[int, tuple[int, ...]] = {
    1: (540, 1_000, 224, 93, 15, 1_000, 48_950, 15_000, 2_000, 27_077, 1_000, 14_685,
        899_701, 6_297_907, 1_000, 1_000),
    5: (3_373, 1_000, 1_371, 562, 93, 1_000, 246_500, 15_000, 2_000, 170_576, 1_000, 458_490,
        27_893_940, 195_257_580, 1_000, 1_000),
    10: (6_843, 1_000, 2_827, 1_128, 189, 1_000, 493_250, 15_000, 2_000, 344_750, 1_000, 1_864_485,
         113_921_020, 797_447_140, 1_000, 1_000),
    15: (10_521, 1_000, 4_407, 1_745, 293, 1_000, 740_400, 15_000, 2_000, 530_133, 1_000,
         4_338_744, 262_560_648, 1_837_924_536, 1_000, 1_000),
    20: (14_457, 1_000, 6_032, 2_399, 402, 1_000, 989_250, 15_000, 2_000, 728_208, 1_000,
         7_953_570, 480_241_305, 3_361_689_135, 1_000, 1_000),
}  # fmt: skip
"""By scale factor: the number of instances of each template."""

TABLE_5: Mapping[str, tuple[int, int, int]] = {
    "QT1": (0, 7, 1), "QT2": (0, 80, 1), "QT3": (1, 1, 0), "QT4": (0, 7, 1),
    "QT5": (0, 49, 2), "QT6": (0, 7, 1), "QT7": (0, 10, 0), "QT8": (500, 1000, 0),
    "QT9": (0, 1000, 0), "QT10": (0, 6300, 1), "QT11": (0, 7, 1), "QT12": (0, 840, 0),
    "QT13": (0, 21, 1), "QT14": (0, 21, 1), "QT15": (1, 1, 0), "QT16": (1, 1, 0),
}  # fmt: skip
"""The least and the greatest number of leaves: the latter times a power of the scale factor."""

INSTANCES = 200
"""So many instances of each template are answered for table 5, where there are so many."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; exit code 1 where rows, objects or instances are not the paper's."""
    parser = argparse.ArgumentParser(prog="benches.university.paper_tables")
    parser.add_argument("--largest", type=int, default=150, help="no larger scale factor than this")
    largest = parser.parse_args(arguments).largest
    made = {scale: made_here(scale) for scale in TABLE_3 if scale <= largest}
    counted = {scale: instances_here(scale) for scale in TABLE_4 if scale <= largest}
    print("\n".join(page(made, counted, {scale: leaves_here(scale) for scale in (1, 5)})))
    same = all(made[scale][1:] == TABLE_3[scale][1:] for scale in made)
    return 0 if same and all(counted[scale] == TABLE_4[scale] for scale in counted) else 1


def made_here(scale: int) -> tuple[int, int, int]:
    """Make universities; return the bytes of their dump, and rows and objects as the paper counts.

    The dump is ours, of COPY; the original's has a statement for every value.
    """
    command = [*_program("university", scale), "--format", "postgresql", "--output", "-"]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors) as process,
    ):
        output = process.stdout
        assert output is not None
        size = sum(len(part) for part in iter(lambda: output.read(1 << 20), b""))
        process.wait()
        errors.seek(0)
        words = errors.read()
    counts = re.search(r"paper: ([\d,]+) rows, ([\d,]+) objects", words)
    if process.returncode != 0 or counts is None:
        raise SystemExit(f"{' '.join(command)}: {words.strip()}")
    rows, objects = (int(number.replace(",", "")) for number in counts.groups())
    return size, rows, objects


def instances_here(scale: int) -> tuple[int, ...]:
    """Return how many instances each template has, as the paper counts."""
    done = subprocess.run(
        [*_program("university-queries", scale), "--count"],
        capture_output=True,
        text=True,
        check=True,
    )
    counts = {each["template"]: each["paper"] for each in map(json.loads, done.stdout.splitlines())}
    return tuple(counts[template] for template in TEMPLATES)


def leaves_here(scale: int) -> dict[str, tuple[int, int, int]]:
    """Return how many instances of each template were answered, and their fewest and most leaves.

    By the reference: what every contender must answer. One without an answer is passed over.
    """
    domain = load_domain("university")
    dataset = Dataset.generate(domain, scale, 0, cache_folder())
    reference = load_reference(domain, dataset)
    found = {}
    for template in TEMPLATES:
        operation = domain.operations[template.lower()]
        sizes = []
        for parameters in dataset.instances(operation, INSTANCES):
            with suppress(Refused):
                sizes.append(leaves(reference.call(operation.name, parameters)))
        found[template] = (len(sizes), min(sizes), max(sizes))
    return found


def page(
    made: Mapping[int, tuple[int, int, int]],
    counted: Mapping[int, tuple[int, ...]],
    sizes: Mapping[int, Mapping[str, tuple[int, int, int]]],
) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# The paper's tables about the data, and the same made here"
    yield ""
    yield "Made by `python -m benches.university.paper_tables`, which fails where a count differs."
    yield ""
    yield "## Table 3: sizes of the data sets"
    yield ""
    yield "Published files are SQL statements, one for each value; ours are dumps of COPY."
    yield ""
    header = ["scale factor", "rows, published", "rows, here", "objects, published",
              "objects, here", "file, published", "file, here"]  # fmt: skip
    yield from _table(
        header,
        (
            (scale, f"{TABLE_3[scale][1]:,}", f"{rows:,}", f"{TABLE_3[scale][2]:,}",
             f"{objects:,}", TABLE_3[scale][0], f"{size / 1e6:,.0f} MB")
            for scale, (size, rows, objects) in made.items()
        ),
    )  # fmt: skip
    yield "## Table 4: instances of each template"
    yield ""
    yield "In each cell published / here."
    yield ""
    yield from _table(
        ["template", *(f"sf {scale}" for scale in counted)],
        (
            (template, *(f"{TABLE_4[s][n]:,} / {counts[n]:,}" for s, counts in counted.items()))
            for n, template in enumerate(TEMPLATES)
        ),
    )
    yield "## Table 5: leaves of an answer"
    yield ""
    yield f"The paper's bounds, and the fewest and most of up to {INSTANCES} instances here."
    yield ""
    yield from _table(
        ["template", "bounds", *(f"sf {s}: {what}" for s in sizes for what in ("bounds", "here"))],
        (
            (
                template,
                _formula(template),
                *(
                    cell
                    for scale, found in sizes.items()
                    for cell in (_bounds(template, scale), "{1:,} – {2:,}".format(*found[template]))
                ),
            )
            for template in TEMPLATES
        ),
    )


def bounds(template: str, scale: int) -> tuple[int, int]:
    """Return the paper's bounds of a template's leaves at a scale factor."""
    least, factor, power = TABLE_5[template]
    return least, int(factor * scale**power)


def _bounds(template: str, scale: int) -> str:
    return "{:,} – {:,}".format(*bounds(template, scale))


def _formula(template: str) -> str:
    least, factor, power = TABLE_5[template]
    return f"{least} – {factor}" + ("", " sf", " sf²")[power]


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield "|---|" + "--:|" * (len(header) - 1)
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""


def _program(name: str, scale: int) -> list[str]:
    return [str(find_program("wirelab-data")), name, "--scale-factor", str(scale)]


if __name__ == "__main__":
    sys.exit(main())
