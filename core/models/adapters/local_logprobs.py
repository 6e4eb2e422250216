"""Kind "local_logprobs": the most likely first tokens of the answer that a causal language model on this machine would give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from core.model_reference import Checkpoint
from core.models.networks.chat_template import ChatTemplate
from core.models.networks.model import Row, int_option
from core.models.networks.network import (
    FromPretrained,
    freeing_memory,
    load_network,
    network_bytes,
    pad_batch,
    read_back,
)
from core.types import Answer, Question


class LogprobModel:
    """Inputs: a system and a user message. Options: "top_tokens", how many tokens; "special_tokens", whether the tokenizer's
    own are put before the template, which may begin with them already.

    Values: the probabilities of the most likely first tokens; texts: these tokens.
    """

    def __init__(self, network: PreTrainedModel, template: ChatTemplate) -> None:
        self._network = network
        self._template = template
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [self._row(question) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, _ = pad_batch(tokens, self._network)
            # the head is asked for the last token of each text alone: over all of them it would cost gigabytes
            states = self._network.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
            last = torch.stack([state[len(row) - 1] for state, row in zip(states, tokens, strict=True)])
            shares = self._network.get_output_embeddings()(last).float().softmax(-1)  # (rows, vocabulary)
            top = [
                share.topk(min(int_option(row.question, "top_tokens", 5), len(share)))
                for row, share in zip(rows, shares, strict=True)
            ]
            read = read_back(*(best.values for best in top), *(best.indices for best in top))
        pairs = zip(rows, read[: len(rows)], read[len(rows) :], strict=True)
        return [self._answer(row, values.tolist(), ids.tolist()) for row, values, ids in pairs]

    def _row(self, question: Question) -> Row:
        tokens = self._template.tokens(question.inputs, bool(int_option(question, "special_tokens", 0)))
        return Row(question, len(tokens), (tokens,))

    def _answer(self, row: Row, values: list[float], ids: list[int]) -> Answer:
        texts = tuple(self._template.token(token) for token in ids)
        return Answer(values=tuple(values), texts=texts, tokens=row.length)


def load(path: Path, checkpoint: Checkpoint, device: str) -> LogprobModel:
    return load_with(AutoModelForCausalLM.from_pretrained, path, checkpoint, device)


def load_with(read: FromPretrained, path: Path, checkpoint: Checkpoint, device: str) -> LogprobModel:
    """The same with another way to read the network."""
    template = ChatTemplate.load(path)
    return LogprobModel(load_network(read, path, checkpoint, device), template)
