"""Cautions about what verification found: refusals, warnings, and signs of bad configuration."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wirelab.analysis.answers.refused_contenders import differing_answers, is_difference
from wirelab.analysis.cautions.caution import Caution, Severity
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.terminal import words
from wirelab.verify.findings.equality_reasons import PartlyCompared
from wirelab.verify.findings.finding import Finding
from wirelab.verify.servers.symptoms import Symptom

ADVICE = {
    Symptom.HTTP_1_0: "speak HTTP/1.1 or HTTP/2",
    Symptom.DEVELOPMENT_SERVER: "measure the production server, started as in production",
    Symptom.UNOPTIMISED_PYTHON: "run wirelab with the distribution's Python, or with one that was"
    " configured with --enable-optimizations",
    Symptom.TINY_COMPRESSED: "compress from about 1 kB on",
    Symptom.SESSION_ENDED: "let sessions outlive the pauses between requests",
    Symptom.N_PLUS_1: "ask for all rows at once, by a join, `= ANY(…)` or a data loader",
}


@dataclass(frozen=True)
class VerificationRefused(Caution):
    """A contender or a workload was refused."""

    SEVERITY = "serious"
    TITLE = "Verification refused a contender or a workload"
    findings: tuple[Finding, ...]
    """Without those that name two answers."""
    differing: tuple[str, ...]
    """Sentences about answers that differ."""

    def _detail(self) -> str:
        kinds = _by_reason(self.findings)
        return "; ".join([*self.differing, *([words.first_few(kinds)] if kinds else ())])


@dataclass(frozen=True)
class VerificationWarned(Caution):
    """Verification reported warnings."""

    TITLE = "Verification reported warnings"
    findings: tuple[Finding, ...]

    def _detail(self) -> str:
        return words.first_few(_by_reason(self.findings))


@dataclass(frozen=True)
class AnswersPartlyCompared(Caution):
    """Parts of the answers were not compared."""

    TITLE = "Parts of the answers were not compared"
    findings: tuple[Finding, ...]

    def _detail(self) -> str:
        return words.first_few(_by_reason(self.findings))


@dataclass(frozen=True)
class ShowsSymptom(Caution):
    """Servers are not configured as in production."""

    symptom: Symptom
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> Severity:
        """Serious if the server is another one than in production."""
        is_serious = self.symptom in (Symptom.HTTP_1_0, Symptom.DEVELOPMENT_SERVER)
        return "serious" if is_serious else "minor"

    @property
    def title(self) -> str:
        """The symptom."""
        return str(self.symptom)

    def _detail(self) -> str:
        evidence = "; ".join(_by_reason(self.findings))
        return f"{evidence}. What to do: {ADVICE[self.symptom]}"


def symptoms(evidence: Evidence) -> Iterator[Caution]:
    """Find the symptoms that replies and processes showed."""
    by_symptom: dict[Symptom, list[Finding]] = {}
    for each in evidence.findings:
        if each.symptom:
            by_symptom.setdefault(each.symptom, []).append(each)
    for symptom, findings in by_symptom.items():
        yield ShowsSymptom(symptom, tuple(findings))


def verification(evidence: Evidence) -> Iterator[Caution]:
    """Find what was refused, and warnings."""
    others = [
        finding
        for finding in evidence.findings
        if not finding.symptom and not is_difference(finding)
    ]
    refused = tuple(each for each in others if each.severity == "error")
    differing = differing_answers(evidence.study, evidence.bundle.findings)
    if refused or differing:
        yield VerificationRefused(refused, differing)
    partly = tuple(
        each
        for each in others
        if each.severity != "error" and isinstance(each.reason, PartlyCompared)
    )
    if partly:
        yield AnswersPartlyCompared(partly)
    warned = tuple(each for each in others if each.severity == "warning" and each not in partly)
    if warned:
        yield VerificationWarned(warned)


def _by_reason(findings: Iterable[Finding]) -> Sequence[str]:
    """Render findings: each reason once, after all places where it was found."""
    places: dict[str, list[str]] = {}
    for each in findings:
        places.setdefault(each.why(), []).append(each.where)
    return [
        ": ".join(filter(None, (words.listed(dict.fromkeys(filter(None, where))), reason)))
        for reason, where in places.items()
    ]
