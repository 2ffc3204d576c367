"""Where generated code runs: a process of its own, with limits, that cannot take the run down with it."""
