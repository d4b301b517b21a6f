"""ARCHITECTURE.md states the layers of the code; here the imports are held against them."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "wirelab"
COMMON_WORDS = {"agents", "tokens", "wires"}
"""Names of studies that modules may use in another sense."""


def modules() -> dict[str, Path]:
    """Every module by its name; what installation/resources/ links to is no part of the package."""
    paths = [path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.py")]
    own = [path for path in paths if "resources" not in path.parts or len(path.parts) == 3]
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in own}


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of wirelab that a file imports, inside functions and for types too."""
    for node in ast.walk(ast.parse((PACKAGE.parent / path).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)


def layers() -> list[list[str]]:
    """What ARCHITECTURE.md says: a line a layer, the highest first."""
    _, _, section = (ROOT / "ARCHITECTURE.md").read_text().partition("## Layers")
    block = section.split("```")[1]
    return [line.split() for line in block.strip().splitlines()]


def test_layers_name_every_package_once() -> None:
    stated = [name for layer in layers() for name in layer]
    packages = {name.split(".")[1] for name in modules() if name != "wirelab"}

    assert sorted(stated) == sorted(packages)


def test_a_package_imports_only_from_layers_below() -> None:
    known = modules()
    height = {name: -depth for depth, layer in enumerate(layers()) for name in layer}
    wrong = []
    for name, path in known.items():
        for other in imports(path, known):
            if "wirelab" in (name, other):
                continue  # wirelab/__init__.py is the interface for notebooks
            above, below = name.split(".")[1], other.split(".")[1]
            if above != below and height[below] >= height[above]:
                wrong.append(f"{name} imports {other}")

    assert not wrong


def test_an_extension_of_a_study_imports_from_the_analysis_and_below() -> None:
    known = modules()
    height = {name: -depth for depth, layer in enumerate(layers()) for name in layer}
    extensions = sorted((ROOT / "studies").glob("*/*/*.py"))
    above = [
        f"{path.relative_to(ROOT)} imports {other}"
        for path in extensions
        for other in imports(path, known)
        if other != "wirelab" and height[other.split(".")[1]] > height["analysis"]
    ]

    assert extensions
    assert not above


def test_no_module_names_a_study() -> None:
    studies = [path.parent.name for path in (ROOT / "studies").glob("*/study.toml")]
    naming = [
        f"{path} names {study}"
        for path in modules().values()
        for study in studies
        if study not in COMMON_WORDS and study in (PACKAGE.parent / path).read_text()
    ]

    assert "sliwa-2021" in studies
    assert not naming


def test_no_modules_import_each_other() -> None:
    known = modules()
    graph = {name: {*imports(path, known)} - {name} for name, path in known.items()}

    assert len(list(TopologicalSorter(graph).static_order())) == len(known)


def test_tests_of_the_analysis_are_named_after_its_modules() -> None:
    analysis = {path.stem for path in (PACKAGE / "analysis").glob("*.py")}
    tests = (ROOT / "tests" / "analysis").glob("test_*.py")

    assert {path.stem.removeprefix("test_") for path in tests} <= analysis
