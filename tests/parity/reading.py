"""How the code of the authors reads texts and writes them, one token after the other."""

from __future__ import annotations

import re
from pathlib import Path

import torch
from transformers import PreTrainedTokenizerFast, T5ForConditionalGeneration


@torch.no_grad()
def greedy(network: T5ForConditionalGeneration, ids: list[int], length: int) -> tuple[list[int], torch.Tensor]:
    """What an encoder-decoder writes, and its first distribution; all it wrote read again for every token."""
    wrote, first = [0], torch.empty(0)
    read = network.encoder(input_ids=torch.tensor([ids]))
    while len(wrote) < length and (len(wrote) == 1 or wrote[-1] != 1):
        logits = network(encoder_outputs=read, decoder_input_ids=torch.tensor([wrote])).logits[0, -1]
        first = logits.softmax(-1) if len(wrote) == 1 else first
        wrote.append(int(logits.argmax()))
    return wrote, first


def read_by_t5(tokenizer: PreTrainedTokenizerFast, text: str, limit: int = 1 << 30) -> list[int]:
    """Ids as the SentencePiece tokenizers of the time gave them: nothing remains of blanks around an end token."""
    ids: list[int] = []
    for number, part in enumerate(text.split("</s>")):
        ids += [1] if number else []
        ids += tokenizer([part.strip()], add_special_tokens=False)["input_ids"][0]
    ids += [] if ids and ids[-1] == 1 else [1]
    return ids if len(ids) <= limit else [*ids[: limit - 1], 1]


def decoded(tokenizer: PreTrainedTokenizerFast, ids: list[int]) -> str:
    text = tokenizer.decode(ids, skip_special_tokens=True)
    for mark in (".", "?", "!", ","):
        text = text.replace(" " + mark, mark)
    text = text.replace(" ' ", "'").replace(" n't", "n't")
    return re.sub(r" '(m|s|ve|re)", r"'\1", text)


def fast(folder: Path) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
