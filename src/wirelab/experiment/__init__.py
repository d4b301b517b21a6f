"""The experiment: the stages of a study in their order, from files to a sealed bundle."""

from wirelab.experiment.execution import Outcome
from wirelab.experiment.observer import Observer, Observers
from wirelab.experiment.study import Elsewhere, resume_study, run_study
from wirelab.plan import PlannedStudy, plan_study

__all__ = [
    "Elsewhere",
    "Observer",
    "Observers",
    "Outcome",
    "PlannedStudy",
    "plan_study",
    "resume_study",
    "run_study",
]
