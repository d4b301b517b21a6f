"""domain.toml: a domain is read, and checked against its interface descriptions."""

from wirelab.domain_file.load import (
    find_domain,
    is_there,
    list_domains,
    load_domain,
)

__all__ = [
    "find_domain",
    "is_there",
    "list_domains",
    "load_domain",
]
