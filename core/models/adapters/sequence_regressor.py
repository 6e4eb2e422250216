"""Kind "sequence_regressor": the raw number of a sequence classifier with one label."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.first_token import read_first_token
from core.models.networks.model import Row, rows_of
from core.models.networks.network import (
    freeing_memory,
    load_network,
    max_positions,
    network_bytes,
    pad_batch,
    segment_types,
)
from core.models.networks.tokenizer import TextTokenizer
from core.types import Answer, Question


class SequenceRegressor:
    """Inputs: one text or a pair. Option "limit": tokens at most. Values: the one number, not bounded."""

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return rows_of(self._tokenizer, questions, max_positions(self._network))

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = pad_batch(tokens, self._network)
            logits = self._network(input_ids=ids, attention_mask=mask, **segment_types(self._network, types)).logits
            values = logits[:, 0].float().tolist()  # (rows,)
        return [Answer((value,), tokens=len(row), cut=row.cut) for value, row in zip(values, tokens, strict=True)]


def load(path: Path, checkpoint: Checkpoint, device: str) -> SequenceRegressor:
    network = load_network(AutoModelForSequenceClassification.from_pretrained, path, checkpoint, device)
    if network.config.num_labels != 1:
        raise LoadError(f"The model in {path} has {network.config.num_labels} labels and must have one.")
    return SequenceRegressor(read_first_token(network), TextTokenizer.load(path))
