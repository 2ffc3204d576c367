"""`pebbles:FILE.js`: a kind of reference that this package adds."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.references.node import NodeReference
from envwright.references.protocol import Reference
from envwright.references.registry import ReferenceKind, SourceCode


@dataclass(frozen=True)
class Pebbles(ReferenceKind):
    usage = "pebbles:FILE.js"

    def make(self, **options: Any) -> Reference:
        return NodeReference(self._file, **options)

    def source(self) -> SourceCode:
        return SourceCode([self._file])

    @property
    def _file(self) -> Path:
        return (self.base or Path()) / self.rest
