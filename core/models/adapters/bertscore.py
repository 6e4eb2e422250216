"""Kind "bertscore": for every token of a summary, how close the closest token of the document is (BERTScore)."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import cast

import torch
from torch import Tensor

from core.errors import BadSettingError
from core.model_reference import Checkpoint
from core.models.networks.model import Row, int_option
from core.models.networks.network import (
    Encoder,
    copy_to_device,
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
from core.models.weights.weight_files import max_text_tokens
from core.models.words.word_states import windows
from core.types import Answer, Question, Span

_MAX_DOCUMENTS = 64

_DocumentKey = tuple[int, Tokens]
"""A text and the layer at which its states are wanted."""


@dataclass(frozen=True, slots=True)
class WindowedRow(Row):
    """A row whose payload is the number of the document's windows, these windows, and those of the summary."""

    document_windows: int = 1

    def texts(self) -> tuple[tuple[Tokens, ...], tuple[Tokens, ...]]:
        """The windows of the document and those of the summary."""
        return self.payload[: self.document_windows], self.payload[self.document_windows :]


class BertScoreModel:
    """Inputs: document and summary. Options: "layer", whose output is compared (0: the embeddings); "limit", tokens of each;
    "windows", where it is 1, reads the document in windows of whole sentences instead of its start.

    Values: the largest cosine over the document's tokens for each token of the summary; special tokens of the template
    can be matched to and are not matched themselves. Spans: where these tokens stand in the summary, then, as many again,
    where the best match of each stands in the document; an empty span for a special token.
    """

    def __init__(self, network: Encoder, tokenizer: TextTokenizer, limit: int) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._limit = limit
        self._documents: OrderedDict[_DocumentKey, Tensor] = OrderedDict()
        self._lock = threading.Lock()
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        places = [self._windows(question) for question in questions]
        texts = [
            text
            for question, spans in zip(questions, places, strict=True)
            for text in (
                *(span.of(question.inputs[0]) for span in spans[0]),
                *(span.of(question.inputs[1]) for span in spans[1]),
            )
        ]
        sizes = [len(of_document) + len(of_summary) for of_document, of_summary in places]
        limits = [
            min(self._limit, int_option(question, "limit", self._limit))
            for question, size in zip(questions, sizes, strict=True)
            for _ in range(size)
        ]
        tokens = iter(self._tokenizer.encode(texts, limits))
        grouped = [tuple(islice(tokens, size)) for size in sizes]
        rows: list[Row] = []
        for question, read, spans in zip(questions, grouped, places, strict=True):
            # the tokens of windows are placed from the start of their text
            moved = tuple(
                replace(tokens, offsets=tuple((span.start + start, span.start + end) for start, end in tokens.offsets))
                if span.start
                else tokens
                for tokens, span in zip(read, chain(*spans), strict=True)
            )
            rows.append(
                WindowedRow(self._checked(question), max(map(len, read)), moved, document_windows=len(spans[0]))
            )
        return rows

    def _windows(self, question: Question) -> tuple[list[Span], list[Span]]:
        """The stretches of document and summary that are read one after the other; one of a text that is read from its start."""
        document, summary = ([Span(0, len(text))] for text in question.inputs)
        if not int_option(question, "windows", 0):
            return document, summary
        return (
            windows(question.inputs[0], self._tokenizer.count) or document,
            windows(question.inputs[1], self._tokenizer.count) or summary,
        )

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        with torch.inference_mode(), freeing_memory("The pair of texts does not fit"):
            layers = [_layer_option(row.question) for row in rows]
            texts = [row.texts() for row in rows if isinstance(row, WindowedRow)]
            keys = [(layer, window) for layer, (document, _) in zip(layers, texts, strict=True) for window in document]
            read = iter(self._document_states(keys))
            documents = [torch.cat(list(islice(read, len(of_document)))) for of_document, _ in texts]
            claimed = iter(
                self._states(
                    [(layer, window) for layer, (_, summary) in zip(layers, texts, strict=True) for window in summary]
                )
            )
            summaries = [torch.cat(list(islice(claimed, len(of_summary)))) for _, of_summary in texts]
            compared = [_compared_positions(of_summary) for _, of_summary in texts]
            flat = copy_to_device(torch.tensor(list(chain(*compared)), dtype=torch.long), self._network.device)
            best = [
                (summary[positions] @ document.T).max(-1)  # (positions,)
                for summary, positions, document in zip(
                    summaries, flat.split(list(map(len, compared))), documents, strict=True
                )
            ]
            read_values = read_back(*(part.values for part in best), *(part.indices for part in best))
        matches = zip(read_values[: len(rows)], read_values[len(rows) :], strict=True)
        return [
            self._answer(row, positions, values.tolist(), matched.tolist())
            for row, positions, (values, matched) in zip(rows, compared, matches, strict=True)
        ]

    def _answer(self, row: Row, positions: list[int], values: list[float], matched: list[int]) -> Answer:
        assert isinstance(row, WindowedRow)
        of_document, of_summary = row.texts()
        offsets = [offset for window in of_document for offset in window.offsets]
        places = [offset for window in of_summary for offset in window.offsets]
        return Answer(
            values=tuple(values),
            spans=tuple(Span(*places[i]) for i in positions) + tuple(Span(*offsets[i]) for i in matched),
            tokens=sum(map(len, row.payload)),
            cut=sum(tokens.cut for tokens in row.payload),
        )

    def _document_states(self, readings: Sequence[_DocumentKey]) -> list[Tensor]:
        """States of documents; those read for an earlier summary are remembered."""
        with self._lock:
            states = {reading: self._documents[reading] for reading in readings if reading in self._documents}
        missing = [reading for reading in dict.fromkeys(readings) if reading not in states]
        states.update(zip(missing, self._states(missing), strict=True))
        with self._lock:
            for reading, state in states.items():
                self._documents[reading] = state
                self._documents.move_to_end(reading)
            while len(self._documents) > _MAX_DOCUMENTS:
                self._documents.popitem(last=False)
        return [states[reading] for reading in readings]

    def _states(self, readings: Sequence[_DocumentKey]) -> list[Tensor]:
        """States of unit length, (tokens, width) for each text, from one forward pass for each layer."""
        unit_states: dict[_DocumentKey, Tensor] = {}
        for layer in {layer for layer, _ in readings}:
            texts = [text for own, text in readings if own == layer]
            ids, mask, types = pad_batch(texts, self._network)
            states = self._read(
                layer, {"input_ids": ids, "attention_mask": mask, **segment_types(self._network, types)}
            )
            for text, state in zip(texts, states, strict=True):
                unit_states[layer, text] = torch.nn.functional.normalize(state[: len(text)].float(), dim=-1)
        return [unit_states[reading] for reading in readings]

    def _read(self, layer: int, inputs: dict[str, Tensor]) -> Tensor:
        """The states after a layer, (texts, tokens, width); where the encoder is a list of layers none above it is run."""
        encoder = getattr(self._network, "encoder", None)
        layers = getattr(encoder, "layer", None)
        if encoder is None or not isinstance(layers, torch.nn.ModuleList) or not 0 < layer < len(layers):
            return cast(Tensor, self._network(**inputs, output_hidden_states=True).hidden_states[layer])
        # the network up to the layer, with the same weights
        shorter, below = copy.copy(self._network), copy.copy(encoder)
        below._modules = {**encoder._modules, "layer": layers[:layer]}
        shorter._modules = {**self._network._modules, "encoder": below}
        return cast(Tensor, shorter(**inputs).last_hidden_state)

    def _checked(self, question: Question) -> Question:
        layers = self._network.config.num_hidden_layers
        if not 0 <= _layer_option(question) <= layers:
            raise BadSettingError(
                f"{question.weights.source} has layers 0 to {layers}; got layer={_layer_option(question)}."
            )
        return question


def _compared_positions(windows: Sequence[Tokens]) -> list[int]:
    """Places of the tokens of a summary that are no part of the template."""
    # BERTScore knows the template's tokens by id, so that one written in the summary is left out too
    template = {
        token for window in windows for token, special in zip(window.ids, window.special, strict=True) if special
    }
    ids = [token for window in windows for token in window.ids]
    return [position for position, token in enumerate(ids) if token not in template]


def _layer_option(question: Question) -> int:
    return int_option(question, "layer", -1)


def load(path: Path, checkpoint: Checkpoint, device: str) -> BertScoreModel:
    require_encoder(path, checkpoint)
    network = load_encoder(path, checkpoint, device)
    return BertScoreModel(network, TextTokenizer.load(path), max_text_tokens(path, max_positions(network)))
