"""References in JavaScript."""

from envwright.references.node.process import NodeReference

__all__ = ["NodeReference"]
