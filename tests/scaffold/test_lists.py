"""What `wirelab init` takes for a list, and which of several candidates it matches."""

from pathlib import Path

import pytest

from wirelab.scaffold.descriptions.graphql import read_sdl
from wirelab.scaffold.descriptions.openapi import read_openapi
from wirelab.scaffold.lists import answers_list
from wirelab.scaffold.matching import match_offers

BIKE = "{ type: object, properties: { id: { type: integer } } }"
CONTENT = "content: { application/json: { schema: { $ref: '#/components/schemas/"
REST = f"""
openapi: 3.0.3
paths:
  /stations/{{code}}:
    get:
      operationId: getStation
      parameters: [{{ name: code, in: path, required: true, schema: {{ type: string }} }}]
      responses: {{ "200": {{ {CONTENT}Station' }} }} }} }} }}
  /stations:
    get:
      operationId: listStations
      responses: {{ "200": {{ {CONTENT}Stations' }} }} }} }} }}
components:
  schemas:
    Stations: {{ type: array, items: {{ $ref: "#/components/schemas/Station" }} }}
    Station:
      type: object
      properties:
        code: {{ type: string }}
        name: {{ type: string }}
        bikes: {{ type: array, items: {BIKE} }}
"""
TYPES = """
type Bike { id: Int! }
type Station { code: String! name: String! bikes: [Bike!]! }
"""
ONE, ALL = "station(code: String!): Station", "stations: [Station!]!"
SOME = "stationsOf(city: String!): [Station!]!"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("*/id */name */bikes/*/id", True),
        ("bikes/*/id", True),
        ("items/*/id total next_page_token", True),
        ("data/bikes/*/id data/bikeCount data/pageInfo/hasNextPage", True),
        ("edges/*/node/id edges/*/cursor nodes/*/id pageInfo/endCursor totalCount", True),
        ("content/*/id pageable/sort/sorted totalElements last size number empty", True),
        ("code name bikes/*/id", False),
        ("code bikes/*/id", False),
        ("station/code station/bikes/*/id", False),
        ("bikes/*/id stations/*/code", False),
        ("first_name last_name books/*/title", False),
        ("bike/id bikes/*/id", False),
        ("tags/*", False),
        ("id", False),
        ("", False),
    ],
)
def test_an_object_that_contains_a_list_is_not_a_list_except_an_envelope(
    members: str, *, expected: bool
) -> None:
    assert answers_list(members.split()) is expected


@pytest.mark.parametrize("queries", [(ONE, ALL, SOME), (SOME, ALL, ONE), (ALL, ONE, SOME)])
def test_what_is_matched_does_not_depend_on_the_order_of_declaration(
    tmp_path: Path, queries: tuple[str, ...]
) -> None:
    """A list matches a list, and of two lists the one with the same parameters."""
    api, sdl = tmp_path / "api.yaml", tmp_path / "schema.graphql"
    api.write_text(REST)
    sdl.write_text(f"{TYPES}type Query {{ {' '.join(queries)} }}")

    matches = match_offers([read_openapi(api).offers, read_sdl(sdl).offers])

    assert {each.name: [it.name for it in each.offers] for each in matches} == {
        "get_station": ["get_station", "station"],
        "list_stations": ["list_stations", "stations"],
        "stations_of": ["stations_of"],
    }
