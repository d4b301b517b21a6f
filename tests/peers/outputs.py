"""What the generators printed once, of runs of one second on a machine with other work."""

from pathlib import Path
from shutil import copyfile

from benches.peers.case import CASES
from benches.peers.generator import Order

OUTPUTS = Path(__file__).parent / "outputs"
CASE = {case.id: case for case in CASES}


def order(case: str, folder: Path, recorded: str = "", name: str = "output") -> Order:
    """Make an order whose run left what was recorded, as a file of that name in its folder."""
    if recorded:
        (folder / name).parent.mkdir(exist_ok=True)
        copyfile(OUTPUTS / recorded, folder / name)
    return Order(
        case=CASE[case],
        port=8080,
        seconds=1.0,
        requests=CASE[case].requests,
        program="program",
        material=folder,
        folder=folder,
        cpu=1,
    )
