"""Checkpoints with random weights of a real shape: as fast and as large as trained ones, and good for nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForQuestionAnswering,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    ElectraConfig,
    PreTrainedConfig,
    PreTrainedModel,
    T5Config,
    T5ForTokenClassification,
)
from transformers.utils import logging

from core.models.configurations_of_shapes import configuration
from core.models.kinds.judge_arcs import ArcElectra
from core.models.shapes import Shape
from core.models.trained_tokenizer import train_sentence_pieces, trained

_SEED = 20_240_607
_CHAT = (
    "{{ bos_token }}{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)


@dataclass(frozen=True, slots=True)
class Design:
    """A network to be written: its architecture and what stands on top of it, a key of `HEADS` or of `LAYOUTS`."""

    architecture: str
    head: str


def write(design: Design, shape: Shape, texts: Sequence[str], folder: Path) -> None:
    """Write weights, configuration and a tokenizer trained on the texts into a new folder."""
    folder.mkdir(parents=True)
    logging.disable_progress_bar()
    tokenizer = trained(design.architecture, texts)
    layout = LAYOUTS.get(design.head, _plain)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        layout(design, configuration(design.architecture, shape), tokenizer, folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    if design.head == "pieces":
        train_sentence_pieces(texts, folder / "spm.model")


HEADS: Mapping[str, Callable[[PreTrainedConfig], PreTrainedModel]] = {
    "answers": AutoModelForQuestionAnswering.from_config,
    "arcs": lambda config: ArcElectra(cast(ElectraConfig, config)),
    "body": AutoModel.from_config,
    "rate": lambda config: _labelled(config, 1),
    "tags": AutoModelForTokenClassification.from_config,
    "three labels": lambda config: _labelled(config, 3),
    "two labels": lambda config: _labelled(config, 2),
}


def _labelled(config: PreTrainedConfig, labels: int) -> PreTrainedModel:
    config.num_labels = labels
    network: PreTrainedModel = AutoModelForSequenceClassification.from_config(config)
    return network


def _plain(design: Design, config: PreTrainedConfig, _: Tokenizer, folder: Path) -> None:
    HEADS[design.head](config).save_pretrained(folder)


def _writing(_: Design, config: PreTrainedConfig, tokenizer: Tokenizer, folder: Path) -> None:
    """An encoder-decoder that writes nothing that its tokenizer could not read back."""
    network = AutoModelForSeq2SeqLM.from_config(config)
    words = network.get_output_embeddings().weight.data  # (words, width)
    words[tokenizer.get_vocab_size() :] = 0
    if config.model_type == "t5":
        words *= config.d_model**-0.5  # as T5 begins, one of two words would get all the probability
    network.save_pretrained(folder)


def _chatting(_: Design, config: PreTrainedConfig, __: Tokenizer, folder: Path) -> None:
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    settings = {"bos_token": "[CLS]", "chat_template": _CHAT}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def _lightning(_: Design, config: PreTrainedConfig, __: Tokenizer, folder: Path) -> None:
    """The one file of AlignScore, which Lightning pickles, beside the configuration of its RoBERTa."""
    heads = {name: torch.nn.Linear(config.hidden_size, labels) for name, labels in _ALIGN_LAYERS.items()}
    modules: dict[str, torch.nn.Module] = {"base_model": HEADS["body"](config), **heads}
    state = {f"{name}.{key}": tensor for name, module in modules.items() for key, tensor in module.state_dict().items()}
    torch.save({"state_dict": state}, folder / "random.ckpt")
    config.save_pretrained(folder)


_ALIGN_LAYERS = {"tri_layer": 3, "bin_layer": 2, "reg_layer": 1}


def _prefixed(_: Design, config: PreTrainedConfig, __: Tokenizer, folder: Path) -> None:
    """The weights of HHEM-2.1-open: a T5 encoder whose names begin with "t5."."""
    network = T5ForTokenClassification(cast(T5Config, config))
    state = {f"t5.{name}": tensor for name, tensor in network.state_dict().items() if "embed_tokens" not in name}
    save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / "model.safetensors")
    config.save_pretrained(folder)


def _renamed(_: Design, config: PreTrainedConfig, __: Tokenizer, folder: Path) -> None:
    """RemBERT under the names of the port of BLEURT."""
    state = {}
    for name, tensor in HEADS["rate"](config).state_dict().items():
        port = name.replace("rembert.", "bleurt.").replace("embedding_hidden_mapping_in", "embedding_projection")
        state[port] = tensor.contiguous()
    save_file(state, folder / "model.safetensors")
    entries = {**config.to_dict(), "model_type": "bleurt", "embedding_size": config.input_embedding_size}
    (folder / "config.json").write_text(json.dumps(entries), encoding="utf-8")


LAYOUTS: Mapping[str, Callable[[Design, PreTrainedConfig, Tokenizer, Path], None]] = {
    "chats": _chatting,
    "lightning": _lightning,
    "pieces": _renamed,
    "prefixed": _prefixed,
    "writes": _writing,
}
"""Networks that write, and checkpoints that are not laid out as transformers does."""
