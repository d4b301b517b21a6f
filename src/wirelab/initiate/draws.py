"""Values drawn from schemas, for parameters that nothing else is known of: an optional extra."""

from collections.abc import Mapping
from typing import Any

from wirelab.initiate.offer import Offer

COUNT = 50


def draw(offers: Mapping[str, Offer], seed: int) -> tuple[dict[str, list[dict[str, Any]]], str]:
    """Draw sets of parameters from the schemas of operations; say why none, where none are.

    Uses hypothesis-jsonschema, where that is installed. The same seed gives the same values.
    """
    try:
        import hypothesis  # noqa: PLC0415
        from hypothesis_jsonschema import from_schema  # noqa: PLC0415
    except ImportError:
        return {}, "values from schemas need hypothesis-jsonschema: pip install 'wirelab[init]'"
    drawn: dict[str, list[dict[str, Any]]] = {}
    for name, offer in offers.items():
        schemas = {each.name: dict(each.schema) for each in offer.parameters}
        if offer.effect == "write" or not schemas or not all(schemas.values()):
            continue
        strategies = {key: from_schema(schema) for key, schema in schemas.items()}
        found: list[dict[str, Any]] = []

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=COUNT,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(hypothesis.strategies.fixed_dictionaries(strategies))
        def collect(values: dict[str, Any], found: list[dict[str, Any]] = found) -> None:
            found.append(values)

        try:
            collect()
        except Exception:  # noqa: S112  (a schema that cannot be drawn from is no reason to fail)
            continue
        drawn[name] = found
    return drawn, ""
