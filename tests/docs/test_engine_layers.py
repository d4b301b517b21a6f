"""ARCHITECTURE.md states the layers of the load engine; here its `use` lines must keep them."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "engine" / "src"
PATH = re.compile(r"\bcrate::(?:(\w+)|\{([^}]*)\})")


def modules() -> dict[str, list[Path]]:
    """The files of every module at the top level, without those that only tests use."""
    files: dict[str, list[Path]] = {}
    for path in SOURCE.rglob("*.rs"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if "tests" not in parts and parts[0] not in ("lib", "main"):
            files.setdefault(parts[0], []).append(path)
    return files


def used(path: Path) -> Iterator[str]:
    """Yield the modules at the top level that a file names, except in its tests."""
    code, _, _ = path.read_text().partition("#[cfg(test)]\nmod tests {")
    for name, names in PATH.findall(code):
        yield from [name] if name else re.findall(r"(\w+)(?:::[^,]*)?,?", names)


def layers() -> list[list[str]]:
    """What ARCHITECTURE.md says: a line a layer, the highest first."""
    _, _, section = (ROOT / "ARCHITECTURE.md").read_text().partition("### Layers of the engine")
    block = section.split("```")[1]
    return [line.split() for line in block.strip().splitlines()]


def test_layers_name_every_module_of_the_engine_once() -> None:
    stated = [name for layer in layers() for name in layer]

    assert sorted(stated) == sorted(modules())


def test_a_module_of_the_engine_uses_only_layers_below() -> None:
    height = {name: -depth for depth, layer in enumerate(layers()) for name in layer}
    wrong = [
        f"{path.relative_to(SOURCE)} uses {other}"
        for name, paths in modules().items()
        for path in paths
        for other in used(path)
        if other in height and other != name and height[other] >= height[name]
    ]

    assert not wrong
