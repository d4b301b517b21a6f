"""Resolution: what the settings of kaminski-2022 show in the time of its smallest design."""

from benches.noise.conditions import Condition, condition
from benches.noise.running import run_trial
from wirelab.analysis.cells import MEAN, TYPICAL
from wirelab.statistics import compare
from wirelab.study import twins

STUDY = "kaminski-2022"


def try_resolution(name: Condition, seed: int) -> list[dict[str, object]]:
    """Carry the study out once; return the half-width of each setting's twin in both metrics.

    A question counts as decided when any of its pairs is; `pairs` counts the pairs themselves.
    """
    with condition(name, seed):
        trial = run_trial(STUDY, "smoke", seed)
    values = trial.values
    answers = [answer for answer in trial.analysis.answers if answer.pairs]
    compared = {(pair.a, pair.b): pair for answer in answers for pair in answer.pairs}
    return [
        {
            "setting": cell.workload,
            "metric": metric,
            "half_width": compare(values.cost_ratios(metric, twin, cell)).half_width_ratio,
            "minutes": trial.seconds / 60,
            "decided": sum(answer.decided for answer in answers),
            "questions": len(answers),
            "pairs": {
                "decided": sum(pair.is_decided for pair in compared.values()),
                "all": len(compared),
            },
        }
        for twin, cell in twins(list(values.runs))
        for metric in (TYPICAL, MEAN)
    ]


def try_order(name: Condition, seed: int) -> dict[str, object]:
    """Ask REST and GraphQL alone; GraphQL is slower at inserting and fetching one game."""
    with condition(name, seed):
        only = ("rest-flask", "graphql-graphene", "insert_one", "fetch_one")
        trial = run_trial(STUDY, "smoke", seed, only)
    verdicts = {
        pair.a.workload: pair.verdict.words if pair.verdict else ""
        for answer in trial.analysis.answers
        for pair in answer.pairs
    }
    return {"seed": seed, "minutes": trial.seconds / 60, **verdicts}
