"""Convert the keys of values between snake_case and the case of a protocol.

A name is restored by the reverse conversion if its words begin with a letter and have at least two
letters: release_date is; line_2 and x_y_z are not, since line2 and xYZ could be other names.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from wirelab.domain.json_value import SCALARS
from wirelab.domain.model import KeyCase

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def outward(value: object, case: KeyCase) -> object:
    """Convert the keys of a value to the protocol's case."""
    return _respell(value, to_camel) if case == "camel" else value


def inward(value: object, case: KeyCase) -> object:
    """Convert the keys of a value to snake_case."""
    return _respell(value, to_snake) if case == "camel" else value


@lru_cache  # an answer has few different keys, but very many keys in all
def to_camel(name: str) -> str:
    """Return release_date as releaseDate."""
    first, *others = name.split("_")
    return first + "".join(other[:1].upper() + other[1:] for other in others)


@lru_cache
def to_snake(name: str) -> str:
    """Return releaseDate as release_date."""
    return _BOUNDARY.sub("_", name).lower()


def _respell(value: object, spell: Callable[[str], str]) -> object:
    if isinstance(value, dict):
        spelled = {
            spell(key): item if type(item) in SCALARS else _respell(item, spell)
            for key, item in value.items()
        }
        if len(spelled) == len(value):
            return spelled
        # Keys such as fooBar and foo_bar would become one: they are data, and stay as they are.
        return {key: _respell(item, spell) for key, item in value.items()}
    if isinstance(value, list):
        return [_respell(item, spell) for item in value]
    return value
