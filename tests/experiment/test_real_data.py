"""A user's own copy of the real data set in place of generated rows."""

import csv
from pathlib import Path

import pytest

from wirelab.domain import Dataset, DatasetError
from wirelab.domain_file import load_domain

COLUMNS = [
    "url", "types", "name", "desc_snippet", "recent_reviews", "all_reviews", "release_date",
    "developer", "publisher", "popular_tags", "game_details", "languages", "achievements", "genre",
    "game_description", "mature_content", "minimum_requirements", "recommended_requirements",
    "original_price", "discount_price",
]  # fmt: skip


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_rows_come_from_the_file(tmp_path: Path) -> None:
    file = write(
        tmp_path / "games.csv",
        [
            {
                "name": f"Game, number {n}",
                "release_date": f"May {n + 1}, 2016",
                "popular_tags": "Indie,Puzzle",
                "original_price": "$1.50",
            }
            for n in range(20)
        ],
    )

    dataset = Dataset.generate(load_domain("games"), 4, 1, tmp_path, file)

    first = dataset.tables["game"][0]
    assert [row["name"] for row in dataset.tables["game"]] == [
        f"Game, number {n}" for n in range(4)
    ]
    assert dataset.new_rows["game"][0]["name"] == "Game, number 4"
    assert first["release_date"] == "2016-05-01"
    assert first["popular_tags"] == ["Indie", "Puzzle"]
    assert first["original_price"] == 1.5


def test_a_bad_file_is_refused_with_line_and_column(tmp_path: Path) -> None:
    file = write(tmp_path / "games.csv", [{"name": "Name", "original_price": "$x9"}] * 5)

    with pytest.raises(DatasetError, match=r"games\.csv line 2: .*original_price"):
        Dataset.generate(load_domain("games"), 4, 1, tmp_path, file)
