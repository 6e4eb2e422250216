"""Checkpoints with random weights of a real shape and a tokenizer trained on given texts: as fast and as large as trained ones, and good for nothing else."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from safetensors.torch import save_file
from sentencepiece import SentencePieceTrainer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
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

from core.models.adapters.dae import ArcElectra
from tests.bench.network_shapes import Shape, network_configuration

_MAX_VOCABULARY = (
    16_000  # enough for nearly every word of a few hundred pages to be one piece, as words are for real vocabularies
)

_ROBERTA_TOKENS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_BERT_TOKENS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")
_T5_TOKENS = ("<pad>", "</s>", "<unk>")
_SPECIAL_TOKENS = {"roberta": _ROBERTA_TOKENS, "bart": (*_ROBERTA_TOKENS, "<m>", "</m>"), "t5": _T5_TOKENS}


def train_tokenizer(architecture: str, texts: Iterable[str]) -> Tokenizer:
    """A tokenizer whose special tokens have the ids that the configurations of `tests.bench.network_shapes` name."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = list(_SPECIAL_TOKENS.get(architecture, _BERT_TOKENS))
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=_MAX_VOCABULARY, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = _template_processor(architecture)
    return tokenizer


def train_sentence_pieces(texts: Sequence[str], path: Path) -> None:
    """Write a SentencePiece model with the special tokens of BLEURT."""
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=model,
        vocab_size=_MAX_VOCABULARY // 4,
        hard_vocab_limit=False,
        pad_id=0,
        unk_id=1,
        bos_id=-1,
        eos_id=-1,
        pad_piece="[PAD]",
        unk_piece="[UNK]",
        control_symbols=["[CLS]", "[SEP]", "[MASK]"],
        num_threads=1,
        minloglevel=2,
    )
    path.write_bytes(model.getvalue())


def _template_processor(architecture: str) -> processors.PostProcessor:
    if architecture in {"roberta", "bart"}:
        return processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    if architecture == "t5":
        return processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    if architecture == "llama":
        return processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    return processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )


_SEED = 20_240_607
_CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)


@dataclass(frozen=True, slots=True)
class NetworkDesign:
    """A network to be written: its architecture and what stands on top of it, a key of `HEADS` or of `LAYOUTS`."""

    architecture: str
    head: str


def write_checkpoint(design: NetworkDesign, shape: Shape, texts: Sequence[str], folder: Path) -> None:
    """Write weights, configuration and a tokenizer trained on the texts into a new folder."""
    folder.mkdir(parents=True)
    logging.disable_progress_bar()
    tokenizer = train_tokenizer(design.architecture, texts)
    layout = LAYOUTS.get(design.head, _save_plain)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        layout(design, network_configuration(design.architecture, shape), tokenizer, folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    if design.head == "pieces":
        train_sentence_pieces(texts, folder / "spm.model")


HEADS: Mapping[str, Callable[[PreTrainedConfig], PreTrainedModel]] = {
    "answers": AutoModelForQuestionAnswering.from_config,
    "arcs": lambda config: ArcElectra(cast(ElectraConfig, config)),
    "body": AutoModel.from_config,
    "rate": lambda config: _labelled_network(config, 1),
    "tags": AutoModelForTokenClassification.from_config,
    "three labels": lambda config: _labelled_network(config, 3),
    "two labels": lambda config: _labelled_network(config, 2),
}


def _labelled_network(config: PreTrainedConfig, labels: int) -> PreTrainedModel:
    config.num_labels = labels
    network: PreTrainedModel = AutoModelForSequenceClassification.from_config(config)
    return network


def _save_plain(design: NetworkDesign, config: PreTrainedConfig, _: Tokenizer, folder: Path) -> None:
    HEADS[design.head](config).save_pretrained(folder)


def _save_generator(_: NetworkDesign, config: PreTrainedConfig, tokenizer: Tokenizer, folder: Path) -> None:
    """An encoder-decoder that writes nothing that its tokenizer could not read back."""
    network = AutoModelForSeq2SeqLM.from_config(config)
    words = network.get_output_embeddings().weight.data  # (words, width)
    words[tokenizer.get_vocab_size() :] = 0
    if config.model_type == "t5":
        words *= config.d_model**-0.5  # as T5 begins, one of two words would get all the probability
    network.save_pretrained(folder)


def _save_chat(_: NetworkDesign, config: PreTrainedConfig, __: Tokenizer, folder: Path) -> None:
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    settings = {"bos_token": "[CLS]", "chat_template": _CHAT_TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def _save_lightning(_: NetworkDesign, config: PreTrainedConfig, __: Tokenizer, folder: Path) -> None:
    """The one file of AlignScore, which Lightning pickles, beside the configuration of its RoBERTa."""
    heads = {name: torch.nn.Linear(config.hidden_size, labels) for name, labels in _ALIGN_LAYERS.items()}
    modules: dict[str, torch.nn.Module] = {"base_model": HEADS["body"](config), **heads}
    state = {f"{name}.{key}": tensor for name, module in modules.items() for key, tensor in module.state_dict().items()}
    torch.save({"state_dict": state}, folder / "random.ckpt")
    config.save_pretrained(folder)


_ALIGN_LAYERS = {"tri_layer": 3, "bin_layer": 2, "reg_layer": 1}


def _save_prefixed(_: NetworkDesign, config: PreTrainedConfig, __: Tokenizer, folder: Path) -> None:
    """The weights of HHEM-2.1-open: a T5 encoder whose names begin with "t5."."""
    network = T5ForTokenClassification(cast(T5Config, config))
    state = {f"t5.{name}": tensor for name, tensor in network.state_dict().items() if "embed_tokens" not in name}
    save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / "model.safetensors")
    config.save_pretrained(folder)


def _save_renamed(_: NetworkDesign, config: PreTrainedConfig, __: Tokenizer, folder: Path) -> None:
    """RemBERT under the names of the port of BLEURT."""
    state = {}
    for name, tensor in HEADS["rate"](config).state_dict().items():
        port = name.replace("rembert.", "bleurt.").replace("embedding_hidden_mapping_in", "embedding_projection")
        state[port] = tensor.contiguous()
    save_file(state, folder / "model.safetensors")
    entries = {**config.to_dict(), "model_type": "bleurt", "embedding_size": config.input_embedding_size}
    (folder / "config.json").write_text(json.dumps(entries), encoding="utf-8")


LAYOUTS: Mapping[str, Callable[[NetworkDesign, PreTrainedConfig, Tokenizer, Path], None]] = {
    "chats": _save_chat,
    "lightning": _save_lightning,
    "pieces": _save_renamed,
    "prefixed": _save_prefixed,
    "writes": _save_generator,
}
"""Networks that write, and checkpoints that are not laid out as transformers does."""
