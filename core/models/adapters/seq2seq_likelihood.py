"""Kind "seq2seq_likelihood": how probable a BART finds each token of a target, given a source and the tokens before; after an edit only the tokens from the first changed one on are run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import BartForConditionalGeneration
from transformers.cache_utils import DynamicCache, EncoderDecoderCache

from core.errors import BadSettingError, MemoryFullError
from core.model_reference import Checkpoint
from core.models.device import empty_cache
from core.models.networks.linear import multiply
from core.models.networks.model import Row
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
from core.types import Answer, Question, Span

_PREFIX_BYTES = 256 << 20  # two documents of 1,024 tokens with their summaries for a large BART in float32

Ids = tuple[int, ...]


@dataclass(slots=True)
class DecodedPrefix:
    """One source with the target read last: the keys and values of every layer, and the target's values, (tokens,)."""

    target: Ids
    cache: EncoderDecoderCache
    values: Tensor

    @property
    def nbytes(self) -> int:
        halves = (self.cache.self_attention_cache, self.cache.cross_attention_cache)
        layers = [layer for half in halves for layer in half.layers]
        parts = [getattr(layer, name, None) for layer in layers for name in ("keys", "values")]
        return sum(int(part.nbytes) for part in parts if part is not None)

    def keep(self, target: Ids) -> int:
        """Forget what does not belong to this target; how many of its tokens have a value already, never all of them."""
        differing = (place for place, (a, b) in enumerate(zip(self.target, target, strict=False)) if a != b)
        shared = next(differing, min(len(self.target), len(target)))
        cached = min(shared, len(target) - 1)
        # a value rests on the tokens before: the state that gives the first changed one is run again
        if surplus := self.cache.get_seq_length() - cached:
            self.cache.crop(-surplus)
        return cached


class PrefixCache:
    """The readings used last, within a budget of memory; each belongs to one thread while it is worked on."""

    def __init__(self) -> None:
        self._prefixes: OrderedDict[Ids, DecodedPrefix] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, source: Ids) -> DecodedPrefix | None:
        with self._lock:
            return self._prefixes.pop(source, None)

    def put(self, source: Ids, reading: DecodedPrefix) -> None:
        with self._lock:
            self._prefixes[source] = reading
            while sum(prefix.nbytes for prefix in self._prefixes.values()) > _PREFIX_BYTES:
                self._prefixes.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._prefixes.clear()

    def __len__(self) -> int:
        return len(self._prefixes)


_SOURCE_BYTES = 256 << 20  # about 64 documents of 1,024 tokens for a large BART in float32
# a token has a logit for each of 50,265 words, too many at once for the cache of a processor
_TOKENS_PER_PASS, _WORDS_PER_PASS = 8192, 4096


class LikelihoodModel:
    """Inputs: source and target. Option "limits": tokens of source and target at most, with those of the template.

    Values: the natural log-probability of each token of the target, those of the template included, by teacher forcing.
    Spans: where the tokens stand in the target; (0, 0) for one of the template.
    States of sources are kept on the device, so that a changed target costs passes of the decoder only; a pair that stands
    alone, as after an edit, is read from the first changed token on.
    """

    def __init__(self, network: BartForConditionalGeneration, tokenizer: TextTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._sources: OrderedDict[tuple[int, ...], Tensor] = OrderedDict()
        self._readings = PrefixCache()
        self._lock = threading.Lock()
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        texts = [text for question in questions for text in question.inputs]
        longest = max_positions(self._network)
        limits: list[int] = []
        for question in questions:
            both = dict(question.options).get("limits", (longest, longest))
            if not isinstance(both, tuple) or len(both) != 2:
                raise BadSettingError(f"Option limits must be two whole numbers; got {both!r}.")
            limits += [min(longest, limit) for limit in both]
        tokens = self._tokenizer.encode(texts, limits)
        pairs = zip(tokens[::2], tokens[1::2], strict=True)
        return [Row(question, max(map(len, pair)), pair) for question, pair in zip(questions, pairs, strict=True)]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        try:
            return self._pass(rows)
        except MemoryFullError:
            if not self._sources and not self._readings:
                raise
        # what is remembered must not keep a text from being read
        with self._lock:
            self._sources.clear()
        self._readings.clear()
        empty_cache()
        return self._pass(rows)

    def _pass(self, rows: Sequence[Row]) -> list[Answer]:
        if len(rows) == 1:
            return [self._reread(rows[0])]
        targets = [row.payload[1] for row in rows]
        with torch.inference_mode(), freeing_memory("The pair of texts does not fit"):
            sources = self._source_states([row.payload[0] for row in rows])
            ids = [token for target in targets for token in target.ids]
            flat = self._log_probabilities(self._target_states(sources, targets), ids)
            [values] = read_back(flat)
        each = values.split([len(target) for target in targets])
        return [self._answer(*pair) for pair in zip(rows, each, strict=True)]

    def _reread(self, row: Row) -> Answer:
        """One pair: where its source was read with another target before, only what comes after the first difference."""
        source, target = row.payload
        with torch.inference_mode(), freeing_memory("A pair does not fit"):
            reading = self._readings.take(source.ids) or DecodedPrefix((), self._no_cache(), torch.empty(0))
            cached = reading.keep(target.ids)
            states = self._source_states([source])[0][None]
            written = torch.tensor([(self._network.config.decoder_start_token_id, *target.ids[:-1])[cached:]])
            decoded = self._network.model.decoder(
                input_ids=copy_to_device(written, self._network.device),
                encoder_hidden_states=states,
                past_key_values=reading.cache,
                use_cache=True,
            ).last_hidden_state[0]
            fresh = self._log_probabilities(decoded, target.ids[cached:])
            values = torch.cat([reading.values[:cached].to(fresh), fresh])
            self._readings.put(source.ids, DecodedPrefix(target.ids, reading.cache, values))
            return self._answer(row, values)

    def _no_cache(self) -> EncoderDecoderCache:
        config = self._network.config
        return EncoderDecoderCache(DynamicCache(config=config), DynamicCache(config=config))

    def _source_states(self, sources: Sequence[Tokens]) -> list[Tensor]:
        """The encoder's states, (tokens, width) each; those read for an earlier target are remembered."""
        with self._lock:
            states = {source.ids: self._sources[source.ids] for source in sources if source.ids in self._sources}
        missing = {source.ids: source for source in sources if source.ids not in states}
        states.update(zip(missing, self._read(list(missing.values())), strict=True))
        with self._lock:
            self._remember(states)
        return [states[source.ids] for source in sources]

    def _remember(self, states: dict[tuple[int, ...], Tensor]) -> None:
        for ids, state in states.items():
            self._sources[ids] = state
            self._sources.move_to_end(ids)
        while sum(cached.nbytes for cached in self._sources.values()) > _SOURCE_BYTES:
            self._sources.popitem(last=False)

    def _read(self, sources: Sequence[Tokens]) -> list[Tensor]:
        if not sources:
            return []
        ids, mask, _ = pad_batch(sources, self._network)
        states = self._network.model.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        # copies: a slice would keep the padding of the whole batch in memory
        return [states[number, : len(source)].clone() for number, source in enumerate(sources)]

    def _target_states(self, sources: Sequence[Tensor], targets: Sequence[Tokens]) -> Tensor:
        """The decoder's states before it writes each token of each target, (tokens of all targets, width)."""
        device, start = self._network.device, self._network.config.decoder_start_token_id
        written = pad_sequence([torch.tensor((start, *target.ids[:-1])) for target in targets], batch_first=True)
        states = self._network.model.decoder(
            input_ids=copy_to_device(written, device),
            encoder_hidden_states=pad_sequence(list(sources), batch_first=True),
            encoder_attention_mask=pad_sequence([source.new_ones(len(source)).long() for source in sources], True),
            use_cache=False,
        ).last_hidden_state
        return torch.cat([states[number, : len(target)] for number, target in enumerate(targets)])

    def _log_probabilities(self, states: Tensor, tokens: Sequence[int]) -> Tensor:
        """Of each token among all words, (tokens,)."""
        ids = copy_to_device(torch.tensor(tokens), states.device)
        pairs = zip(states.split(_TOKENS_PER_PASS), ids.split(_TOKENS_PER_PASS), strict=True)
        return torch.cat([self._log_softmax_at(*pair) for pair in pairs])

    def _log_softmax_at(self, states: Tensor, targets: Tensor) -> Tensor:
        """The log-softmax over all words at each target, some words at a time: (tokens,)."""
        weights, biases = self._network.lm_head.weight, self._network.final_logits_bias[0]
        own, totals = states.new_zeros(len(states), dtype=torch.float32), []
        for first in range(0, len(weights), _WORDS_PER_PASS):
            words = slice(first, first + _WORDS_PER_PASS)
            logits = multiply(states, weights[words], biases[words]).float()  # (tokens, words)
            totals.append(logits.logsumexp(-1))
            place = targets - first
            within = logits.gather(1, place.clamp(0, logits.shape[1] - 1)[:, None])[:, 0]
            own = torch.where((place >= 0) & (place < logits.shape[1]), within, own)
        return own - torch.stack(totals).logsumexp(0)

    def _answer(self, row: Row, values: Tensor) -> Answer:
        source, target = row.payload
        return Answer(
            values=tuple(values.tolist()),
            spans=tuple(Span(*offsets) for offsets in target.offsets),
            tokens=len(source) + len(target),
            cut=source.cut + target.cut,
        )


def load(path: Path, checkpoint: Checkpoint, device: str) -> LikelihoodModel:
    network = load_network(BartForConditionalGeneration.from_pretrained, path, checkpoint, device)
    return LikelihoodModel(cast(BartForConditionalGeneration, network), TextTokenizer.load(path))
