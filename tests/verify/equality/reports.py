"""`wirelab verify` of domains without a reference, as programs read it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.verification import verify_domain
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify import Finding
from wirelab.verify.findings.finding_reasons import FindingReason, Symptomatic


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verification printed: the contenders by their result, and what was found of them."""

    code: ExitCode
    equal: list[str]
    refused: list[str]
    skipped: dict[str, str]
    findings: list[Finding]
    messages: str
    """Standard error, in one line."""

    @property
    def errors(self) -> list[tuple[str, str, str, FindingReason]]:
        """Where answers are wrong (contender, operation and path), and why."""
        wrong = (it for it in self.findings if it.severity == "error")
        return [(it.contender, it.operation, it.path, it.reason) for it in wrong]

    @property
    def remarks(self) -> list[tuple[str, str, str, FindingReason]]:
        """The same of warnings and notes."""
        others = (it for it in self.findings if it.severity != "error")
        return [(it.contender, it.operation, it.path, it.reason) for it in others]


def write_parameters(folder: Path, *rows: tuple[str, dict[str, Any]]) -> None:
    """Write the parameters of operations into a domain."""
    (folder / "parameters.ndjson").write_text(
        "".join(f"{json.dumps({'operation': it, 'parameters': sent})}\n" for it, sent in rows)
    )


def verify_as_json(domain: Path, capsys: pytest.CaptureFixture[str], **options: Any) -> Verified:
    """Verify a domain, and read what was printed for programs.

    Signs of the Python that runs the tests' servers are left out: other machines have others.
    """
    code = verify_domain(domain, as_json=True, **options)
    output = capsys.readouterr()
    printed = json.loads(output.out)
    findings = [Finding.model_validate(each) for each in printed["findings"]]
    return Verified(
        code=code,
        equal=printed["equal"],
        refused=printed["refused"],
        skipped=printed["skipped"],
        findings=[each for each in findings if not isinstance(each.reason, Symptomatic)],
        messages=" ".join(output.err.split()),
    )
