"""Learning to play: PPO, on our environments as one compiled program, on slow originals step by step."""
