"""The generator of the universities beside COPY, and the paper's tables of its data."""
