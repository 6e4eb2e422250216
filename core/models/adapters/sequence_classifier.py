"""Kind "sequence_classifier": the probabilities of a sequence classifier for a text or a pair of texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from core.model_reference import Checkpoint
from core.models.networks.first_token import read_first_token
from core.models.networks.model import Row, rows_of
from core.models.networks.network import freeing_memory, load_network, network_bytes, pad_batch, segment_types
from core.models.networks.tokenizer import TextTokenizer
from core.models.weights.config_check import label_order
from core.types import Answer, Question


class SequenceClassifier:
    """Inputs: one text or a pair. Option "limit": tokens at most. Values: the softmax over all labels, those that the
    checkpoint is expected to have in the order that is expected.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer, order: tuple[int, ...] | None) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._order = order or tuple(range(network.config.num_labels or 0))
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return rows_of(self._tokenizer, questions)

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = pad_batch(tokens, self._network)
            logits = self._network(input_ids=ids, attention_mask=mask, **segment_types(self._network, types)).logits
            shares = logits.float().softmax(-1).tolist()  # (rows, labels); half precision loses the order of near-ties
        return [
            Answer(values=tuple(share[place] for place in self._order), tokens=len(row), cut=row.cut)
            for share, row in zip(shares, tokens, strict=True)
        ]


def load(path: Path, checkpoint: Checkpoint, device: str) -> SequenceClassifier:
    order = label_order(path, checkpoint)
    network = load_network(AutoModelForSequenceClassification.from_pretrained, path, checkpoint, device)
    return SequenceClassifier(read_first_token(network), TextTokenizer.load(path), order)
