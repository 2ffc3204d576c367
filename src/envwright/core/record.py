"""Records: frozen dataclasses that JAX can map over. Every state, params and chance is one."""

import dataclasses
from typing import Any, Self, cast, dataclass_transform

import jax
import numpy as np
from numpy.typing import DTypeLike


@dataclass_transform(frozen_default=True, eq_default=False)
class Record:
    """Subclass it and annotate fields; the subclass becomes a frozen dataclass and a JAX pytree.

    Records compare by identity: their fields are arrays, whose `==` is not a truth value.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclasses.dataclass(frozen=True, eq=False)(cls)
        jax.tree_util.register_dataclass(
            cls,
            data_fields=[field.name for field in dataclasses.fields(cls)],  # pyright: ignore[reportArgumentType]
            meta_fields=[],
        )

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # pyright: ignore[reportArgumentType]


def field_names(record: Record | type[Record]) -> tuple[str, ...]:
    """The names of a record's fields, in order."""
    return tuple(field.name for field in dataclasses.fields(record))  # pyright: ignore[reportArgumentType]


def scalar(value: float, dtype: DTypeLike = np.float32) -> jax.Array:
    """A default for a param: a NumPy scalar, which needs no device at import, where an array is expected."""
    return cast(jax.Array, np.asarray(value, dtype)[()])
