"""What the trials found, as the tables of README.md."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from statistics import fmean, median
from typing import Any

import scipy

from benches.noise.conditions import CONDITIONS
from wirelab.statistics import compare

Row = Mapping[str, Any]


def print_summary(results: Path) -> None:
    """Print a table for each kind of trial that there are results of."""
    for trial, table in TRIALS.items():
        found = {name: _rows(results / f"{trial}-{name}.json") for name in CONDITIONS}
        if any(found.values()):
            for line in table({name: rows for name, rows in found.items() if rows}):
                print(line)
            print()


def false_verdicts_at_most(false: int, studies: int) -> float:
    """Return the rate of false verdicts that these studies exclude at 95 % (Clopper-Pearson)."""
    return float(scipy.stats.beta.ppf(0.95, false + 1, studies - false))


def _rows(path: Path) -> list[Row]:
    return list(json.loads(path.read_text())["rows"]) if path.exists() else []


def _same(found: Mapping[str, list[Row]]) -> Iterator[str]:
    yield (
        "| condition | studies | false verdicts | rate at most (95 %) | resolves, median"
        " | CPU of other programs | stolen CPU |"
    )
    yield "|---|---|---|---|---|---|---|"
    for name, rows in found.items():
        false = sum(row["is_false"] for row in rows)
        widths = sorted(row["high"] / row["ratio"] - 1 for row in rows)
        limit = false_verdicts_at_most(false, len(rows))
        middle = widths[len(widths) // 2]
        others = _span(row["other_share"] for row in rows)
        stolen = _span(row["stolen_share"] for row in rows)
        rate = f"{false} | {_percent(limit)} | ±{_percent(middle)}"
        yield f"| {name} | {len(rows)} | {rate} | {others} | {stolen} |"


def _span(shares: Iterable[float | None]) -> str:
    """Return the mean and the largest of the shares that are known."""
    known = [share for share in shares if share is not None]
    if not known:
        return "unknown"
    return f"{_percent(fmean(known))}, at most {_percent(max(known))}"


def _detect(found: Mapping[str, list[Row]]) -> Iterator[str]:
    columns = ("added work", "measured ratio", "sd of a block", "blocks to 90 % power", "minutes")
    yield f"| condition | {' | '.join(columns)} |"
    yield "|---|---|---|---|---|---|"
    for name, rows in found.items():
        for row in rows:
            minutes = "–" if row["minutes"] is None else f"{row['minutes']:.1f}"
            added = row["contender"].removeprefix("plain-")
            measured = f"{row['ratio']:.3f} | {row['standard_deviation']:.3f}"
            blocks = row["blocks"] or "more than 400"
            yield f"| {name} | {added} % | {measured} | {blocks} | {minutes} |"


def _resolution(found: Mapping[str, list[Row]]) -> Iterator[str]:
    yield "| condition | setting | typical | mean | questions decided | pairs decided | minutes |"
    yield "|---|---|---|---|---|---|---|"
    for name, rows in found.items():
        for setting in dict.fromkeys(row["setting"] for row in rows):
            own = {row["metric"]: row for row in rows if row["setting"] == setting}
            widths = " | ".join(f"±{_percent(row['half_width'])}" for row in own.values())
            row = next(iter(own.values()))
            decided = f"{row['decided']} of {row['questions']} | {_pairs(row)}"
            yield f"| {name} | {setting} | {widths} | {decided} | {row['minutes']:.1f} |"


def _pairs(row: Row) -> str:
    """Return how many pairs are decided; older results do not say it."""
    pairs = row.get("pairs")
    return f"{pairs['decided']} of {pairs['all']}" if pairs else "–"


def _order(found: Mapping[str, list[Row]]) -> Iterator[str]:
    yield "| condition | repetitions | insert one: GraphQL | fetch one: GraphQL |"
    yield "|---|---|---|---|"
    for name, rows in found.items():
        counts = [
            ", ".join(
                f"{verdict} {sum(row.get(workload) == verdict for row in rows)}"
                for verdict in dict.fromkeys(row.get(workload) for row in rows)
            )
            for workload in ("insert_one", "fetch_one")
        ]
        yield f"| {name} | {len(rows)} | {' | '.join(counts)} |"


def _page(found: Mapping[str, list[Row]]) -> Iterator[str]:
    yield "| condition | page | pairs | time, open over closed | false verdicts | CPU of the page |"
    yield "|---|---|---|---|---|---|"
    for name, rows in found.items():
        times = {(row["seed"], row["page"] == "closed"): row["typical_us"] for row in rows}
        ratios = [
            times[seed, False] / times[seed, True]
            for seed in dict.fromkeys(row["seed"] for row in rows)
        ]
        opened = [row for row in rows if row["page"] != "closed"]
        false = f"{sum(row['is_false'] for row in opened)} open, "
        false += f"{sum(row['is_false'] for row in rows if row['page'] == 'closed')} closed"
        shares = [share for row in opened if (share := row["page_cpu_share"]) is not None]
        yield (
            f"| {name} | {opened[0]['page']} | {len(ratios)} | {_ratio(ratios)} |"
            f" {false} | {_percent(fmean(shares)) if shares else '–'} |"
        )


def _regression(found: Mapping[str, list[Row]]) -> Iterator[str]:
    yield "| condition | 5 % more work: found | measured ratio | equal: false alarms | minutes |"
    yield "|---|---|---|---|---|"
    for name, rows in found.items():
        more = [row for row in rows if row["version"] == "regressed"]
        same = [row for row in rows if row["version"] == "same"]
        slower = sum(row["is_slower"] for row in more)
        alarms = sum(row["is_told_apart"] for row in same)
        ratio = median(row["ratio"] for row in more)
        minutes = max(row["seconds"] for row in rows) / 60
        yield (
            f"| {name} | {slower} of {len(more)} | {ratio:.3f} | {alarms} of {len(same)}"
            f" | {minutes:.1f} |"
        )


def _engine(found: Mapping[str, list[Row]]) -> Iterator[str]:
    yield (
        "| condition | clients | rounds | CPU of a request, in slices over in one window"
        " | in one window | from slice to slice |"
    )
    yield "|---|---|---|---|---|---|"
    for name, rows in found.items():
        for clients in dict.fromkeys(row["clients"] for row in rows):
            own = [row for row in rows if row["clients"] == clients]
            ratio = _ratio(row["slices_us"] / row["window_us"] for row in own)
            window_us = median(row["window_us"] for row in own)
            between_us = median(row["between_us"] for row in own)
            yield (
                f"| {name} | {clients} | {len(own)} | {ratio}"
                f" | {window_us:.1f} µs | {between_us:.0f} µs |"
            )


def _columns(found: Mapping[str, list[Row]]) -> Iterator[str]:
    yield (
        "| condition | clients | rounds | rate, with {column} over without"
        " | CPU of a request, with over without | rate without |"
    )
    yield "|---|---|---|---|---|---|"
    for name, rows in found.items():
        for clients in dict.fromkeys(row["clients"] for row in rows):
            own = [row for row in rows if row["clients"] == clients]
            rate = _ratio([row["column_rate_per_s"] / row["one_rate_per_s"] for row in own])
            cpu = _ratio([row["column_us"] / row["one_us"] for row in own])
            without = median(row["one_rate_per_s"] for row in own)
            yield f"| {name} | {clients} | {len(own)} | {rate} | {cpu} | {without:,.0f}/s |"


def _captures(found: Mapping[str, list[Row]]) -> Iterator[str]:
    yield (
        "| condition | clients | answer | rounds | CPU of a request, without captures"
        " | with one of a header | with one of JSON | header over without | JSON over without |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, rows in found.items():
        for clients, size in dict.fromkeys((row["clients"], row["bytes"]) for row in rows):
            own = [row for row in rows if (row["clients"], row["bytes"]) == (clients, size)]
            costs = [
                f"{median(row[f'{way}_us'] for row in own):.1f} µs"
                for way in ("without", "header", "json")
            ]
            ratios = [
                _ratio([row[f"{way}_us"] / row["without_us"] for row in own])
                for way in ("header", "json")
            ]
            cells = [name, clients, f"{size:,} bytes", len(own), *costs, *ratios]
            yield f"| {' | '.join(map(str, cells))} |"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _ratio(ratios: Iterable[float]) -> str:
    """Return the geometric mean of paired ratios, with its 95 % interval where there is one."""
    compared = compare([math.log(ratio) for ratio in ratios])
    interval = compared.interval95
    shown = f" [{interval.low:.3f}, {interval.high:.3f}]" if interval else ""
    return f"{compared.ratio:.3f}{shown}"


TRIALS: Mapping[str, Callable[[Mapping[str, list[Row]]], Iterator[str]]] = {
    "same": _same,
    "detect": _detect,
    "resolution": _resolution,
    "order": _order,
    "engine": _engine,
    "columns": _columns,
    "captures": _captures,
    "page": _page,
    "regression": _regression,
}
"""The trials, with the table that shows what was found."""
