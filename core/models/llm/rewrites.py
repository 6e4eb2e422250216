"""A summary that a language model rewrote: stripped of commentary, and refused where it is not what was asked for."""

from __future__ import annotations

import re
from collections import Counter

from core.errors import UnscorableError
from core.text import entities, padded_words, sentences, words
from core.types import Example

_FENCES = re.compile(r"```[\w-]*\n(?P<text>.*?)\n?```|<(\w+-[0-9a-f]{8})>\n(?P<marked>.*?)\n</\2>", re.DOTALL)
_ANNOUNCEMENT = re.compile(
    r"\W{0,3}(?:(?:sure|certainly|of course|okay|ok)\b\W{1,3})?"
    r"(?:(?:here(?:'s|’s| is| are)|below is|this is)\b[^\n:.]{0,80}\b(?:summary|version|text|rewriting)\b[^\n:.]{0,60}"
    r"|(?:the |my |your )?(?:\w+(?:ed|en) |new |final |shorter |simpler )?(?:summary|version|text|paraphrase))\W{0,2}:\W{0,3}\s",
    re.IGNORECASE,
)
"""A line or label that announces the text: "Here is the simplified summary:", "**Rewritten summary:**"."""

_COMMENTARY = re.compile(
    r"(?:^|[.!?)\n]\s+)[\W_]{0,3}(?:(?:sure|certainly|of course)[,!.]|here(?:'s|’s| is| are) (?:the|a|your|my)\b|i(?:'m| am) sorry\b"
    r"|i (?:can ?not|can['’]t|cannot|am unable)\b|as an ai\b|note(?::| that\b)|please note\b|explanation:|changes(?: made)?:"
    r"|i(?:'ve|’ve| have) (?:replaced|changed|rewritten|kept|simplified|paraphrased|shortened|added|left|made)\b"
    r"|i (?:replaced|rewrote|simplified|paraphrased|shortened)\b"
    r"|let me know\b|(?:i )?hope this)",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"^\s*(?:#{1,6} |[-*+•] |\d+[.)] |>|\|)|\*\*|__|```|^---+\s*$|</?\w+-[0-9a-f]{8}>", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "'": "'"}
# scripts without blanks between words are compared by their characters
_TOKEN = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+?\b")
_MIN_KNOWN_SHARE = 0.2


def clean_rewrite(example: Example, answer: str) -> str:
    """The new summary in an answer, with the blanks around it that the old one has.

    A fence, an opening line that announces it, and quotation marks around the whole are taken away, each only where the
    old summary has no such thing. Raises UnscorableError for commentary or markup inside of it, another language, or no change.
    """
    summary = example.summary.strip()
    text = answer.strip()
    while (inner := _unwrap_once(summary, text)) != text:  # however many layers there are
        text = inner

    if _COMMENTARY.search(text) and not _COMMENTARY.search(summary):
        raise UnscorableError(
            "The model adds text besides the summary, and the two cannot be separated with certainty."
        )
    marks = _markup(text) - _markup(summary)
    if marks:
        raise UnscorableError(f"The model put markup into the summary: {', '.join(sorted(marks))}.")
    had, has = (len(_PARAGRAPHS.split(version)) for version in (summary, text))
    if has > had:
        raise UnscorableError(f"The model wrote {has} paragraphs for {had}: one of them may be a remark.")

    vocabulary = {token.lower() for token in _TOKEN.findall(f"{example.summary} {example.document}")}
    tokens = [token.lower() for token in _TOKEN.findall(text)]
    shared = sum(token in vocabulary for token in tokens)
    if shared < _MIN_KNOWN_SHARE * len(tokens):
        raise UnscorableError(
            f"The answer seems to be in another language or about something else: {shared} of its {len(tokens)} words stand "
            "in the summary or the document."
        )

    if text.split() == summary.split():
        raise UnscorableError("The model changed nothing.")
    start = len(example.summary) - len(example.summary.lstrip())
    return f"{example.summary[:start]}{text}{example.summary[start + len(summary) :]}"


def check_sentences_kept(example: Example, variant: str) -> None:
    """Raises UnscorableError for a variant with fewer sentences than the summary."""
    had, has = len(sentences(example.summary)), len(sentences(variant))
    if has < had:
        raise UnscorableError(f"The model dropped sentences: {had} became {has}.")


def check_shorter(example: Example, variant: str) -> None:
    """Raises UnscorableError for a variant that has no fewer words than the summary."""
    had, has = len(example.summary.split()), len(variant.split())
    if has >= had:
        raise UnscorableError(f"The model did not shorten the summary: {had} words became {has}.")


def check_shorter_and_whole(example: Example, variant: str) -> None:
    """Raises UnscorableError for a variant that has no fewer words, or lacks a name or number of the summary.

    A capital that opens a sentence may be no name, and is not asked for.
    """
    check_shorter(example, variant)
    summary, padded = example.summary, padded_words(variant)
    openings = {span.start for span in sentences(summary)}
    named = [span.of(summary) for span in entities(summary) if span.start not in openings]
    if dropped := [name for name in dict.fromkeys(named) if f" {' '.join(words(name))} " not in padded]:
        raise UnscorableError(f"The model left information out: {', '.join(dropped)}.")


def check_sentences_moved(example: Example, variant: str) -> None:
    """Raises UnscorableError for a variant that has not exactly the sentences of the summary."""
    lost, new = _sentence_differences(example.summary, variant)
    if lost:
        raise UnscorableError(f"The model changed or dropped a sentence instead of moving it: “{lost[0]}”.")
    if new:
        raise UnscorableError(f"The model added a sentence instead of moving one: “{new[0]}”.")


def check_added_from_document(example: Example, variant: str) -> None:
    """Raises UnscorableError for a variant that is not the summary with something of the document added word for word."""
    lost, new = _sentence_differences(example.summary, variant)
    if lost:
        raise UnscorableError(f"The model changed or dropped a sentence of the summary: “{lost[0]}”.")
    document = " ".join(example.document.split())
    for sentence in new:
        if sentence not in document:
            raise UnscorableError(f"The model added what the document does not say in these words: “{sentence}”.")


def _unwrap_once(summary: str, text: str) -> str:
    if (fenced := _FENCES.fullmatch(text)) and not _FENCES.fullmatch(summary):
        return (fenced["text"] or fenced["marked"] or "").strip()
    if (opening := _ANNOUNCEMENT.match(text)) and not _ANNOUNCEMENT.match(summary):
        return text[opening.end() :].strip()
    close = _QUOTES.get(text[:1])
    if close and len(text) > 1 and text[-1] == close and summary[:1] != text[0]:
        inner = text[1:-1]
        return text if close in inner or text[0] in inner else inner.strip()
    return text


def _markup(text: str) -> set[str]:
    return {match.strip() for match in _MARKDOWN.findall(text)}


def _sentence_differences(summary: str, variant: str) -> tuple[list[str], list[str]]:
    """The sentences that only the summary has, and those that only the variant has."""
    before, after = (
        Counter(" ".join(span.of(text).split()) for span in sentences(text)) for text in (summary, variant)
    )
    return list((before - after).elements()), list((after - before).elements())
