"""Stand up what the tests need by means of the laboratory: a bank in a store, a contender."""

from tests.bank.clients import open_client
from tests.support.standing import runner
from wirelab.domain_file import load_domain
from wirelab.lab.contenders.contender import load_contenders

BANK = load_domain("bank")
CONTENDERS = load_contenders(BANK)

MOVEMENTS = 10_000
"""How many there are in the store of most tests; a state is made with that many all the same."""
STATE = "hundred_thousand"
FIRST_INSERTED = 100_000_001
"""The first id that a server gives; those of generated rows are smaller."""


running = runner(CONTENDERS, open_client)
