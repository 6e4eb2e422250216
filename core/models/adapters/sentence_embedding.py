"""Kind "sentence_embedding": the embedding of a text by a sentence-transformers model, of unit length, pooled as its modules.json says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor
from transformers import AutoModel, PreTrainedModel

from core.errors import LoadError
from core.models.files import max_sentence_tokens, module_types, read_json_object
from core.models.model import Row, rows_of
from core.models.network import freeing_memory, load_network, max_positions, network_bytes, pad_batch, segment_types
from core.models.tokenizer import TextTokenizer
from core.types import Answer, Checkpoint, Question

Pooling = Callable[[Tensor, Tensor], Tensor]
"""From states (rows, tokens, width) and mask (rows, tokens, 1) to vectors (rows, width)."""

_POOLINGS: dict[str, Pooling] = {
    "cls": lambda states, mask: states[:, 0],  # noqa: ARG005  # the signature of every pooling
    "max": lambda states, mask: states.masked_fill(mask == 0, -torch.inf).amax(1),
    "mean": lambda states, mask: (states * mask).sum(1) / mask.sum(1),
}
_KNOWN_MODULES = {"Transformer", "Pooling", "Normalize"}
# the spelling before sentence-transformers 6
_POOLING_FLAGS = {"pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max", "pooling_mode_mean_tokens": "mean"}


def read_pooling(folder: Path) -> Pooling:
    """The pooling of a model, the mean where it names none; raises LoadError for one that is not known here."""
    names = [_pooling_mode(config) for config in sorted(folder.glob("*_Pooling/config.json"))] or ["mean"]
    strange = sorted((module_types(folder) - _KNOWN_MODULES) | (set(names) - set(_POOLINGS)))
    if strange or len(names) > 1:
        raise LoadError(
            f"The model in {folder} pools by {', '.join(strange or names)}; known are a transformer with cls, max or mean "
            "pooling. Set checkpoint= to another sentence-transformers model."
        )
    return _POOLINGS[names[0]]


def _pooling_mode(path: Path) -> str:
    """The pooling that a configuration names, several joined by a plus."""
    config = read_json_object(path)
    flagged = [flag for flag, value in config.items() if flag.startswith("pooling_mode_") and value is True]
    modes = config.get("pooling_mode", [_POOLING_FLAGS.get(flag, flag) for flag in flagged] or "mean")
    return "+".join(map(str, modes)) if isinstance(modes, list) else str(modes)


class SentenceEmbedder:
    """Inputs: one text. Values: its embedding. What goes beyond the model's own limit is cut."""

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer, pooling: Pooling, limit: int) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._pooling = pooling
        self._limit = limit
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return rows_of(self._tokenizer, questions, self._limit)

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = pad_batch(tokens, self._network)
            states = self._network(
                input_ids=ids, attention_mask=mask, **segment_types(self._network, types)
            ).last_hidden_state
            pooled = self._pooling(states.float(), mask.unsqueeze(-1))
            vectors = torch.nn.functional.normalize(pooled, dim=-1).tolist()  # (rows, width)
        return [
            Answer(values=tuple(vector), tokens=len(row), cut=row.cut)
            for vector, row in zip(vectors, tokens, strict=True)
        ]


def load(path: Path, checkpoint: Checkpoint, device: str) -> SentenceEmbedder:
    pooling = read_pooling(path)
    network = load_network(AutoModel.from_pretrained, path, checkpoint, device, unused="pooler.")
    return SentenceEmbedder(
        network, TextTokenizer.load(path), pooling, max_sentence_tokens(path, max_positions(network))
    )
