"""Reasons that runs do not count are told once for each kind."""

from wirelab.analysis.reasons import each_kind


def test_what_differs_in_figures_or_in_its_example_is_of_one_kind() -> None:
    reasons = [
        "24 of 1760 answers are wrong under load; the first: body differs: expected d5c8, got 02c9",
        "62 of 4588 answers are wrong under load; the first: body differs: expected f1ec, got 6252",
        "1.4% of transactions failed (limit 0.10%)",
    ]

    assert list(each_kind(reasons)) == [f"{reasons[0]} and 1 more like it", reasons[2]]
