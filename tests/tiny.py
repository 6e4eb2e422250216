"""Tiny random checkpoints of the true architectures, with tokenizers trained on the text below.

`python -m tests.tiny DIR` builds them all and prints their folders.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    PreTrainedModel,
    RobertaConfig,
    RobertaForSequenceClassification,
)

TEXT = """\
The harbour of Lindvale was closed on Tuesday after a storm tore two ferries from their moorings. Nobody was hurt, but
the mayor said that repairs would cost about 3.4 million crowns and take until the end of June. Fishermen, who land
nine tonnes of herring there each week, must now sail forty kilometres to the north. "We lose a day for every trip,"
said Ana Brekke, whose family has owned the Skarv since 1961. The insurer has not yet agreed to pay.
In the trial, 212 patients were given either the new tablet or a sugar pill for twelve weeks. Blood pressure fell by 8 mm
in the first group and by 2 mm in the second; headaches were as frequent in both. The authors warn that all patients
were younger than sixty, so nothing is known about older people. A larger study is planned for 2027.
Is the tenant allowed to keep a dog? The contract forbids animals "except fish and small birds", yet the court held that a
blind tenant may keep a guide dog. The landlord appealed. She won; the costs were shared equally.
The old clock struck eleven. Marit closed the book, blew out the lamp and listened: no wind, no steps, only the slow
drip of water from the roof. Tomorrow, she thought, I will ask him why the letters were never sent!
We measured the melting of the glacier with three cameras and a radar. Between May and September the front moved back
by 71 metres, which is more than in any year since the measurements began. Rain, not heat, explains most of the loss.
"""


def roberta(folder: Path) -> Path:
    """RobertaForSequenceClassification with two labels and a byte-level BPE."""
    tokenizer = byte_level()
    config = RobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=514,
        type_vocab_size=1,
        num_labels=2,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )
    network = random_network(lambda: RobertaForSequenceClassification(config))
    scale(network.classifier.out_proj, 30)
    return saved(network, tokenizer, folder)


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXT.splitlines(), trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


def random_network(build: Callable[[], PreTrainedModel]) -> PreTrainedModel:
    """A network with fixed random weights, large enough to tell texts apart."""
    with torch.random.fork_rng():
        torch.manual_seed(20_240_607)
        network = build()
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.data.normal_(0, 0.15)
    return network


def scale(layer: torch.nn.Linear, factor: float) -> None:
    """Spread the scores over their range."""
    layer.weight.data.mul_(factor)


def saved(network: PreTrainedModel, tokenizer: Tokenizer, folder: Path) -> Path:
    network.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
