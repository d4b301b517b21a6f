"""What each kind of caution says."""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.support.bundles.reasons import IT_DIED, wrong
from tests.support.wording import assert_as_written
from wirelab.analysis.answers.invalid_runs import InvalidRuns
from wirelab.analysis.cautions import (
    budget,
    capacities,
    costs,
    disturbance,
    estimates,
    generator,
    machines,
    networks,
    pathologies,
    runs,
    scatter,
    servers,
    settling,
    turns,
    twins,
    verification,
)
from wirelab.analysis.cautions.caution import At, Caution
from wirelab.analysis.disturbance import Disturbance
from wirelab.analysis.extension_loading import ExtensionMissing
from wirelab.bundle import AcceptedChange, AlteredFile
from wirelab.bundle.run_reasons import TooLittleDisk, Unavailable
from wirelab.lab.host import why_paced
from wirelab.statistics import compare
from wirelab.verify import Finding
from wirelab.verify.findings.equality_reasons import PartlyCompared
from wirelab.verify.findings.finding_reasons import Differs, Symptomatic, UnusualRefusal
from wirelab.verify.servers.symptoms import Sign, Symptom

ONE = (At("REST", "Fetch one", "9 %"),)
MANY = tuple(At(label, "Fetch one", "9 %") for label in ("REST", "gRPC", "SOAP", "A", "B", "C"))
FINDING = Finding(severity="error", contender="REST", operation="read", reason=Differs())
WARNING = Finding(severity="warning", contender="REST", reason=UnusualRefusal(remark="odd"))
PARTLY = Finding(
    severity="note",
    contender="rest",
    operation="read",
    reason=PartlyCompared(whose="rest", share=0.05, only=("links/self",), shared=()),
)
BUSY = Disturbance(
    stolen_share=0.2,
    stolen_span=(0.1, 0.3),
    worst_stolen_share=0.5,
    in_turns=True,
    other_share=0.4,
    clock_change_share=0.2,
    repeated_blocks=1,
    lost_runs=2,
    started_lost_runs=2,
)
TWIN = compare([0.10, 0.11, 0.12, 0.10, 0.11, 0.12])
PAIRS = (("REST against gRPC at “Fetch one”", "because of noise"),)
TAIL = turns.Tail("gRPC", "REST", "Fetch one", 0.8, 1.2, reverses=True, is_first=True)


def symptomatic(symptom: Symptom) -> verification.ShowsSymptom:
    reason = Symptomatic(sign=Sign(symptom, "its evidence"))
    return verification.ShowsSymptom(symptom, (WARNING.model_copy(update={"reason": reason}),))


EACH: tuple[Caution, ...] = (
    runs.Altered((AlteredFile("host.json", "missing"),)),
    runs.ChangesAccepted(
        (AcceptedChange(accepted_utc="2026", path="host.json", reason="missing"),)
    ),
    budget.NotMeasured(("Fetch one", "Add one"), "no time"),
    budget.TooImprecise(PAIRS, 60, 60, 60),
    budget.TooImprecise(PAIRS, 120, 120, 60),
    budget.TooImprecise(PAIRS * 2, 60, 120, 120),
    budget.TooImprecise(PAIRS * 2, 120, 120, 60),
    budget.TooFewValid(PAIRS, 600),
    capacities.SearchWarned(ONE[0], "the engine was busy"),
    capacities.SearchUnfinished(ONE, "--search"),
    capacities.StoppedUnderOverload(ONE[0], IT_DIED),
    costs.StoreDominates(MANY),
    costs.BytesNotStraight("REST", "fetch", "3 of 9 deviate", 0),
    costs.BytesNotStraight("REST", "fetch", "3 of 9 deviate", 2),
    disturbance.Disturbed(BUSY, compares=True),
    disturbance.Disturbed(replace(BUSY, in_turns=False), compares=True),
    disturbance.Disturbed(BUSY, compares=False),
    estimates.Drifted(0.1, 0.9, is_paired=True),
    estimates.Drifted(0.1, 0.9, is_paired=False),
    estimates.FewSamples(200, ("p95", "p99")),
    estimates.MethodsDisagree(("gRPC vs REST at “Fetch one”",)),
    ExtensionMissing(True, "ValueError: 1"),
    ExtensionMissing(False, "it does not come with wirelab", "name it"),
    generator.GeneratorBusy(1, 20, 0.93),
    generator.GeneratorLagged(1, 5000),
    generator.LittleNotClosed(1),
    generator.SomeFailed(7, 2),
    generator.SessionsReopened(7, 2),
    generator.NearCeiling(ONE),
    generator.CeilingUnknown(ONE),
    machines.DependsOnMachine(("gRPC vs REST",), "The ratio depends on the machine."),
    machines.MachinesLost((("two", "the node died"),)),
    machines.NotOnEveryMachine((("soap (native)", "two", Unavailable(what="it needs Go")),)),
    networks.NetworkTooFast((("wifi", "30 Mbit/s may be more"),)),
    networks.PacketsLate((("wifi", 2000, 2), ("mobile", 3600, 1))),
    networks.Paced(why_paced("bbr")),
    *(
        kind(ONE)
        for kind in (
            pathologies.DelayedAcknowledgements,
            pathologies.UnclearPlateau,
            pathologies.NoKeepAlive,
            pathologies.FullHandshakes,
            pathologies.SmallPool,
        )
    ),
    runs.Incomplete(3, 20),
    *(
        runs.RunsDoNotCount(3, (InvalidRuns((wrong(),), 3, ("REST",), 2),), True, remedy)
        for remedy in runs.REMEDIES
    ),
    runs.RunsDoNotCount(1, (InvalidRuns((), 1, ("REST",), 1),), False, ""),
    runs.RanApart((TooLittleDisk(why="it has no space"),) * 2),
    runs.ManyBlocksLost((("gRPC against REST at “Fetch one”", 2, 6),)),
    runs.TooFewBlocks(1, 4, 3, 4, more_helps=True),
    runs.TooFewBlocks(1, 4, 3, 4, more_helps=False),
    scatter.SharedScatter((("Fetch one", 2, 1.9), ("Add one", 3, 0.4)), "measure more blocks"),
    scatter.StartsDiffer(ONE, "typical", True, "measure more blocks"),
    scatter.StartsDiffer(ONE, "mean", False, ""),
    scatter.TimesDiffer(ONE, "typical", True, "measure more blocks"),
    scatter.TwinsDiffer((("Fetch one", 0.3),), "measure more blocks"),
    scatter.TwinsDiffer((("Fetch one", 0.3),), ""),
    servers.Uncontrolled(dict.fromkeys(servers.MEANINGS, ("REST", "gRPC"))),
    servers.VersionsDiffer({"REST": ("flask (native 3.1.0, container 3.0.0)", "node 24")}),
    *(
        settling.SettlingUnknown(course, has_budget=False, more_helps=True)
        for course in settling.ENOUGH
    ),
    settling.SettlingUnknown("slices", has_budget=True, more_helps=True),
    settling.SettlingUnknown("slices", has_budget=True, more_helps=False),
    settling.NotSettled(1, 20, "REST", "Fetch one"),
    turns.StolenTimeChanges((("gRPC vs REST at “Fetch one”", 1.3, 1.1),)),
    turns.Tails(
        (TAIL, replace(TAIL, reverses=False), replace(TAIL, reverses=False, is_first=False))
    ),
    turns.CarriedOver((("Fetch one", 0.02),)),
    turns.BusyOutOfTurn((("REST", 0.21, 1),)),
    twins.NoTwin("rest", is_measured=True),
    twins.NoTwin("rest", is_measured=False),
    twins.MethodFails(2, 2, 0.003),
    twins.TwinDiffers((("Fetch one", TWIN),), 4, 0.05),
    twins.TwinDiffers((("Fetch one", TWIN),), 4, 0.2),
    verification.VerificationRefused((FINDING,), ("fetch: the answer is 1 from a and 2 from b",)),
    verification.VerificationRefused((FINDING, FINDING), ()),
    verification.VerificationWarned((WARNING,)),
    verification.AnswersPartlyCompared((PARTLY,)),
    *map(symptomatic, Symptom),
    settling.ShortWindows(ONE, 2.0),
    settling.MixCutShort(ONE),
)


def test_each_kind_says_what_its_facts_are() -> None:
    lines = (f"{each.severity}: {each.title}: {each.detail}." for each in EACH)

    assert_as_written(Path(__file__).with_name("wording.txt"), lines)


def test_no_kind_is_left_out() -> None:
    def kinds(of: type[Caution]) -> set[type[Caution]]:
        below = of.__subclasses__()
        return {of} if not below else {kind for each in below for kind in kinds(each)}

    assert kinds(Caution) == {type(each) for each in EACH}


@pytest.mark.parametrize("caution", EACH, ids=lambda each: each.kind)
def test_a_caution_ends_without_a_full_stop_which_reports_add(caution: Caution) -> None:
    assert not caution.detail.endswith(".")


def test_a_report_for_programs_has_kind_and_facts() -> None:
    record = runs.Incomplete(3, 20).record()

    assert (record["kind"], record["facts"]) == ("incomplete", {"missing": 3, "planned": 20})
    assert all(TypeAdapter(dict).dump_json(each.record()) for each in EACH)
