"""Compare several protocols of one domain: its contenders, and their common operations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirelab.analysis.names import label_contenders
from wirelab.compare.budget import Spending
from wirelab.compare.terms import Terms
from wirelab.compare.world import LONGEST_REHEARSAL_S, study_document
from wirelab.domain import Domain, Operation
from wirelab.domain_file import check_unambiguous, load_domain
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import (
    Problem,
    ProblemsError,
    add_problem,
    add_unknown,
    collected_problems,
)
from wirelab.lab.contenders.contender import Contender, load_contenders
from wirelab.scaffold.toml_text import toml_text
from wirelab.study import OWN_STORE

PARAMETER_SETS = 10


@dataclass(frozen=True, slots=True)
class ProtocolComparison:
    """The contenders that are compared, and the operations that the first and another offer."""

    domain: Domain
    contenders: tuple[Contender, ...]
    operations: tuple[Operation, ...]
    notes: tuple[str, ...]

    @property
    def store(self) -> str:
        """The kind of the domain's first store, or else the contenders' own stores."""
        kinds = type(self.domain.stores).model_fields
        return next((kind for kind in kinds if getattr(self.domain.stores, kind)), OWN_STORE)


def find_protocol_comparison(
    name: str, chosen: Sequence[str], only: Sequence[str], *, allow_writes: bool
) -> ProtocolComparison:
    """Find the contenders of a domain by their protocols or ids, and their common operations.

    Raises `ProblemsError` for an unknown one.
    """
    check_unambiguous(name)
    domain = load_domain(name)
    known = load_contenders(domain)
    with collected_problems():
        contenders = _chosen(domain, known, chosen)
        add_unknown("--only", only, domain.operations)
    if len(contenders) < 2:
        add_problem(
            f"contender of {domain.name}", "", ", ".join(chosen), "two protocols or contenders"
        )
    operations: list[Operation] = []
    notes, hint = [], ""
    for operation in domain.operations.values():
        offered = [
            contender
            for contender in contenders
            if contender.protocol in _bindings(domain, contender, operation)
        ]
        missing = [contender.id for contender in contenders if contender not in offered]
        if only and operation.name not in only:
            continue
        if operation.effect == "none":
            continue
        if operation.effect == "write" and not allow_writes:
            hint = "see --allow-writes"
            continue
        if contenders[0] not in offered or len(offered) < 2:  # the others are compared with it
            notes.append(f"{operation.name} is left out: not offered by {', '.join(missing)}")
            continue
        if missing:
            notes.append(f"{operation.name} is not offered by {', '.join(missing)}")
        operations.append(operation)
    if not operations:
        offering = f"an operation that {contenders[0].id} and another of them offer"
        expected = "; ".join([offering, *notes])
        raise ProblemsError([Problem(name, "operation", ", ".join(only) or None, expected, hint)])
    return ProtocolComparison(domain, contenders, tuple(operations), tuple(notes))


def write_study(
    folder: Path, comparison: ProtocolComparison, terms: Terms, spending: Spending
) -> Path:
    """Write the study of a comparison into a folder below `folder`, and return that."""
    domain, names = comparison.domain, [contender.id for contender in comparison.contenders]
    labels = label_contenders({contender.id: contender for contender in comparison.contenders})
    states = {name: state.records for name, state in domain.states.items() if state.verified}
    state = {"state": max(states, key=states.__getitem__)} if states else {}
    study = folder / "study"
    study.mkdir(parents=True)
    document = study_document(
        terms,
        spending,
        title=f"{domain.title}: {', '.join(labels.values())}",
        names=names,
        workloads={
            f"w-{operation.name}": {
                "title": operation.summary,
                "operation": operation.name,
                "parameter_sets": PARAMETER_SETS,
                **state,
            }
            for operation in comparison.operations
        },
        question={
            "text": f"Is any of them faster or slower than {labels[names[0]]}?",
            "against": "baseline",
        },
        warm_up={
            "transactions": 50,
            "seconds": 0.2,
            "longest_seconds": LONGEST_REHEARSAL_S,
        },
    )
    document |= {"domain": str(domain.folder), "stores": [comparison.store]}
    (study / "study.toml").write_text(toml_text(document), encoding="utf-8")
    return study


def _chosen(
    domain: Domain, known: Mapping[str, Contender], chosen: Sequence[str]
) -> tuple[Contender, ...]:
    """Choose by id, or by protocol from the stack with most of the wanted protocols."""
    own = {name: contender for name, contender in known.items() if not contender.variant_of}
    stacks: dict[str, set[str]] = {}
    for each in own.values():
        stacks.setdefault(each.stack, set()).add(each.protocol)
    by_breadth = sorted(own.values(), key=lambda it: -len(stacks[it.stack] & set(chosen)))
    contenders: dict[str, Contender] = {}
    for name in chosen:
        of_protocol = next(
            (contender for contender in by_breadth if contender.protocol == name), None
        )
        contender: Contender | None = known.get(name) or of_protocol
        if contender is None:
            choices = [*known, *{contender.protocol for contender in known.values()}]
            expected, hint = one_of(choices), close_match(name, choices)
            add_problem(f"contender of {domain.name}", "", name, expected, hint)
        else:
            contenders[contender.id] = contender
    return tuple(contenders.values())


def _bindings(domain: Domain, contender: Contender, operation: Operation) -> Mapping[str, object]:
    bound = domain.in_dialect(contender.dialect).operations.get(operation.name)
    return bound.bindings if bound else {}
