"""Talking to a model, one request at a time: put money aside, send, settle, do what it asks for, repeat.

Every request is paid out of the purse, those that are repeated too. What one can cost at most is put aside before it is
sent. If it fails in a way that leaves open whether the provider takes money for it, all of that counts as spent.
"""

import asyncio
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelHTTPError,
    ModelQuotaExceededError,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from envwright.agents.prices import Price, cost, upper_bound
from envwright.agents.protocol import DONE, FAILED, REFUSED, SPENT, TIMEOUT, Money, Usage, dollars, first_line
from envwright.agents.purse import Purse
from envwright.agents.tools import Tool, use

RETRIES = 4
LEAST_OUTPUT = 1024  # tokens; with fewer there is no point in asking
BACKOFF = 1.0  # seconds before the first repetition; twice as long before each further one
PASSING = (408, 409, 429, 500, 502, 503, 504, 529)  # errors that may be gone the next time
GO_ON = "You were cut off at the limit of one answer. Go on where you stopped, in smaller pieces."


class Stopped(Exception):  # noqa: N818 - an end like others, not an error of ours
    """The conversation cannot go on."""

    def __init__(self, stop: str, sentence: str) -> None:
        super().__init__(sentence)
        self.stop, self.sentence = stop, sentence


@dataclass
class Conversation:
    """What was said to a model and by it, and what that used."""

    model: Model
    tools: Mapping[str, Tool]
    price: Price
    purse: Purse
    deadline: float
    most_output: int
    settings: ModelSettings
    explain: Callable[[int, str], str]  # what to do about an error that lasts, from its status and its message
    messages: list[ModelMessage] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    transcript: list[str] = field(default_factory=list)

    async def run(self, prompt: str, turns: int) -> tuple[str, str]:
        """Talk until it asks for nothing more; gives how that ended and its last words."""
        self._hear(UserPromptPart(prompt))
        try:
            for _ in range(turns):
                answer = await self._ask()
                self.messages.append(answer)
                self.transcript.append(answer.text or "")
                if answer.finish_reason == "content_filter":
                    return REFUSED, answer.text or "The provider's filter stopped the answer."
                if answer.tool_calls:
                    self._hear(*(self._use(call) for call in answer.tool_calls))
                elif answer.finish_reason == "length":
                    self._hear(UserPromptPart(GO_ON))
                else:
                    return DONE, answer.text or ""
        except Stopped as stopped:
            return stopped.stop, stopped.sentence
        return FAILED, f"The model did not finish in {turns} turns; allow more with turns = ..."

    def _hear(self, *parts: Any) -> None:
        self.messages.append(ModelRequest(parts=list(parts)))

    def _use(self, call: ToolCallPart) -> ToolReturnPart:
        """Do what a call asks for. Arguments that are no JSON were cut off at the limit of the answer."""
        try:
            arguments = json.loads(call.args or "{}") if not isinstance(call.args, dict) else call.args
        except ValueError:
            arguments = None
        answer = use(self.tools, call.tool_name, arguments)
        self.transcript.append(f"> {call.tool_name} {call.args}\n{answer}")
        return ToolReturnPart(call.tool_name, answer, call.tool_call_id)

    async def _ask(self) -> ModelResponse:
        """One answer, over as many requests as it takes."""
        for attempt in range(RETRIES + 1):
            try:
                return await self._request()
            except _Passing as passing:
                if attempt == RETRIES:
                    raise Stopped(FAILED, f"{passing}, {RETRIES + 1} times in a row.") from None
                pause = passing.after if passing.after is not None else BACKOFF * 2**attempt * random.uniform(0.5, 1.0)
                if time.monotonic() + pause >= self.deadline:
                    raise Stopped(TIMEOUT, f"{passing}, and there is no time to wait {pause:.0f} s.") from None
                await asyncio.sleep(pause)
        raise AssertionError("the last attempt returned or raised")

    async def _request(self) -> ModelResponse:
        """Put money aside, send, settle."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Stopped(TIMEOUT, "The model was stopped at the deadline.")
        most, reserved = self._put_aside()
        asked = ModelRequestParameters(function_tools=_definitions(self.tools))
        # retries of the provider's own library would be requests that nobody put money aside for
        settings: ModelSettings = {**self.settings, "max_tokens": most, "timeout": left + 1, "max_retries": 0}
        paid = reserved
        try:
            async with asyncio.timeout(left):
                answer = await self.model.request(self.messages, settings, asked)
            used = _usage(answer)
            self.usage += used
            if used.input or used.output:  # who says that nothing was used has not counted
                paid = cost(used, self.price)
            return answer
        except TimeoutError:
            raise Stopped(TIMEOUT, "The model was stopped at the deadline.") from None
        except ModelHTTPError as error:
            paid = 0  # an error in place of an answer costs nothing
            said = _message(error)
            if error.status_code in PASSING and not isinstance(error, ModelQuotaExceededError):
                raise _Passing(f"The provider answered {error.status_code} ({said})", error.retry_after) from None
            raise Stopped(FAILED, self.explain(error.status_code, said)) from None
        except (ModelAPIError, UnexpectedModelBehavior, ValidationError) as error:
            if _never_connected(error):
                paid = 0
                raise _Passing("The provider cannot be reached") from None
            raise _Passing(f"The provider's answer was lost ({first_line(str(error))})") from None
        finally:
            self.purse.settle(reserved, paid)

    def _put_aside(self) -> tuple[int, Money]:
        """As many output tokens as can be paid for, and what the request can cost at most."""
        length = len(ModelMessagesTypeAdapter.dump_json(self.messages)) + len(str(_definitions(self.tools)))

        def price_of(output: int) -> Money:
            return upper_bound(length, output, self.price)

        least, most = LEAST_OUTPUT, max(LEAST_OUTPUT, self.most_output)
        if price_of(least) > self.purse.left:
            raise Stopped(
                SPENT,
                f"{dollars(self.purse.spent)} of {dollars(self.purse.grant)} is spent, and the next request may cost "
                f"{dollars(price_of(least))}.",
            )
        while least < most:  # the largest output that can be paid for
            middle = (least + most + 1) // 2
            least, most = (middle, most) if price_of(middle) <= self.purse.left else (least, middle - 1)
        amount = price_of(least)
        self.purse.reserve(amount)
        return least, amount


class _Passing(Exception):  # noqa: N818
    """A request failed in a way that may be gone the next time."""

    def __init__(self, what: str, after: float | None = None) -> None:
        super().__init__(what)
        self.after = after


def _definitions(tools: Mapping[str, Tool]) -> list[ToolDefinition]:
    return [
        ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.parameters)
        for tool in tools.values()
    ]


def _usage(answer: ModelResponse) -> Usage:
    used = answer.usage
    return Usage(used.input_tokens, used.cache_read_tokens, used.cache_write_tokens, used.output_tokens, 1)


def _never_connected(error: BaseException) -> bool:
    """Whether there was nobody to take the request, and so nobody to charge for it."""
    cause: BaseException | None = error
    while cause is not None:
        if type(cause).__name__ in ("ConnectError", "ConnectTimeout"):  # httpx2's, and httpx's
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _message(error: ModelHTTPError) -> str:
    """What the provider says went wrong."""
    body: Any = error.body
    for key in ("error", "message"):
        body = body.get(key, body) if isinstance(body, dict) else body
    return first_line(str(body or "no reason given"))
