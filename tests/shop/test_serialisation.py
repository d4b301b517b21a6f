"""Each stack writes and reads the shop's answers in both forms, and says what that takes."""

from pathlib import Path

import pytest

from benches.serialisation.__main__ import table
from benches.serialisation.answers import OPERATIONS, ShopAnswer, shop_answers
from benches.serialisation.harness import COMMANDS, Serialised, WrongAnswerError, serialise
from tests.shop.standing import CONTENDERS, SHOP
from wirelab.domain import Dataset
from wirelab.errors import MissingProgramError

STACKS = {contender.stack: contender for contender in CONTENDERS.values()}


@pytest.fixture(scope="module")
def answers(dataset: Dataset) -> list[ShopAnswer]:
    return shop_answers(SHOP, dataset)


@pytest.fixture(scope="module", params=COMMANDS)
def found(
    request: pytest.FixtureRequest,
    answers: list[ShopAnswer],
    tmp_path_factory: pytest.TempPathFactory,
) -> list[Serialised]:
    log = tmp_path_factory.mktemp("serialisation") / "log"
    try:
        return serialise(STACKS[request.param], answers, 0.02, log)
    except MissingProgramError as error:
        pytest.skip(str(error))


def test_both_forms_of_every_answer_are_correct_and_cost_something(found: list[Serialised]) -> None:
    assert {(each.answer, each.form) for each in found} == {
        (answer, form) for answer in OPERATIONS for form in ("json", "protobuf")
    }
    for each in found:
        assert min(each.write.time_ns, each.read.time_ns) > 0.0


def test_messages_are_smaller_and_compress_less(found: list[Serialised]) -> None:
    sizes = {(each.answer, each.form): each for each in found}
    for answer in OPERATIONS:
        as_json, message = sizes[answer, "json"], sizes[answer, "protobuf"]
        assert len(message.written) < len(as_json.written)
    page, packed = sizes["orders", "json"], sizes["orders", "protobuf"]
    assert page.gzip_bytes < len(page.written)
    saved = len(page.written) / page.gzip_bytes
    assert saved > len(packed.written) / packed.gzip_bytes


def test_the_table_has_a_line_for_each_form(found: list[Serialised]) -> None:
    head, _, *lines = table(found)

    assert f"{found[0].stack} writes" in head
    assert [line.split(" | ")[:2] for line in lines] == [
        [f"| {answer}", form] for answer in OPERATIONS for form in ("json", "protobuf")
    ]


class Forged(ShopAnswer):
    """An answer that the stack is given otherwise."""

    @property
    def text(self) -> str:
        return '{"userId":1,"name":"Nobody","token":"1.00"}'


def test_an_answer_that_a_round_trip_changes_is_an_error(
    answers: list[ShopAnswer], tmp_path: Path
) -> None:
    session = answers[0]
    forged = Forged(session.name, session.value, session.message)

    with pytest.raises(WrongAnswerError, match="writes session wrongly"):
        serialise(STACKS["python"], [forged], 0.001, tmp_path / "log")
