"""Responses of an endpoint in the form of Chat Completions, read into values of ours, however they are written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from core.errors import TouchstoneError
from core.models.llm.chat import is_opening
from core.models.llm.client.endpoint_errors import BrokenStreamError, refusal_message, server_words, unexpected_format
from core.models.llm.client.usage import read_usage
from core.models.llm.endpoints.endpoint import Endpoint

TOOL_CALL = "tool_call"
"""End of an answer whose text are the arguments of one call of a tool."""
_NATURAL_ENDS = frozenset({"stop", "eos", "eos_token", "end_turn", "stop_sequence"})
_FINISH_REASONS = {
    **dict.fromkeys(_NATURAL_ENDS, "stop"),
    **dict.fromkeys(("length", "max_tokens", "max_length", "model_length"), "length"),
    **dict.fromkeys(("content_filter", "safety"), "filter"),
}
"""Our words for how an answer ended, by those of servers; others are given as they are."""
_CHARACTERS_PER_TOKEN = 4
_REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
_REASONING_ENDS = frozenset({"</think>", "</thinking>", "[/THINK]", "<|message|>"})
_REASONING_PARTS = frozenset({"thinking", "reasoning", "reasoning_text", "reasoning_content", "redacted_thinking"})
# of vLLM, OpenRouter, Anthropic, Gemini
_WINDOW_FIELDS = ("max_model_len", "context_length", "max_input_tokens", "inputTokenLimit")
_REASONING_PART_FIELDS = ("thinking", "reasoning", "text", "content", "summary")


@dataclass(frozen=True, slots=True)
class FirstToken:
    """The most likely first tokens of an answer with their probabilities, in descending order, and its usage as a `Completion` has it."""

    tokens: tuple[str, ...]
    probabilities: tuple[float, ...]
    prompt_tokens: int
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A text, how it ended, and the tokens read and written; 0 where they are not given; those of a cache, and the cost.

    It ended by stop | length | refusal | filter, by reasoning where nothing else came, or in another word of the server.
    The tokens written include those of reasoning, of which `reasoned` says that there are some.
    """

    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    cost: float | None = None
    reasoned: bool = False


@dataclass(frozen=True, slots=True)
class _Content:
    """Content of a message, or of a piece of one in a stream."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""

    def __add__(self, other: _Content) -> _Content:
        return _Content(self.text + other.text, self.reasoning + other.reasoning, self.refusal + other.refusal)


def read_completion(answer: object, endpoint: Endpoint) -> Completion:
    """The text of a completion as JSON; TouchstoneError for what is no completion."""
    choice = _first_choice(answer, endpoint)
    if not isinstance(choice.get("message"), dict):
        raise TouchstoneError(unexpected_format(endpoint))
    content, ended = _content(choice["message"], endpoint), choice.get("finish_reason")
    if not content.text.strip() and (arguments := _call_arguments(choice["message"])):
        content, ended = replace(content, text=arguments), TOOL_CALL
    return _completion(content, ended, _field(answer, "usage"))


def read_stream(pieces: Iterable[object], endpoint: Endpoint) -> Completion:
    """The whole answer of a stream; raises TouchstoneError for one that breaks off, as half an answer is none."""
    content, ended, usage = _Content(), None, None
    for piece in pieces:
        # Groq has the usage of a stream in a field of its own
        usage = _field(piece, "usage") or _field(_field(piece, "x_groq"), "usage") or usage
        if error := _field(piece, "error"):
            raise TouchstoneError(refusal_message(endpoint, server_words(endpoint, error)))
        for choice in _of_index_0(_field(piece, "choices")):
            content += _content(_field(choice, "delta") or {}, endpoint)
            ended = _field(choice, "finish_reason") or ended
    if not ended:
        raise BrokenStreamError(f"{endpoint.base_url} broke off in the middle of its answer. Ask again.")
    return _completion(content, ended, usage)


def read_first_token(answer: object, endpoint: Endpoint) -> FirstToken:
    """The most likely first tokens of a completion that was requested with them."""
    places = _field(_field(_first_choice(answer, endpoint), "logprobs"), "content")
    if not isinstance(places, list) or not places:
        raise TouchstoneError(
            f"{endpoint.base_url} gives no log-probabilities, which the score is made of. Serve the model with vLLM."
        )
    places = _after_reasoning(places)
    shares: dict[str, float] = {}
    before = 1.0  # the probability of the openings that were written so far
    for number, place in enumerate(places):
        written, opening = _field(place, "token"), 0.0
        is_last = number == len(places) - 1 or not isinstance(written, str) or not is_opening(written)
        top = _field(place, "top_logprobs")
        for entry in top if isinstance(top, list) else ():
            token, logprob = _field(entry, "token"), _field(entry, "logprob")
            if not isinstance(token, str) or not isinstance(logprob, int | float) or math.isnan(logprob):
                continue
            share = before * math.exp(min(0.0, float(logprob)))
            if token == written and not is_last:
                opening += share
            else:
                shares[_clean(token)] = shares.get(_clean(token), 0.0) + share
        if is_last:
            break
        before = opening
    used = read_usage(_field(answer, "usage"))
    return FirstToken(tuple(shares), tuple(shares.values()), used.read, used.written, used.cached, used.cost)


def _after_reasoning(places: list[object]) -> list[object]:
    """The places of the answer's own tokens: servers that do not tell reasoning apart list its tokens before."""
    ends = [number for number, place in enumerate(places) if _field(place, "token") in _REASONING_ENDS]
    return places[ends[-1] + 1 :] if ends else places


def read_model_names(listed: object, endpoint: Endpoint) -> list[str]:
    """The names in a page of a list of models."""
    models = _field(listed, "data")
    names = [_field(model, "id") for model in models if isinstance(model, dict)] if isinstance(models, list) else [None]
    if not all(isinstance(name, str) for name in names):
        raise TouchstoneError(unexpected_format(endpoint))
    return [str(name) for name in names]


def read_windows(listed: object) -> dict[str, int]:
    """The tokens that models hold, by name, in a list of models that gives them in one of the known fields."""
    entries = _field(listed, "data")
    sizes = {
        str(entry.get("id")): next(filter(None, map(entry.get, _WINDOW_FIELDS)), None)
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    }
    return {name: size for name, size in sizes.items() if isinstance(size, int) and size > 0}


def _call_arguments(message: object) -> str:
    """The arguments of the only call of a tool in a message, as JSON; empty where there is none, or are several."""
    calls = _field(message, "tool_calls")
    functions = [_field(call, "function") for call in calls] if isinstance(calls, list) else []
    arguments = _field(functions[0], "arguments") if len(functions) == 1 else None
    return _clean(arguments) if isinstance(arguments, str) else ""


def _first_choice(answer: object, endpoint: Endpoint) -> dict[str, object]:
    choices = _field(answer, "choices")
    listed = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
    if listed:
        return next(_of_index_0(listed), listed[0])
    if error := _field(answer, "error"):
        raise TouchstoneError(refusal_message(endpoint, server_words(endpoint, error)))
    raise TouchstoneError(unexpected_format(endpoint))


def _of_index_0(choices: object) -> Iterator[dict[str, object]]:
    """The choices of index 0, wherever they stand; one without an index is of it."""
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("index") in (0, None):
            yield choice


def _completion(content: _Content, ended: object, usage: object) -> Completion:
    used = read_usage(usage)
    written = used.written or -(-len(content.reasoning + content.text + content.refusal) // _CHARACTERS_PER_TOKEN)
    counted = (used.read, written, used.cached, used.cost, bool(used.reasoning or content.reasoning.strip()))
    if content.refusal:
        return Completion(content.refusal, "refusal", *counted)
    if content.reasoning.strip() and not content.text.strip():
        return Completion(content.reasoning, "reasoning", *counted)
    word = ended.lower() if isinstance(ended, str) and ended else "no reason"
    return Completion(content.text, _FINISH_REASONS.get(word, _clean(word)), *counted)


def _content(message: object, endpoint: Endpoint) -> _Content:
    """Content of a message, which may be a text, a list of parts, or null."""
    content = _parts(_field(message, "content"), endpoint)
    reasoning = next(filter(None, (_field(message, name) for name in _REASONING_FIELDS)), None)
    refusal = _field(message, "refusal")
    return content + _Content(
        reasoning=_clean(reasoning) if isinstance(reasoning, str) else "",
        refusal=_clean(refusal) if isinstance(refusal, str) else "",
    )


def _parts(content: object, endpoint: Endpoint) -> _Content:
    if content is None:
        return _Content()
    if isinstance(content, str):
        return _Content(_clean(content))
    if isinstance(content, list):
        return sum((_part(part, endpoint) for part in content), _Content())
    raise TouchstoneError(unexpected_format(endpoint))


def _part(part: object, endpoint: Endpoint) -> _Content:
    if not isinstance(part, dict):
        return _parts(part, endpoint)
    if part.get("type") in _REASONING_PARTS or "thinking" in part:
        thought = _parts(next(filter(None, map(part.get, _REASONING_PART_FIELDS)), None), endpoint)
        return _Content(reasoning=thought.text + thought.reasoning)
    if isinstance(part.get("refusal"), str):
        return _Content(refusal=_clean(part["refusal"]))
    return _parts(part.get("text"), endpoint)


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _clean(text: str) -> str:
    """The text without what no file and no database keeps: halves of surrogate pairs, and NUL."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")
