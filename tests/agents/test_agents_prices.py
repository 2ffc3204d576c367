"""Money is never counted too low."""

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwright.agents import prices
from envwright.agents.prices import NOTHING, PriceError, cost, find_price, read_price, upper_bound
from envwright.agents.protocol import Usage

LISTED = pytest.mark.skipif(importlib.util.find_spec("genai_prices") is None, reason="genai-prices is not installed")
SONNET = read_price({"input": 3, "cached": 0.3, "cache_write": 3.75, "output": 15})


def test_each_kind_of_token_has_its_price() -> None:
    usage = Usage(input=1_000_000, cached=300_000, cache_written=200_000, output=100_000)
    assert cost(usage, SONNET) == 1_500_000 + 90_000 + 750_000 + 1_500_000


def test_a_fraction_of_a_millionth_counts_whole() -> None:
    assert cost(Usage(input=1), read_price({"input": 0.1, "output": 0})) == 1
    assert cost(Usage(), SONNET) == 0


def test_what_is_free_costs_nothing() -> None:
    assert find_price("openai", "whatever", free=True) is NOTHING
    assert cost(Usage(10**9, output=10**9), NOTHING) == 0


def test_cached_tokens_cost_as_much_as_others_unless_stated() -> None:
    price = read_price({"input": 2, "output": 8})
    assert cost(Usage(input=10, cached=10), price) == cost(Usage(input=10, cache_written=10), price) == 20


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"input": 1}, "A price needs input and output"),
        ({"input": 1, "output": "2"}, "The price for output is '2'"),
        ({"input": -1, "output": 2}, "The price for input is -1"),
        ({"input": True, "output": 2}, "The price for input is True"),
        ({"input": float("nan"), "output": 2}, "The price for input is nan"),
        ({"input": 1, "output": 2, "cache": 3}, "A price has no part 'cache'; there are input, cached"),
    ],
)
def test_a_wrong_price_is_refused(stated: dict[str, object], sentence: str) -> None:
    with pytest.raises(PriceError, match=sentence):
        read_price(stated)


def test_without_a_list_a_price_has_to_be_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "has_list", lambda: False)
    with pytest.raises(PriceError, match=r"pip install 'envwright\[agents\]', or state one as price = .* free = true"):
        find_price("openai", "gpt-5.2")


tokens = st.integers(0, 10**6)


@given(length=st.integers(0, 10**6), share=st.floats(0, 1), cached=st.floats(0, 1), output=tokens)
def test_the_bound_holds_for_every_way_to_read_the_prompt(
    length: int, share: float, cached: float, output: int
) -> None:
    read = int((length // 2 + 1000) * share)
    hit = int(read * cached)
    for usage in (Usage(read, hit, read - hit, output), Usage(read, hit, 0, output), Usage(read, 0, 0, output)):
        assert cost(usage, SONNET) <= upper_bound(length, output, SONNET)


@LISTED
def test_listed_models_are_priced() -> None:
    price = find_price("anthropic", "claude-sonnet-5-5")
    cached, plain, written = Usage(1000, 1000), Usage(1000), Usage(1000, 0, 1000)
    assert 0 < cost(cached, price) < cost(plain, price) < cost(written, price) < cost(Usage(output=1000), price)


@LISTED
def test_a_longer_prompt_can_cost_more_per_token() -> None:
    price = find_price("google", "gemini-2.5-pro")
    assert cost(Usage(400_000), price) > 4 * cost(Usage(100_000), price)


@LISTED
def test_the_bound_holds_where_writing_to_a_cache_has_no_price() -> None:
    price = find_price("openai", "gpt-5.2")
    assert upper_bound(10_000, 100, price) >= cost(Usage(6000, 0, 0, 100), price) > 0


@LISTED
def test_an_unknown_model_is_refused_with_the_way_out() -> None:
    with pytest.raises(PriceError, match=r"No price is known for the model openai:qwen-at-home; state one as price"):
        find_price("openai", "qwen-at-home")
