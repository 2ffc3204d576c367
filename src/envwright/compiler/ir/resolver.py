"""What reading a subscript needs of the abstract store."""

from typing import Any, Protocol

from envwright.compiler.ir.values import Value


class Resolver(Protocol):
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
