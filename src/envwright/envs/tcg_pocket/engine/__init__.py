"""The rules of spec.md in JAX: a step is a pipeline of masked stages, and a card a row of numbers that they read."""
