"""The reference of a domain: a plain in-memory implementation that defines the right answers."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from inspect import signature
from pathlib import Path
from reprlib import repr as repr_
from typing import Any, Protocol

from wirelab.domain.canonical import canonical, difference
from wirelab.domain.dataset import Dataset, Table
from wirelab.domain.json_value import SCALARS, NotJsonError, json_copy, outside_json
from wirelab.domain.model import Domain, Operation
from wirelab.domain.refusal import REFUSALS, Refused
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import Problem, ProblemsError, shown
from wirelab.inputs.python_file import DEFECTS, load_module, raised_at
from wirelab.terminal.words import plural

CALLS = 4
"""Number of calls that show whether the answer to a call depends on chance."""


class _Callable(Protocol):
    def call(self, operation: str, parameters: dict[str, object]) -> object: ...


class Reference:
    """The reference over the rows of one data set; its inputs and answers are copies.

    `fresh` returns another one, over the initial rows.
    """

    def __init__(self, file: Path, inside: _Callable, fresh: "Callable[[], Reference]") -> None:
        self._file = file
        self._inside = inside
        self._fresh = fresh

    def call(self, operation: str, parameters: dict[str, object]) -> object:
        """Perform one operation, or raise `Refused`.

        Any other exception, and an answer with a value that JSON does not have, is a defect of the
        domain's reference.py: `ProblemsError`.
        """
        try:
            answer = self._inside.call(operation, _copy(parameters))
            return json_copy(answer)
        except Refused as refused:
            if refused.kind not in REFUSALS:
                hint = close_match(refused.kind, REFUSALS)
                problem = _problem(self._file, operation, refused, one_of(REFUSALS), hint)
                raise ProblemsError([problem]) from refused
            raise
        except NotJsonError:
            call = _written(operation, parameters)
            raise ProblemsError(
                Problem(shown(self._file), f"{call}: answer{path}", value, expected)
                for path, value, expected in outside_json(answer)
            ) from None
        except DEFECTS as error:
            call = _written(operation, parameters)
            problem = _problem(self._file, call, error, "an answer, or Refused")
            raise ProblemsError([problem]) from error

    def require_repeatable(self, operation: Operation, parameters: dict[str, object]) -> None:
        """Raise `ProblemsError` if the same call has different results, apart from masked parts.

        A write is repeated over the initial rows, which it does not change here.
        """
        first, *others = (self._result(operation, parameters) for _ in range(CALLS))
        for other in others:
            if differing := difference(first, other):
                call = _written(operation.name, parameters)
                expected = f"{differing.expected!r:.80}, as in another answer to the same call"
                hint = (
                    "derive answers from rows and earlier calls, not from chance or time, or list"
                    " what only the server can know in `masked`"
                )
                key = f"{call}: answer{differing.path}"
                problem = Problem(shown(self._file), key, differing.got, expected, hint)
                raise ProblemsError([problem])

    def _result(self, operation: Operation, parameters: dict[str, object]) -> object:
        """Return the canonical answer to a call, or the kind of its refusal."""
        reference = self._fresh() if operation.effect == "write" else self
        try:
            return canonical(reference.call(operation.name, parameters), operation.masked)
        except Refused as refused:
            return f"refused as {refused.kind}"


def load_reference(domain: Domain, dataset: Dataset) -> Reference:
    """Load the domain's reference.py with the rows of a data set.

    The file is executed: a domain folder is trusted like its contenders. Raises `ProblemsError` if
    it cannot be loaded.
    """
    file = domain.folder / "reference.py"
    name = f"wirelab_reference_{domain.name.replace('-', '_')}"
    tables = _copies(dataset.tables)
    try:
        module = load_module(name, file)
    except DEFECTS as error:
        raise ProblemsError([_problem(file, "", error, "a file without errors")]) from error
    made = getattr(module, "Reference", None)
    if made is None:
        classes = [each for each, value in vars(module).items() if isinstance(value, type)]
        expected, hint = "a class Reference(tables)", close_match("Reference", classes)
        raise ProblemsError([Problem(shown(file), "Reference", None, expected, hint)])
    try:
        inside = made(tables, **domain.reference)
    except DEFECTS as error:
        options = ", ".join(domain.reference)
        of_dialect = f" and the options in {domain.spelled_in}, {options}" if options else ""
        expected = f"a constructor that accepts the generated rows{of_dialect}"
        hint = _described(dataset.tables)
        raise ProblemsError([_problem(file, "Reference(tables)", error, expected, hint)]) from error
    call: Any = getattr(inside, "call", None)
    try:
        signature(call).bind("", {})
    except TypeError:
        written = f"call{signature(call)}" if callable(call) else call
        expected = "a method call(operation, parameters)"
        raise ProblemsError([Problem(shown(file), "Reference.call", written, expected)]) from None
    return Reference(file, inside, partial(load_reference, domain, dataset))


def _described(tables: Mapping[str, Table]) -> str:
    """Return the names of tables, the numbers of their rows, and the columns of these."""
    return "; ".join(
        f"tables[{name!r}] is a list of {plural(len(rows), 'row')}"
        + (f" with {', '.join(dict.fromkeys(key for row in rows for key in row))}" if rows else "")
        for name, rows in tables.items()
    )


def _copies(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Copy rows so that changes stay local."""
    return {
        name: [
            {key: value if type(value) in SCALARS else _copy(value) for key, value in row.items()}
            for row in rows
        ]
        for name, rows in tables.items()
    }


def _copy(value: Any) -> Any:
    """Copy a JSON value several times as fast as `deepcopy`, which copies everything else."""
    if type(value) in SCALARS:
        return value
    if type(value) is dict:
        return {key: _copy(inner) for key, inner in value.items()}
    if type(value) is list:
        return [_copy(inner) for inner in value]
    return deepcopy(value)


def _written(operation: str, parameters: Mapping[str, object]) -> str:
    """Return a call as it is written in Python."""
    given = ", ".join(f"{name}={repr_(value)}" for name, value in parameters.items())
    return f"{operation}({given})"


def _problem(file: Path, key: str, error: BaseException, expected: str, hint: str = "") -> Problem:
    """Return the problem that an exception of the file shows, with the line that raised it."""
    place = raised_at(error, file)
    where = f"{shown(file)}:{place[1]}" if place else shown(file)
    return Problem(where, key, f"{type(error).__name__}: {error}", expected, hint)
