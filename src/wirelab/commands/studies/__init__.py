"""Commands about studies, their domains and their bundles."""
