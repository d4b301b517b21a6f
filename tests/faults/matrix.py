"""The cases: every combination of target, fault and phase that makes sense and is possible."""

import signal
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from wirelab.terminal.exit_codes import ExitCode


class Target(StrEnum):
    """The target of the fault."""

    CONTENDER = "contender"
    ENGINE = "engine"
    STORE = "store"
    PROXY = "proxy"
    CONTENDERS_GUARD = "contender's guard"
    ENGINES_GUARD = "engine's guard"
    STORES_GUARD = "store's guard"
    LAB = "lab"


class World(StrEnum):
    """The study of a case: how it measures, and on which store."""

    TURNS = "in turns"
    """Contenders take turns in slices; the store is PostgreSQL."""
    APART = "measured separately"
    """Each run has a window in a separate session (`separate = true`)."""
    DOCUMENTS = "on FerretDB"
    """As in turns, but on the document store."""
    SECURE = "behind nginx with TLS"
    """As in turns, but through a proxy with a certificate."""


class Fault(StrEnum):
    """The kind of fault."""

    SIGKILL = "SIGKILL"
    SIGSTOP = "SIGSTOP"
    SIGTERM = "SIGTERM"
    MEMORY = "out of memory"
    DESCRIPTORS = "out of descriptors"
    DISK_FULL = "disk full"
    READ_ONLY = "read-only"
    PORTS = "ports taken"
    CLOCK_BACK = "clock moved back"
    CLOCK_FORWARD = "clock moved forward"


class Phase(StrEnum):
    """The phase of the fault; the laboratory reports each when it is reached."""

    STANDING_UP = "standing up"
    """Nothing runs yet."""
    SETTING_UP = "setting up"
    """The store runs, and gets its first state."""
    VERIFYING = "verifying"
    """A contender runs, and its verification is about to begin."""
    WARM_UP = "warm-up"
    WINDOW = "window"
    BETWEEN_RUNS = "between runs"
    """The first of a block's sessions has ended. Only for runs that are measured separately."""
    BETWEEN = "between blocks"
    SEALING = "sealing"


SIGNALS = {
    Fault.SIGKILL: signal.SIGKILL,
    Fault.SIGSTOP: signal.SIGSTOP,
    Fault.SIGTERM: signal.SIGTERM,
}
LIMITS = (Fault.MEMORY, Fault.DESCRIPTORS)
DISKS = (Fault.DISK_FULL, Fault.READ_ONLY)
ABORTS = {-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGTRAP, 127}
"""Libraries in C and C++ end the process without memory; 127 is glibc's, with its own message."""
OF_THE_LAB: Mapping[Fault, set[int]] = {
    Fault.SIGKILL: {-signal.SIGKILL},
    Fault.SIGTERM: {ExitCode.INTERRUPTED},
    Fault.SIGSTOP: {ExitCode.OK},
    Fault.MEMORY: {ExitCode.OK, ExitCode.FAILED, ExitCode.NOT_READY, *ABORTS},
}
"""Exit codes of faults that end, stop or starve the laboratory itself."""
DAY_S = 24 * 60 * 60
CLOCKS = {Fault.CLOCK_BACK: -DAY_S, Fault.CLOCK_FORWARD: DAY_S}
"""The change of the wall clock, in seconds."""

LOADED = (Phase.WARM_UP, Phase.WINDOW)
LATER = (Phase.WINDOW, Phase.BETWEEN_RUNS)
USUAL = tuple(phase for phase in Phase if phase != Phase.BETWEEN_RUNS)

PHASES_BY_TARGET: Mapping[Target, Collection[Phase]] = {
    Target.CONTENDER: (Phase.VERIFYING, Phase.WARM_UP, Phase.WINDOW),
    Target.PROXY: (Phase.VERIFYING, Phase.WARM_UP, Phase.WINDOW),
    Target.CONTENDERS_GUARD: (Phase.VERIFYING, Phase.WARM_UP, Phase.WINDOW),
    Target.ENGINE: LOADED,
    Target.ENGINES_GUARD: LOADED,
    Target.STORE: tuple(phase for phase in USUAL if phase != Phase.SEALING),
    Target.STORES_GUARD: (
        Phase.SETTING_UP,
        Phase.VERIFYING,
        Phase.WARM_UP,
        Phase.WINDOW,
        Phase.BETWEEN,
    ),
    Target.LAB: USUAL,
}
"""The phases in which the target exists. The store has files on disk before it runs."""

PHASES_IF_SEPARATE: Mapping[Target, Collection[Phase]] = {
    Target.CONTENDER: LOADED,
    Target.CONTENDERS_GUARD: LOADED,
    Target.ENGINE: LOADED,
    Target.ENGINES_GUARD: LOADED,
    Target.STORE: LATER,
    Target.STORES_GUARD: LATER,
    Target.LAB: (Phase.WARM_UP, *LATER),
}
"""The phases in which separate runs make a difference: a session has a single contender,
and a block that breaks off has sessions before and after."""

FAULTS_BY_TARGET: Mapping[Target, Collection[Fault]] = {
    Target.CONTENDER: (*SIGNALS, *LIMITS, *CLOCKS),
    Target.PROXY: (*SIGNALS, *LIMITS, *CLOCKS),
    Target.ENGINE: (*SIGNALS, *LIMITS, *CLOCKS),
    Target.STORE: (*SIGNALS, *LIMITS, *DISKS, *CLOCKS),
    Target.CONTENDERS_GUARD: tuple(SIGNALS),
    Target.ENGINES_GUARD: tuple(SIGNALS),
    Target.STORES_GUARD: tuple(SIGNALS),
    Target.LAB: tuple(Fault),
}
"""The store's disk is that of TMPDIR, the lab's that of --output; no other part writes to disk."""

FAULTS_IF_SEPARATE: Mapping[Target, Collection[Fault]] = {
    **{target: FAULTS_BY_TARGET[target] for target in PHASES_IF_SEPARATE},
    Target.CONTENDER: (*SIGNALS, *LIMITS),
    Target.STORE: (*SIGNALS, *LIMITS, *DISKS),
}
"""The engine times a window and the lab records it, so no other clock matters."""

FAULTS_OF_DOCUMENTS: Mapping[Target, Collection[Fault]] = {
    Target.STORE: (*SIGNALS, *LIMITS, *DISKS),
    Target.STORES_GUARD: tuple(SIGNALS),
    Target.LAB: (Fault.SIGKILL, Fault.SIGTERM),
}
"""The store itself, and its leftovers if the laboratory ends."""

FAULTS_BEHIND_TLS: Mapping[Target, Collection[Fault]] = {
    Target.ENGINE: tuple(CLOCKS),
    Target.LAB: (Fault.SIGKILL, Fault.SIGTERM, *CLOCKS),
}
"""A certificate is valid for some days, and its key is in a file that must be removed."""

PHASES_BEHIND_TLS: Mapping[Target, Collection[Phase]] = {
    Target.ENGINE: (Phase.VERIFYING, Phase.BETWEEN),
    Target.LAB: (Phase.VERIFYING, Phase.WINDOW, Phase.BETWEEN),
}
"""The phases with later connections; a later engine starts with a changed clock."""

WORLDS = {
    World.TURNS: (FAULTS_BY_TARGET, PHASES_BY_TARGET),
    World.APART: (FAULTS_IF_SEPARATE, PHASES_IF_SEPARATE),
    World.DOCUMENTS: (
        FAULTS_OF_DOCUMENTS,
        {**PHASES_BY_TARGET, Target.LAB: (Phase.SETTING_UP, Phase.WINDOW, Phase.BETWEEN)},
    ),
    World.SECURE: (FAULTS_BEHIND_TLS, PHASES_BEHIND_TLS),
}
"""The possible faults and phases of each world."""

LEFT_OUT = (
    "**The container engine.** It serves other programs of the machine, so the suite does not end"
    " it. `tests/lab/environments/container` has what happens to containers when a laboratory"
    " dies.",
    "**The clock of a guard.** It uses only the monotonic clock, which is never changed.",
    "**The clock of FerretDB.** It is a Go program, which reads the time from the kernel"
    " directly; the kernel has one wall clock for the whole machine.",
    "**A contender's, an engine's or a proxy's disk.** They write only to the lab's disk.",
    "**A guard's memory and descriptors.** It allocates everything at its start.",
    "**One port taken.** A contender takes another one"
    " (`tests/lab/contenders/test_running.py`); here all ports are taken.",
    "**Measured separately, before the warm-up or between blocks.** These cases are the same as for"
    " contenders that take turns.",
)
"""The cases that are left out, and why."""


@dataclass(frozen=True, slots=True)
class Case:
    """One fault of one target in one phase."""

    target: Target
    fault: Fault
    phase: Phase
    world: World = World.TURNS

    def __str__(self) -> str:
        usual = f"{self.target}, {self.fault}, {self.phase}"
        return usual if self.world == World.TURNS else f"{usual}, {self.world}"

    @property
    def design(self) -> str:
        """The design of the study that it uses."""
        if self.target == Target.PROXY:
            return "behind"
        return {World.APART: "apart", World.SECURE: "secure"}.get(self.world, "smoke")

    @property
    def shuts_temporary_files(self) -> bool:
        """Whether temporary files cannot be removed, because their disk is read-only to the end."""
        return self.target == Target.STORE and self.fault == Fault.READ_ONLY

    @property
    def loses_its_own_runs(self) -> bool:
        """Whether the target is under test, so that its runs may be lost, but no others."""
        tested = {Target.CONTENDER, Target.PROXY, Target.CONTENDERS_GUARD}
        return self.target in tested and self.fault not in CLOCKS

    @property
    def codes(self) -> set[int]:
        """The exit codes that are documented for it."""
        if self.fault in CLOCKS:
            return {ExitCode.OK}
        if self.target == Target.LAB and self.fault in OF_THE_LAB:
            return OF_THE_LAB[self.fault]
        if self.loses_its_own_runs:
            refused = {ExitCode.VERIFY_FAILED} if self.phase == Phase.VERIFYING else set()
            return {ExitCode.FAULTS, *refused, *self._harmless()}
        stopped = {ExitCode.NOT_READY}
        if self.fault not in SIGNALS:
            stopped.add(ExitCode.FAILED)
        return {ExitCode.OK, *stopped}

    def _harmless(self) -> set[int]:
        """A limit affects only processes that exceed it; a suspended guard still guards."""
        guard = self.target == Target.CONTENDERS_GUARD and self.fault == Fault.SIGSTOP
        return {ExitCode.OK} if guard or self.fault in LIMITS else set()


def all_cases() -> list[Case]:
    """Return every case, in a fixed order."""
    return [
        Case(target, fault, phase, world)
        for world, (befalls, present) in WORLDS.items()
        for target, faults in befalls.items()
        for fault in faults
        for phase in present[target]
        if _makes_sense(target, fault, phase)
    ]


def _makes_sense(target: Target, fault: Fault, phase: Phase) -> bool:
    """A store that does not run yet can only have disk faults."""
    return target != Target.STORE or phase != Phase.STANDING_UP or fault in DISKS
