"""Tiny random checkpoints of the models that read tokens: BERTScore, BLEURT, LettuceDetect, Bespoke-MiniCheck, DAE."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import torch
from sentencepiece import SentencePieceTrainer
from tokenizers import Tokenizer, processors
from transformers import (
    DebertaConfig,
    DebertaModel,
    ElectraConfig,
    LlamaConfig,
    LlamaForCausalLM,
    ModernBertConfig,
    ModernBertForTokenClassification,
    RemBertConfig,
    RemBertForSequenceClassification,
)

from core.models.adapters.dae import ArcElectra
from core.models.networks.model import Row
from core.types import Answer, Span
from tests.parity.toy_parser import parser
from tests.tiny import TEXT, Specs, between, byte_level, random_network, saved, spread_labels, word_pieces

ANSWERS = ["Yes", "yes", " Yes", "No", "YES"]
CHAT = (
    "{{ bos_token }}{% for message in messages %}{{ '<' + message['role'] + '>\n' + message['content'] + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<assistant>\n' }}{% endif %}"
)


Words = list[tuple[str, Span, str, int]]
"""A word, where it stands, its relation and the number of its head."""

LABELS = ("nsubj", "det", "dobj", "prep", "pobj", "amod", "punct", "advmod", "aux", "conj")


def parsed(text: str) -> Words:
    """A parse by rules with every sort of relation and no circle: odd words depend on the next, even ones on an even one."""
    found = [Span(*match.span()) for match in re.finditer(r"\s{2,}|\w+|[^\w\s]", text)]
    size = len(found)
    heads = [min(i + 1, size - 1) if i % 2 else max(0, i - 2 - 2 * (i % 3)) for i in range(size)]
    labels = [LABELS[(7 * i + len(span.of(text))) % len(LABELS)] for i, span in enumerate(found)]
    return [(span.of(text), span, *rest) for span, *rest in zip(found, labels, heads, strict=True)]


class Rules(ModuleType):
    """Stands for the kind that parses."""

    nbytes = 0

    def load(self, *_: object) -> Rules:
        return self

    def encode(self, questions: Sequence[object]) -> list[Row]:
        return [Row(question, length=0, payload=()) for question in questions]  # type: ignore[arg-type]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        return [self.answer(row.question.inputs[0]) for row in rows]

    @staticmethod
    def answer(text: str) -> Answer:
        words = parsed(text)
        return Answer(
            values=tuple(float(head) for *_, head in words),
            spans=tuple(span for _, span, _, _ in words),
            texts=tuple(label for _, _, label, _ in words),
        )


def arcs(folder: Path) -> Path:
    """A folder that the pool takes for a parser; rules stand in for that of spaCy from here on."""
    sys.modules["core.models.adapters.dependency_parse"] = Rules("arcs")
    return parser(folder)


def deberta_v1(folder: Path) -> Path:
    """DebertaModel (the first version) with more layers than the 40 that BERTScore reads."""
    tokenizer = bert_template()
    config = DebertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=41,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=512,
        relative_attention=True,
        pos_att_type=["c2p", "p2c"],
        position_biased_input=False,
        type_vocab_size=0,
        pad_token_id=0,
    )
    network = random_network(lambda: DebertaModel(config))
    for layer in network.encoder.layer:
        layer.attention.output.dense.weight.data *= 0.3  # forty layers that only mix would make all tokens alike
    return saved(network, tokenizer, folder)


def modernbert(folder: Path) -> Path:
    """ModernBertForTokenClassification with local and global attention and two labels."""
    tokenizer = bert_template()
    config = ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=8192,
        local_attention=16,
        global_attn_every_n_layers=3,
        num_labels=2,
        pad_token_id=0,
        cls_token_id=1,
        sep_token_id=2,
        bos_token_id=1,
        eos_token_id=2,
    )
    network = random_network(lambda: ModernBertForTokenClassification(config))
    spread_labels(network, network.classifier, tokenizer)
    return saved(network, tokenizer, folder)


def bleurt(folder: Path) -> Path:
    """RemBERT with one number on top, under the names of the PyTorch port, and a SentencePiece file."""
    folder.mkdir(parents=True, exist_ok=True)
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.splitlines()),
        model_writer=model,
        vocab_size=220,
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
    (folder / "spm.model").write_bytes(model.getvalue())
    shape = {
        "vocab_size": 220,
        "hidden_size": 32,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
        "hidden_act": "gelu",
        "bos_token_id": 2,
        "eos_token_id": 3,
    }
    config = RemBertConfig(**shape, input_embedding_size=12, num_labels=1)
    network = random_network(lambda: RemBertForSequenceClassification(config))
    with torch.no_grad():
        network.classifier.weight *= 3
    names = (("rembert.", "bleurt."), ("embedding_hidden_mapping_in", "embedding_projection"))
    tensors = {}
    for name, tensor in network.state_dict().items():
        for new, old in names:
            name = name.replace(new, old)
        tensors[name] = tensor
    torch.save(tensors, folder / "pytorch_model.bin")
    (folder / "config.json").write_text(json.dumps({"model_type": "bleurt", "embedding_size": 12, **shape}))
    return folder


def dae(folder: Path) -> Path:
    """ELECTRA with embeddings of their own width and two logits for a pair of words, and a WordPiece vocabulary."""
    tokenizer = word_pieces(lower=True)
    config = ElectraConfig(
        vocab_size=tokenizer.get_vocab_size(),
        embedding_size=16,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=512,
        pad_token_id=0,
    )
    network = random_network(lambda: ArcElectra(config))
    network.dep_label_classifier.weight.data *= 2
    network.save_pretrained(folder)
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("".join(f"{token}\n" for token, _ in vocabulary), encoding="utf-8")
    return folder


def llama(folder: Path) -> Path:
    """LlamaForCausalLM, an architecture like that of Bespoke-MiniCheck, with a chat template that writes the start token."""
    tokenizer = bert_template()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    first = tokenizer.get_vocab_size()
    tokenizer.add_tokens(ANSWERS)
    config = LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=64,
        max_position_embeddings=32_768,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    network = random_network(lambda: LlamaForCausalLM(config))
    network.lm_head.weight.data[first:] *= 8  # so that the answers are among the most likely tokens
    saved(network, tokenizer, folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "[CLS]", "chat_template": CHAT}))
    return folder


def bert_template() -> Tokenizer:
    """Byte-level pieces between [CLS] and [SEP], the two texts of a pair in segments of their own."""
    tokenizer = byte_level()
    content = json.loads(tokenizer.to_str())
    new = {"<s>": "[CLS]", "<pad>": "[PAD]", "</s>": "[SEP]", "<unk>": "[UNK]", "<mask>": "[MASK]"}
    order = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    vocab = {token: number for token, number in content["model"]["vocab"].items() if token not in new}
    content["model"]["vocab"] = {**{token: number for number, token in enumerate(order)}, **vocab}
    for number, added in enumerate(content["added_tokens"]):
        added.update(id=number, content=order[number])
    content["post_processor"] = None
    named = Tokenizer.from_str(json.dumps(content))
    named.post_processor = between(cls=1, sep=2)
    return named


SPECS: Specs = {
    "bertscore": lambda built: f"bertscore[checkpoint={built(deberta_v1)}]",
    "bespoke-minicheck-7b": lambda built: (
        f"bespoke-minicheck-7b[checkpoint={built(llama)},through=transformers,dtype=float32]"
    ),
    "bleurt-20": lambda built: f"bleurt-20[checkpoint={built(bleurt)}]",
    "dae-spacy": lambda built: f"dae-spacy[checkpoint={built(dae)},parser={built(arcs)}]",
    "lettucedetect": lambda built: f"lettucedetect[checkpoint={built(modernbert)}]",
}
