"""Many machines: distribute the blocks of a study to the machines of a Ray cluster."""

from wirelab.cluster.assigning import refuse_shared
from wirelab.cluster.fleet import Fleet, fleet_at

__all__ = ["Fleet", "fleet_at", "refuse_shared"]
