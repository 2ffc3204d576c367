"""Which key means which action."""

from envwright.core import Controls, Discrete, EnvwrightError, Space, Spec


def controls_for(spec: Spec, space: Space, waits: bool = False) -> Controls:
    """The environment's own keys; where it has none, the digits are its actions.

    A game that `waits` for the player's choice does nothing while no key is held; another takes its first action.
    """
    if not isinstance(space, Discrete):
        raise EnvwrightError(f"{spec.id} takes {space} as an action, which keys cannot give; play a discrete one.")
    digits = {str(action): action for action in range(min(space.n, 10))}
    return spec.controls or Controls(digits, idle=() if waits else (0,), help=f"0-{max(digits)} act")
