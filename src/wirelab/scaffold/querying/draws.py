"""Draw values from schemas for parameters without other values; needs an optional extra."""

import signal
from collections.abc import Collection, Mapping
from contextlib import suppress
from importlib.util import find_spec
from types import FrameType
from typing import Any, NoReturn

from wirelab.experiment.events import Observer, StageStarted, StepStarted
from wirelab.inputs.apart import LimitError, apart
from wirelab.inputs.header_values import unfit
from wirelab.installation.programs import cache_folder
from wirelab.protocol.template import as_text, names
from wirelab.scaffold.descriptions.offer import Offer
from wirelab.terminal import words

COUNT = 50
LONGEST_S = 5.0
"""The longest time for the values of one operation."""
PLAIN: Mapping[str, Mapping[str, Any]] = {
    "string": {"type": "string", "pattern": "^[a-z0-9]{1,12}$"},
    "integer": {"type": "integer", "minimum": 1, "maximum": 1000},
    "number": {"type": "number", "minimum": 0, "maximum": 1000},
    "boolean": {"type": "boolean"},
}
"""By kind of parameter: the schema if the description has none, or only a kind."""
UNSPECIFIC = {"type", "title", "description", "nullable"}
LEAVES_CHARACTERS_OPEN = {*UNSPECIFIC, "minLength", "maxLength", "example", "default"}


def draw(
    offers: Mapping[str, Offer], seed: int, observer: Observer
) -> tuple[dict[str, list[dict[str, Any]]], str]:
    """Draw parameter sets from the schemas of operations; return the reason if there are none.

    Uses hypothesis-jsonschema, if it is installed. The same seed gives the same values.
    """
    if not all(map(find_spec, ("hypothesis", "hypothesis_jsonschema"))):
        return {}, "values from schemas need hypothesis-jsonschema: pip install 'wirelab[init]'"
    by_offer = {
        name: {
            parameter.name: dict(parameter.schema or PLAIN.get(parameter.kind, {}))
            for parameter in offer.parameters
        }
        for name, offer in offers.items()
        if offer.effect != "write"
    }
    complete = {name: sets for name, sets in by_offer.items() if sets and all(sets.values())}
    if complete:
        observer.on(StageStarted("Drawing values", 1))
        observer.on(StepStarted(f"for {words.plural(len(complete), 'operation')}"))
    headers = {name: names(offers[name].binding.get("headers", {})) for name in complete}
    try:
        return apart(_draw_each, complete, headers, seed) if complete else {}, ""
    except LimitError as error:
        return {}, f"values could not be drawn from the schemas: {error}"


def _draw_each(
    by_offer: Mapping[str, Mapping[str, Mapping[str, Any]]],
    headers: Mapping[str, Collection[str]],
    seed: int,
) -> dict[str, list[dict[str, Any]]]:
    """Draw for each operation, for a limited time: some patterns backtrack for ever."""
    signal.signal(signal.SIGALRM, _too_long)
    drawn: dict[str, list[dict[str, Any]]] = {}
    for name, schemas in by_offer.items():
        signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
        with suppress(Exception, _TooLongError):  # some schemas cannot be drawn from
            drawn[name] = _drawn(schemas, headers[name], seed)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return drawn


class _TooLongError(BaseException):
    """Drawing takes too long. No `Exception`, which hypothesis would take for a failed test."""


def _too_long(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise _TooLongError


def _drawn(
    schemas: Mapping[str, Mapping[str, Any]], headers: Collection[str], seed: int
) -> list[dict[str, Any]]:
    import hypothesis  # noqa: PLC0415
    from hypothesis.configuration import set_hypothesis_home_dir  # noqa: PLC0415

    # Otherwise it creates a folder in the working directory.
    set_hypothesis_home_dir(cache_folder() / "hypothesis")
    sets: list[dict[str, Any]] = []
    strategies = {
        key: _header_strategy(schema) if key in headers else _strategy(schema)
        for key, schema in schemas.items()
    }

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=COUNT,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(hypothesis.strategies.fixed_dictionaries(strategies))
    def collect(values: dict[str, Any]) -> None:
        sets.append(values)

    collect()
    return sets


def _header_strategy(schema: Mapping[str, Any]) -> Any:
    """Draw only valid values of headers."""
    from hypothesis import strategies  # noqa: PLC0415

    keys = schema.keys()
    is_open = keys <= LEAVES_CHARACTERS_OPEN and not keys <= UNSPECIFIC
    if schema.get("type") == "string" and is_open:
        visible = strategies.characters(min_codepoint=0x21, max_codepoint=0x7E)
        least, most = schema.get("minLength", 0), schema.get("maxLength")
        return strategies.text(visible, min_size=least, max_size=most)
    return _strategy(schema).filter(lambda value: not unfit(as_text(value)))


def _strategy(schema: Mapping[str, Any]) -> Any:
    """Compose objects and lists here: the library fails for them with the current hypothesis."""
    from hypothesis import strategies  # noqa: PLC0415
    from hypothesis_jsonschema import from_schema  # noqa: PLC0415

    if schema.keys() <= UNSPECIFIC:
        schema = PLAIN.get(str(schema.get("type")), schema)
    members = schema.get("properties", {})
    if schema.get("type") == "object" and set(members) == set(schema.get("required", ())):
        return strategies.fixed_dictionaries(
            {key: _strategy(member) for key, member in members.items()}
        )
    if schema.get("type") == "array" and "items" in schema:
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", least + 2)
        return strategies.lists(_strategy(schema["items"]), min_size=least, max_size=most)
    return from_schema(dict(schema))
