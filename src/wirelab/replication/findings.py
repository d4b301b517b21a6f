"""What a replication found, study by study, from compact results alone."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.analysis.figures.published import published_tables
from wirelab.analysis.model import PublishedTable
from wirelab.claims import (
    ClaimCheck,
    ClaimEvidence,
    ClaimVerdict,
    ConsistencyFinding,
    Decision,
    ElementaryResult,
    check_claims,
    check_consistency,
    decide_hypotheses,
    names_in,
)
from wirelab.replication.parts import PAPER
from wirelab.replication.results import FACTS, RESULTS, Facts, Results, load_results
from wirelab.statistics import BlockValue, EffectSize, Method
from wirelab.study import FACTORS, METRICS, Cell, Study
from wirelab.study.claim import Untested
from wirelab.terminal import words

OPEN = (
    ClaimVerdict.CANNOT_TELL,
    ClaimVerdict.NOT_MEASURED,
    ClaimVerdict.PARTLY_MEASURED,
    ClaimVerdict.NOT_TESTABLE,
)
"""The verdicts of claims that are not decided."""


@dataclass(frozen=True)
class StudyFindings:
    """What was found of one paper, in all parts of its study together.

    `procedure` has the facts of the paper's own, if that was followed, too; its values are in
    `tables`.
    """

    study: Study
    parts: tuple[Facts, ...]
    claims: tuple[ClaimCheck, ...]
    hypotheses: Decision | None
    tables: tuple[PublishedTable, ...]
    consistency: tuple[ConsistencyFinding, ...]
    procedure: Facts | None = None

    @property
    def measured(self) -> tuple[Facts, ...]:
        """Everything that was measured."""
        return (*self.parts, *filter(None, [self.procedure]))

    @property
    def tally(self) -> Counter[ClaimVerdict]:
        """How many claims have each verdict, from the most to the least favourable."""
        counted = Counter(claim.verdict for claim in self.claims)
        return Counter({it: counted[it] for it in ClaimVerdict if counted[it]})

    @property
    def answers(self) -> tuple[str, ...]:
        """What our measurement says itself: the sentences that the reports open with."""
        return tuple(dict.fromkeys(each for part in self.parts for each in part.answers))

    @property
    def differences(self) -> tuple[str, ...]:
        """Why our findings may differ from the paper's, in sentences."""
        return tuple(_differences(self))

    @property
    def untested(self) -> tuple[Untested, ...]:
        """What could not be tested, and how it can be."""
        return (*_left_open(self), *self.study.claims.untested)

    @property
    def measured_s(self) -> float:
        """The time of all blocks."""
        return math.fsum(part.measured_s for part in self.measured)

    @property
    def cpu_s(self) -> float:
        """The CPU time of what was recorded."""
        return math.fsum(part.cpu_s for part in self.measured)

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines that measured."""
        return tuple(dict.fromkeys(part.machine for part in self.parts))

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of wirelab that measured."""
        return tuple(dict.fromkeys(part.wirelab_version for part in self.parts))

    @property
    def days(self) -> tuple[str, ...]:
        """The days on which parts were begun."""
        return tuple(sorted({part.created_utc[:10] for part in self.parts}))

    def telling(self, claim: ClaimCheck) -> ElementaryResult | None:
        """Return the test that a table shows: the first with the claim's verdict and a ratio."""
        measured = [test for test in claim.tests if test.measured is not None]
        ranked = sorted(
            measured, key=lambda it: (it.verdict is not claim.verdict, it.published is None)
        )
        return ranked[0] if ranked else None


def read_findings(root: Path, order: Sequence[str] = ()) -> list[StudyFindings]:
    """Judge the claims of every study whose compact results are in a folder of a replication.

    `order`: ids of studies that come first. Raises `ProblemsError` if a file is damaged.
    """
    folders = sorted((root / RESULTS).glob("*/*"))
    by_study: dict[str, list[Results]] = {name: [] for name in order}
    for folder in folders:
        if (folder / FACTS).is_file():
            results = load_results(folder)
            by_study.setdefault(results.facts.study, []).append(results)
    return [found for parts in by_study.values() if (found := _findings_of(parts))]


def _findings_of(results: Sequence[Results]) -> StudyFindings | None:
    """Judge the claims of one study by all parts that decide any: they are one family.

    The paper's own procedure is not among them. Returns None if there is nothing else.
    """
    parts = [part for part in results if part.facts.design != PAPER]
    if not parts:
        return None
    study = parts[0].study
    labels = {name: text for part in parts for name, text in part.facts.labels.items()}
    protocols = {name: it for part in parts for name, it in part.facts.protocols.items()}
    names = names_in(study, labels)
    evidence = _evidence(study, parts)
    cells = [cell for part in parts for cell in part.facts.cells]
    tables = published_tables(study, cells, evidence.values, protocols, labels)
    procedure = next((part for part in results if part.facts.design == PAPER), None)
    if procedure is not None:
        tables = tuple(_with_procedure(tables, procedure))
    return StudyFindings(
        study,
        tuple(part.facts for part in parts),
        tuple(check_claims(study, evidence, names)),
        decide_hypotheses(study, evidence),
        tables,
        tuple(check_consistency(study, names)),
        None if procedure is None else procedure.facts,
    )


def _with_procedure(
    tables: Sequence[PublishedTable], procedure: Results
) -> Iterator[PublishedTable]:
    """Yield the tables with the values of the paper's own procedure beside ours."""
    facts = procedure.facts
    own = published_tables(
        procedure.study, facts.cells, procedure.values, facts.protocols, facts.labels
    )
    by_row = {(table.source, row.label): row.measured for table in own for row in table.rows}
    for table in tables:
        rows = [
            replace(row, by_procedure=by_row.get((table.source, row.label), ()))
            for row in table.rows
        ]
        yield replace(table, rows=tuple(rows))


def _evidence(study: Study, parts: Sequence[Results]) -> ClaimEvidence:
    """Put the evidence of all parts together; a value is that of the first part that has it."""
    cells = list(dict.fromkeys(cell for part in parts for cell in part.facts.cells))
    levels = {
        factor: tuple(dict.fromkeys(cell.level(factor) for cell in cells)) for factor in FACTORS
    }
    known = {level for own in levels.values() for level in own}
    absent: dict[str, str] = {}
    for part in parts:
        for level, reason in part.facts.left_out.items():
            if level not in known and (level in part.facts.wanted or level not in absent):
                absent[level] = reason

    def values(metric: str, cell: Cell) -> Mapping[int, float]:
        return next((own for part in parts if (own := part.values(metric, cell))), {})

    def ratios(metric: str, a: Cell, b: Cell) -> Mapping[int, BlockValue]:
        return next((own for part in parts if (own := part.ratios(metric, a, b))), {})

    def method(metric: str) -> Method:
        having = [
            part
            for part in parts
            if any(metric == key[0] for key in (*part.own_values, *part.own_ratios))
        ]
        is_repeated = all(part.facts.is_until_decided for part in having or parts)
        is_repeated = is_repeated and not METRICS[metric].exact
        return Method.REPEATED_T if is_repeated else Method.PAIRED_T

    return ClaimEvidence(
        levels=levels,
        values=values,
        margin_ratio=study.margin,
        absent=absent,
        in_turns=ratios,
        method_of=method,
        cells=frozenset(cells),
    )


def _differences(found: StudyFindings) -> Iterator[str]:
    """Yield what is known to differ, then what the measurement shows of it."""
    claims = found.study.claims
    if claims.comparability:
        yield f"This is a replication by other means ({words.listed(claims.comparability)})."
    if claims.treatment_differs:
        yield f"{words.capital(claims.treatment_differs)}."
    yield from _treatments(found.claims)
    yield from _sizes(found.claims)
    if wrong := [it for it in found.consistency if it.holds is False]:
        statements = words.plural(len(wrong), "statement disagrees", "statements disagree")
        yield f"Of the paper itself, {statements} with its own tables."


def _treatments(claims: Sequence[ClaimCheck]) -> Iterator[str]:
    """Yield whether verdicts change with the treatment, where a claim is tested under several."""
    by_id = {claim.id: claim for claim in claims}
    both = [
        (by_id[base], claim)
        for claim in claims
        for base in by_id
        if claim.id.startswith(f"{base}-") and base != claim.id
    ]
    decided = [(a, b) for a, b in both if not {a.verdict, b.verdict} & {*OPEN}]
    changed = [(a, b) for a, b in decided if a.verdict is not b.verdict]
    if not decided:
        return
    named = [f"{a.id} is {a.verdict}, {b.id} {b.verdict}" for a, b in changed]
    claims_have = words.plural(len(decided), "claim has", "claims have")
    differ = f"they differ in {len(changed)}: {words.first_few(named)}" if named else "none differ"
    yield f"{claims_have} verdicts under two treatments; {differ}."


def _sizes(claims: Sequence[ClaimCheck]) -> Iterator[str]:
    """Yield how measured effects compare with published ones."""
    effects = Counter(test.effect for claim in claims for test in claim.tests if test.effect)
    if total := sum(effects.values()):
        counted = [f"{effects[it]} {it}" for it in EffectSize if effects[it]]
        published = words.plural(total, "effect")
        yield f"Of {published} with a published size, ours are: {', '.join(counted)}."


def _left_open(found: StudyFindings) -> Iterator[Untested]:
    """Yield the claims that were not measured, or cannot be, each with the reason."""
    for claim in found.claims:
        if claim.verdict in (
            ClaimVerdict.NOT_MEASURED,
            ClaimVerdict.PARTLY_MEASURED,
            ClaimVerdict.NOT_TESTABLE,
        ):
            reasons = [
                reason
                for test in claim.tests
                if test.verdict in (ClaimVerdict.NOT_MEASURED, ClaimVerdict.NOT_TESTABLE)
                for reason in test.missing or (test.reason,)
            ]
            why = words.first_few(list(dict.fromkeys(reasons))) or claim.sentence
            remedy = found.study.claims.claims[claim.id].remedy
            text = f"{claim.id}: {claim.text}"
            yield Untested(text=text, source=claim.source, reason=why, remedy=remedy)
