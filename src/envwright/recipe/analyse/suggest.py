"""JAX or Rust: what the shape of a reference says."""

from envwright.recipe.analyse.facts import ALLOCATES, SETS_UP, Analysis

JAX, RUST = "jax", "rust"
LARGE = 16_384  # elements of one array; a batch of thousands of games holds as many copies
WIDE = 24  # arms of a choice; under vmap every arm is paid for at every step


def suggest(analysis: Analysis) -> tuple[str, str]:
    """The target to begin with, and the reason in a sentence."""
    played = [unit for unit in analysis.units if SETS_UP not in unit.flags]
    largest = max(analysis.memory, key=lambda m: m.count, default=None)
    if largest and largest.count > LARGE:
        return RUST, f"{largest.name} holds {largest.count:,} elements, and every game of a batch has its own."
    looping = {call for unit in played if {"while", "do"} & set(unit.loops) for call in (unit.id, *unit.calls)}
    widest = max((unit for unit in played if unit.id in looping), key=lambda u: u.arms, default=None)
    if widest and widest.arms >= WIDE:
        return RUST, f"{widest.qualified} is an interpreter: it has {widest.arms} arms, in a loop without a fixed end."
    for unit in played:
        if unit.recursive:
            return RUST, f"{unit.qualified} calls itself, directly or through others, to no fixed depth."
        if ALLOCATES in unit.flags:
            return RUST, f"{unit.qualified} allocates memory while it plays, so its state has no fixed size."
    values = len(analysis.state)
    size = f", the largest array of {largest.count:,} elements" if largest else ""
    state = f"{values} value{'s' * (values != 1)} change{'s' * (values == 1)} from step to step"
    return JAX, f"The state is small and fixed: {state}{size}; no recursion, and no memory allocated while it plays."
