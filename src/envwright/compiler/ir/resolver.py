"""What reading a subscript needs of the abstract store."""

from typing import Any, Protocol

from envwright.compiler.ir.values import Value


class Resolver(Protocol):
    """What subscripts need of the abstract store."""

    @property
    def program(self) -> Any:
        """The translation unit, which holds constants."""

    def see(self, value: Value) -> Value:
        """Resolve a reference or a view."""
        ...

    def deep(self, value: Value) -> Value:
        """Resolve a value, including the items of lists and dicts."""
        ...
