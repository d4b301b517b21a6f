"""The one grammar of times, in options and in files: 250us, 500ms, 90s, 2m or 2min, 1.5h, 7d.

A plain number is seconds, except where a unit is required so that no reader takes it for
milliseconds. The load engine reads the same.
"""

import re

from wirelab.inputs.problems import add_problem

_UNITS_US = {
    "us": 1.0,
    "µs": 1.0,
    "ms": 1e3,
    "s": 1e6,
    "m": 60e6,
    "min": 60e6,
    "h": 3600e6,
    "d": 86_400e6,
}
"""The units of times, in µs."""
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zµ]*)\s*")


def read_us(written: str, *, needs_unit: bool = False) -> float:
    """Return a time in µs; `ValueError` states what is expected."""
    time = _TIME.fullmatch(written)
    unit = time and (time[2] or ("" if needs_unit else "s"))
    if not time or unit not in _UNITS_US:
        raise ValueError("a time with its unit, such as 500ms, 90s or 2m")
    return float(time[1]) * _UNITS_US[unit]


def read_seconds(written: str, *, needs_unit: bool = False) -> float:
    """Return a time in seconds; `ValueError` states what is expected."""
    return read_us(written, needs_unit=needs_unit) / 1e6


def seconds_of_option(option: str, written: str) -> float:
    """Return a time above 0; note one that is not, and return 0."""
    seconds = 0.0
    try:
        seconds = read_seconds(written)
    except ValueError as error:
        add_problem(option, "", written, str(error))
    else:
        if not seconds:
            add_problem(option, "", written, "a time above 0, such as 500ms, 90s or 2m")
    return seconds
