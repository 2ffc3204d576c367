"""The levels of verification: L0 contract, L1 property, L2 interaction, L3 rollout. A file each, or one a question."""
