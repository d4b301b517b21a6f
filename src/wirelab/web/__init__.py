"""Pages for the user of this machine: a server on loopback that escapes texts and checks hosts."""

from wirelab.web.application import application
from wirelab.web.loopback import LoopbackError, address_of, bind_loopback
from wirelab.web.pages import Pages, report_response
from wirelab.web.server import serve

__all__ = [
    "LoopbackError",
    "Pages",
    "address_of",
    "application",
    "bind_loopback",
    "report_response",
    "serve",
]
