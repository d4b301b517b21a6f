"""The machines of a cluster: what each measured, and whether verdicts depend on the machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirelab.analysis.model import ComparedPair
from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord, MachineRecord
from wirelab.bundle.run_reasons import RunReason
from wirelab.statistics import MachineEffect, holm, machine_effect
from wirelab.study import METRICS, Cell
from wirelab.terminal import words

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class MachineSummary:
    """One machine: its description, its number of valid blocks, and what went wrong."""

    name: str
    cpu: str
    kernel: str
    blocks: int
    lost: str
    missing: Mapping[str, RunReason]
    """Contenders that were not measured there, by place, with the reason."""
    host: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PairOnMachines:
    """A comparison on each machine; `p_holm` is the corrected p value for differing machines."""

    label: str
    verdict: str
    effect: MachineEffect
    p_holm: float | None

    @property
    def depends(self) -> bool:
        """Whether the ratio differs significantly between machines."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Machines:
    """The effect of machines on a study; `sentence` states whether verdicts depend on them."""

    machines: tuple[MachineSummary, ...]
    pairs: tuple[PairOnMachines, ...]
    sentence: str


def study_machines(
    records: Sequence[MachineRecord],
    blocks: Sequence[BlockRecord],
    pairs: Sequence[ComparedPair],
    *,
    values: RunValues,
    metric: str,
    titles: Mapping[Cell, str],
) -> Machines | None:
    """Determine whether verdicts depend on the machine; None for a study on a single machine.

    `blocks` are the last attempts; `titles` name the settings of cells.
    """
    if not records:
        return None
    judged = [pair for pair in pairs if pair.verdict is not None]
    effects = [_effect(pair, values, metric) for pair in judged]
    tested = [effect.p_value for effect in effects if effect and effect.p_value is not None]
    adjusted = iter(holm(tested).tolist() if tested else [])
    found = tuple(
        PairOnMachines(
            label=f"{pair.a_label} vs {pair.b_label}, {titles[pair.a]}",
            verdict=pair.verdict.words if pair.verdict else "",
            effect=effect,
            p_holm=None if effect.p_value is None else next(adjusted),
        )
        for pair, effect in zip(judged, effects, strict=True)
        if effect is not None
    )
    return Machines(
        machines=tuple(_summary(record, blocks) for record in records),
        pairs=found,
        sentence=_sentence(found),
    )


def _effect(pair: ComparedPair, values: RunValues, metric: str) -> MachineEffect | None:
    """Group the block values of a comparison by machine, and test for an effect."""
    machines = values.machines(pair.a)
    sign = -1.0 if METRICS[metric].is_reported_inverted else 1.0
    by_machine: dict[str, list[float]] = {}
    for block, ratio in values.log_ratios(metric, pair.a, pair.b).items():
        if machines.get(block):
            by_machine.setdefault(machines[block], []).append(sign * ratio)
    return machine_effect(by_machine)


def _cpu(host: Mapping[str, Any]) -> str:
    """Return the CPU model, if the machine reported it."""
    cpu = host.get("cpu")
    return str(cpu.get("model", "unknown") if isinstance(cpu, Mapping) else cpu or "unknown")


def _summary(record: MachineRecord, blocks: Sequence[BlockRecord]) -> MachineSummary:
    return MachineSummary(
        name=record.name,
        cpu=_cpu(record.host),
        kernel=str(record.host.get("kernel", "unknown")),
        blocks=sum(block.machine == record.name and not block.failures for block in blocks),
        lost=record.lost,
        missing=record.missing,
        host=record.host,
    )


def _sentence(pairs: Sequence[PairOnMachines]) -> str:
    tested = [pair.p_holm for pair in pairs if pair.p_holm is not None]
    if not tested:
        return (
            "Whether results depend on the machine is unknown: the test needs two machines, one of"
            " which measured a comparison in two blocks."
        )
    depending = [pair.label for pair in pairs if pair.depends]
    least = words.p_value(min(tested))
    if not depending:
        return (
            f"In none of {words.plural(len(tested), 'comparison')} does the ratio differ between"
            f" machines by more than chance allows (smallest Holm {least})."
        )
    return (
        f"The ratio depends on the machine in {len(depending)} of"
        f" {words.plural(len(tested), 'comparison')} (smallest Holm {least}):"
        f" {words.listed(depending)}."
    )
