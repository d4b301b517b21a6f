"""From a bundle to findings: summaries, comparisons, verdicts, answers, threats."""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wirelab.analysis.answers.capacities import capacity_answers
from wirelab.analysis.answers.effort import efforts
from wirelab.analysis.answers.invalid_runs import failing, group_reasons
from wirelab.analysis.answers.measuring_time import extent
from wirelab.analysis.answers.omissions import budget_s, omission_cautions, undecided_cautions
from wirelab.analysis.answers.questions import build_answers
from wirelab.analysis.answers.refusals import answers_differ, differing_answers, refusals
from wirelab.analysis.cautions.alterations import alteration_cautions
from wirelab.analysis.cautions.conditions import conditions
from wirelab.analysis.cautions.disturbance import summarise_disturbance
from wirelab.analysis.cautions.environments import different_versions, verification_time
from wirelab.analysis.cautions.fairness import check_fairness
from wirelab.analysis.cautions.machines import machine_cautions, study_machines
from wirelab.analysis.cautions.networks import network_cautions
from wirelab.analysis.cautions.pathologies import find_pathologies
from wirelab.analysis.cautions.settling import classify_runs, settling_cautions
from wirelab.analysis.cautions.short_windows import window_cautions
from wirelab.analysis.cautions.threats import find_cautions
from wirelab.analysis.cautions.uncontrolled_servers import uncontrolled
from wirelab.analysis.cells import MEAN, summarise, time_metric
from wirelab.analysis.comparing import Judge, measure_noise
from wirelab.analysis.extension import Measurements
from wirelab.analysis.extension_loading import extend
from wirelab.analysis.figures.cache_use import cache_uses
from wirelab.analysis.figures.charts import paper_charts
from wirelab.analysis.figures.grids import grid_effects
from wirelab.analysis.figures.open_and_closed import open_views
from wirelab.analysis.figures.over_window import over_windows
from wirelab.analysis.figures.place_costs import container_costs, proxy_costs
from wirelab.analysis.figures.scaling import scalings
from wirelab.analysis.figures.store_share import store_shares
from wirelab.analysis.figures.sustained import capacity_cautions, sustained
from wirelab.analysis.figures.sweep import sweeps
from wirelab.analysis.figures.time_series import Courses
from wirelab.analysis.figures.wire import wire_costs
from wirelab.analysis.lint import lint
from wirelab.analysis.model import Answer, CellSummary, Faulty, Judged, Setting, Validity
from wirelab.analysis.names import label_contenders, label_of
from wirelab.analysis.procedure import procedure
from wirelab.analysis.published import published_tables
from wirelab.analysis.result import Analysis, pairs_of
from wirelab.analysis.settings import build_settings, setting_title
from wirelab.analysis.values import RunValues
from wirelab.bundle import BundleInfo, ContenderRecord, Contents, Snapshot, WireRecord
from wirelab.bundle.agreement import require_agreement
from wirelab.claims import (
    Evidence,
    check_claims,
    check_consistency,
    decide_hypotheses,
    names_in,
)
from wirelab.planning.schedule import Schedule
from wirelab.study import METRICS, Cell, Factor, Study, family, load_study
from wirelab.terminal import words

__all__ = ["Analysis", "Answer", "CellSummary", "Judged", "Setting", "Validity", "analyse", "lint"]


ANSWERS_DIFFER = "Answers differ, so nothing was measured."
VERIFICATION_FAILED = "Verification failed, so nothing was measured."


def analyse(bundle: Contents, trusted_study: Path | None = None) -> Analysis:
    """Compute the content of a report, from the bundle alone.

    `trusted_study` is the folder of a study that does not come with wirelab but whose extension
    may be executed. Raises `ProblemsError` if a file of the bundle is broken or missing, or
    contradicts another.
    """
    bundle = Snapshot(bundle.path)
    alterations = tuple(bundle.alterations())
    require_agreement(bundle)
    schedule = bundle.schedule
    study = load_study(bundle.study_folder).in_design(schedule.design)
    contenders = _ordered(bundle.contenders, study.contenders)
    labels = label_contenders(contenders)
    findings = tuple(
        each.model_copy(update={"contender": labels.get(each.contender, each.contender)})
        for each in bundle.findings
    )
    names = names_in(study, labels)
    protocols = {name: record.protocol for name, record in contenders.items()}
    cells = _in_study_order({run.cell for run in schedule.runs}, study)
    values = RunValues.of(bundle, study)
    planned = Counter(run.cell for run in schedule.runs)
    capacities = sustained(bundle.last_attempts())
    summaries = {
        cell: summarise(
            study,
            cell,
            values,
            planned=planned[cell],
            label=label_of(cell, labels),
            protocol=protocols[cell.contender],
            sustained=capacities.get(cell),
        )
        for cell in cells
        if cell in values.runs
    }
    wire = wire_costs(_wire_in_study_order(bundle.wire_records, study), labels, protocols)
    noise = measure_noise(study, cells, values)
    validity = _validity(bundle, schedule)
    to_repair = failing(validity.faulty)
    judge = Judge.of(study, cells, values, labels, noise, to_repair=to_repair)
    settings = build_settings(study, cells, summaries, judge, wire)
    titles = {cell: setting_title(study, cell, cells) for cell in cells}
    compares = bool(family(study, cells))
    answers = (
        *build_answers(study, cells, settings, judge, validity.faulty),
        *capacity_answers(
            study,
            cells,
            summaries,
            bundle.last_attempts(),
            labels=labels,
            titles=titles,
            compares=compares,
        ),
    )
    pairs = pairs_of(answers)
    shares = store_shares(study, cells, summaries, values)
    reasons = group_reasons(validity.faulty, labels)
    settled = classify_runs(bundle, settings, values)
    courses = Courses(bundle, values)
    fairness = check_fairness(values, time_metric(study))
    disturbance = summarise_disturbance(bundle.block_records(), values)
    spent = efforts(bundle.last_attempts(), schedule, pairs, values, study)
    machines = study_machines(
        bundle.machines,
        bundle.last_attempts(),
        pairs,
        values=values,
        metric=study.metric,
        titles=titles,
    )
    extension = extend(Measurements(bundle, study, cells, values, judge, contenders), trusted_study)
    evidence = Evidence.of(
        schedule, values.values, noise.margin_ratio, judge.adjusted_p, values.log_ratios
    )
    has_budget = budget_s(study, schedule) is not None
    found = Analysis(
        info=bundle.info,
        digest=None if alterations else bundle.digest,
        alterations=alterations,
        rerun=_rerun(bundle.info),
        study=study,
        schedule=schedule,
        contenders=contenders,
        labels=labels,
        host=bundle.host,
        machines=machines,
        environments=bundle.environments,
        settings=settings,
        answers=answers,
        compares=compares,
        noise=noise,
        wire=wire,
        calls=tuple(bundle.call_records),
        cache_uses=cache_uses(cells, bundle.last_attempts()),
        store_shares=shares,
        settled=settled,
        container_costs=container_costs(cells, values),
        proxy_costs=proxy_costs(cells, values),
        over_windows=over_windows(study, settings, courses),
        charts=paper_charts(courses, study, cells, labels),
        published=published_tables(study, cells, values, contenders, labels),
        extension=extension,
        open_views=open_views(study, settings, bundle.pilot_records, values, schedule),
        grids=grid_effects(study, settings),
        sweeps=sweeps(
            study,
            cells,
            values,
            contenders,
            labels=labels,
            design=study.designs[schedule.design],
            captions=extension.additions.captions,
        ),
        scalings=scalings(study, cells, values, labels),
        claims=tuple(check_claims(study, evidence, names)),
        hypotheses=decide_hypotheses(study, evidence),
        consistency=tuple(check_consistency(study, names)),
        validity=validity,
        reasons=reasons,
        disturbance=disturbance,
        efforts=spent,
        procedure=procedure(
            bundle,
            contenders,
            labels,
            by_turns=METRICS[study.metric].of_slices,
            compares=compares,
        ),
        extent=extent(bundle.block_records(), len(judge.p_holm[study.metric])),
        conditions={
            **conditions(
                values.runs,
                disturbance,
                fairness,
                pairs,
                spent,
                contenders=contenders,
                has_budget=has_budget,
            ),
            **verification_time(bundle.events()),
        },
        cautions=(
            *alteration_cautions(alterations, bundle.info.accepted_changes),
            *extension.cautions,
            *omission_cautions(study, schedule),
            *undecided_cautions(
                study,
                schedule,
                pairs,
                bundle.block_records(),
                values=values,
                efforts=spent,
                to_repair=to_repair,
            ),
            *different_versions(contenders, labels),
            *find_pathologies(
                values.runs,
                findings,
                study.loads,
                lambda cell: f"{labels[cell.contender]} at “{titles[cell]}”",
            ),
            *find_cautions(
                values,
                summaries,
                titles,
                validity=validity,
                reasons=reasons,
                noise=noise,
                pairs=pairs,
                wire=wire,
                shares=shares,
                findings=findings,
                differing=differing_answers(study, bundle.findings),
                notes=[note for record in bundle.last_attempts() for note in record.notes],
                disturbance=disturbance,
                fairness=fairness,
                running=[
                    name for name, it in contenders.items() if "fresh_start" in it.not_controlled
                ],
                baseline=study.baseline,
                by_mean=study.metric == MEAN,
                has_budget=has_budget,
                compares=compares,
            ),
            *settling_cautions(settled, has_budget=has_budget, helps=not to_repair),
            *window_cautions(study, study.designs[schedule.design], values, summaries, titles),
            *capacity_cautions(study, summaries, titles),
            *machine_cautions(machines),
            *uncontrolled(contenders, labels),
            *network_cautions(study, bundle.last_attempts(), bundle.environments),
        ),
        refused=refusals(study, bundle.findings),
    )
    refused = found.refused and not settings and not validity.missing
    if refused and all(each.status == "skipped" for each in validity.faulty):
        return _stopped(found, bundle)
    return found


def _stopped(found: Analysis, bundle: Contents) -> Analysis:
    """Leave only the reason: everything else is about measurements, and there is none."""
    return replace(
        found,
        stopped=ANSWERS_DIFFER if answers_differ(bundle.findings) else VERIFICATION_FAILED,
        cautions=tuple(alteration_cautions(found.alterations, found.info.accepted_changes)),
        reasons=(),
        procedure=(),
        extent=(),
    )


def _in_study_order(cells: Iterable[Cell], study: Study) -> list[Cell]:
    """Sort cells as the study file lists their levels, since runs are in random order."""
    positions = {
        factor: {level: position for position, level in enumerate(levels)}
        for factor, levels in study.levels.items()
    }
    factors: tuple[Factor, ...] = (
        *("workload", "store", "environment", "load", "proxy", "network", "contender"),
    )
    return sorted(
        cells,
        key=lambda cell: (*(positions[f][cell.level(f)] for f in factors), cell.twin),
    )


def _ordered(
    contenders: Mapping[str, ContenderRecord], order: Sequence[str]
) -> dict[str, ContenderRecord]:
    return {name: contenders[name] for name in order if name in contenders}


def _wire_in_study_order(rows: Iterable[WireRecord], study: Study) -> list[WireRecord]:
    workloads = list(study.workloads)
    return sorted(
        rows,
        key=lambda row: (workloads.index(row.workload), study.contenders.index(row.contender)),
    )


def _rerun(info: BundleInfo) -> str:
    """Return the command that runs the study again, into a new folder."""
    command = info.command or (
        *("wirelab", "run", info.study, "--design", info.design, "--seed", str(info.seed)),
    )
    elsewhere = [
        word
        for before, word in itertools.pairwise(("", *command))
        if "--output" not in (before, word) and not word.startswith("--output=")
    ]
    return words.command(*elsewhere)


def _validity(bundle: Contents, schedule: Schedule) -> Validity:
    records = bundle.last_attempts()
    runs = [run for record in records for run in record.runs]
    missing = schedule.remaining({record.block.id for record in records})
    return Validity(
        planned=len(schedule.runs),
        valid=len({run.run.id for run in runs if run.status == "valid"}),
        faulty=tuple(
            Faulty(run.run, run.status, run.reasons) for run in runs if run.status != "valid"
        ),
        missing=sum(len(block.runs) for block in missing),
    )
