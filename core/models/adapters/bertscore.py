"""Kind "bertscore": for every token of a summary, how close the closest token of the document is (BERTScore)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor
from transformers import AutoModel, PreTrainedModel

from core.errors import BadSettingError
from core.models.config_check import require_encoder
from core.models.files import max_text_tokens
from core.models.model import Row, int_option
from core.models.network import freeing_memory, load_network, max_positions, network_bytes, pad_batch, segment_types
from core.models.tokenizer import TextTokenizer, Tokens
from core.types import Answer, Checkpoint, Question, Span

_MAX_DOCUMENTS = 64

_DocumentKey = tuple[int, Tokens]
"""A text and the layer at which its states are wanted."""


class BertScoreModel:
    """Inputs: document and summary. Options: "layer", whose output is compared (0: the embeddings); "limit", tokens of each.

    Values: the largest cosine over the document's tokens for each token of the summary; special tokens of the template
    can be matched to and are not matched themselves. Spans: where these tokens stand in the summary, then, as many again,
    where the best match of each stands in the document; an empty span for a special token.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer, limit: int) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._limit = limit
        self._documents: OrderedDict[_DocumentKey, Tensor] = OrderedDict()
        self._lock = threading.Lock()
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        texts = [text for question in questions for text in question.inputs]
        limits = [min(self._limit, int_option(question, "limit", self._limit)) for question in questions for _ in "ds"]
        tokens = self._tokenizer.encode(texts, limits)
        pairs = zip(tokens[::2], tokens[1::2], strict=True)
        return [
            Row(self._checked(question), max(map(len, pair)), pair)
            for question, pair in zip(questions, pairs, strict=True)
        ]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        with torch.inference_mode(), freeing_memory("The pair of texts does not fit"):
            documents = self._document_states([(_layer_option(row.question), row.payload[0]) for row in rows])
            summaries = self._states([(_layer_option(row.question), row.payload[1]) for row in rows])
            return [_answer(*row) for row in zip(rows, documents, summaries, strict=True)]

    def _document_states(self, readings: Sequence[_DocumentKey]) -> list[Tensor]:
        """States of documents; those read for an earlier summary are remembered."""
        with self._lock:
            states = {reading: self._documents[reading] for reading in readings if reading in self._documents}
        missing = [reading for reading in dict.fromkeys(readings) if reading not in states]
        states.update(zip(missing, self._states(missing), strict=True))
        with self._lock:
            for reading, found in states.items():
                self._documents[reading] = found
                self._documents.move_to_end(reading)
            while len(self._documents) > _MAX_DOCUMENTS:
                self._documents.popitem(last=False)
        return [states[reading] for reading in readings]

    def _states(self, readings: Sequence[_DocumentKey]) -> list[Tensor]:
        """States of unit length, (tokens, width) for each text, from one forward pass."""
        if not readings:
            return []
        tokens = [tokens for _, tokens in readings]
        ids, mask, types = pad_batch(tokens, self._network)
        layers = self._network(
            input_ids=ids, attention_mask=mask, output_hidden_states=True, **segment_types(self._network, types)
        ).hidden_states
        return [
            torch.nn.functional.normalize(layers[layer][number, : len(text)].float(), dim=-1)
            for number, (layer, text) in enumerate(readings)
        ]

    def _checked(self, question: Question) -> Question:
        layers = self._network.config.num_hidden_layers
        if not 0 <= _layer_option(question) <= layers:
            raise BadSettingError(
                f"{question.weights.source} has layers 0 to {layers}; got layer={_layer_option(question)}."
            )
        return question


def _layer_option(question: Question) -> int:
    return int_option(question, "layer", -1)


def _answer(row: Row, document: Tensor, summary: Tensor) -> Answer:
    read, claimed = row.payload
    # BERTScore knows the template's tokens by id, so that one written in the summary is left out too
    template = {token for token, special in zip(claimed.ids, claimed.special, strict=True) if special}
    chosen = [position for position, token in enumerate(claimed.ids) if token not in template]
    best = (summary[chosen] @ document.T).max(-1)  # (chosen,)
    matched = best.indices.tolist()
    return Answer(
        values=tuple(best.values.tolist()),
        spans=tuple(Span(*claimed.offsets[i]) for i in chosen) + tuple(Span(*read.offsets[i]) for i in matched),
        tokens=len(read) + len(claimed),
        cut=read.cut + claimed.cut,
    )


def load(path: Path, checkpoint: Checkpoint, device: str) -> BertScoreModel:
    require_encoder(path, checkpoint)
    network = load_network(AutoModel.from_pretrained, path, checkpoint, device, unused="pooler.")
    return BertScoreModel(network, TextTokenizer.load(path), max_text_tokens(path, max_positions(network)))
