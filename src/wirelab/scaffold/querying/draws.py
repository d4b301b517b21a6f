"""Draw values from schemas for parameters without other values; needs an optional extra."""

from collections.abc import Collection, Mapping
from importlib.util import find_spec
from typing import Any

from wirelab.experiment.events import Observer, StageStarted, StepStarted
from wirelab.inputs.header_values import unfit
from wirelab.installation.programs import cache_folder
from wirelab.protocol.template import as_text, names
from wirelab.scaffold.descriptions.offer import Offer

COUNT = 50
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
        observer.on(StageStarted("Drawing values", len(complete)))
    drawn: dict[str, list[dict[str, Any]]] = {}
    for name, schemas in complete.items():
        observer.on(StepStarted(f"for {offers[name].shown}"))
        try:
            drawn[name] = _drawn(schemas, names(offers[name].binding.get("headers", {})), seed)
        except Exception:  # noqa: S112  (some schemas cannot be drawn from)
            continue
    return drawn, ""


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
