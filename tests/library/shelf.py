"""A few authors and books by hand, with the awkward cases in."""

from typing import Any

Row = dict[str, Any]

AWKWARD = 'Über 100% O\'Nea_l \\ "Żuraw" <&> 作家'
"""What is a wildcard, a quote or an escape somewhere."""


def shelf() -> dict[str, list[Row]]:
    """Make the tables that are in the store when a test starts."""
    names = [f"Author - {number}" for number in range(20)] + [AWKWARD, "author - 1", "Bookless"]
    authors: list[Row] = [
        {"id": number, "name": name, "country": "Côte d'Ivoire" if number % 2 else "Poland"}
        for number, name in enumerate(names, start=1)
    ]
    books = [
        {
            "id": author["id"] * 10 + number,
            "author_id": author["id"],
            "title": f"{number}. {AWKWARD}",
            "year": 1900 + number,
        }
        for author in authors[:-1]
        for number in (3, 1, 2)
    ]
    return {"author": authors, "book": books}
