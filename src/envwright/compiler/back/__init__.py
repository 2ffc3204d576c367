"""Code generation: the entry points, optimised and printed."""
