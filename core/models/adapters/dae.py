"""Kind "dae": how probable it is that a document entails each dependency arc of a summary, by an ELECTRA (DAE)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from transformers import ElectraConfig, ElectraModel, ElectraPreTrainedModel

from core.errors import UnscorableError
from core.model_reference import Checkpoint
from core.models.networks.model import UNLIMITED, Row, int_option
from core.models.networks.network import (
    copy_to_device,
    freeing_memory,
    load_network,
    max_positions,
    network_bytes,
    pad_batch,
    read_back,
)
from core.models.networks.tokenizer import TextTokenizer, Tokens
from core.types import Answer, Question


class ArcElectra(ElectraPreTrainedModel):
    """ELECTRA with two logits for each pair of a word and its head."""

    def __init__(self, config: ElectraConfig) -> None:
        super().__init__(config)
        self.electra = ElectraModel(config)
        self.dep_label_classifier = torch.nn.Linear(2 * config.hidden_size, 2)
        self.post_init()


class DaeModel:
    """Inputs: the words of document and summary, each joined by single blanks. Options: "arcs", the numbers of child and head
    among the words of the summary, one pair after the other; "limit", tokens at most.

    Values: the probability that each arc is entailed. A word is read from its last token. The document is cut at its end,
    two tokens more than needed, as the authors' code does. Raises UnscorableError for a summary that leaves it no room.
    """

    def __init__(self, network: ArcElectra, tokenizer: TextTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [self._row(question) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, _ = pad_batch(tokens, self._network)
            states = self._network.electra(input_ids=ids, attention_mask=mask).last_hidden_state
            places = [self._places(row) for row in rows]
            flat = copy_to_device(torch.tensor(list(chain(*places)), dtype=torch.long), self._network.device)
            split = zip(states, flat.split(list(map(len, places))), strict=True)
            shares = read_back(*(self._shares(state, of_row) for state, of_row in split))
        return [
            Answer(values=tuple(share.tolist()), tokens=len(text), cut=text.cut)
            for text, share in zip(tokens, shares, strict=True)
        ]

    def _row(self, question: Question) -> Row:
        document, summary = (self._pieces(text) for text in question.inputs)
        [(cls, sep)] = [tokens.ids for tokens in self._tokenizer.encode([""], [UNLIMITED])]
        read, claimed = list(chain(*document)), list(chain(*summary))
        over = len(read) + len(claimed) + 3 - int_option(question, "limit", max_positions(self._network))
        cut = over + 2 if over > 0 else 0
        if cut > len(read):
            raise UnscorableError(
                f"The summary has {len(claimed)} tokens, which leaves no room for the document. Shorten it."
            )
        read = read[: len(read) - cut]
        ends = list(accumulate((len(pieces) for pieces in summary), initial=len(read) + 1))[1:]
        ids = (cls, *read, sep, *claimed, sep)
        # a word that the tokenizer drops altogether is read from the token before it, where the authors' code stops
        return Row(
            question, len(ids), (Tokens(ids, (0,) * len(ids), offsets=tuple((end, end) for end in ends), cut=cut),)
        )

    def _pieces(self, text: str) -> list[list[int]]:
        """The tokens of each word by itself."""
        words = text.split(" ")
        return [
            [token for token, special in zip(tokens.ids, tokens.special, strict=True) if not special]
            for tokens in self._tokenizer.encode(words, [UNLIMITED] * len(words))
        ]

    def _places(self, row: Row) -> list[int]:
        """The last token of the child and of the head of each arc, one after the other."""
        [tokens] = row.payload
        return [tokens.offsets[word][0] for word in cast(tuple[int, ...], dict(row.question.options)["arcs"])]

    def _shares(self, states: Tensor, places: Tensor) -> Tensor:
        """The probability of each arc, (arcs,)."""
        pairs = torch.cat([states[places[::2]], states[places[1::2]]], dim=-1)  # (arcs, 2 * width): child, then head
        return cast(Tensor, self._network.dep_label_classifier(pairs).float().softmax(-1)[:, 1])


def load(path: Path, checkpoint: Checkpoint, device: str) -> DaeModel:
    network = load_network(ArcElectra.from_pretrained, path, checkpoint, device)
    return DaeModel(cast(ArcElectra, network), TextTokenizer.load(path))
