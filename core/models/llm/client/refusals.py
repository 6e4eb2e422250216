"""The words of a server that refuses a question, in every form that they come in, and the pause or payment they ask for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import fsum

_WORDS_FIELDS = ("error", "message", "Message", "msg", "detail", "details", "errors", "title", "error_description")
"""Fields in which servers put their words, an outer one before those in it."""
_MAX_DEPTH = 6  # of a body that is read

_SURELY_MONEY = (
    "insufficient_quota",
    "billing_hard_limit",
    "billing_not_active",
    "insufficient_balance",
    # of litellm, with status 400 or 429 (litellm#14144, #36729)
    "budget_exceeded",
    "budget has been exceeded",
    "exceededbudget",
    "crossed budget",
)
"""Codes by which a server says that nothing but money helps, whatever else it says."""
_MONEY = (
    "exceeded your current quota",
    "billing",
    "credit balance",
    "insufficient balance",
    "insufficient credit",
    "insufficient funds",
    "available credits",
    "included credits",
    "out of credits",
    "more credits",
    "any credits",
    "purchase credits",
    "spending limit",
    "payment required",
)
# RateLimitError is no sign: gateways give that name to the refusals of an empty account too
_RATE = re.compile(
    r"per[ _-]?(?:second|minute|min\b|hour|day)|\b[rt]p[msd]\b|rate[ _-]limit|ratelimitexceeded|too many requests|"
    r"resource_exhausted|throttl"
)
_NO_TEMPERATURE = re.compile(
    r"temperature.{0,40}(?:support|deprecated|only|permitted|allowed)|(?:support|takes no) temperature", re.I
)
_DEPRECATED_TEMPERATURE = re.compile(r"temperature.{0,40}deprecated|deprecated.{0,40}temperature", re.I)
_UNITS_S = {"ms": 0.001, "mi": 60.0, "m": 60.0, "s": 1.0, "h": 3600.0, "d": 86400.0}
_LEAST_TIMESTAMP = 1e9  # in seconds since 1970: a smaller number is a duration
_DURATION = r"(?:[\d.]+\s*(?:ms|millis\w*|s|sec\w*|m|min\w*|h|hours?|d|days?)(?![a-z])\s*)+"
_PAUSE = re.compile(rf'(?:(?:retry|try again)\s+(?:after|in)\s+|"retrydelay":\s*")({_DURATION})')
_RESET_AT = re.compile(r"resets? at (\d{4}-\d\d-\d\dt[\d:.]+(?:z|[+-]\d\d:?\d\d)?)")


def read_words(body: object) -> str:
    """The words of an error in a body: a text, JSON of any shape, or a page; the JSON itself where no field has words."""
    words = list(dict.fromkeys(filter(None, _words(body, 0))))
    if words:
        return "; ".join(words)
    return "" if body is None or body == "" else json.dumps(body, default=str)


def _words(body: object, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(body, str):
        text = body.strip()
        if text[:1] in {"{", "["}:
            try:
                yield from _words(json.loads(text), depth + 1)
            except (ValueError, RecursionError):
                yield text
        elif text[:1] == "<":
            title = re.search(r"<(title|h1)[^>]*>(.*?)</\1>", text, re.DOTALL | re.IGNORECASE)
            yield " ".join((title[2] if title else re.sub(r"<[^>]*>", " ", text)).split())
        else:
            yield text
    elif isinstance(body, list):
        for part in body:
            yield from _words(part, depth + 1)
    elif isinstance(body, Mapping):
        inner = [word for name in _WORDS_FIELDS for word in _words(body.get(name), depth + 1)]
        # a field that a validator names, as in {"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}
        place = body.get("loc")
        where = f"{'.'.join(map(str, place))}: " if isinstance(place, list) and place and inner else ""
        yield from (f"{where}{word}" for word in inner)
        # a gateway keeps the words of the server behind it apart
        metadata = body.get("metadata")
        if isinstance(metadata, Mapping):
            yield from _words(metadata.get("raw"), depth + 1)


def deprecates_temperature(words: str) -> bool:
    """True if the words say that a model takes no temperature any more, and nothing else of it is special."""
    return bool(_DEPRECATED_TEMPERATURE.search(words))


def refuses_temperature(words: str) -> bool:
    """True if the words refuse that a temperature is sent at all."""
    return bool(_NO_TEMPERATURE.search(words))


def wants_money(status: int, headers: Mapping[str, str], body: object) -> bool:
    """True if a refusal is about money, and not about a rate that is too high or about the question."""
    words = json.dumps(body, default=str).lower()
    if status == 402 or any(code in words for code in _SURELY_MONEY):
        return status in {400, 402, 403, 429}
    if status == 400:  # of Anthropic
        return "credit balance" in words
    if status not in {403, 412, 429}:  # 412 of Fireworks, for an account that is suspended
        return False
    if _RATE.search(words) or named_pause_s(headers, body) is not None:
        return False
    return any(phrase in words for phrase in _MONEY)


def named_pause_s(headers: Mapping[str, str], body: object) -> float | None:
    """The pause before another try that a server names: in a header, in seconds or as a date, or in its words."""
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit_s)
        except (KeyError, ValueError):  # absent, or a date
            continue
    try:
        until = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    except (KeyError, ValueError):
        pass
    words = json.dumps(body, default=str).lower().replace('\\"', '"')
    if named := _PAUSE.search(words):
        return _duration_s(named[1])
    if moment := _RESET_AT.search(words):  # of Minimax
        return _until_reset_s(moment[1])
    return _reset_s(headers)


def _duration_s(text: str) -> float:
    parts = re.findall(r"(\d+\.?\d*)\s*([a-z]+)", text)
    return fsum(float(number) * (_UNITS_S.get(unit[:2]) or _UNITS_S[unit[0]]) for number, unit in parts)


def _reset_s(headers: Mapping[str, str]) -> float | None:
    """The pause that headers of a used-up limit name: x-ratelimit-reset-requests, -tokens, of Cerebras with a day or minute, or x-ratelimit-reset."""
    pauses = [
        pause
        for limit in ("-requests", "-tokens", "-requests-day", "-tokens-minute", "")
        # a reset of what is not used up is no pause
        if headers.get(f"x-ratelimit-remaining{limit}", "0").strip() in {"0", "0.0"}
        and (pause := _until_reset_s(headers.get(f"x-ratelimit-reset{limit}", "").strip().lower())) is not None
    ]
    return max(pauses, default=None)


def _until_reset_s(text: str) -> float | None:
    """Seconds until a reset that is written as 7m12s, in seconds, as a time in seconds or milliseconds, or as a date; else None."""
    if re.fullmatch(_DURATION, text):
        return _duration_s(text)
    now = datetime.now(UTC)
    try:
        number = float(text)
    except ValueError:
        try:
            until = datetime.fromisoformat(text.upper())
        except ValueError:
            return None
        return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds())
    if number < _LEAST_TIMESTAMP:
        return max(0.0, number)
    return max(0.0, (number / 1000 if number > 1000 * _LEAST_TIMESTAMP else number) - now.timestamp())
