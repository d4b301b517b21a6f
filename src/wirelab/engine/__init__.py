"""The load engine's contract: the job that it reads, and the events and results that it writes."""
