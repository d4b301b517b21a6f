"""The steps of an analysis: from a bundle to everything that a report shows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from wirelab.analysis.answers.capacities import capacity_answers
from wirelab.analysis.answers.deciding_command import rerun_command
from wirelab.analysis.answers.effort import Effort, efforts
from wirelab.analysis.answers.invalid_runs import count_valid, failing, group_reasons
from wirelab.analysis.answers.questions import build_answers
from wirelab.analysis.answers.refused_contenders import answers_differ, refusals
from wirelab.analysis.cautions import find_cautions
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.cautions.fairness import Fairness, check_fairness
from wirelab.analysis.cautions.runs import alterations
from wirelab.analysis.cells import in_study_order, summarise, time_metric
from wirelab.analysis.comparing import Comparer, measure_noise, method_of
from wirelab.analysis.conditions import conditions, verification_time
from wirelab.analysis.disturbance import Disturbance, summarise_disturbance
from wirelab.analysis.extension import Extended, Measurements
from wirelab.analysis.extension_loading import extend
from wirelab.analysis.figures.cache_use import cache_uses
from wirelab.analysis.figures.charts import paper_charts
from wirelab.analysis.figures.distances import split_distances
from wirelab.analysis.figures.grids import grid_effects
from wirelab.analysis.figures.machines import Machines, study_machines
from wirelab.analysis.figures.open_and_closed import open_views
from wirelab.analysis.figures.over_window import over_windows
from wirelab.analysis.figures.place_costs import container_costs, proxy_costs
from wirelab.analysis.figures.published import published_tables
from wirelab.analysis.figures.scaling import scalings
from wirelab.analysis.figures.settling import SettlingSummary, classify_runs
from wirelab.analysis.figures.store_share import store_shares
from wirelab.analysis.figures.sustained import sustained
from wirelab.analysis.figures.sweep import sweeps
from wirelab.analysis.figures.time_series import Courses
from wirelab.analysis.figures.wire import in_order_of_study, wire_costs
from wirelab.analysis.model import (
    CellSummary,
    ComparedPair,
    Noise,
    QuestionAnswer,
    Setting,
    StoreShare,
    Validity,
    WireCost,
)
from wirelab.analysis.names import label_contenders, label_of
from wirelab.analysis.procedure import amount, has_ratios_of_turns, procedure
from wirelab.analysis.result import Analysis, Figures, PaperCheck, Procedure, pairs_of
from wirelab.analysis.settings import build_settings, setting_title
from wirelab.analysis.values import RunValues
from wirelab.bundle import (
    AlteredFile,
    BlockRecord,
    ContenderRecord,
    Contents,
    Snapshot,
)
from wirelab.bundle.agreement import require_agreement
from wirelab.claims import (
    ClaimEvidence,
    check_claims,
    check_consistency,
    decide_hypotheses,
    names_in,
)
from wirelab.planning.schedule import Schedule
from wirelab.statistics import Method
from wirelab.study import METRICS, Cell, Study, family, load_study

ANSWERS_DIFFER = "Answers differ, so nothing was measured."
VERIFICATION_FAILED = "Verification failed, so nothing was measured."


def analyse(bundle: Contents, trusted_study: Path | None = None) -> Analysis:
    """Compute the content of a report, from the bundle alone.

    `trusted_study` is the folder of a study that does not come with wirelab but whose extension
    may be executed. Raises `ProblemsError` if a file of the bundle is broken or missing, or
    contradicts another.
    """
    return _Analysing(Snapshot(bundle.path), trusted_study).result()


def evidence_of(bundle: Contents) -> Evidence:
    """Return what the cautions of a bundle's report are found in."""
    return _Analysing(Snapshot(bundle.path), None).evidence


@dataclass
class _Analysing:
    """The values of an analysis, each computed when it is first needed."""

    bundle: Snapshot
    trusted_study: Path | None

    def result(self) -> Analysis:
        """Return the whole analysis."""
        altered = self.alterations
        require_agreement(self.bundle)
        refused = refusals(self.study, self.bundle.findings)
        was_stopped = refused and not self.settings and not self.validity.missing
        analysis = Analysis(
            info=self.bundle.info,
            digest=None if altered else self.bundle.digest,
            alterations=altered,
            rerun=rerun_command(self.bundle.info),
            study=self.study,
            schedule=self.schedule,
            contenders=self.contenders,
            labels=self.labels,
            host=self.bundle.host,
            machines=self.machines,
            environments=self.bundle.environments,
            settings=self.settings,
            answers=self.answers,
            compares=self.compares,
            noise=self.noise,
            validity=self.validity,
            reasons=group_reasons(self.validity.faulty, self.labels),
            disturbance=self.disturbance,
            procedure=self.procedure(),
            figures=self.figures(),
            paper=self.paper(),
            extension=self.extension,
            cautions=(
                *alterations(self.evidence),
                *self.extension.cautions,
                *find_cautions(self.evidence),
            ),
            refused=refused,
        )
        if was_stopped and all(each.status == "skipped" for each in self.validity.faulty):
            return self.stopped(analysis)
        return analysis

    def stopped(self, analysis: Analysis) -> Analysis:
        """Leave only the reason: everything else is about measurements, and there is none."""
        differ = answers_differ(self.bundle.findings)
        return replace(
            analysis,
            stopped=ANSWERS_DIFFER if differ else VERIFICATION_FAILED,
            cautions=tuple(alterations(self.evidence)),
            reasons=(),
            procedure=replace(analysis.procedure, sentences=(), amount=()),
        )

    # -- what was measured -----------------------------------------------------------------------

    @cached_property
    def alterations(self) -> tuple[AlteredFile, ...]:
        return tuple(self.bundle.alterations())

    @cached_property
    def schedule(self) -> Schedule:
        return self.bundle.schedule

    @cached_property
    def study(self) -> Study:
        return load_study(self.bundle.study_folder).in_design(self.schedule.design)

    @cached_property
    def contenders(self) -> Mapping[str, ContenderRecord]:
        recorded = self.bundle.contenders
        return {name: recorded[name] for name in self.study.contenders if name in recorded}

    @cached_property
    def labels(self) -> Mapping[str, str]:
        return label_contenders(self.contenders)

    @cached_property
    def protocols(self) -> Mapping[str, str]:
        return {name: record.protocol for name, record in self.contenders.items()}

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return in_study_order({run.cell for run in self.schedule.runs}, self.study)

    @cached_property
    def titles(self) -> Mapping[Cell, str]:
        return {cell: setting_title(self.study, cell, self.cells) for cell in self.cells}

    @cached_property
    def compares(self) -> bool:
        return bool(family(self.study, self.cells))

    @cached_property
    def blocks(self) -> list[BlockRecord]:
        return self.bundle.last_attempts()

    @cached_property
    def values(self) -> RunValues:
        return RunValues.from_bundle(self.bundle, self.study)

    @cached_property
    def validity(self) -> Validity:
        return count_valid(self.blocks, self.schedule)

    # -- summaries and comparisons ---------------------------------------------------------------

    @cached_property
    def summaries(self) -> Mapping[Cell, CellSummary]:
        planned = Counter(run.cell for run in self.schedule.runs)
        capacities = sustained(self.blocks)
        return {
            cell: summarise(
                self.study,
                cell,
                self.values,
                planned=planned[cell],
                label=label_of(cell, self.labels),
                protocol=self.protocols[cell.contender],
                sustained=capacities.get(cell),
            )
            for cell in self.cells
            if cell in self.values.runs
        }

    @cached_property
    def wire(self) -> tuple[WireCost, ...]:
        rows = in_order_of_study(self.bundle.wire_records, self.study)
        return wire_costs(rows, self.labels, self.protocols)

    @cached_property
    def noise(self) -> Noise:
        return measure_noise(self.study, self.cells, self.values, self.tested_by(self.study.metric))

    def tested_by(self, metric: str) -> Method:
        return method_of(self.schedule, metric)

    @cached_property
    def comparer(self) -> Comparer:
        return Comparer.from_family(
            self.study,
            self.cells,
            self.values,
            self.labels,
            self.noise,
            method_of=self.tested_by,
            to_repair=failing(self.validity.faulty),
        )

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        return build_settings(self.study, self.cells, self.summaries, self.comparer, self.wire)

    @cached_property
    def answers(self) -> tuple[QuestionAnswer, ...]:
        faulty = self.validity.faulty
        return (
            *build_answers(self.study, self.cells, self.settings, self.comparer, faulty),
            *capacity_answers(
                self.study,
                self.cells,
                self.summaries,
                self.blocks,
                labels=self.labels,
                titles=self.titles,
                compares=self.compares,
            ),
        )

    @cached_property
    def pairs(self) -> Sequence[ComparedPair]:
        return pairs_of(self.answers)

    @cached_property
    def store_shares(self) -> tuple[StoreShare, ...]:
        return store_shares(self.study, self.cells, self.summaries, self.values)

    @cached_property
    def settled(self) -> tuple[SettlingSummary, ...]:
        return classify_runs(self.bundle, self.settings, self.values)

    @cached_property
    def fairness(self) -> tuple[Fairness, ...]:
        return check_fairness(self.values, time_metric(self.study))

    @cached_property
    def disturbance(self) -> Disturbance:
        return summarise_disturbance(self.bundle.current_records(), self.values)

    @cached_property
    def efforts(self) -> tuple[Effort, ...]:
        return efforts(self.blocks, self.schedule, self.pairs, self.values, self.study)

    @cached_property
    def machines(self) -> Machines | None:
        return study_machines(
            self.bundle.machines,
            self.blocks,
            self.pairs,
            values=self.values,
            metric=self.study.metric,
            titles=self.titles,
        )

    @cached_property
    def extension(self) -> Extended:
        bundle, study, cells = self.bundle, self.study, self.cells
        measurements = Measurements(
            bundle, study, cells, self.values, self.comparer, self.contenders
        )
        return extend(measurements, self.trusted_study)

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(
            bundle=self.bundle,
            alterations=self.alterations,
            study=self.study,
            schedule=self.schedule,
            contenders=self.contenders,
            labels=self.labels,
            titles=self.titles,
            values=self.values,
            summaries=self.summaries,
            validity=self.validity,
            noise=self.noise,
            pairs=self.pairs,
            compares=self.compares,
            wire=self.wire,
            store_shares=self.store_shares,
            settled=self.settled,
            fairness=self.fairness,
            disturbance=self.disturbance,
            efforts=self.efforts,
            machines=self.machines,
        )

    # -- the groups of the result ----------------------------------------------------------------

    def procedure(self) -> Procedure:
        """Return how it was measured, and under which conditions."""
        bundle, metric = self.bundle, METRICS[self.study.metric]
        has_ratios = self.compares and metric.of_slices and has_ratios_of_turns(self.blocks)
        return Procedure(
            sentences=procedure(
                self.blocks,
                self.contenders,
                self.labels,
                has_ratios=has_ratios,
                compares=self.compares,
            ),
            has_ratios_of_turns=has_ratios,
            amount=amount(
                bundle.current_records(),
                len(self.comparer.corrected[self.study.metric]),
                bundle.info.earlier,
            ),
            efforts=self.efforts,
            conditions={
                **conditions(
                    self.values.runs,
                    self.disturbance,
                    self.fairness,
                    self.pairs,
                    self.efforts,
                    contenders=self.contenders,
                    has_budget=self.evidence.has_budget,
                ),
                **verification_time(bundle.events()),
            },
            settled=self.settled,
        )

    def figures(self) -> Figures:
        """Return the values of figures and tables beside those of the settings."""
        study, cells, values, settings = self.study, self.cells, self.values, self.settings
        courses = Courses(self.bundle, values)
        pilots = self.bundle.pilot_records
        return Figures(
            wire=self.wire,
            calls=tuple(self.bundle.call_records),
            cache_uses=cache_uses(cells, self.blocks),
            store_shares=self.store_shares,
            container_costs=container_costs(cells, values),
            proxy_costs=proxy_costs(cells, values),
            over_windows=over_windows(study, settings, courses),
            charts=paper_charts(courses, study, cells, self.labels),
            open_views=open_views(study, settings, pilots, values, self.schedule),
            grids=grid_effects(study, settings),
            distances=split_distances(study, cells, values, self.tested_by(study.metric)),
            sweeps=sweeps(
                study,
                cells,
                values,
                self.contenders,
                labels=self.labels,
                design=study.designs[self.schedule.design],
                captions=self.extension.additions.captions,
            ),
            scalings=scalings(study, cells, values, self.labels),
        )

    def paper(self) -> PaperCheck:
        """Return what this says of the paper that the study is about."""
        study, values = self.study, self.values
        names = names_in(study, self.labels)
        evidence = ClaimEvidence.from_schedule(
            self.schedule,
            values.values,
            self.noise.margin_ratio,
            values.block_values,
            self.tested_by,
        )
        return PaperCheck(
            published=published_tables(
                study, self.cells, values.values, self.protocols, self.labels
            ),
            claims=tuple(check_claims(study, evidence, names)),
            hypotheses=decide_hypotheses(study, evidence),
            consistency=tuple(check_consistency(study, names)),
        )
