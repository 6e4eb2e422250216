"""An encoder that gives each word of a text the mean state of its tokens, at an early and at a late layer."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from core.model_reference import Checkpoint
from core.models.networks.network import (
    Encoder,
    freeing_memory,
    load_encoder,
    max_positions,
    network_bytes,
    pad_batch,
    read_back,
    segment_types,
)
from core.models.networks.tokenizer import TextTokenizer, Tokens
from core.models.weights.config_check import require_encoder
from core.models.weights.weight_files import max_text_tokens, weight_files
from core.models.words.word_states import States, WordStates, windows, word_form, word_spans
from core.text import plain_typography, sentences
from core.types import Span

EARLY_LAYER = 2
"""Layer whose states still distinguish the words; those of the last layer show what is said of them."""
_REMEMBERED_TOKENS = 8192  # of windows; 3 kB each at a width of 384


class WordEncoder:
    """Reads texts in windows of whole sentences, so that nothing of a long document is left out."""

    def __init__(self, network: Encoder, tokenizer: TextTokenizer, limit: int) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._limit = limit
        self._windows: OrderedDict[tuple[int, ...], tuple[States, States]] = OrderedDict()
        self._lock = threading.Lock()
        self.nbytes = network_bytes(network)
        self.width = int(network.config.hidden_size)

    @classmethod
    def load(cls, path: Path, checkpoint: Checkpoint, device: str) -> WordEncoder:
        """Raises LoadError, MemoryFullError."""
        require_encoder(path, checkpoint)
        network = load_encoder(path, checkpoint, device)
        return cls(network, TextTokenizer.load(path), max_text_tokens(path, max_positions(network)))

    def read(self, texts: Sequence[str]) -> list[WordStates]:
        """The words of each text with their states; marks of layout and typography are read as plain ones."""
        texts = [plain_typography(text) for text in texts]
        placed = [(number, span) for number, text in enumerate(texts) for span in windows(text, self._tokenizer.count)]
        encoded = self._tokenizer.encode(
            [span.of(texts[number]) for number, span in placed], [self._limit] * len(placed)
        )
        by_text: list[list[tuple[Span, Tokens, States, States]]] = [[] for _ in texts]
        for (number, span), tokens, states in zip(placed, encoded, self._window_states(encoded), strict=True):
            by_text[number].append((span, tokens, *states))
        return [_words(text, read) for text, read in zip(texts, by_text, strict=True)]

    def _window_states(self, windows: Sequence[Tokens]) -> list[tuple[States, States]]:
        """The states of windows at both layers, (tokens, width) each.

        Those that an earlier text had, as a long document that is made of others, are remembered.
        """
        with self._lock:
            states = {window.ids: self._windows[window.ids] for window in windows if window.ids in self._windows}
        missing = {window.ids: window for window in windows if window.ids not in states}
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            # each window in a pass of its own: in a batch of others sums are rounded otherwise, and a tree may take another turn
            layers = [layer.numpy() for layer in read_back(*chain.from_iterable(map(self._states, missing.values())))]
        states.update(zip(missing, zip(layers[::2], layers[1::2], strict=True), strict=True))
        with self._lock:
            for ids, both in states.items():
                self._windows[ids] = both
                self._windows.move_to_end(ids)
            while sum(map(len, self._windows)) > _REMEMBERED_TOKENS:
                self._windows.popitem(last=False)
        return [states[window.ids] for window in windows]

    def _states(self, tokens: Tokens) -> list[Tensor]:
        """The states of a window's tokens at both layers, (tokens, width) each."""
        ids, mask, types = pad_batch([tokens], self._network)
        layers = self._network(
            input_ids=ids, attention_mask=mask, output_hidden_states=True, **segment_types(self._network, types)
        ).hidden_states
        return [layers[layer][0].float() for layer in (EARLY_LAYER, -1)]


def _words(text: str, read: Sequence[tuple[Span, Tokens, States, States]]) -> WordStates:
    """Words whose tokens were read; a token counts for the word in which it begins."""
    spans = word_spans(text)
    starts = np.array([span.start for span in spans])
    sums = [np.zeros((len(spans), read[0][2].shape[1] if read else 0), dtype=np.float32) for _ in range(2)]
    pieces = np.zeros(len(spans), dtype=np.int64)
    for window, tokens, early, late in read:
        rows = [
            (place, window.start + start)
            for place, ((start, end), special) in enumerate(zip(tokens.offsets, tokens.special, strict=True))
            if end > start and not special
        ]
        for place, start in rows:
            # the last word that begins at or before the token, unless the token lies in the gap after it
            word = int(np.searchsorted(starts, start, side="right")) - 1
            if word >= 0 and start < spans[word].end:
                sums[0][word] += early[place]
                sums[1][word] += late[place]
                pieces[word] += 1
    covered = np.flatnonzero(pieces)
    ends = np.array([sentence.end for sentence in sentences(text)])
    return WordStates(
        spans=tuple(spans[word] for word in covered),
        forms=tuple(word_form(spans[word].of(text)) for word in covered),
        early=_unit(sums[0][covered]),
        late=_unit(sums[1][covered]),
        sentence=np.searchsorted(ends, starts[covered], side="right"),
        pieces=pieces[covered],
        tokens=sum(len(tokens) for _, tokens, _, _ in read),
        cut=sum(tokens.cut for _, tokens, _, _ in read),
    )


def _unit(states: States) -> States:
    lengths = np.linalg.norm(states, axis=1, keepdims=True)
    return np.asarray(states / np.maximum(lengths, 1e-12), dtype=np.float32)


def encoder_hash(folder: Path) -> str:
    """The SHA-256 of the weights in an encoder's folder."""
    digest = hashlib.sha256()
    for path in weight_files(folder):
        digest.update(path.read_bytes())
    return digest.hexdigest()
