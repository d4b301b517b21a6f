"""Check that a domain is consistent, apart from its contenders."""

from collections.abc import Iterator, Mapping

from wirelab.domain.dataset import Dataset
from wirelab.domain.model import REFERENCE_FILE
from wirelab.domain.parameters import NewColumn, StoredColumn, parse
from wirelab.domain.reference import Reference, load_reference
from wirelab.domain.refusal import Refused
from wirelab.domain.rows import DatasetError
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import Problem, ProblemsError, shown
from wirelab.verify.findings.finding import Finding, Severity
from wirelab.verify.findings.finding_reasons import SeedIgnored
from wirelab.verify.plans import UsedOperation
from wirelab.verify.tasks import task_of
from wirelab.verify.unknown_parts import unknown_parts


def require_consistent(
    dataset: Dataset, seed: int = 1, workloads: Mapping[str, UsedOperation] | None = None
) -> None:
    """Raise `ProblemsError` with all that domain.toml says otherwise than rows and reference.

    `workloads` are some that start from these rows: there must be rows to draw parameters from.
    """
    reference = load_reference(dataset.domain, dataset)
    problems = [
        *missing_rows(dataset, workloads or {}, seed),
        *unknown_columns(dataset),
        *wrong_refusals(dataset, reference, seed),
        *unknown_parts(dataset, reference, seed),
    ]
    if problems:
        raise ProblemsError(problems)


def ignored_seed(severity: Severity) -> Finding:
    """Return the finding about a domain whose data sets ignore the seed."""
    return Finding(severity=severity, reason=SeedIgnored())


def missing_rows(
    dataset: Dataset, workloads: Mapping[str, UsedOperation], seed: int
) -> Iterator[Problem]:
    """Yield why parameters of workloads cannot be drawn, or generated."""
    for name, workload in workloads.items():
        try:
            task_of(name, workload, dataset.domain.operations).draw(dataset, seed)
        except DatasetError as error:
            yield from error.problems


def unknown_columns(dataset: Dataset) -> Iterator[Problem]:
    """Yield the parameters that are drawn from a column that no row has."""
    for operation in dataset.domain.operations.values():
        for name, written in operation.parameters.items():
            source = parse(written)
            if not isinstance(source, StoredColumn | NewColumn):
                continue
            tables = dataset.tables if isinstance(source, StoredColumn) else dataset.new_rows
            rows = tables[source.table]
            if rows and not any(source.column in row for row in rows):
                columns = dict.fromkeys(column for row in rows for column in row)
                where = shown(dataset.domain.folder / "domain.toml")
                key = f"operation.{operation.name}.parameters.{name}"
                expected = f"a column of {source.table}: {one_of(columns)}"
                hint = close_match(source.column, columns)
                yield Problem(where, key, written, expected, hint)


def wrong_refusals(dataset: Dataset, reference: Reference, seed: int) -> Iterator[Problem]:
    """Yield the calls that domain.toml declares to be refused, and that the reference does not."""
    for operation in dataset.domain.operations.values():
        for number, case in enumerate(operation.errors):
            try:
                (parameters,) = dataset.draw(operation, 1, seed, case.parameters)
                reference.call(operation.name, parameters)
                does = "answers this call"
            except DatasetError:  # too few rows to make the call from
                continue
            except Refused as refused:
                if refused.kind == case.refusal:
                    continue
                does = f"refuses this call as {refused.kind}"
            where = shown(dataset.domain.folder / "domain.toml")
            key = f"operation.{operation.name}.errors.{number}.refusal"
            expected = f"the same as {REFERENCE_FILE}, which {does}"
            yield Problem(where, key, case.refusal, expected)
