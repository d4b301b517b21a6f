"""Make a domain and a study from the descriptions of an API."""
