"""The classes of a TypeScript project, as every function of it sees them."""

import re
from typing import TYPE_CHECKING

from envwright.recipe.analyse import trees
from envwright.recipe.analyse.facts import FixedArray
from envwright.recipe.analyse.gather import Scanned
from envwright.recipe.analyse.trees import line, text, walk
from envwright.recipe.analyse.typescript_files import (
    TsClass,
    TsFile,
    TsFunction,
    TsProject,
    annotation,
    made,
)
from envwright.recipe.analyse.whole import evaluate

if TYPE_CHECKING:
    from tree_sitter import Node


_SIZED = re.compile(r"(Array|\w+Array)")


class Reader:
    """What is the same for all functions: classes, and which of them is the environment."""

    def __init__(self, project: TsProject, main: TsClass | None) -> None:
        self.project, self.main = project, main
        self.classes = list(project.classes())
        for cls in self.classes:
            self._fields(cls)

    def _fields(self, cls: TsClass) -> None:
        """Fields are known by annotations, by parameters that are fields, and by what the methods put there."""
        for method in cls.methods.values():
            for node in walk(method.node):
                if node.type == "required_parameter" and any(c.type == "accessibility_modifier" for c in node.children):
                    cls.kinds.setdefault(text(node.child_by_field_name("pattern")), annotation(node))
                elif node.type == "assignment_expression":
                    left = text(node.child_by_field_name("left"))
                    if left.startswith("this.") and (kind := made(node.child_by_field_name("right"))):
                        cls.kinds.setdefault(left.removeprefix("this."), kind)

    def behind(self, cls: TsClass) -> Scanned:
        """The code of a class outside of its methods: the arrays that its fields begin with."""
        code = Scanned(cls.file.name, cls.name, cls.name, line(cls.node), trees.last_line(cls.node), 0)
        body = cls.node.child_by_field_name("body")
        for member in body.children if body is not None else ():
            label = text(member.child_by_field_name("name")) or text(member.child_by_field_name("property"))
            value = member.child_by_field_name("value")
            if (count := self.elements(cls.file, value)) is not None and value is not None:
                code.memory.append(FixedArray(code.file, line(value), label, count))
        return code

    def elements(self, file: TsFile, value: "Node | None") -> int | None:
        """How many elements `new Uint8Array(64 * ROWS)` has, with constants of this file and of others."""
        if value is None or value.type != "new_expression" or not _SIZED.fullmatch(made(value)):
            return None
        return evaluate(self._written_out(file, text(value.child_by_field_name("arguments")).strip("()"), 0))

    def _written_out(self, file: TsFile, given: str, depth: int) -> str:
        """An expression with the values of its constants in place of their names."""
        for name in dict.fromkeys(re.findall(r"[A-Za-z_$][\w$]*", given)):
            where, own = self.project.home(file, name) or (file, name)
            if own in where.values and depth < 8:
                behind = self._written_out(where, where.values[own], depth + 1)
                given = re.sub(rf"(?<![\w$]){re.escape(name)}(?![\w$])", f"({behind})", given)
        return given

    def cls(self, file: TsFile, name: str) -> TsClass | None:
        found = self.project.lookup(file, name)
        return found if isinstance(found, TsClass) else None

    def mro(self, cls: TsClass) -> list[TsClass]:
        order: list[TsClass] = []
        above: TsClass | None = cls
        while above is not None and above not in order:
            order.append(above)
            above = self.cls(above.file, above.base) if above.base else None
        return order

    def methods(self, cls: TsClass, name: str, after: TsClass | None = None) -> list[TsFunction]:
        """The methods that a name can mean, those of subclasses included."""
        order = [base for base in self.mro(cls) if base is not after]
        found = next(([base.methods[name]] for base in order if name in base.methods), [])
        if after is None and cls is not self.main:
            found += [
                c.methods[name] for c in self.classes if c is not cls and cls in self.mro(c) and name in c.methods
            ]
        return found

    def kind(self, cls: TsClass, field: str) -> TsClass | None:
        return next((self.cls(base.file, base.kinds[field]) for base in self.mro(cls) if field in base.kinds), None)

    def by_name(self, name: str, own: TsClass | None) -> list[TsFunction]:
        found = [cls.methods[name] for cls in self.classes if name in cls.methods]
        return [f for f in found if f.owner is not own] or found
