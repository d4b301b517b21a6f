"""A distance between two cells, split into its causes."""

import json
from dataclasses import replace

import pandas as pd
import pytest
from lxml import html

from tests.support.bundles.small import render_texts
from wirelab.analysis import Analysis
from wirelab.analysis.answers.headline import opening
from wirelab.analysis.figures.distances import split_distances
from wirelab.analysis.values import RunValues
from wirelab.report import render_markdown, to_json
from wirelab.study import Cell, load_study

STUDY = load_study("muppaneni")
TIMES_US = {
    ("grpc-aio", "interactions", "hundred-users"): 100.0,
    ("rest-fastapi", "interactions", "hundred-users"): 110.0,
    ("grpc-aio", "interactions_shown", "hundred-users"): 50.0,
    ("rest-fastapi", "interactions_shown", "hundred-users"): 110.0,
    ("rest-fastapi-rounds", "interactions_shown", "hundred-users"): 330.0,
    ("rest-fastapi-rounds", "interactions_shown", "hundred-users-reconnecting"): 396.0,
}
"""Mean response times; every block takes longer than the one before."""


def cell(contender: str, workload: str, load: str, environment: str = "native") -> Cell:
    return Cell(contender, workload, "postgresql", environment, load)


def values_of(times_us: dict[Cell, float]) -> RunValues:
    blocks = range(1, 7)
    return RunValues(
        {
            each: pd.DataFrame(
                {"latency_mean_us": [time * k for k in blocks], "machine": ""}, index=[*blocks]
            )
            for each, time in times_us.items()
        },
        {},
        (),
        STUDY.baseline,
    )


def by_cell(**change: str) -> dict[Cell, float]:
    return {cell(*key, **change): time for key, time in TIMES_US.items()}


def test_each_cause_has_its_factor_and_the_product_is_the_whole() -> None:
    times_us = by_cell()

    (found,) = split_distances(STUDY, [*times_us], values_of(times_us))

    assert "Python" in found.title
    assert [part.comparison.ratio for part in found.parts] == pytest.approx([1.1, 2.0, 3.0, 1.2])
    assert found.whole.ratio == pytest.approx(7.92)
    assert found.whole.blocks == 6
    assert all(part.cause in found.sentence for part in found.parts)


@pytest.mark.parametrize("missing", [*TIMES_US])
def test_a_distance_of_which_a_cell_is_missing_is_left_out(missing: tuple[str, str, str]) -> None:
    times_us = by_cell()
    del times_us[cell(*missing)]

    assert split_distances(STUDY, [*times_us], values_of(times_us)) == ()


def test_cells_of_two_places_are_not_mixed() -> None:
    times_us = by_cell()
    far = cell("rest-fastapi-rounds", "interactions_shown", "hundred-users-reconnecting")
    times_us[cell(far.contender, far.workload, far.load, "native-1-cpu")] = times_us.pop(far)

    assert split_distances(STUDY, [*times_us], values_of(times_us)) == ()


def test_every_report_says_first_what_is_due_to_which_cause(analysis: Analysis) -> None:
    times_us = by_cell()
    found = split_distances(STUDY, [*times_us], values_of(times_us))
    shown = replace(analysis, figures=replace(analysis.figures, distances=found))

    assert opening(shown).sentences[0] == found[0].sentence
    page = html.fromstring(render_texts(shown))
    (table,) = page.xpath("//*[@id='grids']//table")
    causes = [row.findtext("th") for row in table.findall("tbody/tr")]
    assert causes == [*(part.cause for part in found[0].parts), "all together"]
    assert "| over-fetching | 2.00× |" in render_markdown(shown)
    (written,) = json.loads(to_json(shown))["distances"]
    assert written["whole"]["ratio"] == pytest.approx(7.92)
