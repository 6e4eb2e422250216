"""Kind "corenlp_parses": words and enhanced dependencies of a text, from a file of CoreNLP's JSON with a line for each text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import LoadError, UnscorableError
from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.types import Answer, Question, Span

_ARCS = "enhancedDependencies"


class CoreNlpParses:
    """Inputs: one text. Spans: its words; texts: the relation of each arc; values: the numbers of its two words, the dependent first.

    The arc of a root has no second word and is left out. Raises UnscorableError for a text that the file does not have.
    """

    def __init__(self, parses: Mapping[str, Answer], nbytes: int) -> None:
        self._parses = parses
        self.nbytes = nbytes

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        for question in questions:
            if question.inputs[0] not in self._parses:
                raise UnscorableError(
                    f"The file of parses has none of the text that begins “{question.inputs[0][:40]}”. Parse it as it is, blanks too."
                )
        return [Row(question, length=0, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        return [self._parses[row.question.inputs[0]] for row in rows]


def load(path: Path, checkpoint: Checkpoint, device: str) -> CoreNlpParses:  # noqa: ARG001  # the signature of every kind
    """The parses of a file, by their texts, each the `text` of its line or else put together from its tokens; raises LoadError."""
    parses = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            text, answer = _parse(json.loads(line))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            raise LoadError(
                f"{path.name}, line {number}: this is no JSON of CoreNLP with tokens and {_ARCS} ({type(error).__name__}: {error}). "
                "Write it with -annotators tokenize,ssplit,pos,depparse -outputFormat json, each text in a line."
            ) from None
        parses[text] = answer
    return CoreNlpParses(parses, path.stat().st_size)


def _parse(record: dict[str, Any]) -> tuple[str, Answer]:
    tokens = [token for sentence in record["sentences"] for token in sentence["tokens"]]
    text = record.get("text") or _joined(tokens)
    spans, labels, numbers, at = list[Span](), list[str](), list[float](), 0
    for token in tokens:  # its offsets count UTF-16 units, ours code points
        words = token.get("originalText") or token["word"]
        start = text.index(words, at)
        at = start + len(words)
        spans.append(Span(start, at))
    first = 0
    for sentence in record["sentences"]:
        size = len(sentence["tokens"])
        for arc in sentence[_ARCS]:
            child, head = int(arc["dependent"]), int(arc["governor"])
            if not (0 < child <= size and 0 <= head <= size):
                raise ValueError(f"an arc from word {head} to {child}, of {size}")
            if head:
                labels.append(str(arc["dep"]))
                numbers += (float(first + child - 1), float(first + head - 1))
        first += size
    return text, Answer(values=tuple(numbers), spans=tuple(spans), texts=tuple(labels))


def _joined(tokens: Sequence[Mapping[str, str]]) -> str:
    first = tokens[0].get("before", "")
    return first + "".join(f"{token['originalText']}{token.get('after', '')}" for token in tokens)
