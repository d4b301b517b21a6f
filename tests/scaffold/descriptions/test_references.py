"""References inside an OpenAPI document that lead nowhere: mistakes, or only noted."""

from pathlib import Path

import pytest

from tests.support.wording import assert_worded, raises_worded
from wirelab.compare.offers import chosen_offers
from wirelab.compare.terms import OperationSelection
from wirelab.inputs.problems import ProblemsError
from wirelab.scaffold.descriptions.offer import require_valid
from wirelab.scaffold.descriptions.sources import described

DOCUMENT = """
openapi: 3.0.3
info: { title: Items, version: "1" }
paths:
  /items:
    get:
      operationId: list
      parameters: [ { $ref: "#/components/parameters/Limit" } ]
      responses:
        200: { content: { application/json: { schema: { $ref: "#/components/schemas/Items" } } } }
        404: { $ref: "#/components/responses/Nothing" }
  /items/{id}:
    get:
      operationId: read
      parameters: [ { $ref: "#/components/parameters/Idd" } ]
      responses:
        200: { content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }
  /ping:
    get:
      operationId: ping
      responses: { 200: { $ref: "#/components/responses/200" } }
  /encoded:
    get:
      operationId: encoded
      responses: { 200: { $ref: "#/paths/~1items~1%7Bid%7D/get/responses/200" } }
  /moved: { $ref: "#/components/pathItems/Moved" }
components:
  parameters:
    Limit: { name: limit, in: query, schema: { $ref: "#/components/schemas/Count" } }
    Id: { name: id, in: path, required: true, schema: { type: string } }
  responses:
    200: { content: { application/json: { example: { $ref: "#/no/reference" } } } }
  schemas:
    Count: { type: integer, default: { $ref: "#/no/reference" } }
    Items: { type: array, items: { $ref: "#/components/schemas/Item" } }
    Item:
      properties:
        next: { $ref: "#/components/schemas/Item" }
        default: { $ref: "#/components/schemas/Default" }
    Unused: { $ref: "#/components/schemas/Gone" }
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    file = tmp_path / "items.yaml"
    file.write_text(DOCUMENT)
    return str(file)


def test_all_broken_references_of_chosen_operations_are_reported_with_the_file(
    source: str, tmp_path: Path
) -> None:
    (tmp_path / "copy").mkdir()
    interface, _ = described("rest", source, tmp_path / "copy")
    offers = {each.name: each for each in interface.offers}

    with raises_worded(ProblemsError):
        require_valid([offers["list"], offers["read"]])
    assert [it.name for it in interface.offers if it.problems] == ["list", "read", "encoded"]


def test_other_broken_references_are_noted(source: str, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    interface, _ = described("rest", source, tmp_path / "copy")

    (note,) = interface.notes
    (moved,) = interface.left_out
    assert moved.name == "/moved"
    assert_worded(f"{note}\n{moved.reason}")


def test_a_comparison_refuses_only_the_operations_that_it_takes(
    source: str, tmp_path: Path
) -> None:
    (tmp_path / "copy").mkdir()
    interface, _ = described("rest", source, tmp_path / "copy")

    chosen, sources, _ = chosen_offers(interface, OperationSelection(only=("ping",)))
    assert [it.name for it in chosen] == [it.name for it in sources] == ["ping"]
    with pytest.raises(ProblemsError, match="schemas/Default"):
        chosen_offers(interface, OperationSelection())
