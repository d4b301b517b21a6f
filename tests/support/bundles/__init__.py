"""Synthetic bundles: written from models, without measuring anything."""
