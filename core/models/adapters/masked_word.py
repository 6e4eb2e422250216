"""Kind "masked_word": the words that a masked language model proposes for a place of a text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForMaskedLM, PreTrainedModel

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.model import UNLIMITED, Row, int_option
from core.models.networks.network import (
    freeing_memory,
    load_network,
    network_bytes,
    pad_batch,
    read_back,
    segment_types,
)
from core.models.networks.tokenizer import DecodingTokenizer, without_special_tokens
from core.types import Answer, Question

_MASKS = frozenset({"<mask>", "[MASK]"})


class MaskedWordModel:
    """Inputs: the text before a place and the text after it. Option: "top", how many tokens are looked at.

    Texts: those of the most probable tokens that are a whole word in that place, the best first: written there, the tokenizer
    reads the token and nothing else of the text changes. Values: their probabilities.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: DecodingTokenizer, mask: str) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._mask = mask
        [self._mask_id] = [id for ids in tokenizer.words([mask]) for id in ids]
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        texts = [self._written(question, self._mask) for question in questions]
        tokens = self._tokenizer.encode(texts, [UNLIMITED] * len(texts))
        return [Row(question, len(row), (row,)) for question, row in zip(questions, tokens, strict=True)]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = pad_batch(tokens, self._network)
            logits = self._network(input_ids=ids, attention_mask=mask, **segment_types(self._network, types)).logits
            places = [row.ids.index(self._mask_id) for row in tokens]
            shares = (
                torch.stack([logit[place] for logit, place in zip(logits, places, strict=True)]).float().softmax(-1)
            )
            top = [
                share.topk(min(int_option(row.question, "top", 50), len(share)))
                for row, share in zip(rows, shares, strict=True)
            ]
            read = read_back(*(best.values for best in top), *(best.indices for best in top))
        answered = zip(rows, places, read[: len(rows)], read[len(rows) :], strict=True)
        return [self._answer(row, place, values.tolist(), ids.tolist()) for row, place, values, ids in answered]

    def _answer(self, row: Row, place: int, values: list[float], ids: list[int]) -> Answer:
        [tokens] = row.payload
        words = [self._tokenizer.text([token], special=True).strip() for token in ids]
        read = self._tokenizer.encode([self._written(row.question, word) for word in words], [UNLIMITED] * len(words))
        whole = [
            (word, share)
            for word, share, token, there in zip(words, values, ids, read, strict=True)
            if word and there.ids == (*tokens.ids[:place], token, *tokens.ids[place + 1 :])
        ]
        texts, shares = tuple(word for word, _ in whole), tuple(share for _, share in whole)
        return Answer(shares, texts=texts, tokens=len(tokens))

    def _written(self, question: Question, word: str) -> str:
        before, after = (without_special_tokens(part, self._tokenizer.special_names) for part in question.inputs)
        return f"{before}{word}{after}"


def load(path: Path, checkpoint: Checkpoint, device: str) -> MaskedWordModel:
    tokenizer = DecodingTokenizer.load(path)
    mask = next((name for name in tokenizer.special_names if name in _MASKS), "")
    if not mask:
        raise LoadError(
            f"The tokenizer of {checkpoint.source} has no mask ({' or '.join(sorted(_MASKS))}). Set {checkpoint.setting}= to a "
            "masked language model, as FacebookAI/roberta-base."
        )
    network = load_network(AutoModelForMaskedLM.from_pretrained, path, checkpoint, device)
    return MaskedWordModel(network, tokenizer, mask)
