"""Functions and types of the Rust code are documented, also those that `missing_docs` ignores."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CRATES = ("engine", "datasets", "guard", "link")
ITEM = re.compile(
    r"(?P<doc>^ *///.*\n)?(?P<attributes>(?:^ *#\[(?:.*\]|.*\(\n(?:.*\n)*? *\)\])\n)*)"
    r"^ *pub(?:\([a-z ]+\))? (?:const |unsafe )*(?:fn|struct|enum|trait|type) (?P<name>\w+)",
    re.MULTILINE,
)
# clap shows their documentation as that of the whole program.
OF_CLAP = re.compile(r"derive\([^)]*\b(Args|Parser|Subcommand)\b")


def undocumented(path: Path) -> Iterator[str]:
    """Yield the functions and types of a file that lack documentation, outside of its tests."""
    code, _, _ = path.read_text().partition("#[cfg(test)]\nmod tests {")
    for item in ITEM.finditer(code):
        if not item["doc"] and not OF_CLAP.search(item["attributes"]):
            yield f"{path.relative_to(ROOT)}: {item['name']}"


def test_functions_and_types_that_other_modules_can_use_are_documented() -> None:
    paths = [path for crate in CRATES for path in (ROOT / crate / "src").rglob("*.rs")]
    own = [path for path in paths if "tests" not in path.with_suffix("").parts]

    assert len(own) > 200
    assert not [name for path in own for name in undocumented(path)]
