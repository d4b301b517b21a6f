"""The paper's tables, recomputed from records in its own form: means, percentages of both sides.

As in the paper, they pool all sizes of a use case and treat requests as independent; they are shown
for comparison only. wirelab's own inference is based on runs.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from .requests import PROXY, SIZE, TREATMENT, gains, mean_times, overall


@dataclass(frozen=True, slots=True)
class Gain:
    """By how many percent one mean is less than another, relative to the other and to itself.

    `of_base` is 100 (1 - improved / base), `of_improved` is 100 (base / improved - 1): if a paper
    mixes the two, its figures are correct, but their order of size is not.
    """

    use_case: str
    of_base: float
    of_improved: float


@dataclass(frozen=True, slots=True)
class Gains:
    """The gains of one level over another at one level of the other factor; the average is last."""

    improved: str
    base: str
    at: str
    rows: tuple[Gain, ...]


@dataclass(frozen=True, slots=True)
class Overall:
    """All times of a treatment as one sample, in ms: mean, deviation, 95 % interval and number.

    Only for records with equally many of each size; otherwise the most frequent size would dominate
    the mean.
    """

    environment: str
    architecture: str
    mean: float
    sd: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class PaperTables:
    """Tables of the records with one proxy, or without a proxy, in the paper's names."""

    proxy: str
    samples: int
    treatments: tuple[tuple[str, str], ...]
    """Environment and architecture of each column of means."""
    means_ms: tuple[tuple[str, tuple[float, ...]], ...]
    """By use case, in the order of the treatments; NaN if not measured."""
    gains: tuple[Gains, ...]
    overall: tuple[Overall, ...]


def by_proxy(table: pd.DataFrame) -> tuple[PaperTables, ...]:
    """Compute the tables of the records with a number of records, separately for each proxy."""
    sized = table[table[SIZE].notna()]
    return tuple(
        tables_of(members, str(proxy)) for proxy, members in sized.groupby(PROXY, sort=False)
    )


def tables_of(table: pd.DataFrame, proxy: str = "") -> PaperTables:
    """Compute the tables of some records."""
    means = mean_times(table)
    treatments = [(str(environment), str(architecture)) for environment, architecture in means]
    return PaperTables(
        proxy=proxy,
        samples=len(table),
        treatments=tuple(treatments),
        means_ms=tuple(
            (str(use_case), tuple(float(mean) for mean in row))
            for use_case, row in means.iterrows()
        ),
        gains=tuple(_gains(means)),
        overall=tuple(
            Overall(
                environment=str(treatment[0]),
                architecture=str(treatment[1]),
                mean=row["mean"],
                sd=row["sd"],
                low=row["ci_low"],
                high=row["ci_high"],
                count=int(row["n"]),
            )
            for treatment, row in (_by_treatment(overall(table)) if _is_balanced(table) else ())
        ),
    )


def _is_balanced(table: pd.DataFrame) -> bool:
    return bool(table.groupby([*TREATMENT, "use_case", SIZE]).size().nunique() == 1)


def _by_treatment(table: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.Series]]:
    for (environment, architecture), row in zip(table.index, table.iloc, strict=True):
        yield (str(environment), str(architecture)), row


def _gains(means: pd.DataFrame) -> Iterator[Gains]:
    """Compare environments for each architecture, then architectures in each environment."""
    for factor, other in (TREATMENT, TREATMENT[::-1]):
        levels = dict.fromkeys(means.columns.get_level_values(factor))
        for at in dict.fromkeys(means.columns.get_level_values(other)):
            here = means.xs(at, axis="columns", level=other)
            for base, improved in itertools.combinations(levels, 2):
                if base in here and improved in here:
                    yield _gain(str(improved), str(base), str(at), here[improved], here[base])


def _gain(improved: str, base: str, at: str, less: pd.Series, more: pd.Series) -> Gains:
    of_base, of_improved = gains(less, more), -gains(more, less)
    rows = [
        Gain(str(use_case), float(one), float(of_improved[use_case]))
        for use_case, one in of_base.items()
        if not math.isnan(one)
    ]
    return Gains(improved, base, at, tuple(rows))
