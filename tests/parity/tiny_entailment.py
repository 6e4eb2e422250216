"""Tiny random checkpoints of AlignScore, SummaC, FactCC, FactCG and HHEM, laid out as the published ones are."""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import (
    AlbertConfig,
    AlbertForSequenceClassification,
    BertConfig,
    BertForSequenceClassification,
    RobertaForMaskedLM,
    RobertaModel,
    T5ForTokenClassification,
)

from core.scoring.metrics import summac
from tests.tiny import (
    SPREAD,
    TEXT,
    Built,
    Specs,
    between,
    byte_level,
    deberta,
    frequent_pieces,
    passages,
    random_network,
    roberta,
    roberta_config,
    saved,
    t5,
    t5_config,
    t5_tokenizer,
)


def summac_head(path: Path, shift: float = 0.0) -> Path:
    """The released head of SummaC-Conv in the form in which the authors' code saves one, with another last bias."""
    numbers = json.loads(Path(summac.__file__).with_name("summac_conv_head.json").read_text())
    state = {
        "mlp.weight": torch.tensor([numbers["row_weights"]], dtype=torch.float64),
        "mlp.bias": torch.tensor([numbers["row_bias"]], dtype=torch.float64),
        "layer_final.weight": torch.tensor(numbers["final_weights"], dtype=torch.float64),
        "layer_final.bias": torch.tensor(numbers["final_bias"], dtype=torch.float64) + torch.tensor([0.0, shift]),
    }
    torch.save(state, path)
    return path


def alignscore(folder: Path) -> Path:
    """A Lightning file as AlignScore's, beside the configuration and tokenizer of its RoBERTa."""
    tokenizer = byte_level()
    config = roberta_config(tokenizer)
    body = random_network(lambda: RobertaModel(config))
    pooled = [body(**pair).pooler_output for pair in pairs(tokenizer)]
    heads = {
        "tri_layer": spread_head(3, pooled),
        "bin_layer": spread_head(2, pooled),
        "reg_layer": spread_head(1, pooled),
    }
    unused = random_network(lambda: RobertaForMaskedLM(config)).lm_head
    state = OrderedDict({f"base_model.{name}": tensor for name, tensor in body.state_dict().items()})
    state["base_model.embeddings.position_ids"] = torch.arange(514).unsqueeze(0)
    for name, module in {"mlm_head": unused, **heads}.items():
        state.update({f"{name}.{key}": tensor for key, tensor in module.state_dict().items()})
    folder.mkdir(parents=True)
    torch.save(lightning(state), folder / "tiny.ckpt")
    config.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def lightning(state: OrderedDict[str, torch.Tensor]) -> dict[str, object]:
    """What Lightning 1.9 writes around the weights."""
    return {
        "epoch": 2,
        "global_step": 31_415,
        "pytorch-lightning_version": "1.9.5",
        "state_dict": state,
        "loops": {"fit_loop": {"state_dict": {}, "epoch_progress": {"current": {"ready": 3, "completed": 2}}}},
        "callbacks": {"ModelCheckpoint{'monitor': None}": {"best_model_score": None, "dirpath": "checkpoints"}},
        "optimizer_states": [{"state": {0: {"step": torch.tensor(3.0)}}, "param_groups": [{"lr": 1e-5}]}],
        "lr_schedulers": [{"last_epoch": 31_415}],
        "hparams_name": "kwargs",
        "hyper_parameters": {"model": "roberta-base", "using_pretrained": True, "adam_epsilon": 1e-6},
    }


def albert_nli(folder: Path) -> Path:
    """AlbertForSequenceClassification with three labels: one layer shared by all, segment types, and Unigram pieces."""
    tokenizer = Tokenizer(models.Unigram(_pieces(["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]), unk_id=1))
    steps = [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    tokenizer.normalizer = normalizers.Sequence([*steps, normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.add_special_tokens(["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = between(cls=2, sep=3)
    config = AlbertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        embedding_size=16,
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=512,
        num_labels=3,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
    )
    network = random_network(lambda: AlbertForSequenceClassification(config))
    pooled = [network.albert(**pair).pooler_output for pair in pairs(tokenizer)]
    network.classifier = spread_head(3, pooled)
    return saved(network, tokenizer, folder)


def factcc(folder: Path) -> Path:
    """BertForSequenceClassification with two labels as a pickle, and a vocabulary instead of a tokenizer."""
    words = [piece.removeprefix("▁").lower() for piece, _ in frequent_pieces(400) if piece != "▁"]
    pieces = dict.fromkeys([*words, *("##" + word for word in words)])
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces]
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=512,
        num_labels=2,
    )
    network = random_network(lambda: BertForSequenceClassification(config))
    tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = between(cls=2, sep=3)
    network.classifier = spread_head(2, [network.bert(**pair).pooler_output for pair in pairs(tokenizer)])
    folder.mkdir(parents=True)
    config.save_pretrained(folder)
    torch.save(network.state_dict(), folder / "pytorch_model.bin")
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True, "model_max_length": 512}))
    return folder


def hhem(folder: Path) -> Path:
    """A folder of both."""
    hhem_and_flan(folder / "hhem", folder / "flan")
    return folder


def hhem_and_flan(folder: Path, foundation: Path) -> tuple[Path, Path]:
    """The weights of a T5 encoder with two labels under a prefix, and the folder of its configuration and tokenizer."""
    tokenizer = t5_tokenizer()
    config = t5_config(tokenizer)
    network = random_network(lambda: T5ForTokenClassification(config))
    first = [network.transformer(ids).last_hidden_state[:, 0] for ids in passages(tokenizer)]
    network.classifier = spread_head(2, first)
    state = {f"t5.{name}": tensor for name, tensor in network.state_dict().items() if "embed_tokens" not in name}
    folder.mkdir(parents=True)
    save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": "HHEMv2Config", "foundation": "google/flan-t5-base"}))
    foundation.mkdir(parents=True)
    config.save_pretrained(foundation)
    tokenizer.save(str(foundation / "tokenizer.json"))
    return folder, foundation


def pairs(tokenizer: Tokenizer) -> list[dict[str, torch.Tensor]]:
    """Inputs of a network for passages of the text with a line of it, (1, tokens) each."""
    lines = TEXT.splitlines()
    texts = [(" ".join(lines[i : i + 1 + i % 4]), lines[-i]) for i in range(len(lines))]
    return [
        {"input_ids": torch.tensor([encoding.ids]), "token_type_ids": torch.tensor([encoding.type_ids])}
        for encoding in tokenizer.encode_batch(texts)
    ]


@torch.no_grad()
def spread_head(labels: int, features: list[torch.Tensor]) -> torch.nn.Linear:
    """A random layer whose outputs are centred and spread over the texts that the features, (1, width) each, are of."""
    with torch.random.fork_rng():
        torch.manual_seed(labels)
        head = torch.nn.Linear(features[0].shape[-1], labels)
    outputs = torch.cat(features) @ head.weight.T  # (texts, labels)
    scale = SPREAD / outputs.std(0)
    head.weight *= scale.unsqueeze(-1)
    head.bias.copy_(-scale * outputs.mean(0))
    return head


def _pieces(special: list[str]) -> list[tuple[str, float]]:
    """Pieces in small letters, each once."""
    found: dict[str, float] = dict.fromkeys(special, 0.0)
    for piece, score in frequent_pieces(400):
        found.setdefault(piece.lower(), score)
    return list(found.items())


def _lightning(built: Built) -> str:
    folder = built(alignscore)
    return f"checkpoint={folder / 'tiny.ckpt'},backbone={folder}"


SPECS: Specs = {
    "alignscore-base": lambda built: f"alignscore-base[{_lightning(built)}]",
    "alignscore-large": lambda built: f"alignscore-large[{_lightning(built)}]",
    "factcc": lambda built: f"factcc[checkpoint={built(factcc)}]",
    "factcg": lambda built: f"factcg[checkpoint={built(deberta)}]",
    "hhem": lambda built: f"hhem[checkpoint={built(hhem) / 'hhem'},backbone={built(hhem) / 'flan'}]",
    "minicheck-deberta": lambda built: f"minicheck-deberta[checkpoint={built(deberta)}]",
    "minicheck-flan-t5": lambda built: f"minicheck-flan-t5[checkpoint={built(t5)}]",
    "minicheck-roberta": lambda built: f"minicheck-roberta[checkpoint={built(roberta)}]",
    "summac-conv": lambda built: f"summac-conv[checkpoint={built(albert_nli)}]",
    "summac-zs": lambda built: f"summac-zs[checkpoint={built(albert_nli)}]",
}
