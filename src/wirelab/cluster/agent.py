"""One agent of a load: the engine on a machine of the cluster, started at a given time.

`actor` calls its methods.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from wirelab.cluster.messages import AgentReport
from wirelab.cluster.packed_files import pack
from wirelab.cluster.working_folder import WorkingFolder
from wirelab.engine.job import Job, Slice
from wirelab.errors import LabError, MeasureError
from wirelab.lab.processes.process import stop_everything
from wirelab.measure.driver import LOG, Engine


class LoadAgent(WorkingFolder):
    """The engine on this machine. Call `connect`, then `run_load`, once each."""

    def connect(self, job: Job) -> None:
        """Open all connections of a job with `control`. Raises `LabError`."""
        output = self._folder / "result"
        output.mkdir()
        with _as_lab_error():
            self._engine = Engine.start(job.model_copy(update={"output": output}), self._folder)

    def run_load(self, window: Slice) -> AgentReport:
        """Run the load from the agreed time on; return the measurement. Raises `LabError`."""
        with _as_lab_error():
            self._engine.slices([window])
            result = self._engine.finish()
        files = {**pack(self._folder / "result"), LOG: pack(self._folder)[LOG]}
        self._engine.stop()
        return AgentReport(result, files)

    def close(self) -> None:
        """End all processes that were started."""
        stop_everything()


@contextmanager
def _as_lab_error() -> Iterator[None]:
    """Raise errors of the measurement as `LabError`, with the same text."""
    try:
        yield
    except MeasureError as failed:
        raise LabError(str(failed)) from failed
