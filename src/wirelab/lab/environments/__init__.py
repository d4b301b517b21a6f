"""Environments in which contenders run: this machine itself, or containers."""
