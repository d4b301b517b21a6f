"""The updates for browsers: the state as JSON, and points of its series."""

import json
import os
import time
from typing import Any

from wirelab.experiment.stage_progress import StageProgress
from wirelab.live.courses import StudyNames
from wirelab.live.forest import Forest, ForestRow, forests, found_so_far
from wirelab.live.state import PERCENTILES, BlockSpan, LiveState


def describe(state: LiveState, names: StudyNames | None) -> str:
    """Return everything except the series, for the event `state`."""
    now = state.now
    own = os.times()
    return _json(
        {
            "status": state.status,
            "stages": [_stage(stage, now) for stage in state.stages],
            "attempt": state.attempt,
            "doing": state.doing,
            "known": bool(state.order),
            "seconds": now - state.began,
            "contenders": [_contender(state, names, who) for who in state.contenders()],
            "found": found_so_far(names, state.courses) if names else "",
            "decided": state.progress.text,
            "forests": [_forest(it) for it in forests(names, state.courses)] if names else [],
            "margin": names.study.margin if names else 0.0,
            "spans": [_span(state, names, span) for span in state.spans],
            "invalid": state.runs_invalid,
            "notes": list(state.notes),
            "report": state.report is not None,
            "resume": state.resume,
            "page_cpu_share": (own.user + own.system) / max(1.0, time.time() - state.began),
        }
    )


def points(state: LiveState, first: int) -> str:
    """Return the series from a bin on, for the events `history` and `points`."""
    return _json(
        {
            "width": state.history.width_s,
            "first": first,
            "series": state.history.since(first, state.now),
        }
    )


def _stage(stage: StageProgress, now: float) -> dict[str, Any]:
    return {
        "title": stage.title,
        "step": stage.step,
        "done": stage.done,
        "steps": stage.steps,
        "seconds": stage.seconds(now),
        "left": stage.seconds_left(now),
        "at_least": stage.is_lower_bound,
        "ended": stage.ended is not None,
    }


def _contender(state: LiveState, names: StudyNames | None, who: str) -> dict[str, Any]:
    tally = state.tallies[who]
    return {
        "who": who,
        "setting": names.title(tally.cell) if names and tally.cell else "",
        "before": tally.is_before,
        "rate": tally.rate(),
        **{f"{name}_us": tally.percentile_us(name) for name in PERCENTILES},
        "transactions": tally.transactions,
        "failed": tally.failed,
        "errors": dict(tally.errors),
        "memory": {role: used for (each, role), used in state.memory.items() if each == who},
    }


def _span(
    state: LiveState, names: StudyNames | None, span: BlockSpan
) -> tuple[float, float | None, str]:
    """Return when a block began and ended, in seconds since the start, and what it measured."""
    began = state.history.start
    title = names.title_of_all(span.cells) if names else span.cells[0].workload
    return round(span.begin - began, 2), span.end and round(span.end - began, 2), title


def _forest(forest: Forest) -> dict[str, Any]:
    return {
        "setting": forest.setting,
        "relative_to": forest.relative_to,
        "rows": [_row(row) for row in forest.rows],
    }


def _row(row: ForestRow) -> dict[str, Any]:
    latest = row.latest
    return {
        "who": row.who,
        "label": row.label,
        "estimate": row.estimate,
        "ratio": _short(latest.ratio),
        "low": _short(latest.low),
        "high": _short(latest.high),
        "trail": [[_short(low), _short(high)] for low, high in row.trail],
        "blocks": latest.blocks,
        "verdict": latest.verdict,
        "sign": row.sign,
        "style": row.style,
        "question": latest.is_question,
        "first": row.is_first,
        "further": latest.further_blocks,
    }


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
