"""Documents of several named contexts: passages that were retrieved, turns of a conversation, several articles.

A document is one text; its contexts are spans of it. What reads one text reads all of them joined, and what cuts the document
cuts each passage for itself where the card says that the best one counts. A context is a passage of its own; those that stand
on neighbouring lines, as the turns of a conversation do, are one passage together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from core.errors import TouchstoneError
from core.text.layout import document_units
from core.text.segmentation import closest_sentence, sentences_of_parts
from core.types import Context, Example, Span, T

SEPARATOR, TURN_SEPARATOR = "\n\n", "\n"
"""Text between two contexts that are joined to a document, and between two turns."""


@dataclass(frozen=True, slots=True)
class NamedText:
    """The name of a context and its text, which may be one turn of several."""

    name: str
    text: str
    is_turn: bool = False


_NAME_FIELDS = ("name", "title", "id", "docid")
_TEXT_FIELDS = ("text", "content", "passage", "body", "utterance", "contents", "page_content")
_SPEAKER_FIELDS = ("speaker", "role", "from")


class HasContexts(Protocol):
    """A document and the contexts that it is made of."""

    @property
    def document(self) -> str: ...

    @property
    def contexts(self) -> tuple[Context, ...]: ...


class Sourced(HasContexts, Protocol):
    """The same with the question that its summaries answer."""

    @property
    def question(self) -> str: ...


def join_contexts(passages: Iterable[NamedText]) -> tuple[str, tuple[Context, ...]]:
    """One document of several texts, and where each of them stands in it."""
    document, contexts = "", []
    before: NamedText | None = None
    for passage in passages:
        if before:
            document += TURN_SEPARATOR if before.is_turn and passage.is_turn else SEPARATOR
        contexts.append(Context(passage.name, Span(len(document), len(document) + len(passage.text))))
        document += passage.text
        before = passage
    return document, tuple(contexts)


def locate_contexts(document: str, passages: Iterable[NamedText]) -> tuple[Context, ...]:
    """The same where the document is given. Raises TouchstoneError for a text that does not stand in it in this order."""
    contexts, end = [], 0
    for passage in passages:
        start = document.find(passage.text, end)
        if start < 0:
            raise TouchstoneError(
                f"The context {passage.name!r} does not stand in the document after the one before it. Leave the document out: it is "
                "made of the contexts."
            )
        end = start + len(passage.text)
        contexts.append(Context(passage.name, Span(start, end)))
    return tuple(contexts)


def passage_spans(example: HasContexts) -> tuple[Span, ...]:
    """The passages of a document: its contexts, turns taken together; the whole document where it has none."""
    spans: list[Span] = []
    for context in example.contexts:
        if spans and example.document[spans[-1].end : context.span.start] == TURN_SEPARATOR:
            spans[-1] = Span(spans[-1].start, context.span.end)
        else:
            spans.append(context.span)
    return tuple(spans) or (Span(0, len(example.document)),)


def pieces_of_passages(example: HasContexts, cut: Callable[[str], Iterable[T]], move: Callable[[T, int], T]) -> list[T]:
    """Apply `cut` to each passage of a document, and move the pieces to their place there."""
    return [
        move(piece, span.start) if span.start else piece
        for span in passage_spans(example)
        for piece in cut(span.of(example.document))
    ]


def context_sentences(example: HasContexts) -> tuple[Span, ...]:
    """The sentences of the document, of which none goes from one context into the next."""
    return sentences_of_parts(example.document, tuple(context.span for context in example.contexts))


def context_units(example: HasContexts) -> tuple[Span, ...]:
    """The sentences, list items and table rows of the document, of which none goes from one context into the next."""
    return sentences_of_parts(example.document, tuple(context.span for context in example.contexts), document_units)


def closest_evidence(example: HasContexts, claim: str) -> Span | None:
    """The sentence, row or list item of the document, within one context, that shares most with a claim; None where none shares a word."""
    parts = tuple(context.span for context in example.contexts)
    return closest_sentence(example.document, claim, parts, document_units)


def name_contexts(contexts: Sequence[Context], span: Span) -> str:
    """The names of the contexts that a span of the document lies in; "" where there are none."""
    return ", ".join(
        context.name for context in contexts if context.span.start < span.end and span.start < context.span.end
    )


def document_for_reader(example: Example) -> str:
    """The document as a language model reads it: after the question, with each context under its name."""
    heading = [f"Question: {example.question}"] if example.question else []
    named = [f"[{passage.name}]\n{passage.text}" for passage in named_texts(example)] or [example.document]
    return SEPARATOR.join([*heading, *named])


def named_texts(example: HasContexts) -> list[NamedText]:
    """Each context with its text."""
    together = {span for span in passage_spans(example) if span not in {context.span for context in example.contexts}}
    return [
        NamedText(
            context.name,
            context.span.of(example.document),
            is_turn=any(span.start <= context.span.start < span.end for span in together),
        )
        for context in example.contexts
    ]


def context_records(example: HasContexts) -> list[dict[str, str]]:
    """The contexts as a file of pairs has them."""
    return [{"name": passage.name, "text": passage.text} for passage in named_texts(example)]


def optional_fields(example: Example) -> dict[str, object]:
    """The contexts and the question as a file of pairs has them; nothing of an example that has neither."""
    fields = {"contexts": context_records(example), "question": example.question}
    return {name: value for name, value in fields.items() if value}


def contexts_to_json(contexts: Iterable[Context]) -> list[list[str | int]]:
    """As the database and blocks keep them: name, start and end of each."""
    return [[context.name, context.span.start, context.span.end] for context in contexts]


def contexts_from_json(rows: Iterable[tuple[str, int, int]]) -> tuple[Context, ...]:
    return tuple(Context(name, Span(start, end)) for name, start, end in rows)


def parse_contexts(raw_contexts: object) -> list[NamedText]:
    """The contexts of a field: texts, objects with a text and a name or speaker, or name → text; in a cell as
    JSON; any other text is one context.

    One without a name is called "context <number>", a turn "turn <number>". Blank ones are left out. Raises TouchstoneError for
    anything else.
    """
    if isinstance(raw_contexts, str):
        try:
            raw_contexts = json.loads(raw_contexts) if raw_contexts.strip().startswith(("[", "{")) else [raw_contexts]
        except (ValueError, RecursionError):
            raise TouchstoneError(
                f'The contexts are {raw_contexts[:60]!r}. Write them as JSON: ["text", …] or [{{"name": …, "text": …}}, …].'
            ) from None
    if isinstance(raw_contexts, Mapping):
        raw_contexts = [{"name": name, "text": text} for name, text in raw_contexts.items()]
    if not isinstance(raw_contexts, list | tuple):
        raise TouchstoneError(
            f"The contexts must be a list of texts, or of objects with name and text; got {type(raw_contexts).__name__}."
        )
    named = [_parse_context(entry, number) for number, entry in enumerate(raw_contexts, start=1)]
    return with_distinct_names([passage for passage in named if passage.text.strip()])


def _parse_context(entry: object, number: int) -> NamedText:
    if isinstance(entry, str):
        return NamedText(f"context {number}", entry)
    if not isinstance(entry, Mapping):
        raise TouchstoneError(f"Context {number} is no text and no object with one; got {type(entry).__name__}.")
    text = _first_text(entry, _TEXT_FIELDS)
    if text is None:
        raise TouchstoneError(
            f"Context {number} has no text. Name it {' or '.join(_TEXT_FIELDS)}; its fields are {', '.join(map(str, entry))}."
        )
    if speaker := _first_text(entry, _SPEAKER_FIELDS):
        return NamedText(f"turn {number}", f"{speaker}: {text}", is_turn=True)
    return NamedText(_first_text(entry, _NAME_FIELDS) or f"context {number}", text)


def _first_text(entry: Mapping[str, object], names: Iterable[str]) -> str | None:
    content = next((entry[name] for name in names if entry.get(name) is not None), None)
    return None if content is None or isinstance(content, bool) or not isinstance(content, str | int) else str(content)


def with_distinct_names(named: Sequence[NamedText]) -> list[NamedText]:
    """With a number after every name that came before."""
    taken: set[str] = set()
    distinct = []
    for passage in named:
        number, free = 2, passage.name
        while free in taken:
            number, free = number + 1, f"{passage.name} ({number})"
        taken.add(free)
        distinct.append(replace(passage, name=free))
    return distinct
