"""A public class name is defined once, so that it says which class is meant."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "wirelab"
EXCEPTIONS = frozenset({"Finding"})
"""Names that are still defined several times. Remove those that are not; add none."""


def classes(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each public class of modules, and the module."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, str(path.relative_to(folder))


def test_no_public_class_name_is_defined_twice() -> None:
    modules: dict[str, list[str]] = {}
    for name, module in classes(SOURCES):
        modules.setdefault(name, []).append(module)
    several = {name: found for name, found in modules.items() if len(found) > 1}

    assert several.keys() - EXCEPTIONS == set()
    assert EXCEPTIONS - several.keys() == set()
