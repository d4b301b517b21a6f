"""The updates for browsers: the state as JSON, and points of its series."""

import json
import os
import time
from collections.abc import Iterable
from typing import Any

from wirelab.experiment.stage_progress import StageProgress
from wirelab.live.courses import BaselineCourse, QuestionRow, StudyNames
from wirelab.live.state import PERCENTILES, LiveState


def describe(state: LiveState, names: StudyNames | None) -> str:
    """Return everything except the series, for the event `state`."""
    now = state.now
    questions = names.questions(state.courses) if names else []
    against_baseline = names.against_baseline(state.courses) if names else []
    own = os.times()
    return _json(
        {
            "status": state.status,
            "stages": [_stage(stage, now) for stage in state.stages],
            "attempt": state.attempt,
            "doing": state.doing,
            "known": bool(state.order),
            "seconds": now - state.began,
            "contenders": [_contender(state, who) for who in state.contenders()],
            "decided": state.progress.text,
            "questions": [_question(row) for row in questions],
            "settings": _settings(against_baseline),
            "invalid": state.runs_invalid,
            "notes": list(state.notes),
            "report": state.report is not None,
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


def _contender(state: LiveState, who: str) -> dict[str, Any]:
    tally = state.tallies[who]
    return {
        "who": who,
        "rate": tally.rate(),
        **{f"{name}_us": tally.percentile_us(name) for name in PERCENTILES},
        "transactions": tally.transactions,
        "failed": tally.failed,
        "errors": dict(tally.errors),
        "memory": {role: used for (each, role), used in state.memory.items() if each == who},
    }


def _settings(courses: Iterable[BaselineCourse]) -> list[dict[str, Any]]:
    settings: dict[str, list[dict[str, Any]]] = {}
    for course in courses:
        steps = [
            [float(f"{value:.5g}") if value else value for value in step] for step in course.steps
        ]
        settings.setdefault(course.setting, []).append({"who": course.who, "steps": steps})
    return [{"title": title, "courses": members} for title, members in settings.items()]


def _question(row: QuestionRow) -> dict[str, Any]:
    latest = row.latest
    figures = {"ratio": latest.ratio, "low": latest.low, "high": latest.high}
    return {
        "setting": row.setting,
        "a": row.a,
        "b": row.b,
        "blocks": latest.blocks,
        **{name: float(f"{value:.5g}") if value else value for name, value in figures.items()},
        "verdict": latest.verdict,
        "further": latest.further_blocks,
    }


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
