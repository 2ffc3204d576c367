"""Whole numbers from the arithmetic that is written in a source."""

import ast


def evaluate(text: str) -> int | None:
    """The value of a sum, product or shift of whole numbers; None for anything else."""
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _value(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            value = _value(inner)
            return None if value is None else -value
        case ast.BinOp(op=operation, left=left, right=right):
            a, b = _value(left), _value(right)
            return None if a is None or b is None else arithmetic(operation, a, b)
    return None


def arithmetic(operation: ast.operator, a: int, b: int) -> int | None:
    """One operation, if it is of the kind that sizes are made with."""
    match operation:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.FloorDiv() | ast.Div() if b > 0:
            return a // b
        case ast.LShift() if 0 <= b < 64:
            return a << b
        case ast.Pow() if 0 <= b < 64 and abs(a) < 2**16:
            return a**b
    return None
