"""What one call of an agent may spend."""

from envwright.agents.protocol import Money


class Purse:
    """What one call may spend, over several requests: reserve, send, settle, as the ledger does for calls."""

    def __init__(self, grant: Money) -> None:
        self.grant, self.spent, self._reserved = grant, 0, 0

    @property
    def left(self) -> Money:
        return self.grant - self.spent - self._reserved

    def reserve(self, amount: Money) -> bool:
        """Put money aside for a request; says whether there was enough."""
        if amount > self.left:
            return False
        self._reserved += amount
        return True

    def settle(self, reserved: Money, cost: Money) -> None:
        """A request that `reserved` was put aside for has ended and cost this."""
        self._reserved -= reserved
        self.spent += cost
