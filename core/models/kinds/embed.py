"""Kind "embed": the embedding of a text by a sentence-transformers model, of unit length."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModel, PreTrainedModel

from core.models.configuration import longest_sentence
from core.models.model import Row, rows_of
from core.models.network import freeing_memory, load_network, padded, positions, segments, size_of
from core.models.pooling import Pooling, pooling_of
from core.models.tokenizer import TextTokenizer
from core.types import Answer, Checkpoint, Question


class Embedder:
    """Inputs: one text. Values: its embedding. What goes beyond the model's own limit is cut."""

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer, pooling: Pooling, limit: int) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._pooling = pooling
        self._limit = limit
        self.nbytes = size_of(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return rows_of(self._tokenizer, questions, self._limit)

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = padded(tokens, self._network)
            states = self._network(
                input_ids=ids, attention_mask=mask, **segments(self._network, types)
            ).last_hidden_state
            pooled = self._pooling(states.float(), mask.unsqueeze(-1))
            vectors = torch.nn.functional.normalize(pooled, dim=-1).tolist()  # (rows, width)
        return [
            Answer(values=tuple(vector), tokens=len(row), cut=row.cut)
            for vector, row in zip(vectors, tokens, strict=True)
        ]


def load(path: Path, checkpoint: Checkpoint, device: str) -> Embedder:
    pooling = pooling_of(path)
    network = load_network(AutoModel.from_pretrained, path, checkpoint, device, unused="pooler.")
    return Embedder(network, TextTokenizer.load(path), pooling, longest_sentence(path, positions(network)))
