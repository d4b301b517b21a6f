"""Tables 5 to 10 of quina-mera-2025, from records in which everything takes what was printed."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.report.test_formats import assert_tables
from tests.support.bundles.small import write_small
from wirelab.analysis import analyse
from wirelab.analysis.extension import Additions, Extended, Section
from wirelab.report import render_html, render_markdown

from .extensions import STUDIES, module_of

TABLES = module_of("quina-mera-2025", "records", "tables")

MS = {
    ("Localhost", "REST"): (363.91, 496.79, 898.11, 2697.58),
    ("Localhost", "GraphQL"): (318.83, 481.02, 857.44, 2302.71),
    ("Docker", "REST"): (222.75, 281.54, 711.95, 2158.57),
    ("Docker", "GraphQL"): (224.33, 289.60, 682.20, 2140.51),
}


@pytest.fixture(scope="module")
def tables() -> Any:
    rows = [
        (environment, architecture, f"CU{number}", size, mean)
        for (environment, architecture), means in MS.items()
        for number, mean in enumerate(means, start=1)
        for size in (1, 100, 1000, 10000)
    ]
    columns = ["environment", "architecture", "use_case", "records", "time_ms"]
    return TABLES.tables_of(pd.DataFrame(rows, columns=columns))


def gain(tables: Any, improved: str, base: str, at: str, use_case: str) -> Any:
    (found,) = (
        row
        for each in tables.gains
        if (each.improved, each.base, each.at) == (improved, base, at)
        for row in each.rows
        if row.use_case == use_case
    )
    return found


def test_means_are_given_by_use_case_and_treatment(tables: Any) -> None:
    assert tables.samples == 4 * 4 * 4
    assert set(tables.treatments) == set(MS)
    by_case = {
        name: dict(zip(tables.treatments, row, strict=True)) for name, row in tables.means_ms
    }
    assert by_case["CU3"] == pytest.approx({treatment: ms[2] for treatment, ms in MS.items()})


@pytest.mark.parametrize(
    ("compared", "of_base", "of_improved"),
    [
        (("Docker", "Localhost", "GraphQL", "CU1"), 29.64, 42.13),
        (("Docker", "Localhost", "REST", "CU2"), 43.33, 76.45),
        (("GraphQL", "REST", "Localhost", "CU4"), 14.64, 17.15),
        (("GraphQL", "REST", "Docker", "CU2"), -2.86, -2.78),
        (("Docker", "Localhost", "REST", "average"), 30.71, 47.74),
        (("Docker", "Localhost", "GraphQL", "average"), 24.23, 35.37),
        (("GraphQL", "REST", "Localhost", "average"), 8.68, 9.83),
    ],
)
def test_percentages_are_given_both_ways_round(
    tables: Any, compared: tuple[str, str, str, str], of_base: float, of_improved: float
) -> None:
    row = gain(tables, *compared)

    assert row.of_base == pytest.approx(of_base, abs=0.006)
    assert row.of_improved == pytest.approx(of_improved, abs=0.006)


def times(*rows: tuple[str, int, float], proxies: Sequence[str] = ()) -> pd.DataFrame:
    """Return requests of REST in CU2: environment, number of records, milliseconds."""
    table = pd.DataFrame(rows, columns=["environment", "records", "time_ms"])
    table = table.assign(architecture="REST", use_case="CU2")
    return table.assign(proxy=proxies) if proxies else table


def test_sizes_have_equal_weight_however_often_each_was_requested() -> None:
    small, large = ("Localhost", 1, 10.0), ("Localhost", 1000, 30.0)

    tables = TABLES.tables_of(times(*[small] * 100, *[large] * 5))

    assert tables.means_ms == (("CU2", (20.0,)),)
    # As one sample, they would be a hundred times the smallest.
    assert tables.overall == ()


def test_a_size_that_one_treatment_lacks_is_left_out() -> None:
    found = times(("Localhost", 1, 10.0), ("Localhost", 1000, 30.0), ("Docker", 1, 20.0))

    assert dict(TABLES.tables_of(found).means_ms) == {"CU2": (10.0, 20.0)}


def test_runs_behind_a_proxy_are_not_part_of_the_same_mean() -> None:
    proxies = ["no proxy", "behind nginx"]

    without, behind = TABLES.by_proxy(
        times(("Localhost", 1, 10.0), ("Localhost", 1, 30.0), proxies=proxies)
    )

    assert (without.proxy, without.means_ms) == ("no proxy", (("CU2", (10.0,)),))
    assert (behind.proxy, behind.means_ms) == ("behind nginx", (("CU2", (30.0,)),))


def test_a_single_environment_has_no_gains_over_another() -> None:
    alone = TABLES.tables_of(times(*(("Localhost", 1, ms) for ms in (1.0, 2.0, 3.0))))

    assert alone.gains == ()
    assert alone.overall[0].mean == pytest.approx(2.0)
    assert alone.overall[0].count == 3


def test_the_tables_of_the_paper_are_in_the_report(tmp_path: Path) -> None:
    places = itertools.product(("Localhost", "Docker"), ("REST", "GraphQL"), ("CU1", "CU2"))
    columns = ["environment", "architecture", "use_case"]
    records = pd.DataFrame(places, columns=columns).assign(records=1)
    records["time_ms"] = [20.0, 40.0, 60.0, 80.0, 10.0, 20.0, 30.0, 40.0]
    section = Section("records", (TABLES.tables_of(records),))
    extended = Extended(Additions((section,)), STUDIES / "quina-mera-2025" / "records")
    analysis = replace(analyse(write_small(tmp_path)), extension=extended)

    text, page = render_markdown(analysis), render_html(analysis)

    assert_tables(text)
    assert "## The paper’s tables" in text
    assert "from 8 records" in text
    assert "\n| CU1 |" in text
    assert "\n| Docker less than Localhost | GraphQL | CU2 | 50.00 | 100.00 |\n" in text
    assert "<h3>The same tables from single requests</h3>" in page
    assert "<td>Docker less than Localhost</td>" in page
