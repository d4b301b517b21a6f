"""A hostile bundle: every free text in it tries to be a program."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wirelab.bundle import Bundle, ContenderRecord
from wirelab.bundle.run_reasons import Failed
from wirelab.errors import Failure, Log
from wirelab.verify import Finding
from wirelab.verify.findings.finding_reasons import Fails

from .synthetic import copy_of, edit_runs

EVIL = "<script>document.title='owned'</script><img src=x onerror=alert(1)>\"'{{ 7 * 7 }}|`x`"


def write_hostile(bundle: Bundle, folder: Path, evil: str = EVIL) -> Bundle:
    """Copy a bundle and fill its texts with markup, templates and formulas."""
    spoiled = copy_of(bundle, folder)
    spoiled.write_contenders(
        {
            name: ContenderRecord(
                title=evil,
                protocol=f"={evil}",
                stack=evil,
                settings={evil: evil},
                versions={evil: {evil: evil}},
            )
            for name in spoiled.contenders
        }
    )
    spoiled.write_findings([Finding(severity="error", reason=Fails(detail=evil), contender=evil)])
    host = spoiled.path / "host.json"
    host.write_text(json.dumps({evil: {evil: [evil]}}))
    info = json.loads((spoiled.path / "bundle.json").read_text())
    info |= {"id": evil, "command": [evil], "created_utc": evil, "wirelab_version": evil}
    (spoiled.path / "bundle.json").write_text(json.dumps(info))
    schedule = asdict(spoiled.schedule)
    schedule["skipped"] = [{"factor": "store", "level": evil, "reason": evil}]
    (spoiled.path / "schedule.json").write_text(json.dumps(schedule))
    study = spoiled.study_folder / "study.toml"
    text = study.read_text()
    for key in ("title", "summary"):
        line = f"{key} = {json.dumps(evil, ensure_ascii=False)}".replace("\x7f", "\\u007f")
        text = re.sub(rf'(?m)^{key} = ".*"$', line.replace("\\", r"\\"), text)
    study.write_text(text)
    first = spoiled.block_records()[0].runs[0].run.id

    def blame(record: dict[str, object]) -> None:
        record["status"] = "invalid"
        failure = Failure(evil, evil, Log(evil, evil))
        record["reasons"] = [Failed(error=evil, failure=failure).model_dump(mode="json")]

    edit_runs(spoiled, blame, where=lambda record: record.run.id == first)
    return spoiled


@dataclass(frozen=True, slots=True)
class TextField:
    """A place for text in a file of a bundle: the keys that lead there, numbers for list items."""

    file: str
    keys: tuple[str | int, ...]

    def write(self, bundle: Path, text: str) -> None:
        """Put a text there."""
        path = bundle / self.file
        written = json.dumps(text)
        if path.suffix == ".toml":
            # Controls are escaped in TOML as in JSON.
            line = rf'(?m)^({re.escape(str(self.keys[0]))}\s*=\s*)"[^"]*"'
            path.write_text(re.sub(line, lambda it: it[1] + written, path.read_text(), count=1))
            return
        document = json.loads(path.read_text())
        place: Any = document
        for key in self.keys[:-1]:
            place = place[key]
        place[self.keys[-1]] = text
        path.write_text(json.dumps(document))


def text_fields(bundle: Path) -> Iterator[TextField]:
    """Yield one field of each kind: items of a list, and blocks, are of one kind."""
    seen: set[tuple[str, ...]] = set()
    for path in sorted(bundle.rglob("*")):
        if path.suffix not in {".json", ".toml"} or path.name == "hashes.json":
            continue
        file = str(path.relative_to(bundle))
        if path.suffix == ".toml":
            keys = re.findall(r'(?m)^([\w-]+)\s*=\s*"', path.read_text())
            found: list[tuple[str | int, ...]] = [(key,) for key in keys]
        else:
            found = list(_texts_below(json.loads(path.read_text())))
        for place in found:
            kind = (path.name, *("*" if isinstance(key, int) else key for key in place))
            if kind not in seen:
                seen.add(kind)
                yield TextField(file, place)


def _texts_below(value: Any, *keys: str | int) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, str):
        yield keys
    elif isinstance(value, dict):
        for key in value:
            yield from _texts_below(value[key], *keys, key)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _texts_below(each, *keys, place)
