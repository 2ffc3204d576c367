"""Pokemon TCG Pocket, the card game for two players. `spec.md` says what its rules are."""
