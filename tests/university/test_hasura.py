"""Hasura, which is not here: what it would be asked, and how its answers would be read."""

import json
from typing import Any

import pytest
from graphql import OperationDefinitionNode, build_schema, parse
from graphql.execution.values import get_variable_values
from typer.testing import CliRunner

from tests.university.contenders.standing import ALL_CONTENDERS, UNIVERSITY
from tests.university.contenders.templates import TEMPLATES
from wirelab import protocol
from wirelab.cli import app
from wirelab.domain import pointer
from wirelab.protocol.message import Answer, WireReply
from wirelab.terminal.exit_codes import ExitCode

HASURA = ALL_CONTENDERS["graphql-hasura"]
DIALECT = UNIVERSITY.in_dialect("hasura")
SCHEMA = build_schema(DIALECT.interface.files["graphql"].read_text(encoding="utf-8"))

ANSWERS: dict[str, tuple[object, object]] = {
    "qt3": (
        {"researchgroup": [{"department": {"professors": [
            {"faculty": {"id": 71, "emailAddress": "a", "doctoralDegreeFrom": {"id": 5}}}]}}]},
        {"subOrganizationOf": {"head": {
            "id": "71", "emailAddress": "a", "doctoralDegreeFrom": {"id": "5"}}}},
    ),
    "qt6": (
        {"university": [{"undergraduateDegreeObtainedBystudent": [
            {"advisor": {"faculty": {"worksFor": {"id": 3}}}}, {"advisor": None}]}]},
        {"undergraduateDegreeObtainedBystudent": [
            {"advisor": {"worksFor": {"id": "3"}}}, {"advisor": None}]},
    ),
    "qt11": (
        {"graduatestudent": [{"id": 12, "advisor": {"id": 41}}]},
        [{"id": "12", "advisor": {"id": "41"}}],
    ),
    "qt15": (
        {"university": [{"graduatestudents_aggregate": {"aggregate": {"count": 4}}}]},
        {"graduateStudentConnection": {"aggregate": {"count": 4}}},
    ),
    "qt16": (
        {"university": [{"graduatestudents_aggregate": {"aggregate": {
            "avg": {"age": 22.5}, "max": {"age": 25}, "min": {"age": 20}}}}]},
        {"graduateStudentConnection": {"aggregate": {"age": {"avg": 22.5, "max": 25, "min": 20}}}},
    ),
}  # fmt: skip
"""The data of an answer in the form of Hasura's documentation, and the same in the domain's."""


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_is_sent_with_values_that_its_schema_accepts(name: str) -> None:
    codec = protocol.get("graphql").bind(DIALECT, HASURA.path)
    for values in TEMPLATES[name].values:
        body: Any = json.loads(codec.encode(DIALECT.operations[name.lower()], values).body)
        operation = parse(body["query"]).definitions[0]
        assert isinstance(operation, OperationDefinitionNode)
        coerced: Any = get_variable_values(
            SCHEMA, list(operation.variable_definitions or ()), body["variables"]
        )

        assert not isinstance(coerced, list), coerced  # of errors
        assert getattr(coerced, "coerced", coerced).keys() == body["variables"].keys()


def test_an_order_is_a_list_of_columns_with_the_number_at_its_end() -> None:
    codec = protocol.get("graphql").bind(DIALECT, HASURA.path)
    parameters = {"cnt": 7, "attrGStudent1": "memberOf", "attrGStudent2": "emailAddress"}
    body = json.loads(codec.encode(DIALECT.operations["qt8"], parameters).body)

    assert body["variables"] == {
        "cnt": 7,
        "order": [{"memberof": "asc"}, {"emailaddress": "asc"}, {"nr": "asc"}],
    }


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_read_in_the_form_of_the_domain(name: str) -> None:
    sent, right = ANSWERS[name]
    codec = protocol.get("graphql").bind(DIALECT, HASURA.path)
    body = json.dumps({"data": sent}).encode()
    [[request]] = codec.rounds(DIALECT.operations[name])
    answer = codec.decode_reply(request, WireReply(200, (), body))

    assert isinstance(answer, Answer), answer
    assert pointer.put(None, request.into, (), answer.value) == right


def test_a_contender_without_an_address_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("UNIVERSITY_HASURA_URL", raising=False)
    done = CliRunner().invoke(app, ["verify", "university", "--only", "graphql-hasura"])

    assert "UNIVERSITY_HASURA_URL" in done.output
    assert done.exit_code == ExitCode.NOT_READY
