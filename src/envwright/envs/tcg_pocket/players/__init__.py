"""Who plays: what is looked at of an observation, what actions are worth by rule, opponents, a learner's features."""
