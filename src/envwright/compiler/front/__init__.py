"""The original: its source, its live objects, and where its contract puts its state."""
