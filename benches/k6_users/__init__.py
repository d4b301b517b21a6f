"""What k6's users cost, beside the engine's, on the servers of sliwa-2021."""
