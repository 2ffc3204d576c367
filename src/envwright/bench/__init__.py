"""Races between our environments and others: same machine, same cores, turn by turn."""
