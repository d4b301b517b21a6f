"""The study of one server that already runs, as `wirelab compare` and `capacity` write it."""

from pathlib import Path

from wirelab.compare.budget import Spending
from wirelab.compare.sides import read_sides
from wirelab.compare.terms import Terms
from wirelab.compare.world import CommonProtocol, write_world
from wirelab.scaffold.descriptions.offer import Offer


def write_study(folder: Path, name: str, terms: Terms) -> Path:
    """Write the study of a server with this name, with its domain beside it; return its folder."""
    offer = Offer(
        protocol="rest",
        name="get",
        summary="GET /",
        effect="read",
        parameters=(),
        binding={"method": "GET", "path": "/", "content": "any", "status": 200},
    )
    return write_world(
        folder,
        read_sides([f"{name}=http://localhost:1/"], None, least=1),
        [offer],
        {"get": [{}]},
        common=CommonProtocol(),
        terms=terms,
        spending=Spending(1, 2, 20, 0.0),
    )
