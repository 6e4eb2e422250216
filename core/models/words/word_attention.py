"""Attention heads of words: each word of a sentence looks through the document for what is said of it there, and a perceptron
judges what it found beside the word's features."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, gelu, normalize

from core.models.words.head import HEADS, HIDDEN, UNITS, AttentionTensors, attention_shapes
from core.models.words.word_features import Features
from core.models.words.word_states import States
from core.stats import Numbers, Values

if TYPE_CHECKING:
    from core.models.words.word_table import WordTable

_EPOCHS = 3
_RATE, _DECAY = 1e-3, 0.02
# of one document, whose words are projected once for all of them, and documents in a step
_SENTENCES, _DOCUMENTS = 4, 4
# that look through a document together, when it is scored and when it is learned from: a text without full stops is one sentence
_WORDS_AT_ONCE, _MOST_WORDS = 128, 1_024
_WORDS = 20.0  # of a sentence: the loss is that of its words in sum, so that long sentences count more
_DROPPED_INPUTS, _DROPPED_HIDDEN = 0.1, 0.3
_LEAST_SPREAD = 1e-3
_SHARPNESS = 2.5  # the logarithm of what cosines are multiplied by at first

Dropping = Callable[[Tensor, float], Tensor]
"""Leaves out a share of numbers while the heads are trained."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentMemory:
    """Keys and values of the words of a document for each head of each member: (members, words, heads, units)."""

    keys: Tensor
    values: Tensor


class WordAttention(nn.Module):
    """Several members of the same shape, each learned from other documents; what they say is averaged."""

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.mean, self.spread = weights["mean"], weights["spread"]
        learned = {name: nn.Parameter(tensor) for name, tensor in weights.items() if name not in ("mean", "spread")}
        self.weights = nn.ParameterDict(learned)
        self.nbytes = sum(tensor.nbytes for tensor in weights.values())

    @classmethod
    def from_tensors(cls, tensors: AttentionTensors) -> WordAttention:
        """The heads of a file, which is in half precision."""
        return cls({name: torch.from_numpy(np.asarray(tensor, np.float32)) for name, tensor in tensors.items()})

    @classmethod
    def initial(cls, width: int, values: Features, generator: torch.Generator) -> WordAttention:
        """One member that has learned nothing, for states of some width and the features that it will see."""
        weights = {name: torch.zeros(shape) for name, shape in attention_shapes(1, width).items()}
        for name in ("query", "value"):
            nn.init.orthogonal_(weights[name][0], generator=generator)
        weights["key"] = weights["query"].clone()  # at first a word looks for its like
        for name, inputs in (("hidden", weights["hidden"].shape[1]), ("out", HIDDEN)):
            nn.init.uniform_(weights[name], -(inputs**-0.5), inputs**-0.5, generator=generator)
        weights["sharpness"] += _SHARPNESS
        weights["mean"] += torch.from_numpy(values.mean(0))
        weights["spread"] += torch.from_numpy(values.std(0) + _LEAST_SPREAD)
        return cls(weights)

    def tensors(self) -> AttentionTensors:
        """The heads as they are written into a file."""
        tensors = {**self.weights, "mean": self.mean, "spread": self.spread}
        return {name: tensor.detach().half().numpy() for name, tensor in tensors.items()}

    def read_document(self, states: States) -> DocumentMemory:
        """Memory of a document from the states of its words, (words, width)."""
        with torch.inference_mode():
            return self.remember(torch.from_numpy(states))

    def remember(self, states: Tensor) -> DocumentMemory:
        """The same while the heads are trained."""
        keys = _by_head(states @ self.weights["key"])
        return DocumentMemory(normalize(keys, dim=-1), _by_head(states @ self.weights["value"]))

    def forward(
        self, document: DocumentMemory, states: Tensor, features: Tensor, drop: Dropping = lambda numbers, _: numbers
    ) -> Tensor:
        """The logit of each word being wrong by each member, (members, words), for states and features (words, …)."""
        weights = self.weights
        queries = normalize(_by_head(states @ weights["query"]), dim=-1)
        cosines = torch.einsum("mwhu,mnhu->mwhn", queries, document.keys)
        shares = (cosines * weights["sharpness"].exp()).softmax(-1)
        gathered = torch.einsum("mwhn,mnhu->mwhu", shares, document.values).flatten(2)
        own = states @ weights["value"]
        spread = -(shares * (shares + 1e-9).log()).sum(-1)
        surface = (features - self.mean) / self.spread
        seen = [own, gathered, (own - gathered).abs(), own * gathered, cosines.amax(-1), spread, surface]
        hidden = gelu(drop(torch.cat(seen, -1), _DROPPED_INPUTS) @ weights["hidden"] + weights["hidden_bias"])
        return (drop(hidden, _DROPPED_HIDDEN) * weights["out"]).sum(-1) + weights["out_bias"]

    def logits(self, document: DocumentMemory, states: States, features: Features) -> Features:
        """The mean logit of each word being wrong, (words,)."""
        parts = [slice(start, start + _WORDS_AT_ONCE) for start in range(0, len(states), _WORDS_AT_ONCE)]
        with torch.inference_mode():
            logits = [
                self(document, torch.from_numpy(states[part]), torch.from_numpy(features[part])) for part in parts
            ]
        return np.asarray(torch.cat(logits, 1).mean(0).numpy(), dtype=np.float32)


def _by_head(projected: Tensor) -> Tensor:
    return projected.unflatten(-1, (HEADS, UNITS // HEADS))


def fit_attention(table: WordTable, targets: Values, seed: int) -> Generator[tuple[int, int], None, WordAttention]:
    """One member, learned from the sentences of words with `targets`, the probability that each is wrong, (words,), nan for a
    word that is not learned from; yields steps done and all steps.

    The same targets and seed give the same weights, whatever else draws random numbers meanwhile.
    """
    labelled = np.unique(table.sentence[~np.isnan(targets)])
    generator, order = torch.Generator().manual_seed(seed), np.random.default_rng(seed)
    words = np.concatenate([np.arange(*table.words_in(sentence)) for sentence in labelled])
    network = WordAttention.initial(table.states.words.shape[1], table.values[words], generator)
    # the sentences in an order of chance: some of one document at a time, and of several documents in a step
    steps: list[list[Numbers]] = []
    for _ in range(_EPOCHS):
        groups: list[Numbers] = []
        for document in np.unique(table.states.document[labelled]):
            own = order.permutation(labelled[table.states.document[labelled] == document])
            groups += [own[start : start + _SENTENCES] for start in range(0, len(own), _SENTENCES)]
        mixed = [groups[place] for place in order.permutation(len(groups))]
        steps += [mixed[start : start + _DOCUMENTS] for start in range(0, len(mixed), _DOCUMENTS)]
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=len(steps) + 2)

    def drop(numbers: Tensor, share: float) -> Tensor:
        return numbers * (torch.rand(numbers.shape, generator=generator) >= share) / (1 - share)

    for done, step in enumerate(steps):
        yield done, len(steps)
        loss = torch.stack([_loss(network, table, targets, sentences, drop) for sentences in step]).sum()
        optimizer.zero_grad()
        (loss / (_WORDS * _SENTENCES * _DOCUMENTS)).backward()
        optimizer.step()
        schedule.step()
    return WordAttention.from_tensors(network.tensors())  # as it will be read from a file


def _loss(network: WordAttention, table: WordTable, targets: Values, sentences: Numbers, drop: Dropping) -> Tensor:
    """The summed cross-entropy of the words, of sentences of one document, that are learned from."""
    words = np.concatenate([np.arange(*table.words_in(sentence)) for sentence in sentences])
    words = words[~np.isnan(targets[words])][:_MOST_WORDS]
    document = network.remember(_tensor(table.states.of_document(int(table.states.document[sentences[0]]))))
    logits = network(document, _tensor(table.states.words[words]), torch.from_numpy(table.values[words]), drop)
    wrong = torch.from_numpy(targets[words].astype(np.float32))
    return binary_cross_entropy_with_logits(logits[0], wrong, reduction="sum")


def _tensor(states: NDArray[np.float16]) -> Tensor:
    return torch.from_numpy(states.astype(np.float32))


def attention_logits(network: WordAttention, table: WordTable, sentences: Numbers) -> Iterator[tuple[slice, Features]]:
    """The words of each of some sentences, as they stand in the table, with their logits; sentences come in their order."""
    document, memory = -1, None
    for sentence in sentences:
        if memory is None or document != table.states.document[sentence]:
            document = int(table.states.document[sentence])
            memory = network.read_document(table.states.of_document(document).astype(np.float32))
        words = slice(*table.words_in(sentence))
        yield words, network.logits(memory, table.states.words[words].astype(np.float32), table.values[words])
