"""Usage of an answer, by the names that servers have for it: tokens read, read from a cache and written, and its cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

_MAX_TOKEN_COUNT = 1_000_000_000  # a larger number is no count of tokens
_CACHED = (
    ("prompt_tokens_details", "cached_tokens"),
    ("input_tokens_details", "cached_tokens"),
    ("prompt_cache_hit_tokens",),  # DeepSeek
    ("cache_read_input_tokens",),  # Anthropic, which leaves them out of input_tokens
    ("cached_tokens",),
    ("cachedContentTokenCount",),  # Gemini
)
_REASONING = (
    ("completion_tokens_details", "reasoning_tokens"),
    ("output_tokens_details", "reasoning_tokens"),
    ("reasoning_tokens",),
    ("thoughts_token_count",),
    ("thoughtsTokenCount",),
)


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """Tokens as a server reports them, 0 where it does not; those written include those of reasoning, which some name.

    `cached` of the tokens read came from its cache. `cost` is what it charges, None where it does not say.
    """

    read: int = 0
    written: int = 0
    cached: int = 0
    cost: float | None = None
    reasoning: int = 0


def read_usage(usage: object) -> ReportedUsage:
    """The usage in the field of that name of an answer."""
    outside = sum(_count(usage, name) for name in ("cache_read_input_tokens", "cache_creation_input_tokens"))
    read = _first(usage, ("prompt_tokens",), ("prompt_token_count",), ("promptTokenCount",))
    read = read or (_count(usage, "input_tokens") and _count(usage, "input_tokens") + outside)
    written = _first(
        usage, ("completion_tokens",), ("output_tokens",), ("candidates_token_count",), ("candidatesTokenCount",)
    )
    reasoning = _first(usage, *_REASONING)
    total = _first(usage, ("total_tokens",), ("total_token_count",), ("totalTokenCount",))
    if read and total > read + written:  # Gemini counts what was thought in the total alone
        written = total - read
    elif reasoning > written:  # some servers count it apart from what was answered
        written += reasoning
    return ReportedUsage(read, written, min(_first(usage, *_CACHED), read), _cost(usage), reasoning)


def _first(usage: object, *paths: tuple[str, ...]) -> int:
    """The first number above 0 at these paths of fields."""
    for *outer, name in paths:
        place = usage
        for field in outer:
            place = place.get(field) if isinstance(place, dict) else None
        if count := _count(place, name):
            return count
    return 0


def _count(usage: object, name: str) -> int:
    """A number of tokens; 0 for what is none."""
    count = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(count, str) and count.isdecimal():
        count = int(count[:12])
    if isinstance(count, bool) or not isinstance(count, int | float) or not 0 <= count <= _MAX_TOKEN_COUNT:
        return 0
    return int(count)


def _cost(usage: object) -> float | None:
    """The cost in `usage.cost`; with a key of one's own at OpenRouter, that of the server behind it too."""
    cost = usage.get("cost") if isinstance(usage, dict) else None
    if isinstance(cost, dict):  # Perplexity
        cost = cost.get("total_cost")
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not math.isfinite(cost) or cost < 0:
        return None
    details = usage.get("cost_details") if isinstance(usage, dict) and usage.get("is_byok") is True else None
    upstream = details.get("upstream_inference_cost") if isinstance(details, dict) else None
    return float(cost) + (float(upstream) if isinstance(upstream, int | float) and upstream > 0 else 0.0)
