"""Contenders with something set otherwise: with the answers of the original, or other pools."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.ending import exit_code
from tests.support.standing import launch
from tests.university.contenders.standing import (
    ALL_CONTENDERS,
    VARIANTS,
    Standing,
    standing,
    with_environment,
)
from tests.university.contenders.templates import TEMPLATES
from tests.university.contenders.test_processes import asking, most_connections
from tests.university.contenders.test_reference import reference, world_tables
from wirelab.lab.network.ports import free_port
from wirelab.lab.stores.store import Database

ORIGINAL = [name for name, contender in VARIANTS.items() if contender.dialect == "original"]
POOLS = {
    name: int(contender.settings["pool_size"])
    for name, contender in VARIANTS.items()
    if name not in ORIGINAL
}
SIZES = [name for name in POOLS if name.startswith("graphql-node-batching-caching-")]
"""One of each size: how rows are loaded has nothing to do with it."""
WRONG = {"QT8", "QT13", "QT14"}
"""The templates that the original answers wrongly."""


@cache
def references() -> tuple[Any, Any]:
    """Return the reference with the defects of the original, and that without."""
    return reference(world_tables(), "original"), reference(world_tables())


def test_the_study_contains_all_variants() -> None:
    assert len(ORIGINAL) == 4
    assert set(POOLS.values()) == {2, 5, 20}
    assert all(
        contender.environment["UNIVERSITY_POOL_SIZE"] == str(contender.settings["pool_size"])
        for contender in VARIANTS.values()
    )
    assert all(contender.variant_of in ALL_CONTENDERS for contender in VARIANTS.values())


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("name", ORIGINAL)
def test_the_original_is_answered_with_its_defects(
    contender_named: Callable[[str], Standing], name: str, template: str
) -> None:
    """By the reference, which gets them; without any, both give the same answer."""
    original, right = references()
    client = contender_named(name).client
    differ = False
    for values in TEMPLATES[template].values:
        expected: Any = original.call(template.lower(), values)
        answer = client.data(TEMPLATES[template].query(values))[TEMPLATES[template].root]

        assert answer == expected, values
        differ |= expected != right.call(template.lower(), values)
    assert differ == (template in WRONG)


def test_one_statement_has_no_original(tmp_path: Path) -> None:
    wrong = with_environment("graphql-node-sql", UNIVERSITY_ANSWERS="original")
    process = launch(wrong, "postgresql://nobody@127.0.0.1/none", tmp_path / "log", free_port())

    assert exit_code(process) not in {None, 0}
    assert "UNIVERSITY_ANSWERS: expected" in process.log_tail()


@pytest.mark.parametrize("name", SIZES)
def test_a_pool_has_the_size_in_its_name(name: str, store: Database, tmp_path: Path) -> None:
    contender = ALL_CONTENDERS[name]
    assert name.endswith(f"-pool-{POOLS[name]}")
    with (
        standing(contender, store, tmp_path / "log") as running,
        asking(running, clients=POOLS[name] + 4) as wait,
    ):
        assert most_connections(running, wait, POOLS[name]) == POOLS[name]
