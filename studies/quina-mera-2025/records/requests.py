"""Every measured request as a record in the paper's form, and tables computed from such records.

A record has sample, architecture, environment, use case, repetition, number of records and time;
the iteration (here, a block) and the proxy come last. Levels have the paper's names.
"""

from collections.abc import Iterable, Iterator

import pandas as pd

from wirelab.bundle import Contents
from wirelab.planning.schedule import Run
from wirelab.statistics import mean_estimate
from wirelab.study import Factor, Study

SIZE = "records"
"""The parameter of a workload with the number of records to insert or query."""

TREATMENT = ["environment", "architecture"]

PROXY = "proxy"
"""The column with the proxy of the contender, which a paper's records do not have."""


def bundle_records(bundle: Contents, study: Study) -> pd.DataFrame:
    """Return a record for each request of the valid runs of a bundle; see `records`."""
    return records(study, _valid_samples(bundle))


def records(study: Study, runs: Iterable[tuple[Run, pd.DataFrame]]) -> pd.DataFrame:
    """Return a record for each request of some runs, given with their samples.

    Columns: sample (from 1), architecture, environment, use_case (the workload that uses several
    sizes of the same operation in turn, if there is one), repetition (from 1, with the same
    parameters in the same run), records (empty if a workload has no such number), time_ms (response
    time), iteration, proxy. Twins are left out, since they repeat a contender.
    """
    tables = [
        _of_run(study, run, samples)
        for run, samples in sorted(runs, key=lambda each: _place(study, each[0]))
        if not run.cell.twin
    ]
    columns = ["architecture", "environment", "use_case", "repetition", "records", "time_ms"]
    columns += ["iteration", PROXY]
    table = pd.concat(tables) if tables else pd.DataFrame(columns=columns)
    table.insert(0, "sample", range(1, len(table) + 1))
    return table.reset_index(drop=True)


def mean_times(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean times in ms: a row per use case, a column per environment and architecture.

    As in Tables 5 to 8, every number of records has the same weight. Numbers of records that were
    not measured in all treatments are left out, so that treatments can be compared.
    """
    sizes = table.pivot_table(
        index=["use_case", SIZE], columns=TREATMENT, values="time_ms", sort=False
    )
    return sizes.dropna().groupby(level="use_case", sort=False).mean()


def gains(improved: pd.Series, base: pd.Series) -> pd.Series:
    """Return the reduction from `base` in percent, and its average: Tables 9 and 10."""
    percent = 100.0 * (1.0 - improved / base)
    return pd.concat([percent, pd.Series({"average": percent.mean()})])


def overall(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard deviation, 95 % interval and number of all times of a treatment, in ms.

    As published, this is not a valid inference: the interval treats requests of all sizes as
    independent values of one quantity. wirelab's own inference is based on runs.
    """
    times = table.groupby(TREATMENT, sort=False)["time_ms"]
    summary = times.agg(mean="mean", sd="std", n="count")
    half_width = times.agg(lambda values: mean_estimate(values).half_width() or float("nan"))
    return summary.assign(ci_low=summary["mean"] - half_width, ci_high=summary["mean"] + half_width)


def _valid_samples(bundle: Contents) -> Iterator[tuple[Run, pd.DataFrame]]:
    """Yield the samples of each valid run, once."""
    runs = {
        run.run.id: run.run
        for record in bundle.last_attempts()
        for run in record.runs
        if run.status == "valid"
    }
    for name, run in runs.items():
        yield run, bundle.samples(name)


def _of_run(study: Study, run: Run, samples: pd.DataFrame) -> pd.DataFrame:
    cell = run.cell
    sizes = study.workloads[cell.workload].parameters.get(SIZE)
    several = sizes if isinstance(sizes, tuple) else (sizes,)
    answered = samples[samples["error"] == ""].sort_values("start_ns")
    chosen = answered["parameter_set"]
    return pd.DataFrame(
        {
            "architecture": _printed(study, "contender", cell.contender),
            "environment": _printed(study, "environment", cell.environment),
            "use_case": _use_case(study, cell.workload),
            "repetition": answered.groupby("parameter_set").cumcount() + 1,
            "records": [several[number % len(several)] for number in chosen],
            "time_ms": (answered["end_ns"] - answered["intended_ns"]) / 1e6,
            "iteration": run.block,
            PROXY: cell.level_title("proxy"),
        }
    ).sort_values(["records", "repetition"], kind="stable")


def _use_case(study: Study, workload: str) -> str:
    """Return the paper's name for a workload's use case, regardless of its size."""
    operation = study.workloads[workload].operation
    whole = (
        name
        for name, each in study.workloads.items()
        if each.operation == operation and isinstance(each.parameters.get(SIZE), tuple)
    )
    return _printed(study, "workload", next(whole, workload))


def _printed(study: Study, factor: Factor, level: str) -> str:
    """Return the paper's name for a level, or wirelab's name if it has none."""
    names: dict[str, str] = getattr(study.published.names, factor)
    return next((printed for printed, own in names.items() if own == level), level)


def _place(study: Study, run: Run) -> tuple[int, ...]:
    """Return a sort key: runs by iteration, then in the order of the study's levels."""
    factors: tuple[Factor, ...] = ("proxy", "environment", "contender", "workload")
    levels = study.levels
    return (run.block, *(levels[factor].index(run.cell.level(factor)) for factor in factors))
