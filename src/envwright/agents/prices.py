"""What tokens cost: by a price list that is kept by others, or by what the user says."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any, Protocol

from envwright.agents.protocol import DOLLAR, Money, Usage
from envwright.core.errors import EnvwrightError

PARTS = ("input", "cached", "cache_write", "output")
WAY_OUT = (
    "state one as price = { input = ..., output = ... } in dollars per million tokens, "
    "or free = true if nothing is paid for it"
)


class PriceError(EnvwrightError, LookupError):
    """Nobody knows what a model costs, or a price is not one."""


class Price(Protocol):
    """A way to turn tokens into dollars."""

    def dollars(self, usage: Usage) -> Decimal: ...


@dataclass(frozen=True)
class StatedPrice:
    """What the user says, in dollars per million tokens."""

    input: Decimal
    cached: Decimal
    cache_write: Decimal
    output: Decimal

    def dollars(self, usage: Usage) -> Decimal:
        plain = max(0, usage.input - usage.cached - usage.cache_written)
        sums = (
            plain * self.input,
            usage.cached * self.cached,
            usage.cache_written * self.cache_write,
            usage.output * self.output,
        )
        return sum(sums, Decimal(0)) / 1_000_000


@dataclass(frozen=True)
class ListedPrice:
    """What genai-prices says; some models cost more per token the longer the prompt is."""

    provider: str
    model: str

    def dollars(self, usage: Usage) -> Decimal:
        from genai_prices import Usage as Used
        from genai_prices import calc_price

        written = min(usage.cache_written, usage.input)
        used = Used(
            input_tokens=usage.input,
            cache_read_tokens=min(usage.cached, usage.input - written),
            cache_write_tokens=written,
            output_tokens=usage.output,
        )
        try:
            return calc_price(used, model_ref=self.model, provider_id=self.provider).total_price
        except LookupError:
            raise PriceError(f"No price is known for the model {self.provider}:{self.model}; {WAY_OUT}.") from None


NOTHING = StatedPrice(Decimal(0), Decimal(0), Decimal(0), Decimal(0))


def has_list() -> bool:
    """Whether there is a price list on this machine."""
    return importlib.util.find_spec("genai_prices") is not None


def find_price(provider: str, model: str, stated: Mapping[str, Any] | None = None, free: bool = False) -> Price:
    """The price of a model: none if it is free, else what the user states, else what the list says."""
    if free:
        return NOTHING
    if stated is not None:
        return read_price(stated)
    if not has_list():
        raise PriceError(
            f"The price of {provider}:{model or '...'} is not known without the package 'genai-prices'; "
            f"run: pip install 'envwright[agents]', or {WAY_OUT}."
        )
    price = ListedPrice(provider, model)
    price.dollars(Usage(1, 0, 0, 1))  # an unknown model is found out now, before anything is spent
    return price


def read_price(stated: Mapping[str, Any]) -> StatedPrice:
    """A price as the user writes it; a cached token costs as much as another one unless it is said."""
    if wrong := sorted(set(stated) - set(PARTS)):
        raise PriceError(f"A price has no part {wrong[0]!r}; there are {', '.join(PARTS)}.")
    for part, value in stated.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise PriceError(f"The price for {part} is {value!r}; it is a number of dollars per million tokens.")
    if "input" not in stated or "output" not in stated:
        raise PriceError("A price needs input and output, each in dollars per million tokens.")
    given = {part: Decimal(str(value)) for part, value in stated.items()}
    return StatedPrice(*(given.get(part, given["input"]) for part in PARTS))


def cost(usage: Usage, price: Price) -> Money:
    """What was used, in whole millionths of a dollar, rounded up."""
    return int((price.dollars(usage) * DOLLAR).to_integral_value(ROUND_CEILING))


def upper_bound(length: int, most_output: int, price: Price) -> Money:
    """What a request of `length` characters can cost at most.

    A token is hardly ever shorter than two characters, and writing to a cache is the dearest way to read a prompt;
    where a provider asks nothing more for it, the plain price is the bound.
    """
    tokens = length // 2 + 1000
    written = Usage(input=tokens, cache_written=tokens, output=most_output)
    return max(cost(written, price), cost(Usage(input=tokens, output=most_output), price))
