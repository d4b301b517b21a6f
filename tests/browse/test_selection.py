"""Search and filter, and what a list shows of a bundle."""

from dataclasses import replace
from pathlib import Path

import pytest

from wirelab.analysis.synopsis import Synopsis
from wirelab.analysis.wording import WORDINGS, Said, Wording
from wirelab.browse.cache import Reading
from wirelab.browse.catalogue import Entry
from wirelab.browse.folder_scan import ScannedBundle
from wirelab.browse.glance import MOST_COLUMNS, MOST_ROWS, glance_at
from wirelab.browse.selection import Choices, Selection
from wirelab.bundle import BundleInfo
from wirelab.statistics import Outcome

INFO = BundleInfo(
    id="one",
    study="kaminski-2022",
    domain="games",
    design="lab",
    seed=1,
    created_utc="2026-11-20T09:00:00Z",
    wirelab_version="0.1.0",
)
PLACE = ScannedBundle("0", Path("bundles/one"), "bundles/one", "key", 6, None, INFO, ())


@pytest.fixture
def entries(synopsis: Synopsis) -> list[Entry]:
    """One that was read, one of another study that was not, one that cannot be."""
    other = INFO.model_copy(update={"study": "lingbm-2022", "design": "smoke"})
    return [
        Entry(PLACE, Reading(synopsis)),
        Entry(replace(PLACE, id="1", name="bundles/two", info=other), None),
        Entry(replace(PLACE, id="2", name="torn", info=None, problems=("half of it",)), None),
    ]


def picked(entries: list[Entry], **query: str) -> list[str]:
    return [entry.found.name for entry in Selection.of(query).pick(entries)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["bundles/one", "bundles/two", "torn"]),
        ({"q": "GRPC"}, ["bundles/one"]),
        ({"q": "clearly faster 2026-11-20"}, ["bundles/one"]),
        ({"q": "clearly 2025"}, []),
        ({"q": "half"}, ["torn"]),
        ({"q": "smoke"}, ["bundles/two"]),
        ({"study": "kaminski-2022"}, ["bundles/one"]),
        ({"design": "smoke"}, ["bundles/two"]),
        ({"study": "kaminski-2022", "design": "smoke"}, []),
    ],
)
def test_bundles_are_filtered_by_words_study_and_design(
    entries: list[Entry], query: dict[str, str], names: list[str]
) -> None:
    assert picked(entries, **query) == names


def test_the_choices_are_the_existing_values(entries: list[Entry]) -> None:
    assert Choices.of(entries) == Choices(("kaminski-2022", "lingbm-2022"), ("lab", "smoke"))


@pytest.mark.parametrize("page", ["", "0", "-1", "x", "²", "9" * 30])
def test_an_invalid_page_number_means_the_first_page(page: str) -> None:
    assert Selection.of({"page": page}).page == 1


def test_the_address_of_a_page_contains_the_filter() -> None:
    selection = Selection.of({"q": "a&b=c <", "study": "s"})

    assert selection.address(1) == "/?q=a%26b%3Dc+%3C&study=s"
    assert selection.address(2) == "/?q=a%26b%3Dc+%3C&study=s&page=2"
    assert Selection().address(1) == "/"


def test_a_glance_shows_the_first_settings_and_counts_all(synopsis: Synopsis) -> None:
    (setting,) = synopsis.judged
    wide = replace(synopsis, settings=(setting,) * 5)

    seen = glance_at(wide)

    assert [(column.label, against) for column, against in seen.columns] == [
        ("GraphQL", "REST"),
        ("gRPC", "REST"),
    ]
    assert len(seen.rows) == MOST_ROWS
    assert seen.further == f"{5 - MOST_ROWS} more settings"
    assert {(each.sign, each.count) for each in seen.tallies} == {("▼", 5), ("▲", 5)}


def test_a_glance_at_many_contenders_shows_the_first_and_counts_the_others(
    synopsis: Synopsis,
) -> None:
    (band,) = synopsis.bands
    baseline, *others = band.columns
    (setting,) = synopsis.judged
    bands = (replace(band, columns=(baseline, *others * 4)),)
    wide = replace(synopsis, bands=bands, settings=(setting,) * 5)

    seen = glance_at(wide)

    assert len(seen.columns) == MOST_COLUMNS
    assert all(len(cells) == MOST_COLUMNS for _, cells in seen.rows)
    assert seen.further == f"{8 - MOST_COLUMNS} more contenders and {5 - MOST_ROWS} more settings"


def test_a_contender_that_was_not_measured_has_an_empty_field(synopsis: Synopsis) -> None:
    (setting,) = synopsis.judged
    cells = tuple(cell for cell in setting.cells if cell.contender != "graphql-graphene")

    ((_, shown),) = glance_at(replace(synopsis, settings=(replace(setting, cells=cells),))).rows

    assert shown[0] is None
    assert shown[1] is not None
    assert shown[1].contender == "grpc-grpcio"


@pytest.mark.parametrize("wording", WORDINGS.values())
def test_every_sign_stands_for_an_outcome(wording: Wording) -> None:
    assert set(wording.outcomes()) == {sign for sign, _ in wording.legend()}


def test_undecided_verdicts_are_counted_too(synopsis: Synopsis) -> None:
    said = Said("1.00×", "", "?", "needs 6 blocks", Outcome.CANNOT_TELL)
    (setting,) = synopsis.judged
    cells = tuple(
        replace(cell, versus=cell.versus and replace(cell.versus, said=said))
        for cell in setting.cells
    )

    (tally,) = glance_at(replace(synopsis, settings=(replace(setting, cells=cells),))).tallies

    assert (tally.sign, tally.words, tally.style, tally.count) == ("?", "cannot tell", "unsure", 2)
