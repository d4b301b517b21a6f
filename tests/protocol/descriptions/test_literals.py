"""Values in the document in place of variables: what goes out is an anonymous query of literals."""

import json

import pytest
from graphql import build_schema, parse, validate

from wirelab import protocol
from wirelab.domain_file import load_domain
from wirelab.protocol.descriptions.graphql_literals import inlined
from wirelab.protocol.descriptions.literals import with_literals

SCHEMA = build_schema(
    """
    enum Field { title abstract }
    input Where { word: String, AND: [Where!] }
    type Query {
      rows(nr: ID!, first: Int, order: [Field!], where: Where, exactly: Boolean): [Int]
    }
    """
)


@pytest.mark.parametrize(
    ("declared", "used", "value", "literal"),
    [
        ("ID!", "nr: $v", 7, "nr: 7"),
        ("ID!", "nr: $v", "a7", 'nr: "a7"'),
        ("Int", "nr: 1, first: $v", 3, "first: 3"),
        ("Int", "nr: 1, first: $v", None, "first: null"),
        ("Field!", "nr: 1, order: [$v, abstract]", "title", "order: [title, abstract]"),
        ("String!", "nr: 1, where: {word: $v}", 'a "b"\\n', r'where: {word: "a \"b\"\\n"}'),
        ("Boolean", "nr: 1, exactly: $v", True, "exactly: true"),
        (
            "Where",
            "nr: 1, where: $v",
            {"word": "a", "AND": [{"word": "b"}]},
            'where: {word: "a", AND: [{word: "b"}]}',
        ),
    ],
)
def test_each_type_is_written_as_the_language_has_it(
    declared: str, used: str, value: object, literal: str
) -> None:
    text = inlined(f"query Named($v: {declared}) {{ rows({used}) }}", {"v": value}, SCHEMA)

    assert text.startswith("{\n")
    assert literal.replace(" ", "") in text.replace(" ", "")
    assert not validate(SCHEMA, parse(text))


def test_the_codec_sends_no_variables() -> None:
    university = load_domain("university")
    codec = protocol.get("graphql").bind(university, "/graphql")
    parameters = {"cnt": 500, "attrGStudent1": "advisor", "attrGStudent2": "telephone"}
    qt8 = university.operations["qt8"]

    body = json.loads(codec.encode(with_literals(qt8), parameters).body)

    assert list(body) == ["query"]
    assert "limit: 500, order: [advisor" in body["query"]
    assert json.loads(codec.encode(qt8, parameters).body)["variables"] == parameters


def test_a_dialect_spells_literals_its_own_way() -> None:
    in_dialect = load_domain("university").in_dialect("postgraphile")
    codec = protocol.get("graphql").bind(in_dialect, "/graphql")
    parameters = {"cnt": 500, "attrGStudent1": "advisor", "attrGStudent2": "id"}

    body = json.loads(codec.encode(with_literals(in_dialect.operations["qt8"]), parameters).body)

    assert "[ADVISOR_ASC, NR" in body["query"]


def test_values_that_no_type_can_express_are_written_out() -> None:
    in_dialect = load_domain("university").in_dialect("graphjin")
    codec = protocol.get("graphql").bind(in_dialect, "/graphql")
    parameters = {"cnt": 500, "attrGStudent1": "advisor", "attrGStudent2": "emailAddress"}
    qt8 = in_dialect.operations["qt8"]

    as_variable = json.loads(codec.encode(qt8, parameters).body)
    as_literal = json.loads(codec.encode(with_literals(qt8), parameters).body)

    assert as_variable["variables"]["order"] == "advisor_emailaddress"
    assert "{ advisor: asc, emailaddress" in as_literal["query"]


def test_a_literal_that_is_none_and_one_of_no_variable_are_named() -> None:
    qt9 = load_domain("university").in_dialect("graphjin").operations["qt9"]
    [[request]] = qt9.bindings["graphql"].rounds
    wrong = request.model_copy(update={"literals": {"order": {"a": "{ nr:"}, "ordre": {}}})

    interface = load_domain("university").in_dialect("graphjin").interface.files["graphql"]
    graphql = protocol.get("graphql")
    mistakes = {each.key: each for each in graphql.mistakes(graphql.read(interface), wrong)}

    assert mistakes.keys() == {"literals.order.a", "literals.ordre"}
    assert mistakes["literals.ordre"].hint
