"""Kind "bleurt": the number that a BLEURT model gives a pair of texts, from its SentencePiece file and PyTorch weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import torch
from safetensors.torch import load_file
from sentencepiece import SentencePieceProcessor
from transformers import PreTrainedModel, RemBertConfig, RemBertForSequenceClassification

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.first_token import read_first_token
from core.models.networks.model import Row, int_option
from core.models.networks.network import freeing_memory, load_network, max_positions, network_bytes, pad_batch
from core.models.networks.tokenizer import Tokens
from core.models.weights.weight_files import read_json_object, weight_files
from core.types import Answer, Question

_SPECIAL_TOKEN = re.compile(
    r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])"
)  # the port reads these, written in a text, as special tokens
_RENAMED_WEIGHTS = (("bleurt.", "rembert."), ("encoder.embedding_projection.", "encoder.embedding_hidden_mapping_in."))


class SentencePieces:
    """Raw SentencePiece: transformers would rebuild the normalization of this tokenizer and lose part of it."""

    def __init__(self, processor: SentencePieceProcessor) -> None:
        self._processor = processor
        self._cls, self._sep = (processor.piece_to_id(token) for token in ("[CLS]", "[SEP]"))

    def pair(self, first: str, second: str, limit: int) -> Tokens:
        """Both texts around separators, the end of the longer one dropped until they fit; of equals, of the second."""
        first_ids, second_ids = self._ids(first), self._ids(second)
        room, whole = limit - 3, len(first_ids) + len(second_ids)
        first_length = min(len(first_ids), max(room - len(second_ids), (room + 1) // 2))
        first_ids, second_ids = first_ids[:first_length], second_ids[: room - first_length]
        ids = (self._cls, *first_ids, self._sep, *second_ids, self._sep)
        types = (0,) * (len(first_ids) + 2) + (1,) * (len(second_ids) + 1)
        return Tokens(ids, types, cut=whole - len(first_ids) - len(second_ids))

    def _ids(self, text: str) -> list[int]:
        pieces = [self._part(part) for part in _SPECIAL_TOKEN.split(text) if part]
        return [piece for part in pieces for piece in part]

    def _part(self, text: str) -> list[int]:
        if _SPECIAL_TOKEN.fullmatch(text):
            return [self._processor.piece_to_id(text)]
        return cast(list[int], self._processor.encode(text))


class BleurtModel:
    """Inputs: a pair of texts. Option "limit": tokens at most. Values: the one number, not bounded."""

    def __init__(self, network: PreTrainedModel, pieces: SentencePieces) -> None:
        self._network = network
        self._pieces = pieces
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [self._row(question) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = pad_batch(tokens, self._network)
            logits = self._network(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
            values = logits[:, 0].float().tolist()  # (rows,)
        return [Answer((value,), tokens=len(row), cut=row.cut) for value, row in zip(values, tokens, strict=True)]

    def _row(self, question: Question) -> Row:
        first, second = question.inputs
        longest = max_positions(self._network)
        tokens = self._pieces.pair(first, second, min(longest, int_option(question, "limit", longest)))
        return Row(question, len(tokens), (tokens,))


def load(path: Path, checkpoint: Checkpoint, device: str) -> BleurtModel:
    file = path / "spm.model"
    try:
        pieces = SentencePieces(SentencePieceProcessor(model_file=str(file)))
    except (OSError, RuntimeError) as error:
        raise LoadError(f"{file} is not a readable SentencePiece model. Get the file again.") from error
    return BleurtModel(read_first_token(load_network(_from_port, path, checkpoint, device)), pieces)


def _from_port(folder: Path, dtype: torch.dtype, **_: object) -> tuple[PreTrainedModel, dict[str, set[str]]]:
    """BLEURT is RemBERT under other names, with embeddings of their own width."""
    config = read_json_object(folder / "config.json")
    if config.get("model_type") != "bleurt" or not isinstance(config.get("embedding_size"), int):
        raise LoadError(
            f"{folder} holds no BLEURT-20 model. Set checkpoint= to lucadiliello/BLEURT-20 or one of its kin."
        )
    same = {name: value for name, value in config.items() if name not in {"model_type", "architectures"}}
    shape = RemBertConfig.from_dict({**same, "input_embedding_size": config["embedding_size"], "num_labels": 1})
    network = RemBertForSequenceClassification(shape)

    renamed = {}
    for file in weight_files(folder):
        tensors = load_file(file) if file.suffix == ".safetensors" else torch.load(file, "cpu", weights_only=True)
        for name, tensor in tensors.items():
            for old, new in _RENAMED_WEIGHTS:
                name = name.replace(old, new)
            renamed[name] = tensor
    report = network.load_state_dict(renamed, strict=False)
    # the call on Module, because transformers types its own as taking no dtype
    return cast(PreTrainedModel, torch.nn.Module.to(network, dtype)), {"missing_keys": set(report.missing_keys)}
