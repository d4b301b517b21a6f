"""From the descriptions of somebody's API to a domain and a study."""
