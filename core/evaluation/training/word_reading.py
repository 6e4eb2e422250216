"""Reading the words of all training rows: their features, states and labels."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.training.training_row import TrainingRow
from core.models import (
    DOCUMENT_STATES_FILE,
    WORDS_FILE,
    Features,
    Labels,
    ReadDocument,
    WordStates,
    WordTable,
    feature_matrix,
    is_copied,
    read_document,
)
from core.text import layout_units

if TYPE_CHECKING:
    from core.models import WordEncoder


_ROWS_AT_ONCE = 64


_ReadSentence = tuple[int, int, Features, Labels, bool]
"""Row, document, features, labels, and whether the document has the sentence word for word."""


def read_words(encoder: WordEncoder, rows: Sequence[TrainingRow], folder: Path) -> Generator[int, None, WordTable]:
    """Reads every row; yields how many were read, and returns the table. The states of words are written into the folder.

    Raises TouchstoneError where no word can be read.
    """
    order = sorted(range(len(rows)), key=lambda place: rows[place].document)
    read_sentences: list[_ReadSentence] = []
    ends: list[int] = []
    done = 0
    with (folder / WORDS_FILE).open("wb") as words, (folder / DOCUMENT_STATES_FILE).open("wb") as documents:
        for text, places in groupby(order, key=lambda place: rows[place].document):
            states = encoder.read([text])[0]
            document = read_document(states)
            _write_states(documents, states)
            ends.append((ends[-1] if ends else 0) + len(states.forms))
            own = list(places)
            for start in range(0, len(own), _ROWS_AT_ONCE):
                yield done
                batch = own[start : start + _ROWS_AT_ONCE]
                for row, sentence, values, wrong in _read_rows(encoder, rows, batch, document):
                    _write_states(words, sentence)
                    read_sentences.append((row, len(ends) - 1, values, wrong, is_copied(document, sentence)))
                done += len(batch)
    yield done
    return _as_table(read_sentences, ends, folder)


def _write_states(file: BinaryIO, states: WordStates) -> None:
    file.write(states.both.astype(np.float16).tobytes())


def _read_rows(
    encoder: WordEncoder, rows: Sequence[TrainingRow], places: Sequence[int], document: ReadDocument
) -> Iterator[tuple[int, WordStates, Features, Labels]]:
    """The sentences of some rows of one document that have words."""
    claims = [
        (place, span, span.of(rows[place].summary)) for place in places for span in layout_units(rows[place].summary)
    ]
    # the variants of a summary differ in one sentence, and share the others
    texts = list(dict.fromkeys(text for *_, text in claims))
    read = {
        text: (sentence, feature_matrix(document, sentence))
        for text, sentence in zip(texts, encoder.read(texts), strict=True)
        if sentence.forms and document.low
    }
    for place, span, text in claims:
        if text in read:
            sentence, values = read[text]
            wrong = rows[place].wrong_words
            labels = np.full(len(sentence.spans), -1, dtype=np.int8)  # where nobody knows
            if wrong is not None:
                ends = [(span.start + word.start, span.start + word.end) for word in sentence.spans]
                labels[:] = [
                    any(wrong_span.start < end and start < wrong_span.end for wrong_span in wrong)
                    for start, end in ends
                ]
            yield place, sentence, values, labels


def _as_table(read_sentences: Sequence[_ReadSentence], ends: Sequence[int], folder: Path) -> WordTable:
    if not read_sentences:
        raise TouchstoneError("The texts have no word of letters or digits that could be compared.")
    rows, documents, values, wrong, copied = zip(*read_sentences, strict=True)
    arrays = {
        "values": np.concatenate(values),
        "wrong": np.concatenate(wrong),
        "sentence": np.repeat(np.arange(len(read_sentences)), [len(labels) for labels in wrong]),
        "row": np.array(rows, dtype=np.intp),
        "copied": np.array(copied, dtype=np.bool_),
        "document": np.array(documents, dtype=np.intp),
        "ends": np.array(ends, dtype=np.intp),
    }
    width = (folder / WORDS_FILE).stat().st_size // (np.dtype(np.float16).itemsize * len(arrays["values"]))
    return WordTable.from_arrays({**arrays, "width": np.array([width])}, folder)
