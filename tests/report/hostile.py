"""A bundle from somebody who means harm: every free text in it would like to be a program."""

import json
import re
from dataclasses import asdict
from pathlib import Path

from wirelab.bundle import Bundle, ContenderRecord, Finding

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
    spoiled.write_findings([Finding(severity="error", reason=evil, contender=evil)])
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
        record["reasons"] = [evil]

    edit_runs(spoiled, blame, where=lambda record: record.run.id == first)
    return spoiled
