"""A cross-encoder that was trained here, as a model of the pool: it reads a sentence beside what it needs of the document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.first_token import read_first_token
from core.models.networks.model import Row
from core.models.networks.network import (
    freeing_memory,
    load_network,
    max_positions,
    network_bytes,
    pad_batch,
    segment_types,
)
from core.models.networks.tokenizer import TextTokenizer, Tokens
from core.models.weights.weight_files import max_text_tokens
from core.models.words.claims import premise
from core.models.words.head import probability
from core.types import Answer, Question


class CrossEncoderModel:
    """Inputs: document and one sentence. Values: the probability that it is supported. Spans: the closest sentence of the document.

    A text without a sentence gets no values.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer, limit: int) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._limit = limit
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [self._row(question) for question in questions]

    def _row(self, question: Question) -> Row:
        document, claim = question.inputs
        evidence = premise(document, claim, self._limit, self._tokenizer.count)
        if not evidence:
            return Row(question, 0, ())
        [tokens] = self._tokenizer.encode([(evidence.text, claim)], [self._limit])
        return Row(question, len(tokens), (tokens,))

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows if row.payload]
        logits = iter(self._logits(tokens) if tokens else ())
        return [self._answer(row, next(logits)) if row.payload else Answer() for row in rows]

    def _logits(self, tokens: Sequence[Tokens]) -> list[float]:
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = pad_batch(tokens, self._network)
            logits = self._network(input_ids=ids, attention_mask=mask, **segment_types(self._network, types)).logits
            return [float(logit) for logit in logits[:, 0].float().tolist()]  # (rows,)

    def _answer(self, row: Row, logit: float) -> Answer:
        document, claim = row.question.inputs
        evidence = premise(document, claim, self._limit, self._tokenizer.count)
        [tokens] = row.payload
        spans = (evidence.closest,) if evidence else ()
        return Answer(values=(probability(logit),), spans=spans, tokens=len(tokens), cut=tokens.cut)


def load_cross_encoder(path: Path, checkpoint: Checkpoint, device: str) -> CrossEncoderModel:
    """Raises LoadError, MemoryFullError."""
    network = load_network(AutoModelForSequenceClassification.from_pretrained, path, checkpoint, device)
    if network.config.num_labels != 1:
        raise LoadError(
            f"The model in {path} has {network.config.num_labels} labels and must have one. Train it again."
        )
    return CrossEncoderModel(
        read_first_token(network), TextTokenizer.load(path), max_text_tokens(path, max_positions(network))
    )
