"""Records are frozen, mappable and rebuilt whole."""

import copy
import dataclasses
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright import Record
from envwright.core.record import field_names


class Point(Record):
    x: jax.Array
    y: jax.Array


class Point3(Point):
    z: jax.Array


def test_is_a_pytree_with_its_fields_as_leaves_in_order() -> None:
    assert jax.tree.leaves(Point(x=jnp.int32(1), y=jnp.int32(2))) == [1, 2]
    assert field_names(Point) == field_names(Point(jnp.int32(0), jnp.int32(0))) == ("x", "y")


def test_paths_name_the_fields() -> None:
    paths, _ = jax.tree_util.tree_flatten_with_path(Point(jnp.int32(1), jnp.int32(2)))
    assert [jax.tree_util.keystr(path) for path, _ in paths] == [".x", ".y"]


def test_goes_through_jit_vmap_and_scan() -> None:
    step = jax.jit(lambda p: p.replace(x=p.x + p.y))
    out = jax.vmap(step)(Point(jnp.arange(3), jnp.ones(3, jnp.int32)))
    assert isinstance(out, Point)
    assert out.x.tolist() == [1, 2, 3]
    last, _ = jax.lax.scan(lambda p, _: (step(p), None), Point(jnp.int32(0), jnp.int32(2)), length=4)
    assert last.x == 8


def test_cannot_be_changed_in_place() -> None:
    point = Point(jnp.int32(1), jnp.int32(2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = jnp.int32(5)  # pyright: ignore[reportAttributeAccessIssue]


def test_replace_leaves_the_original_and_refuses_unknown_fields() -> None:
    point = Point(jnp.int32(1), jnp.int32(2))
    assert point.replace(y=jnp.int32(9)).y == 9
    assert point.y == 2
    with pytest.raises(TypeError, match="speed"):
        point.replace(speed=1)


def test_compares_by_identity_so_that_arrays_never_become_truth_values() -> None:
    one, two = Point(jnp.arange(3), jnp.arange(3)), Point(jnp.arange(3), jnp.arange(3))
    assert one == one
    assert one != two
    assert len({one, two}) == 2


def test_a_record_of_a_record_has_the_fields_of_both() -> None:
    assert field_names(Point3) == ("x", "y", "z")
    assert len(jax.tree.leaves(Point3(jnp.int32(1), jnp.int32(2), jnp.int32(3)))) == 3


def test_survives_pickle_and_copy() -> None:
    point = Point(jnp.arange(3), jnp.float32(0.5))
    for other in (pickle.loads(pickle.dumps(point)), copy.deepcopy(point)):
        assert isinstance(other, Point)
        assert np.array_equal(other.x, point.x)
