"""Settings have titles by which people tell them apart."""

from wirelab.analysis.settings import load_label
from wirelab.study import load_study


def test_loads_that_begin_alike_are_told_apart() -> None:
    study = load_study("muppaneni")

    labels = [load_label(study, name) for name in study.loads]

    assert load_label(study, "ten-users") == "ten users"
    assert load_label(study, "ten-thousand-users") == "10,000 users"
    assert (
        load_label(study, "ten-users-reconnecting") == study.loads["ten-users-reconnecting"].title
    )
    assert len(set(labels)) == len(labels)
