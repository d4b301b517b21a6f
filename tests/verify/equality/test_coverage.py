"""What is not compared of an answer: which parts, and what share of its values."""

from typing import Any

import pytest

from wirelab.domain.model import Common
from wirelab.verify.equality.coverage import MOST_KEYS, AnswerSample, undeclared

ANSWER = {
    "id": 7,
    "flag": True,
    "empty": "",
    "owner": {"name": "x", "mail": None},
    "kvs": [{"key": "a", "value": "b"}, {"key": "c", "value": "d", "lease": 3}],
    "tags": ["a", "b"],
}
ALL = {"id": 1, "flag": 1, "owner/name": 1, "kvs/*/key": 2, "kvs/*/value": 2, "kvs/*/lease": 1}
ALL |= {"tags/*": 2}


@pytest.mark.parametrize(
    ("common", "varying", "unseen"),
    [
        ({}, (), []),
        ({"ignored": ["owner", "kvs/*/key"]}, (), ["owner/name", "kvs/*/key"]),
        ({}, ("tags",), ["tags/*"]),
        ({"tolerance": {"id": 1000}}, (), []),
        ({"project": {"rest": "id"}}, (), [each for each in ALL if each != "id"]),
        (
            {"project": {"rest": "{n: length(kvs), of: owner.name, t: tags, i: id, f: flag}"}},
            (),
            ["kvs/*/key", "kvs/*/value", "kvs/*/lease"],
        ),
        (
            {"project": {"rest": "{keys: kvs[?value == 'b'].key, i: id, f: flag && 'yes'}"}},
            (),
            ["owner/name", "kvs/*/lease", "tags/*"],
        ),
        ({"sorted": {"kvs": "key", "tags": "@"}}, (), []),
    ],
)
def test_values_are_covered_if_a_change_of_them_is_seen(
    common: dict[str, Any], varying: tuple[str, ...], unseen: list[str]
) -> None:
    sample = AnswerSample()
    for _ in range(3):
        sample.add(ANSWER)

    found = sample.unseen(Common.model_validate(common), "rest", varying)

    assert found == {part: 3 * ALL[part] for part in unseen}
    assert sample.total == 3 * sum(ALL.values())


def test_declared_parts_are_not_counted() -> None:
    common = Common(ignored=("owner", "kvs/*/key"))

    assert undeclared(common, {"owner/name": 3, "kvs/*/key": 2, "kvs/*/value": 4}) == 4


def test_an_object_with_data_as_keys_is_one_part_and_long_answers_are_kept_short() -> None:
    sample = AnswerSample()
    sample.add({"by_id": {f"k{n}": {"v": n} for n in range(MOST_KEYS + 1)}})
    sample.add({"all": [{"n": n} for n in range(10_000)]})

    assert sample.parts == ["by_id/*/v", "all/*/n"]
    assert len(sample.examples[1]["all"]) == 2  # type: ignore[index]
    assert sample.unseen(Common(), "rest", ()) == {}
