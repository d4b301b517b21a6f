"""domain.toml: domains are loaded, and checked against their interface descriptions."""

from wirelab.domain_file.load import (
    check_unambiguous,
    find_domain,
    find_domain_of,
    is_there,
    list_domains,
    load_domain,
    packaged_domain,
)

__all__ = [
    "check_unambiguous",
    "find_domain",
    "find_domain_of",
    "is_there",
    "list_domains",
    "load_domain",
    "packaged_domain",
]
