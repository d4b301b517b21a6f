"""Checking what a client writes: every mistake at once."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import ValidationError

from refusal import Refusal
from types_ import Input

InputT = TypeVar("InputT", bound=Input)


def checked(form: type[InputT], values: object) -> InputT:
    """Return plain values as what they must be, or refuse them with everything that is wrong."""
    try:
        return form.model_validate(values)
    except ValidationError as error:
        raise refusal(error) from error


def checked_json(form: type[InputT], text: bytes) -> InputT:
    """Return a JSON text as what it must be."""
    try:
        return form.model_validate_json(text)
    except ValidationError as error:
        raise refusal(error) from error


def refusal(error: ValidationError) -> Refusal:
    """Say what is wrong."""
    problems = (
        f"{'.'.join(map(str, item['loc'])) or 'body'}: {item['msg']}"
        for item in error.errors(include_url=False, include_input=False, include_context=False)
    )
    return Refusal("invalid", "; ".join(problems))


def is_no_json(error: ValidationError) -> bool:
    """Tell whether a text could not even be read."""
    return any(item["type"] == "json_invalid" for item in error.errors(include_context=False))


def given(**values: object) -> Mapping[str, object]:
    """Return the arguments that are not None."""
    return {name: value for name, value in values.items() if value is not None}
