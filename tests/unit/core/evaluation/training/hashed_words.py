"""An encoder that needs no weights: each word's state is drawn by the word, so that equal words are alike and others are not."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from core.evaluation.training.trainer import Encoder
from core.models.words.word_states import States, WordStates, word_form, word_spans
from core.text.segmentation import sentences

WIDTH = 16


class HashedEncoder:
    """Reads as `core.models.words.word_encoder.WordEncoder` does."""

    nbytes = 0

    def read(self, texts: Sequence[str]) -> list[WordStates]:
        return [_states(text) for text in texts]


def encoder() -> Encoder:
    return Encoder(HashedEncoder(), "hashed", "0" * 64)  # type: ignore[arg-type]  # what it reads is all that training needs


def _states(text: str) -> WordStates:
    spans = word_spans(text)
    forms = tuple(word_form(span.of(text)) for span in spans)
    ends = np.array([sentence.end for sentence in sentences(text)])
    states = np.array([_state(form.lower()) for form in forms], dtype=np.float32).reshape(-1, WIDTH)
    places = np.searchsorted(ends, [span.start for span in spans], side="right")
    return WordStates(tuple(spans), forms, states, states, places, np.ones(len(spans), dtype=np.int64), len(spans))


def _state(word: str) -> States:
    drawn = np.random.default_rng(int.from_bytes(sha256(word.encode()).digest()[:8])).normal(size=WIDTH)
    return np.asarray(drawn / np.linalg.norm(drawn), dtype=np.float32)
