"""What tests of references share."""

from collections.abc import Iterator

import pytest
from node_games import PIG

from envwright.references.node import NodeReference


@pytest.fixture(scope="module")
def pig() -> Iterator[NodeReference]:
    with NodeReference(PIG) as reference:
        yield reference
