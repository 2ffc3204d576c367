"""Trees of arrays as columns with names, and back."""

from typing import Any

import jax
import jax.numpy as jnp

ALONE = "value"  # the name of a tree that is a single array


def named(tree: Any, alone: str = ALONE) -> dict[str, Any]:
    """The leaves of a tree by dotted name; random keys as the numbers they are made of."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {_name(path) or alone: _numbers(leaf) for path, leaf in leaves}


def filled(template: Any, columns: dict[str, Any], alone: str = ALONE) -> Any:
    """`template` with its leaves replaced by those of `columns`, in the template's dtypes."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(template)
    return jax.tree_util.tree_unflatten(
        structure, [_like(leaf, columns.get(_name(path) or alone, leaf)) for path, leaf in leaves]
    )


def like(template: Any, tree: Any) -> Any:
    """`tree` in the dtypes of `template`, so that a loop may carry it."""
    return jax.tree.map(_like, template, tree)


def _like(leaf: Any, value: Any) -> Any:
    dtype = jnp.result_type(leaf)
    if jnp.issubdtype(dtype, jax.dtypes.prng_key):
        if jnp.issubdtype(jnp.result_type(value), jax.dtypes.prng_key):
            return value
        return jax.random.wrap_key_data(jnp.asarray(value), impl=str(jax.random.key_impl(leaf)))
    return jnp.asarray(value).astype(dtype)


def _numbers(leaf: Any) -> Any:
    return jax.random.key_data(leaf) if jnp.issubdtype(jnp.result_type(leaf), jax.dtypes.prng_key) else leaf


def _name(path: tuple[Any, ...]) -> str:
    parts = [str(_part(key)) for key in path]
    if parts[:1] == ["inner"]:  # what a time limit wraps keeps its own names
        parts = parts[1:]
    return ".".join(parts)


def _part(key: Any) -> Any:
    for attribute in ("name", "key", "idx"):
        if hasattr(key, attribute):
            return getattr(key, attribute)
    return key
