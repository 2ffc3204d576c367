"""A specification as agents and people read it."""

from collections.abc import Sequence

from envwright.recipe.create.specification import GameDraw, Specification, StateField


def told_specification(spec: Specification) -> str:
    """In Markdown: rules with their numbers, the answers to open questions, and what can be seen, set and drawn."""
    parts = [
        f"# {spec.title}",
        spec.summary,
        "## Rules",
        "\n".join(f"- **{rule.number}** {rule.text}" for rule in spec.rules),
    ]
    if spec.questions:
        parts += [
            "## What was open, and how it is decided",
            "Where a rule's text and a decision differ, the decision holds.",
            "\n".join(_questions(spec)),
        ]
    parts += [
        "## Actions",
        "\n".join(f"- `{number}`: {meaning}" for number, meaning in enumerate(spec.actions)),
        f"Legal actions: {spec.legal}",
        f"Reward of a step: {spec.reward}",
        f"End of an episode: {spec.ends}",
        "## State",
        "\n".join(f"- `{field.name}`: {told_kind(field)}. {field.meaning}" for field in spec.state),
        f"The observation is the numbers of {', '.join(f'`{name}`' for name in spec.observation)}, in this order.",
        "## Random draws",
        "\n".join(_draws(spec.draws)),
    ]
    return "\n\n".join(parts) + "\n"


def _questions(spec: Specification) -> list[str]:
    return [
        f"- **{question.number}**, about {', '.join(question.rules)}: {question.text} Decided: {question.default}"
        for question in spec.questions
    ]


def told_kind(field: StateField) -> str:
    """What values a part of the state has."""
    if field.kind == "bool":
        return "true or false"
    values = f"{field.low} to {field.high}"
    return f"list of {field.length} whole numbers, each {values}" if field.kind == "list" else f"whole number, {values}"


def _draws(draws: Sequence[GameDraw]) -> list[str]:
    said = []
    for call in ("reset", "step"):
        rows = [f"integers({d.low}, {d.high}): {d.meaning}" for d in draws if d.call == call]
        listed = [f"   {nth}. {row}" for nth, row in enumerate(rows, 1)]
        said += [f"- In `{call}`, in this order:", *listed] if rows else [f"- In `{call}`: none."]
    return said
