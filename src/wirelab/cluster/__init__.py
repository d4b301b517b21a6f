"""Many machines: blocks of a study handed to the machines of a Ray cluster as they become free."""

from wirelab.cluster.assigning import refuse_shared
from wirelab.cluster.fleet import Fleet, fleet_at

__all__ = ["Fleet", "fleet_at", "refuse_shared"]
