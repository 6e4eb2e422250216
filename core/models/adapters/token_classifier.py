"""Kind "token_classifier": how probable each token of the second text of a pair has a label, by a token classifier."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor
from transformers import AutoModelForTokenClassification, PreTrainedModel

from core.model_reference import Checkpoint
from core.models.networks.model import UNLIMITED, Row, int_option
from core.models.networks.network import (
    freeing_memory,
    load_network,
    network_bytes,
    pad_batch,
    read_back,
    segment_types,
)
from core.models.networks.tokenizer import TextTokenizer
from core.models.weights.config_check import label_order
from core.types import Answer, Question, Span


class TokenClassifier:
    """Inputs: a pair of texts. Options: "label", whose probability is wanted, in the order that is expected of the checkpoint; "limit", tokens at most.

    The first text is shortened, never the second, which must leave room for one token. Values: the softmax at the label
    for each token of the second text; spans: where these tokens stand in it.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer, order: tuple[int, ...] | None) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._order = order or tuple(range(network.config.num_labels or 0))
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        pairs = [(question.inputs[0], question.inputs[1]) for question in questions]
        limits = [int_option(question, "limit", UNLIMITED) for question in questions]
        tokens = self._tokenizer.encode(pairs, limits, "only_first")
        return [Row(question, len(row), (row,)) for question, row in zip(questions, tokens, strict=True)]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = pad_batch(tokens, self._network)
            logits = self._network(input_ids=ids, attention_mask=mask, **segment_types(self._network, types)).logits
            [shares] = read_back(logits.float().softmax(-1))  # (rows, tokens, labels)
        return [self._answer(row, share) for row, share in zip(rows, shares, strict=True)]

    def _answer(self, row: Row, shares: Tensor) -> Answer:
        [tokens] = row.payload
        # counted from the end: a template need not tell its two texts apart by segment
        [size] = self._tokenizer.count([row.question.inputs[1]])
        second = range(len(tokens) - 1 - size, len(tokens) - 1)
        label = self._order[int_option(row.question, "label", 1)]
        return Answer(
            values=tuple(shares[second.start : second.stop, label].tolist()),
            spans=tuple(Span(*tokens.offsets[place]) for place in second),
            tokens=len(tokens),
            cut=tokens.cut,
        )


def load(path: Path, checkpoint: Checkpoint, device: str) -> TokenClassifier:
    order = label_order(path, checkpoint)
    network = load_network(AutoModelForTokenClassification.from_pretrained, path, checkpoint, device)
    return TokenClassifier(network, TextTokenizer.load(path), order)
