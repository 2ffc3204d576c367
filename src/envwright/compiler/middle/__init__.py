"""Abstract interpretation of the original, statement by statement."""
