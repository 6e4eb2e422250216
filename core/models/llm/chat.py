"""Chat questions to a language model, the text of its answers, and the signature of how they were sampled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from core.errors import UnreadableAnswerError
from core.model_reference import EndpointModel, ModelRef
from core.models.llm.endpoints.endpoints import configured_endpoint
from core.models.llm.endpoints.local_models import chat_model, is_local_model, model_title, weights_fingerprint
from core.models.llm.prompts import Messages, Prompt
from core.types import Answer, Option, Question, Rounds, T

_MAX_SHOWN_CHARACTERS = 2000  # characters of an answer that stand in a message

_TOKEN_MARKS = " \t\r\n▁ĠĊ"  # blanks, and how vocabularies write them

_OPENINGS = "\"'`*_(["

_UNUSABLE_ENDS = {
    "length": "The answer was cut at its limit of tokens. Set max_tokens= higher, or reasoning_tokens of the endpoint of a reasoning model.",
    "refusal": "The model refused.",
    "filter": "The endpoint's filter blocked the answer.",
    "reasoning": "Only reasoning came, and no answer. Set reasoning_tokens of the endpoint, or max_tokens=, higher.",
}

_TAGS = r"(?P<tag>think(?:ing)?|thought|reasoning|seed:think)"
_FINAL_CHANNEL = r"<\|channel\|>final[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
_REASONING = (
    re.compile(rf"\s*<{_TAGS}>.*?</(?P=tag)>", re.DOTALL | re.IGNORECASE),
    re.compile(r"\s*\[THINK\].*?\[/THINK\]", re.DOTALL),
    # harmony: whatever channels come before the final one, also where the server left out the marks
    re.compile(rf"\s*(?:<\|start\|>assistant)?<\|channel\|>.*{_FINAL_CHANNEL}", re.DOTALL),
    re.compile(rf"\s*(?:<\|start\|>assistant)?{_FINAL_CHANNEL}"),
    # and where it left out the marks of the final one only
    re.compile(
        r"\s*(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary).*?<\|end\|>(?!.*<\|channel\|>)", re.DOTALL
    ),
    re.compile(r"\s*analysis\S.*assistant(?:commentary.*assistant)?final", re.DOTALL),
)
"""Text that reasoning models write before their answer, whole."""
_UNOPENED_REASONING = re.compile(rf"(?!\s*[{{\[`<]).*?</{_TAGS}>", re.DOTALL | re.IGNORECASE)
"""Reasoning whose opening tag is part of the template, as that of R1; what begins as JSON is an answer that quotes a tag."""
_UNENDED_REASONING = re.compile(rf"\s*(?:<{_TAGS}>|\[THINK\]|(?:<\|start\|>assistant)?<\|channel\|>)", re.IGNORECASE)
_HARMONY_END = re.compile(r"<\|(?:return|end|call)\|>\s*$")


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling of an answer, and its endpoint: one of TOUCHSTONE_ENDPOINTS by its name, "" for the default one.

    A model `local:FOLDER` is loaded, and no endpoint asked.

    `sample` tells draws apart that are otherwise the same: each is requested again. An answer ends before `stop`.
    """

    model: str
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 2048
    sample: int = 0
    endpoint: str = ""
    stop: str = ""

    @property
    def asked(self) -> ModelRef:
        """Model that answers."""
        return chat_model(self.model, self.endpoint)


def token_word(token: str) -> str:
    """A token without the blanks before and after it, however its vocabulary writes them."""
    return token.strip(_TOKEN_MARKS)


def is_opening(token: str) -> bool:
    """True for a token before a word: blanks, a quotation mark, an asterisk of bold type."""
    return not token_word(token).strip(_OPENINGS)


def chat_question(messages: Sequence[str], sampling: Sampling, schema: str = "") -> Question:
    """A question of kind "endpoint_chat" or "local_chat": a system and a user message, then answers and further requests in turn."""
    options: tuple[Option, ...] = (
        ("model", sampling.model),
        ("temperature", float(sampling.temperature)),  # 0 and 0.0 are the same question and must have the same key
        ("top_p", float(sampling.top_p)),
        ("max_tokens", sampling.max_tokens),
        ("sample", sampling.sample),
        ("schema", schema),
    )
    if sampling.stop:
        options += (("stop", sampling.stop),)
    return Question(sampling.asked, tuple(messages), options)


def sampling_of(question: Question) -> Sampling:
    """Sampling of the answer to a question of kind "endpoint_chat"."""
    options = dict(question.options)
    return Sampling(
        model=cast(str, options["model"]),
        temperature=cast(float, options["temperature"]),
        top_p=cast(float, options["top_p"]),
        max_tokens=cast(int, options["max_tokens"]),
        sample=cast(int, options["sample"]),
        endpoint=question.checkpoint.endpoint if isinstance(question.checkpoint, EndpointModel) else "",
        stop=cast(str, options.get("stop", "")),
    )


def question_schema(question: Question) -> str:
    """The schema of the answer to a question of kind "endpoint_chat"; empty for free text."""
    return cast(str, dict(question.options)["schema"])


def first_question(messages: Messages, sampling: Sampling, schema: str = "") -> Question:
    """The first question of a conversation; see kind "endpoint_chat"."""
    return chat_question((messages.system, messages.user), sampling, schema)


def require_whole_question(answer: Answer) -> None:
    """Raise UnreadableAnswerError where the server has cut the question, and so the document, without a word."""
    if answer.cut:
        raise UnreadableAnswerError(
            f"The server read {answer.tokens:,} tokens of a question of {answer.tokens + answer.cut:,} or more: it cut the "
            "document. Give it a window that holds the question (Ollama: num_ctx, or OLLAMA_CONTEXT_LENGTH; llama.cpp: -c; "
            "vLLM: --max-model-len), or shorten the document.",
            [answer],
        )


def answer_text(answer: Answer) -> str:
    """The text of an answer, without the reasoning in front of it.

    Raises UnreadableAnswerError, with the raw answer, for one that did not come to its natural end, is empty, or is of a
    question that was cut.
    """
    require_whole_question(answer)
    text, ended = answer.texts
    if ended != "stop":
        message = _UNUSABLE_ENDS.get(ended)
        raise unusable_answer(
            message or f"The answer did not come to its end: the endpoint says {ended!r}.", text, answer
        )
    spoken = without_reasoning(text)
    if not spoken and text.strip():
        raise unusable_answer(_UNUSABLE_ENDS["reasoning"], text, answer)
    if not spoken:
        raise unusable_answer("The answer is empty.", text, answer)
    return spoken


def without_reasoning(text: str) -> str:
    """The text without reasoning in front of it and blanks around it; empty where there is nothing else."""
    spoken = text
    while opening := next(filter(None, (form.match(spoken) for form in _REASONING)), None):
        spoken = spoken[opening.end() :]
    if _UNENDED_REASONING.match(spoken):
        return ""
    if spoken == text and (unopened := _UNOPENED_REASONING.match(spoken)):
        spoken = spoken[unopened.end() :]
    return _HARMONY_END.sub("", spoken).strip()


def is_usable(kind: str, answer: Answer) -> bool:
    """True if an answer to a question of this kind is kept.

    One that was refused, cut off or left empty, or whose question was cut, may be better when asked for again.
    """
    if kind != "endpoint_chat":
        return not answer.cut
    try:
        answer_text(answer)
    except UnreadableAnswerError:
        return False
    return True


def collect_answers(conversation: Rounds[T]) -> Rounds[tuple[T, list[Answer]]]:
    """The same conversation, which comes with all answers that it was given."""
    received: list[Answer] = []
    questions = next(conversation)
    while True:
        answers = yield questions
        received += answers
        try:
            questions = conversation.send(answers)
        except StopIteration as end:
            return end.value, received


def unusable_answer(problem: str, raw: str, *answers: Answer) -> UnreadableAnswerError:
    """Error that says why answers are not used, with the text of the model."""
    shown = raw if len(raw) <= _MAX_SHOWN_CHARACTERS else f"{raw[:_MAX_SHOWN_CHARACTERS]}…"
    shown_answer = f"The model said: “{shown}”" if raw.strip() else "The model said nothing."
    return UnreadableAnswerError(f"{problem} {shown_answer}", answers)


_MODEL_MARK = "|model:"


def model_signature(name: str, used: Prompt, sampling: Sampling) -> str:
    """One line: what was done, model, sampling, prompt with its hash, and the address or the weights.

    Raises MissingEndpointError, MissingWeightsError.
    """
    draw = f"{sampling_signature(sampling)}|sample:{sampling.sample}"
    return f"{name}{_MODEL_MARK}{model_title(sampling.model)}|{draw}|{used.signature}|{place_signature(sampling)}"


def place_signature(sampling: Sampling) -> str:
    """Signature of the server or weights that answer; raises MissingEndpointError, MissingWeightsError."""
    if is_local_model(sampling.model):
        return f"weights:{weights_fingerprint(sampling.model)[:12]}"
    return f"endpoint:{configured_endpoint(sampling.endpoint).fingerprint[:12]}"


def sampling_signature(sampling: Sampling) -> str:
    """Signature of the sampling there: a reasoning model takes no temperature, and has more tokens to write."""
    if is_local_model(sampling.model):
        return f"temperature:{sampling.temperature:g}|top_p:{sampling.top_p:g}|max_tokens:{sampling.max_tokens}"
    endpoint = configured_endpoint(sampling.endpoint)
    if reasoning := endpoint.reasoning_tokens:
        return f"temperature:its own|top_p:its own|max_tokens:{sampling.max_tokens}+{reasoning}"
    temperature, top_p = (
        "its own" if name in endpoint.leave_out else f"{value:g}"
        for name, value in (("temperature", sampling.temperature), ("top_p", sampling.top_p))
    )
    return f"temperature:{temperature}|top_p:{top_p}|max_tokens:{sampling.max_tokens}"


def is_model_signature(name: str) -> bool:
    """True if a name is the signature of a language model, and not the name of a person."""
    return _MODEL_MARK in name
