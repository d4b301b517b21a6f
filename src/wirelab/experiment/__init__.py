"""The experiment: the stages of a study in order, from files to a sealed bundle."""

from wirelab.experiment.execution import Outcome
from wirelab.experiment.observer import Observer, Observers
from wirelab.experiment.study import RemoteMachines, resume_study, run_study
from wirelab.planning.plan import PlannedStudy, plan_study

__all__ = [
    "Observer",
    "Observers",
    "Outcome",
    "PlannedStudy",
    "RemoteMachines",
    "plan_study",
    "resume_study",
    "run_study",
]
