"""The generators, in the order in which a round goes through them."""

from benches.peers.generator import Generator
from benches.peers.generators.floor import Floor
from benches.peers.generators.fortio import Fortio
from benches.peers.generators.ghz import Ghz
from benches.peers.generators.h2load import H2load
from benches.peers.generators.hey import Hey
from benches.peers.generators.k6 import K6
from benches.peers.generators.oha import Oha
from benches.peers.generators.wirelab_load import WirelabLoad
from benches.peers.generators.wrk import Wrk
from benches.peers.generators.zrk import Zrk

FLOOR = Floor.name
OURS = WirelabLoad().name
EARLIER = "wirelab-load-earlier"
"""An earlier version of our engine, if the session was given one."""

GENERATORS: tuple[Generator, ...] = (
    Floor(),
    WirelabLoad(),
    WirelabLoad(program=EARLIER),
    Wrk(),
    Zrk(),
    H2load(),
    Ghz(),
    Oha(),
    Fortio(),
    Fortio(uniform=True),
    WirelabLoad("spin"),
    Hey(),
    K6(),
)
