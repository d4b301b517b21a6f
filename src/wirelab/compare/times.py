"""Times as options have them: 500ms, 90s, 2m."""

import re

UNITS_S = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)")


def read_seconds(written: str) -> float:
    """Read a time such as 500ms, 90s or 1.5min; `ValueError` says what is expected."""
    found = _TIME.fullmatch(written.strip())
    if not found or not float(found[1]):
        raise ValueError("a time above 0, such as 500ms, 90s or 2m")
    return float(found[1]) * UNITS_S[found[2]]
