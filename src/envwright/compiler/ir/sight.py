"""Who can look behind a reference: a memory, as those see it that it is made of itself."""

from typing import Any, Protocol

from envwright.compiler.ir.values import Value


class Sight(Protocol):
    """What reading a part of something needs of a memory."""

    @property
    def program(self) -> Any:
        """The translation under way: tables become its constants."""

    def see(self, value: Value) -> Value:
        """What is behind a reference or a view."""
        ...

    def deep(self, value: Value) -> Value:
        """The same, and inside of lists, too."""
        ...
