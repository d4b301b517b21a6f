"""Processes on this machine: their users, CPUs, memory and limits, and how they end."""
