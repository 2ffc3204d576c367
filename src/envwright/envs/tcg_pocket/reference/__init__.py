"""The rules of spec.md in plain Python, one rule after the other: slow, and meant to be read beside it."""
