"""L4's parts: who plays, the games on both sides, and the statistics that compare them."""
