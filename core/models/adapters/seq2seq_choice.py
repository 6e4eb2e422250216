"""Kind "seq2seq_choice": which of a few words a T5 would write first, given a text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from transformers import T5ForConditionalGeneration

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.first_token import write_one_token
from core.models.networks.model import UNLIMITED, Row, rows_of
from core.models.networks.network import (
    copy_to_device,
    freeing_memory,
    load_network,
    network_bytes,
    pad_batch,
    read_back,
)
from core.models.networks.tokenizer import TextTokenizer
from core.types import Answer, Question


class ChoiceModel:
    """Inputs: one text. Options: "choices", token ids, or "words" between blanks, of which the first token of each is a
    choice; "limit", tokens at most. Values: the softmax over the choices.
    """

    def __init__(self, network: T5ForConditionalGeneration, tokenizer: TextTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        for question in questions:
            self._choice_ids(question)  # refuses before a text is read
        return rows_of(self._tokenizer, questions)

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            states = self._first_states(rows)
            choices = [self._choice_ids(row.question) for row in rows]
            # only the rows of the head that are compared: the whole vocabulary would cost 32,128 products
            flat = copy_to_device(torch.tensor(list(chain(*choices))), self._network.device)
            weights = self._network.lm_head.weight[flat].split(list(map(len, choices)))  # (choices, width) of each row
            shares = read_back(
                *((of_row @ state).float().softmax(-1) for of_row, state in zip(weights, states, strict=True))
            )
        return [
            Answer(values=tuple(share.tolist()), tokens=row.length, cut=row.payload[0].cut)
            for row, share in zip(rows, shares, strict=True)
        ]

    def _first_states(self, rows: Sequence[Row]) -> Tensor:
        """The decoder's state before it writes its first token; (rows, width)."""
        network = self._network
        ids, mask, _ = pad_batch([row.payload[0] for row in rows], network)
        read = network.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        start = torch.full((len(rows), 1), network.config.decoder_start_token_id, device=network.device)
        wrote = network.decoder(
            input_ids=start, encoder_hidden_states=read, encoder_attention_mask=mask, use_cache=False
        ).last_hidden_state[:, 0]
        return wrote * network.config.d_model**-0.5 if network.config.scale_decoder_outputs else wrote

    def _choice_ids(self, question: Question) -> list[int]:
        options = dict(question.options)
        words = str(options.get("words", "")).split()
        pieces = self._tokenizer.encode(words, [UNLIMITED] * len(words))
        ids = [piece.ids[0] for piece in pieces] or list(cast(tuple[int, ...], options["choices"]))
        if len(set(ids)) < len(ids) or max(ids) >= len(self._network.lm_head.weight):
            raise LoadError(
                f"{question.weights.source} has no tokens of its own for {' and '.join(words) or ids}, so that it cannot choose. "
                f"Set {question.weights.setting}= to a model made for this metric."
            )
        return ids


def load(path: Path, checkpoint: Checkpoint, device: str) -> ChoiceModel:
    network = load_network(T5ForConditionalGeneration.from_pretrained, path, checkpoint, device)
    return ChoiceModel(write_one_token(cast(T5ForConditionalGeneration, network)), TextTokenizer.load(path))
