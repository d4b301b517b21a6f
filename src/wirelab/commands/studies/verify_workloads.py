"""What `wirelab verify` sends: the workloads of a domain, and of each of its contenders."""

from collections.abc import Iterator, Mapping

from wirelab.domain import Domain, Operation
from wirelab.inputs.problems import Problem, shown
from wirelab.lab.contenders.contender import Contender
from wirelab.study import Workload

SETS = 3
"""Number of parameter sets of each operation."""


def workloads_of(domain: Domain, *, allow_writes: bool) -> dict[str, Workload]:
    """Return the workloads to verify; with a reference, all other operations are verified, too."""
    effects = ("read", "write") if allow_writes else ("read",)
    operations = domain.operations.values()
    return {
        operation.name: _workload(operation, domain)
        for operation in operations
        if operation.effect in effects
    }


def offered_workloads(
    workloads: Mapping[str, Workload], domain: Domain, contender: Contender
) -> dict[str, Workload]:
    """Leave out the operations that a contender's interface does not have.

    If none is left, the others that a reference defines are the workloads: without any, the state
    to verify them in would not be known.
    """
    operations = domain.in_dialect(contender.dialect).operations.values()
    bound = [operation for operation in operations if contender.protocol in operation.bindings]
    offered = {
        operation.name: workloads[operation.name]
        for operation in bound
        if operation.name in workloads
    }
    others = bound if domain.has_reference else ()
    return offered or {other.name: _workload(other, domain) for other in others}


def state_of(domain: Domain) -> str:
    """Return the largest state to verify; "" if the domain has none."""
    states = {name: state.records for name, state in domain.states.items() if state.verified}
    return max(states, key=states.__getitem__, default="")


def without_state(domain: Domain) -> Iterator[Problem]:
    """Yield the problem of a domain with a generator that has no state to verify."""
    if domain.data.generator and not state_of(domain):
        where, key = shown(domain.folder / "domain.toml"), next(iter(domain.states), "")
        if key:
            yield Problem(where, f"state.{key}.verified", False, "true for at least one state")
        else:
            expected = "at least one table [state.NAME] with records and indexed"
            yield Problem(where, "state", None, expected)


def _workload(operation: Operation, domain: Domain) -> Workload:
    return Workload(
        title=operation.summary,
        operation=operation.name,
        state=state_of(domain),
        parameter_sets=SETS,
    )
