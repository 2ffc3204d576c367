"""What the ladder is worth: the same faults, repaired with every level and with whole episodes alone."""
