"""Adapter "sentence_embedding": the embedding of a text by a sentence-transformers model, of unit length.

Network and tokenizer are loaded as those of every adapter; what follows the network (pooling, dense layers, normalisation)
are the modules of sentence-transformers that modules.json lists. Most models end in the mean over the tokens, which is
computed here: importing sentence-transformers takes two seconds and 100 MB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import normalize

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.model import Row, rows_of
from core.models.networks.network import (
    LOAD_ERRORS,
    Encoder,
    freeing_memory,
    load_encoder,
    max_positions,
    network_bytes,
    pad_batch,
    segment_types,
)
from core.models.networks.tokenizer import TextTokenizer
from core.models.weights.config_check import require_encoder
from core.models.weights.weight_files import default_prompt, max_sentence_tokens, read_json_object, read_modules
from core.types import Answer, Question

_MODULES = ("Pooling", "Dense", "LayerNorm", "Normalize")
_MODE, _OLD_MODE = "pooling_mode", "pooling_mode_"
"""Ways of pooling in config.json: a name, or in older files true or false under each name."""


class UnitMean(torch.nn.Module):
    """Mean of the states of a text's tokens, of unit length."""

    def forward(self, features: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        mask = features["attention_mask"].unsqueeze(-1).float()  # (rows, tokens, 1)
        sums = (features["token_embeddings"] * mask).sum(dim=1)
        return {"sentence_embedding": normalize(sums / mask.sum(dim=1).clamp(min=1e-9), dim=-1)}


class SentenceEmbedder:
    """Inputs: one text, put after the model's default prompt. Values: its embedding; what exceeds the model's limit is cut."""

    def __init__(
        self, network: Encoder, tokenizer: TextTokenizer, modules: torch.nn.Sequential, limit: int, prompt: str
    ) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._modules = modules
        self._limit = limit
        self._prompt = prompt
        [prefix] = tokenizer.encode([prompt], [limit])
        self._prompt_tokens = len(prefix) - sum(prefix.special[-1:])
        self.nbytes = network_bytes(network) + network_bytes(modules)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return rows_of(self._tokenizer, questions, self._limit, self._prompt)

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = pad_batch(tokens, self._network)
            states = self._network(
                input_ids=ids, attention_mask=mask, **segment_types(self._network, types)
            ).last_hidden_state
            features = {"token_embeddings": states.float(), "attention_mask": mask}
            if self._prompt:
                features["prompt_length"] = torch.tensor([self._prompt_tokens])
            vectors = self._modules(features)["sentence_embedding"].tolist()  # (rows, width)
        return [
            Answer(values=tuple(vector), tokens=len(row), cut=row.cut)
            for vector, row in zip(vectors, tokens, strict=True)
        ]


def load(path: Path, checkpoint: Checkpoint, device: str) -> SentenceEmbedder:
    require_encoder(path, checkpoint)
    listed = read_modules(path)
    network = load_encoder(path, checkpoint, device)
    modules = _load_modules(path, listed[1:]) if listed else [UnitMean()]
    return SentenceEmbedder(
        network,
        TextTokenizer.load(path),
        torch.nn.Sequential(*modules).eval().to(device),
        max_sentence_tokens(path, max_positions(network)),
        default_prompt(path),
    )


def _load_modules(folder: Path, listed: Sequence[tuple[str, str]]) -> list[torch.nn.Module]:
    """The modules after the network, by name and folder; raises LoadError for one that is not known here."""
    unknown = sorted({name for name, _ in listed} - set(_MODULES))
    if unknown or not listed:
        raise LoadError(
            f"The model in {folder} ends in {', '.join(unknown) or 'its network'}; known are a transformer with "
            f"{', '.join(_MODULES)}. Set checkpoint= to another sentence-transformers model."
        )
    names = [name for name, _ in listed]
    if names in (["Pooling"], ["Pooling", "Normalize"]):
        config = read_json_object(folder / listed[0][1] / "config.json")
        old = [name for name, value in config.items() if name.startswith(_OLD_MODE) and value]
        mode = config.get(_MODE, "mean" if old in ([], [f"{_OLD_MODE}mean_tokens"]) else "")
        if mode in ("mean", ["mean"]) and config.get("include_prompt", True):
            return [UnitMean()]
    modules = [_load_module(folder, name, place) for name, place in listed]
    # scores compare directions, so every embedding gets unit length
    return modules if names[-1] == "Normalize" else [*modules, _load_module(folder, "Normalize", "")]


def _load_module(folder: Path, name: str, place: str) -> torch.nn.Module:
    from sentence_transformers.sentence_transformer import modules

    activation = read_json_object(folder / place / "config.json").get("activation_function", "torch.")
    if not str(activation).startswith("torch."):
        raise LoadError(f"{folder / place} names the activation {activation}, which would run code of the repository.")
    if name == "Normalize":
        return modules.Normalize()
    try:
        return getattr(modules, name).load(str(folder), subfolder=place, local_files_only=True)
    except LOAD_ERRORS as error:
        raise LoadError(f"{folder / place} is not readable ({error}). Get its files again.") from error
