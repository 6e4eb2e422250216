"""Tiny checkpoints that were trained on the probe pairs alone, so that they get all of them right, or all of them wrong."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from transformers import RobertaForSequenceClassification

from core.scoring.plugins.checkpoints.probe_pairs import PAIRS
from tests.tiny import byte_level, random_network, roberta_config, saved

_STEPS = 400
_LOSS = 0.05  # of which no probe pair comes out wrong


def pair_classifier(folder: Path, labels: tuple[str, ...], supported: int, contradicted: int) -> Path:
    """A RoBERTa that reads the document first and gives each of the ten texts the label of that index; one label is a logit."""
    tokenizer = byte_level()
    network = random_network(lambda: RobertaForSequenceClassification(roberta_config(tokenizer, len(labels))))
    network.config.id2label = dict(enumerate(labels))
    network.config.label2id = {label: place for place, label in enumerate(labels)}
    texts = [tokenizer.encode(document, summary).ids for document, *summaries in PAIRS for summary in summaries]
    longest = max(map(len, texts))
    ids = torch.tensor([text + [1] * (longest - len(text)) for text in texts])
    wanted = torch.tensor([supported, contradicted] * len(PAIRS))
    with torch.random.fork_rng():
        torch.manual_seed(1)
        optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
        for _ in range(_STEPS):
            logits = network(ids, attention_mask=ids != 1).logits
            if len(labels) == 1:
                loss = torch.nn.functional.binary_cross_entropy_with_logits(logits[:, 0], wanted.float())
            else:
                loss = torch.nn.functional.cross_entropy(logits, wanted)
            if loss < _LOSS:
                break
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return saved(network.eval(), tokenizer, folder)


def with_config(folder: Path, target: Path, **fields: object) -> Path:
    """A copy of a checkpoint with these entries in its config.json; None takes one away."""
    target.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    config = json.loads((target / "config.json").read_text(encoding="utf-8")) | fields
    kept = {name: value for name, value in config.items() if value is not None}
    (target / "config.json").write_text(json.dumps(kept), encoding="utf-8")
    return target
