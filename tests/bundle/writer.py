"""A program that writes a bundle as fast as it can, to be killed at any moment.

It prints a run's id once the run is recorded; the test holds it to that.
"""

import sys
from pathlib import Path

from wirelab.bundle import Bundle

from .samples import create, record_of

PAYLOAD = b"x" * 200_000


def main() -> None:
    """Create or resume the bundle named on the command line, and carry out what is missing."""
    folder, runs = Path(sys.argv[1]), int(sys.argv[2])
    bundle = Bundle.resume(folder) if folder.exists() else create(folder, runs=runs)
    print("open", flush=True)
    bundle.set_status("running")
    done = bundle.finished_run_ids()
    for run in bundle.schedule.runs:
        if run.id in done:
            continue
        bundle.append_event("run started", run=run.id)
        partial = bundle.partial_run(run.id)
        for name in ("result.json", "samples.parquet", "contender.log"):
            (partial / name).write_bytes(PAYLOAD)
        bundle.record_run(record_of(run))
        print(run.id, flush=True)
    bundle.seal()


if __name__ == "__main__":
    main()
