"""Kind "hhem": the probabilities that a T5 encoder gives to the first token of a text (HHEM-2.1-open)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import torch
from transformers import PreTrainedModel, T5Config, T5ForTokenClassification

from core.errors import LoadError, UnscorableError
from core.model_reference import Checkpoint
from core.models.networks.model import UNLIMITED, Row, int_option, rows_of
from core.models.networks.network import FromPretrained, freeing_memory, load_network, network_bytes, pad_batch
from core.models.networks.tokenizer import TextTokenizer
from core.models.weights.locations import locate_backbone
from core.models.weights.weight_files import read_json_object
from core.types import Answer, Question

_WEIGHT_PREFIX = {"^t5\\.": ""}
"""Text before the names of the weights in the file."""


class HhemModel:
    """Inputs: one text. Option "longest": tokens at most; a longer text is refused, not cut. Values: the softmax over the labels."""

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        rows = rows_of(self._tokenizer, questions)
        for row in rows:
            longest = int_option(row.question, "longest", UNLIMITED)
            if row.length > longest:
                raise UnscorableError(
                    f"The document and the claim have {row.length} tokens, and the model reads {longest} at once. "
                    "Shorten the document, or raise max_tokens=: memory grows with its square."
                )
        return rows

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, _ = pad_batch([row.payload[0] for row in rows], self._network)
            logits = self._network(input_ids=ids, attention_mask=mask).logits[:, 0]  # (rows, labels)
            shares = logits.float().softmax(-1).tolist()
        return [Answer(values=tuple(share), tokens=row.length) for share, row in zip(shares, rows, strict=True)]


def load(path: Path, checkpoint: Checkpoint, device: str) -> HhemModel:
    folder = locate_backbone(checkpoint)
    config = read_json_object(folder / "config.json")
    if config.get("model_type") != "t5":
        raise LoadError(f"{folder} holds a model of type {config.get('model_type')}. Set backbone= to a T5.")
    read: FromPretrained = T5ForTokenClassification.from_pretrained
    built = partial(read, config=T5Config.from_dict({**config, "num_labels": 2}), key_mapping=_WEIGHT_PREFIX)
    return HhemModel(load_network(built, path, checkpoint, device), TextTokenizer.load(folder))
