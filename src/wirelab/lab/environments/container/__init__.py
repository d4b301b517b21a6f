"""Containers: contenders in their own images, under an engine such as Docker."""
