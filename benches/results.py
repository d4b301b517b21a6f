"""Result files: JSON with one measurement per line, so that files stay short and diffs readable."""

import json
from collections.abc import Mapping
from pathlib import Path


def write_results(path: Path, content: Mapping[str, object]) -> None:
    """Write the file as a whole or not at all, and its folder where there is none.

    Every key has a line of its own; so has every element of a list.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    lines = ",\n".join(f"{json.dumps(key)}: {_value(value)}" for key, value in content.items())
    partial.write_text(f"{{\n{lines}\n}}\n")
    partial.replace(path)


def _value(value: object) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=False)
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in value)
    return f"[\n{rows}\n]"
