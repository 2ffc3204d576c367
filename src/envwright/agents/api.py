"""A model behind an API: Anthropic, Google, OpenAI, or whatever speaks OpenAI's protocol."""

import asyncio
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from envwright.agents.prices import Price, find_price
from envwright.agents.protocol import FAILED, FREE, PRICED, AgentOutcome, Money, Readiness, Task
from envwright.agents.purse import Purse
from envwright.agents.tools import make_tools
from envwright.agents.workspace import collect, look
from envwright.core.errors import EnvwrightError, missing_extra

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

MOST_OUTPUT = 32_000  # tokens of one answer, thoughts included
TURNS = 60  # answers of one task


class ApiError(EnvwrightError, ValueError):
    """A model cannot be used as it is stated."""


class Provider(NamedTuple):
    """Somebody who runs models."""

    keys: tuple[str, ...]  # the variables its key may be in
    example: str


PROVIDERS = {
    "anthropic": Provider(("ANTHROPIC_API_KEY",), "anthropic:claude-sonnet-5-5"),
    "google": Provider(("GEMINI_API_KEY", "GOOGLE_API_KEY"), "google:gemini-3.5-flash"),
    "openai": Provider(("OPENAI_API_KEY",), "openai:gpt-5.2"),
}


@dataclass(frozen=True)
class ApiAgent:
    """A model that works in a workspace through tools of ours."""

    name: str
    provider: str
    model: str
    base_url: str = ""
    key: str = ""  # the variable the key is in
    free: bool = False
    price: Mapping[str, Any] | None = None
    max_output: int = MOST_OUTPUT
    turns: int = TURNS

    @property
    def costs(self) -> bool:
        return not self.free

    @property
    def full_model(self) -> str:
        return f"{self.provider}:{self.model}"

    def readiness(self) -> Readiness:
        try:
            self._price()
            self._key()
        except EnvwrightError as error:
            return Readiness(False, str(error))
        return Readiness(True, f"{self.full_model}{f' at {self.base_url}' if self.base_url else ', with a key'}")

    def run(self, task: Task, workspace: Path, grant: Money, deadline: float) -> AgentOutcome:
        try:
            price, key = self._price(), self._key()
        except EnvwrightError as error:
            return AgentOutcome(FAILED, sentence=str(error))
        from envwright.agents.conversation import Conversation

        before = look(workspace)
        purse = Purse(grant)
        model, settings = _model(self, key)
        talk = Conversation(
            model, make_tools(workspace, task), price, purse, deadline, self.max_output, settings, self._explain
        )

        async def run() -> tuple[str, str]:
            async with model:
                return await talk.run(task.prompt, self.turns)

        stop, sentence = asyncio.run(run())
        files, strays = collect(workspace, task, before)
        source = FREE if self.free else PRICED
        said = "\n".join(talk.transcript)
        return AgentOutcome(stop, files, strays, purse.spent, source, talk.usage, self.full_model, sentence, said)

    def _price(self) -> Price:
        if importlib.util.find_spec("pydantic_ai") is None:
            raise missing_extra("pydantic-ai-slim", "agents")
        return find_price(self.provider, self.model, self.price, self.free)

    def _key(self) -> str:
        """The key to send. A key of a provider is not sent to another address unless the user says so."""
        if self.base_url and not self.key:
            return "none"
        names = (self.key,) if self.key else PROVIDERS[self.provider].keys
        if found := next((os.environ[name] for name in names if os.environ.get(name)), None):
            return found
        raise ApiError(f"There is no key for {self.full_model}; set {names[0]}.")

    def _explain(self, status: int, said: str) -> str:
        """What to do about an error that does not pass."""
        if status in (401, 403):
            name = self.key or PROVIDERS[self.provider].keys[0]
            return f"The key in {name} was not accepted for {self.full_model} ({said}); set it to one that is."
        if status == 404:
            return f"The provider knows no model {self.full_model} ({said}); state another as model = ..."
        return f"The provider refused the request for {self.full_model} with {status}: {said}."


def make_api(name: str = "api", model: str = "", **options: Any) -> ApiAgent:
    """A model as an agent."""
    provider, _, short = model.partition(":")
    if provider not in PROVIDERS or not short:
        examples = ", ".join(provider.example for provider in PROVIDERS.values())
        raise ApiError(f"The agent {name} has model = {model!r}; write it as PROVIDER:MODEL, such as {examples}.")
    return ApiAgent(name, provider, short, **options)


def _model(agent: ApiAgent, key: str) -> "tuple[Model, ModelSettings]":
    """The model, and settings of its own; the libraries take long to import, so only the one that is needed is."""
    address = agent.base_url or None
    if agent.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
        from pydantic_ai.providers.anthropic import AnthropicProvider

        caching = AnthropicModelSettings(anthropic_cache_messages=True, anthropic_cache_tool_definitions=True)
        return AnthropicModel(agent.model, provider=AnthropicProvider(api_key=key, base_url=address)), caching
    if agent.provider == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(agent.model, provider=GoogleProvider(api_key=key, base_url=address)), {}
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    # what others offer under OpenAI's protocol is nearly always the older one
    kind = OpenAIChatModel if address else OpenAIResponsesModel
    return kind(agent.model, provider=OpenAIProvider(api_key=key, base_url=address)), {}
