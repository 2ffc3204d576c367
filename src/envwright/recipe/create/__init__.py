"""New environments from documents: rules for people ─► numbered specification ─► reference ─► tests."""
