"""What an OpenAPI document says about credentials, as notes for the user."""

from collections.abc import Iterator
from typing import Any

from wirelab.scaffold.descriptions.openapi_schemas import as_dict


def notes_on_credentials(document: dict[str, Any]) -> Iterator[str]:
    """Yield which credentials a document requires, and how they are given."""
    schemes = as_dict(as_dict(document.get("components")).get("securitySchemes")) or as_dict(
        document.get("securityDefinitions")
    )
    for name, each in schemes.items():
        kind = as_dict(each).get("type", "unknown")
        if kind in ("http", "basic"):
            yield f"it requires credentials ({name}): give a header authorization = '${{…}}'"
        elif kind == "apiKey":
            location, key = str(as_dict(each).get("in")), str(as_dict(each).get("name"))
            remedy = _how_to_give(location, key)
            yield f"it requires a key ({name}) in the {location} {key}: {remedy}"
        else:
            yield (
                f"it requires credentials of kind {kind} ({name}), which wirelab cannot get by"
                " itself: get a token, and give a header authorization = 'Bearer ${TOKEN}'"
            )


def _how_to_give(location: str, key: str) -> str:
    if location == "header":
        return f"give a header {key} = '${{KEY}}'"
    if location == "cookie":
        return f"give a header cookie = '{key}=${{KEY}}'"
    return "wirelab does not send keys in addresses, where they would be visible"
