"""Containers: contenders in images of their own, under an engine such as Docker."""
