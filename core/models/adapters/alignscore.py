"""Kind "alignscore": the heads of AlignScore over RoBERTa, from the one file that Lightning wrote."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast

import torch
from transformers import RobertaConfig, RobertaModel

from core.errors import BadSettingError, LoadError
from core.model_reference import Checkpoint
from core.models.networks.first_token import read_first_token
from core.models.networks.model import Row
from core.models.networks.network import (
    FromPretrained,
    freeing_memory,
    load_network,
    max_positions,
    network_bytes,
    pad_batch,
    read_back,
)
from core.models.networks.tokenizer import Strategy, TextTokenizer, Tokens
from core.models.weights.locations import locate_backbone
from core.models.weights.weight_files import UNUSED_WEIGHTS, max_text_tokens, read_json_object
from core.models.weights.weights import lightning_weights
from core.types import Answer, Question

_BODY = "base_model."
_LAYERS = {"nli": "tri_layer", "bin": "bin_layer", "reg": "reg_layer"}
_OPTIONAL = "reg"


class AlignScoreModel:
    """Inputs: passage and claim. Option "head": "nli" (aligned, neutral, contradicted), "bin" (not aligned, aligned) or "reg".

    Values: the softmax of the head, of "reg" its one number. The passage is cut first; a claim that leaves no room for one is cut too.
    """

    def __init__(self, network: RobertaModel, heads: torch.nn.ModuleDict, tokenizer: TextTokenizer, limit: int) -> None:
        self._network = network
        self._heads = heads
        self._tokenizer = tokenizer
        self._limit = limit
        self.nbytes = network_bytes(network) + network_bytes(heads)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        whole = self._tokenizer.encode_ids([_pair(question) for question in questions], [self._limit] * len(questions))
        return [self._row(question, tokens) for question, tokens in zip(questions, whole, strict=True)]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The pair of texts does not fit"):
            ids, mask, _ = pad_batch(tokens, self._network)
            pooled = self._network(input_ids=ids, attention_mask=mask).pooler_output  # (rows, width)
            values = {}
            for name, head in self._heads.items():
                outputs = head(pooled).float()  # (rows, labels), or a single number a row, which is taken as it is
                values[name] = outputs.softmax(-1) if outputs.shape[-1] > 1 else outputs
            values = dict(zip(values, [head.tolist() for head in read_back(*values.values())], strict=True))
        return [
            Answer(tuple(values[_head_option(row.question)][number]), tokens=row.length, cut=row.payload[0].cut)
            for number, row in enumerate(rows)
        ]

    def _row(self, question: Question, tokens: Tokens) -> Row:
        if _head_option(question) not in self._heads:
            raise BadSettingError("These weights have no reg_layer. Set mode= to nli_sp, nli, bin_sp or bin.")
        if tokens.cut:
            [frame] = self._tokenizer.encode([("", "")], [self._limit])
            [length] = self._tokenizer.count([question.inputs[1]])
            strategy: Strategy = "only_first" if length < self._limit - len(frame) else "longest_first"
            [tokens] = self._tokenizer.encode([_pair(question)], [self._limit], strategy)
        return Row(question, len(tokens), (tokens,))


def _pair(question: Question) -> tuple[str, str]:
    passage, claim = question.inputs
    return passage, claim


def _head_option(question: Question) -> str:
    name = str(dict(question.options).get("head"))
    if name not in _LAYERS:
        raise BadSettingError(f"Option head must be one of {', '.join(_LAYERS)}; got {name}.")
    return name


def load(path: Path, checkpoint: Checkpoint, device: str) -> AlignScoreModel:
    folder = locate_backbone(checkpoint)
    if not path.is_file():
        raise LoadError(f"{path} holds no file of Lightning. Set checkpoint= to a file that ends in .ckpt.")
    state = lightning_weights(path, UNUSED_WEIGHTS)
    body = {name.removeprefix(_BODY): tensor for name, tensor in state.items() if name.startswith(_BODY)}

    config = read_json_object(folder / "config.json")
    if config.get("model_type") != "roberta":
        raise LoadError(f"{folder} holds a model of type {config.get('model_type')}. Set backbone= to a RoBERTa.")
    read = partial(_from_state, config=RobertaConfig.from_dict(config), state_dict=body)
    network = cast(RobertaModel, read_first_token(load_network(read, path, checkpoint, device)))
    present = {name: layer for name, layer in _LAYERS.items() if name != _OPTIONAL or f"{layer}.weight" in state}
    heads = torch.nn.ModuleDict()
    for name, layer in present.items():
        missing = [key for key in (f"{layer}.weight", f"{layer}.bias") if key not in state]
        if missing:
            raise LoadError(f"{path} lacks {', '.join(missing)}. Set checkpoint= to a file of AlignScore.")
        weight = state[f"{layer}.weight"]
        heads[name] = torch.nn.Linear(weight.shape[1], weight.shape[0])
        heads[name].load_state_dict({"weight": weight, "bias": state[f"{layer}.bias"]})
    heads.to(device, network.dtype).eval()
    limit = max_text_tokens(folder, max_positions(network))
    return AlignScoreModel(network, heads, TextTokenizer.load(folder), limit)


def _from_state(_: Path, **options: object) -> object:
    # the weights are in memory: there is no folder to read
    read: FromPretrained = RobertaModel.from_pretrained
    return read(None, **options)
